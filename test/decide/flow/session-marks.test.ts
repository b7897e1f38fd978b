import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { SessionMarks, saidWith, say } from "../../../main/decide/flow/session-marks.ts";
import { MAX_PATHS, WrittenFiles } from "../../../main/decide/flow/written-files.ts";
import { freshGrants } from "../../support/gate-stores.ts";

/** What is kept of sessions stays small, whatever agents call them and however much they write. */

const agent = (name: string) => ({ agent_id: `agent-${name}`, name });

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** What is really held: without garbage that nobody has collected yet. */
function heapMb(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed / 1e6;
}

describe("the marks of 100,000 sessions", () => {
  it("take little memory, and cost no other agent's sessions theirs", () => {
    const { db, clock } = freshGrants();
    db.pragma("synchronous = OFF");
    const marks = new SessionMarks(db, clock, { hasSpoken: (id) => id === "agent-claude-code" });
    const claude = { agent: agent("claude-code"), session: "first" };
    marks.note(claude, "private", "~/notes/plan.md", "d1");
    const before = heapMb();
    db.exec("BEGIN");
    for (let at = 0; at < 100_000; at++) {
      clock.advance(1);
      const session = { agent: agent("assistant"), session: `s${at}` };
      marks.note(
        session,
        at % 2 === 0 ? "private" : "untrusted",
        `/srv/some/folder/of/somebody/file-${at % 300}`,
        "d2",
      );
    }
    db.exec("COMMIT");
    const used = heapMb() - before;
    // Until here they are held.
    expect(marks.list(1)).toHaveLength(1);
    const rows = db.prepare("SELECT count(*) AS count FROM flow_marks").get() as { count: number };
    console.log(`100,000 sessions: ${used.toFixed(1)} MB of heap, ${rows.count} rows`);
    expect(used).toBeLessThan(32);
    expect(rows.count).toBeLessThan(21_002);
    const again = new SessionMarks(db, clock, { hasSpoken: (id) => id === "agent-claude-code" });
    expect(again.of(claude)?.private?.what).toBe("~/notes/plan.md");
    expect(Object.keys(again.of({ agent: agent("assistant"), session: "new" }) ?? {})).toEqual([
      "reads",
      "private",
      "untrusted",
    ]);
  });

  it("take little memory as well where each of them reads much", () => {
    const { db, clock } = freshGrants();
    db.pragma("synchronous = OFF");
    const marks = new SessionMarks(db, clock, { hasSpoken: () => true });
    const before = heapMb();
    db.exec("BEGIN");
    for (let at = 0; at < 600; at++)
      for (let file = 0; file < 250; file++)
        marks.note(
          { agent: agent("codex"), session: `s${at}` },
          "private",
          `/srv/${"folder/".repeat(20)}${at}/${file}`,
          "d",
        );
    db.exec("COMMIT");
    const used = heapMb() - before;
    // Until here they are held.
    expect(marks.list(1)).toHaveLength(1);
    console.log(`600 sessions that read 250 files each: ${used.toFixed(1)} MB of heap`);
    expect(used).toBeLessThan(64);
  });
});

describe("a mark that sessions share", () => {
  it("counts for seven days from its last time, also in a gate that runs on and has seen the same before", () => {
    const { db, clock } = freshGrants();
    const marks = new SessionMarks(db, clock, { hasSpoken: () => false });
    const session = (name: string) => ({ agent: agent("assistant"), session: name });
    for (const name of ["a", "a", "b"]) {
      marks.note(session(name), "private", "/srv/a", "d");
      marks.note(session(name), "untrusted", "docs.example.org", "d");
      clock.advance(5 * 86_400);
      for (const read of [marks, new SessionMarks(db, clock, { hasSpoken: () => false })]) {
        const found = read.of(session("c"));
        expect([found?.private?.what, found?.untrusted?.what]).toEqual(["/srv/a", "docs.example.org"]);
      }
    }
    expect(marks.of(session("c"))?.reads).toBe(1);
    clock.advance(3 * 86_400);
    expect(marks.of(session("c"))).toBeNull();
  });
});

describe("what a session has said", () => {
  it("to one domain isn't forgotten by what it says to any number of others", () => {
    const { db, clock } = freshGrants();
    const marks = new SessionMarks(db, clock, { hasSpoken: () => true });
    const counted = marks.counted({ agent: agent("codex"), session: "s1" });
    if (counted === null) throw new Error("nobody's");
    for (let at = 0; at < 5; at++) say(counted, "evil.test", `${at}${"x".repeat(49)}`);
    for (let at = 0; at < 1000; at++) say(counted, `d${at}.example`, "abc");
    expect(saidWith(counted, "evil.test", "y".repeat(10))).toBe(260);
    expect(counted.said.size).toBe(256);
    // Nobody gets more than is counted for them.
    expect(saidWith(counted, "d0.example", "abcd")).toBeGreaterThanOrEqual(7);
  });
});

