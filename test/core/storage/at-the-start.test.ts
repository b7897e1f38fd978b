import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import Sqlite from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { DATABASES, type DatabaseName } from "../../../main/base/sqlite/database-names.ts";
import { monthFile } from "../../../main/records/audit/chain.ts";
import { LAUNCHER, runGate, StartedProcess, startServe } from "../../support/gate-process.ts";
import { startGate } from "../../support/running-gate.ts";
import { type TemporaryHome, temporaryHome } from "../../support/temporary-home.ts";

const fileOf = ({ paths }: TemporaryHome, name: DatabaseName) =>
  ({ grants: paths.grants_db, approvals: paths.approvals_db, agents: paths.agents_db, safety: paths.safety_db })[name];

const trailOf = ({ paths }: TemporaryHome) => readFileSync(join(paths.auditDir, monthFile(Date.now())), "utf8");

/** A home in which a gate has run, with an agent, a grant and a request that waits; paused, if it should be. */
async function usedHome({ paused = false } = {}): Promise<TemporaryHome> {
  const gate = await startGate();
  const agent = await gate.agent();
  await agent.ask({ executor: "fs_write", args: { path: "/srv/a.txt" } });
  await gate.operator.call("grants.add", { capability: "fs:read", target: "/srv/docs/**" });
  if (paused) await gate.operator.call("safety.pause", {});
  await gate.close();
  return gate.home;
}

const EMPTY: Record<string, (file: string) => void> = {
  missing: (file) => rmSync(file),
  "of no length": (file) => writeFileSync(file, ""),
  "without a table": (file) => {
    rmSync(file);
    const db = new Sqlite(file);
    db.exec("CREATE TABLE t (x); DROP TABLE t");
    db.close();
  },
};

describe("a database beside others that were used", () => {
  for (const name of DATABASES) {
    it.each(Object.entries(EMPTY))(
      `${name} is %s: the gate doesn't start, and says how to begin without it`,
      async (_, empty) => {
        const home = await usedHome();
        const file = fileOf(home, name);
        empty(file);
        const before = existsSync(file) ? readFileSync(file) : undefined;
        await expect(startGate({ home })).rejects.toMatchObject({
          code: "database_missing",
          message: expect.stringContaining(file),
          hint: expect.stringContaining(`metnos-gate start --accept-empty ${name}`),
        });
        expect(existsSync(file) ? readFileSync(file) : undefined).toEqual(before);
      },
    );
  }

  it("is recreated where that is accepted: an alarm, the log and the trail say so", async () => {
    const home = await usedHome();
    rmSync(home.paths.grants_db);
    rmSync(home.paths.agents_db);
    const other = await runGate(home, ["serve", "--accept-empty", "grants"]);
    expect([other.code, other.stderr]).toEqual([1, expect.stringContaining("--accept-empty agents")]);
    const started = await startServe(home, ["--accept-empty", "grants", "agents"]);
    const { stdout, stderr } = await runGate(home, ["status"]);
    expect(JSON.parse(stdout)).toMatchObject({
      alarms: [
        { code: "file_renewed", subject: home.paths.grants_db },
        { code: "file_renewed", subject: home.paths.agents_db },
      ],
      approvals_pending: 1,
    });
    expect(stderr).toContain(`ALARM: the grants database ${home.paths.grants_db} was missing or empty`);
    expect(trailOf(home)).toMatch(/"event":"database.renewed".*"file":"grants.db"/);
    await started.end("SIGTERM");
    expect(started.stdout).toContain("the agents database");
  });

  it("is no more than a first start where nothing was used yet, though it was interrupted", async () => {
    const home = temporaryHome();
    await (await startGate({ home })).close();
    rmSync(home.paths.safety_db);
    rmSync(home.paths.agents_db);
    const gate = await startGate({ home });
    expect((await gate.operator.call("status", {})).alarms).toEqual([]);
    expect([existsSync(home.paths.safety_db), existsSync(home.paths.agents_db)]).toEqual([true, true]);
  });

  it("are all missing, though the trail has lines: refused by name", async () => {
    const home = await usedHome();
    rmSync(home.paths.state_dir, { recursive: true });
    await expect(startGate({ home })).rejects.toMatchObject({
      code: "database_missing",
      hint: expect.stringContaining("--accept-empty grants approvals agents safety"),
    });
  });

  it("was the one that held the pause: the gate begins paused, and only the operator resumes it", async () => {
    const home = await usedHome({ paused: true });
    rmSync(home.paths.safety_db);
    const accepting = { home, acceptEmpty: ["safety"] as const };
    const gate = await startGate(accepting);
    expect((await gate.operator.call("safety.status", {})).pause).toMatchObject({
      is_paused: true,
      reason: "the gate was paused when its safety database was lost",
      clears: "by_human",
    });
    expect((await (await gate.agent()).ask({ executor: "time_now", args: {} })).decision.outcome).toBe("denied");
    await gate.operator.call("safety.resume", {});
    await gate.close();
    rmSync(home.paths.safety_db);
    const again = await startGate(accepting);
    expect((await again.operator.call("safety.status", {})).pause.is_paused).toBe(false);
  });
});

