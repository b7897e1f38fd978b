import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { acceptProblems } from "../../../main/records/audit/accept-problems.ts";
import { verifyAudit } from "../../../main/records/audit/verify.ts";
import { freshTrail, linesIn, written } from "../../support/audit-trail.ts";
import { refusalOf } from "../../support/refusals.ts";

const MAY = "2026-05.jsonl";

function trailOf(texts: readonly string[]) {
  const trail = freshTrail();
  written(trail.opened(), trail.clock, texts);
  const { folder, headFile, clock } = trail;
  const put = (lines: readonly string[]) => writeFileSync(join(folder, MAY), lines.map((line) => `${line}\n`).join(""));
  const verify = () => verifyAudit(folder, headFile, undefined, clock.ms);
  const accept = async (reason: string) => {
    const log = trail.opened();
    const report = await acceptProblems(log, { folder, headFile }, reason, clock.ms);
    log.close();
    return report;
  };
  return { ...trail, put, verify, accept };
}

describe("problems that the operator accepts", () => {
  it("are a line of the trail that names each of them and the reason; verify is ok, and still lists them", async () => {
    const { folder, put, verify, accept } = trailOf(["a", "b", "c"]);
    const lines = linesIn(folder);
    put(lines.map((line) => line.replace('"b"', '"x"')));
    expect((await verify()).ok).toBe(false);
    expect(await accept("a slip of the editor")).toMatchObject({ ok: true, accepted: 1 });
    expect(JSON.parse(linesIn(folder).at(-1) ?? "")).toMatchObject({
      event: "audit.accepted",
      reason: "a slip of the editor",
      problems: [{ file: MAY, line: 3, kind: "changed", found: expect.stringMatching(/^[0-9a-f]{64}$/) }],
    });
    expect(await verify()).toMatchObject({
      ok: true,
      problems: [{ file: MAY, line: 3, kind: "changed", accepted: "a slip of the editor" }],
    });
  });

  it("don't cover a new one, nor anything else in the same position", async () => {
    const { folder, put, verify, accept } = trailOf(["a", "b", "c", "d"]);
    put(linesIn(folder).map((line) => line.replace('"b"', '"x"')));
    await accept("known");
    put(linesIn(folder).map((line) => line.replace('"x"', '"y"')));
    expect((await verify()).ok).toBe(false);
    put(linesIn(folder).map((line) => line.replace('"y"', '"x"')));
    expect((await verify()).ok).toBe(true);
    put(linesIn(folder).map((line) => line.replace('"d"', '"x"')));
    expect(await verify()).toMatchObject({ ok: false, problems: [{ line: 5, accepted: null }, { accepted: "known" }] });
  });

  it("a missing end, a missing record and a missing trail are accepted as well, and stay so over restarts", async () => {
    const damages = [
      ({ folder, put }: ReturnType<typeof trailOf>) => put(linesIn(folder).slice(0, 1)),
      ({ headFile }: ReturnType<typeof trailOf>) => rmSync(headFile),
      ({ folder }: ReturnType<typeof trailOf>) => rmSync(folder, { recursive: true }),
    ];
    for (const damage of damages) {
      const trail = trailOf(["a", "b", "c"]);
      damage(trail);
      expect((await trail.verify()).ok).toBe(false);
      expect(await trail.accept("restored from a backup")).toMatchObject({ ok: true });
      written(trail.opened(), trail.clock, ["d"]);
      expect(await trail.verify()).toMatchObject({ ok: true });
    }
  });

  it("an end that goes missing while the gate runs is accepted at once, with the break that it leaves", async () => {
    const { folder, headFile, clock, opened, put } = trailOf(["a", "b", "c"]);
    const log = opened();
    log.append({ event: "test", ts: clock.ms / 1000, text: "d" });
    log.flush();
    put(linesIn(folder).slice(0, 2));
    clock.advance(1);
    expect(await acceptProblems(log, { folder, headFile }, "known", clock.ms)).toMatchObject({ ok: true });
    log.close();
    expect((await verifyAudit(folder, headFile, undefined, clock.ms)).ok).toBe(true);
  });

  it("where nothing is wrong there is nothing to accept: no line", async () => {
    const { folder, accept } = trailOf(["a"]);
    expect(await accept("just in case")).toMatchObject({ ok: true, accepted: 0 });
    expect(linesIn(folder)).toHaveLength(1);
  });

  it("aren't accepted while the trail can't be written", async () => {
    const { folder, headFile, clock, opened, put } = trailOf(["a", "b", "c"]);
    put(linesIn(folder).map((line) => line.replace('"b"', '"x"')));
    const before = readFileSync(join(folder, MAY));
    const log = opened();
    log.open();
    const accepting = acceptProblems(log, { folder, headFile }, "known", clock.ms);
    rmSync(folder, { recursive: true });
    writeFileSync(folder, "in the way");
    clock.advance(1);
    expect(before.length).toBeGreaterThan(0);
    const refusal = await accepting.then(
      () => undefined,
      (error: unknown) =>
        refusalOf(() => {
          throw error;
        }),
    );
    expect(refusal?.code).toBe("trail_unwritable");
    log.close();
  });
});