describe("a mark that can't be stored", () => {
  it("counts all the same, and is stored with the next that sets it", () => {
    const { db, clock } = freshGrants();
    const words = { hasSpoken: () => true };
    const marks = new SessionMarks(db, clock, words);
    const session = { agent: agent("codex"), session: "s1" };
    db.exec("CREATE TRIGGER full BEFORE INSERT ON flow_marks BEGIN SELECT RAISE(ABORT, 'disk is full'); END");
    expect(() => marks.note(session, "private", "/srv/a", "d1")).toThrow("disk is full");
    expect(marks.of(session)?.private?.what).toBe("/srv/a");
    db.exec("DROP TRIGGER full");
    marks.note(session, "private", "/srv/a", "d2");
    expect(new SessionMarks(db, clock, words).of(session)?.private?.what).toBe("/srv/a");
  });
});

describe("what marked sessions wrote", () => {
  it("is the whole project once there are too many paths, for whoever works anywhere", () => {
    const { db, clock, home } = freshGrants();
    db.pragma("synchronous = OFF");
    const files = new WrittenFiles(db, clock);
    const project = join(home, "shop");
    files.note(join(home, "other/a"), join(home, "other"), "w", ["untrusted"]);
    for (let at = 0; at < MAX_PATHS + 300; at++) files.note(join(project, `src/${at}.ts`), project, "w", ["private"]);
    const { count } = db.prepare("SELECT count(*) AS count FROM flow_files").get() as { count: number };
    expect(count).toBeLessThan(600);
    for (const read of [files, new WrittenFiles(db, clock)]) {
      expect(read.marksOf(join(project, "never-written.ts"), false, "r")).toEqual(["private", "untrusted"]);
      expect(read.marksOf(join(home, "shop-2/a.ts"), false, "r")).toEqual([]);
      expect(read.marksOf(join(home, "other/a"), false, "r")).toEqual(["untrusted"]);
      expect(read.marksOf(home, true, "r")).toEqual(["private", "untrusted"]);
    }
  });

  it("holds little memory of folders that are marked no longer, or within a project that is marked as a whole", () => {
    const { db, clock, home } = freshGrants();
    db.pragma("synchronous = OFF");
    const files = new WrittenFiles(db, clock);
    const project = join(home, "shop");
    const before = heapMb();
    for (let at = 0; at < 60_000; at++) {
      files.note(`${join(project, "folder".repeat(20), `${at}`)}/`, project, "w", ["private"]);
      if (at % 1000 === 999) files.noteRun(join(home, `run-${at}`), "w", ["private"]);
    }
    clock.advance(8 * 86_400);
    for (let at = 0; at < 256; at++) files.note(join(project, `later/${at}`), project, "w", ["private"]);
    const used = heapMb() - before;
    console.log(`60,000 folders: ${used.toFixed(1)} MB of heap`);
    expect(files.marksOf(join(project, "later/1"), false, "r")).toEqual(["private"]);
    expect(used).toBeLessThan(8);
  });

  it("stays known where it lies outside of a project that is marked as a whole", () => {
    const { db, clock, home } = freshGrants();
    db.pragma("synchronous = OFF");
    const files = new WrittenFiles(db, clock);
    const project = join(home, "shop");
    files.note(join(home, "Documents/a.md"), project, "w", ["untrusted"]);
    for (let at = 0; at < MAX_PATHS + 300; at++) files.note(join(project, `src/${at}.ts`), project, "w", ["private"]);
    for (const read of [files, new WrittenFiles(db, clock)])
      expect(read.marksOf(join(home, "Documents/a.md"), false, "r")).toEqual(["untrusted"]);
  });

  it("counts for seven days, and from its last writing on", () => {
    const { db, clock, home } = freshGrants();
    const files = new WrittenFiles(db, clock);
    const file = join(home, "shop/a");
    files.note(file, join(home, "shop"), "w", ["private"]);
    clock.advance(6 * 86_400);
    files.note(file, join(home, "shop"), "w", ["private"]);
    clock.advance(6 * 86_400);
    expect(files.marksOf(file, false, "r")).toEqual(["private"]);
    clock.advance(2 * 86_400);
    expect(files.marksOf(file, false, "r")).toEqual([]);
  });

  it("is known though it can't be written down, and is written down later", () => {
    const { db, clock, home } = freshGrants();
    const failures: unknown[] = [];
    const files = new WrittenFiles(db, clock, (_what, error) => failures.push(error));
    const file = join(home, "shop/a");
    db.exec("CREATE TRIGGER full BEFORE INSERT ON flow_files BEGIN SELECT RAISE(ABORT, 'disk is full'); END");
    files.note(file, join(home, "shop"), "w", ["private"]);
    expect(failures.length).toBe(1);
    expect(files.marksOf(file, false, "r")).toEqual(["private"]);
    expect(files.marksOf(home, true, "r")).toEqual(["private"]);
    db.exec("DROP TRIGGER full");
    files.flush();
    expect(new WrittenFiles(db, clock).marksOf(file, false, "r")).toEqual(["private"]);
  });
});