describe("a start that fails after the database that held the pause was begun anew", () => {
  it("has kept the pause for the next one", async () => {
    const home = await usedHome({ paused: true });
    rmSync(home.paths.safety_db);
    const grants = new Sqlite(home.paths.grants_db);
    grants.exec(`UPDATE grants SET session = 'gate-session-1';
      CREATE TRIGGER refuses BEFORE UPDATE ON grants BEGIN SELECT RAISE(ABORT, 'refused'); END`);
    await expect(startGate({ home, acceptEmpty: ["safety"] })).rejects.toThrow(/refused/);
    grants.exec("DROP TRIGGER refuses");
    grants.close();
    const gate = await startGate({ home });
    expect((await gate.operator.call("safety.status", {})).pause.is_paused).toBe(true);
  });
});

describe("a database of another program", () => {
  it.each([...DATABASES])(
    "in the place of %s is refused by name, and nothing in or beside it is changed",
    async (name) => {
      for (const [sql, journal] of [
        ["CREATE TABLE mine (x); INSERT INTO mine VALUES (1)", "delete"],
        ["CREATE TABLE agents (x); CREATE TABLE grants (y); PRAGMA user_version = 7", "delete"],
        ["CREATE TABLE pending (x); CREATE TABLE pause (y)", "wal"],
      ] as const) {
        const home = temporaryHome();
        const file = fileOf(home, name);
        mkdirSync(dirname(file), { recursive: true });
        const db = new Sqlite(file);
        db.pragma(`journal_mode = ${journal}`);
        db.exec(sql);
        db.close();
        chmodSync(file, 0o644);
        const before = { bytes: readFileSync(file), mode: statSync(file).mode };
        await expect(startGate({ home })).rejects.toMatchObject({
          code: expect.stringMatching(/database_(foreign|newer|damaged)/),
          message: expect.stringContaining(file),
        });
        expect({ bytes: readFileSync(file), mode: statSync(file).mode }).toEqual(before);
        expect(readdirSync(dirname(file)).filter((entry) => /-wal|-shm|-journal/.test(entry))).toEqual([]);
      }
    },
  );

  it("is another one of the gate's own: refused, and left as it is", async () => {
    const home = await usedHome();
    renameSync(home.paths.agents_db, home.paths.grants_db);
    const before = readFileSync(home.paths.grants_db);
    await expect(startGate({ home })).rejects.toMatchObject({
      code: "database_foreign",
      message: expect.stringMatching(/grants\.db is not the grants database: .*its tables: agent_pauses, agents/),
    });
    expect(readFileSync(home.paths.grants_db).equals(before)).toBe(true);
  });
});

describe("the counts of activity.db", () => {
  it.each<[string, (file: string) => void]>([
    ["cut short", (file) => writeFileSync(file, readFileSync(file).subarray(0, 5000))],
    ["no database", (file) => writeFileSync(file, "notes ".repeat(1000))],
    [
      "another program's",
      (file) => {
        rmSync(file);
        const db = new Sqlite(file);
        db.exec("CREATE TABLE mine (x)");
        db.close();
      },
    ],
    [
      "from a newer version",
      (file) => {
        const db = new Sqlite(file);
        db.pragma("user_version = 99");
        db.close();
      },
    ],
    [
      "of another form",
      (file) => {
        const db = new Sqlite(file);
        db.exec("ALTER TABLE minutes RENAME COLUMN asked TO wondered");
        db.close();
      },
    ],
  ])("are %s: the file is set aside and recreated, an alarm says so, and the gate runs", async (_, harm) => {
    const home = await usedHome();
    const file = home.paths.activity_db;
    harm(file);
    const bytes = readFileSync(file);
    const gate = await startGate({ home });
    const aside = readdirSync(home.paths.state_dir).filter((name) => name.startsWith("activity.db.damaged-"));
    expect(aside).toHaveLength(1);
    expect(readFileSync(join(home.paths.state_dir, aside[0] ?? "")).equals(bytes)).toBe(true);
    const { alarms } = await gate.operator.call("status", {});
    expect(alarms).toMatchObject([
      { code: "file_renewed", subject: file, message: expect.stringContaining(aside[0] ?? "") },
    ]);
    expect((await gate.operator.call("agents.list", {})).agents).toHaveLength(1);
    expect(trailOf(home)).toMatch(/"event":"database.set_aside".*"file":"activity.db"/);
  });

  it("can't be read: the gate runs without keeping them, and says so", async () => {
    const home = await usedHome();
    chmodSync(home.paths.activity_db, 0o000);
    const gate = await startGate({ home });
    const { alarms } = await gate.operator.call("status", {});
    expect(alarms).toMatchObject([{ code: "file_renewed", message: expect.stringContaining("can't be read") }]);
    expect((await gate.operator.call("agents.list", {})).agents).toHaveLength(1);
  });
});

describe("a write-ahead log that is missing after kill -9", () => {
  it("is said by an alarm and the trail; after a start that is in order it is not", async () => {
    const home = temporaryHome();
    const started = await startServe(home);
    await runGate(home, ["policy", "grant", "mail:read", "inbox"]);
    await started.end("SIGKILL");
    const wal = `${home.paths.grants_db}-wal`;
    rmSync(wal);
    const gate = await startGate({ home, acceptEmpty: ["grants"] });
    const { alarms } = await gate.operator.call("status", {});
    expect(alarms.map(({ subject }) => subject)).toContain(wal);
    expect(trailOf(home)).toMatch(/"event":"database.log_missing".*"file":"grants.db-wal"/);
    await gate.close();
    const again = await startGate({ home });
    expect((await again.operator.call("status", {})).alarms).toEqual([]);
  });
});

describe("what is wrong with a file is said of that file, with what to do", () => {
  it.each<[string, (file: string) => void, RegExp, RegExp]>([
    [
      "can't be read",
      (file) => chmodSync(file, 0o000),
      /grants database .*grants\.db can't be read/,
      /chmod u\+rw .*grants\.db$/,
    ],
    [
      "has a folder as its log",
      (file) => mkdirSync(`${file}-wal`),
      /grants\.db-wal, which belongs to the grants database, is not a file/,
      /move it away/,
    ],
    [
      "has a folder as its log's index",
      (file) => mkdirSync(`${file}-shm`),
      /grants\.db-shm, which belongs/,
      /move it away/,
    ],
    [
      "has a folder as its lock",
      (file) => {
        rmSync(`${file}.lock`);
        mkdirSync(`${file}.lock`);
      },
      /the lock .*grants\.db\.lock can't be used: it is not an ordinary file/,
      /move it away/,
    ],
    [
      "has notes as its lock",
      (file) => writeFileSync(`${file}.lock`, "notes ".repeat(1000)),
      /the lock .*grants\.db\.lock can't be used: it is not an ordinary file/,
      /move it away/,
    ],
  ])("a database that %s", async (_, harm, message, hint) => {
    const home = await usedHome();
    harm(home.paths.grants_db);
    await expect(startGate({ home })).rejects.toMatchObject({
      message: expect.stringMatching(message),
      hint: expect.stringMatching(hint),
    });
  });

  it("a database's folder that can't be written", async () => {
    const home = await usedHome();
    const folder = join(home.home, "elsewhere");
    mkdirSync(folder);
    const file = join(folder, "approvals.db");
    renameSync(home.paths.approvals_db, file);
    writeFileSync(`${file}.lock`, "");
    chmodSync(folder, 0o500);
    const env = { ...home.env, METNOS_APPROVALS_DB: file };
    const started = new StartedProcess(process.execPath, [LAUNCHER, "serve"], { env });
    expect(await started.exited).toBe(1);
    expect(started.stderr).toContain(`the folder ${folder} of the approvals database can't be written`);
    expect(started.stderr).toContain(`chmod u+rwx ${folder}`);
    chmodSync(folder, 0o700);
  });
});
