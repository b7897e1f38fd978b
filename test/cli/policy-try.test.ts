import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { tryLines } from "../../ipc/words/try-words.ts";
import { runGate } from "../support/gate-process.ts";
import { startGate } from "../support/running-gate.ts";

// `policy try` of the command line, with a gate and without one.

it("says what a file would change, lists which calls, and puts nothing in place", async () => {
  const gate = await startGate({});
  const agent = await gate.agent("aider", "Full");
  const url = "https://example.com/";
  for (let index = 0; index < 3; index++) await agent.ask({ executor: "http_get", args: { url } });
  await agent.ask({ executor: "time_now" });
  const file = join(gate.home.home, "stricter.toml");
  writeFileSync(file, '[[profile]]\nagent = "aider"\n[profile.Full]\n"network:http" = "approval_required"\n');
  const said = await runGate(gate.home, ["policy", "try", "stricter.toml"]);
  expect(said).toMatchObject({ code: 0, stderr: "of 4 calls: 3 more asked, 0 denied, 0 looser\n" });
  expect(said.lines).toMatchObject([{ calls: 4, same: 1, asked: 3, looser: 0, gaps: [] }]);
  expect(Object.keys(said.lines[0] ?? {})).not.toContain("entries");
  const { lines } = await runGate(gate.home, ["policy", "try", file, "--list", "-n", "2"]);
  expect(lines).toMatchObject([
    { executor: "http_get", was: "allowed", would_be: "approval_required", change: "asked" },
    { executor: "http_get", line: "http_get example.com" },
  ]);
  expect((await runGate(gate.home, ["policy", "try", file, "--list", "denied"])).lines).toEqual([]);
  expect((await runGate(gate.home, ["policy", "try", file, "--agent", "other"])).stderr).toContain(
    "nothing can be said",
  );
  expect(existsSync(gate.paths.policy_overrides)).toBe(false);
  expect((await agent.ask({ executor: "http_get", args: { url } })).decision.outcome).toBe("allowed");
  // The same without a gate, of what that left.
  await gate.close();
  const alone = await runGate(gate.home, ["policy", "try", file]);
  expect(alone.stderr).toBe("of 5 calls: 4 more asked, 0 denied, 0 looser\n");
});

it("refuses a file that isn't there, or isn't as it has to be, by its name and line", async () => {
  const { home } = await startGate({});
  const wrong = join(home.home, "wrong.toml");
  writeFileSync(wrong, '[[profile]]\nagent = "aider"\n[profile.Full]\n"fs:read" = "allowed"\n');
  const refused = await runGate(home, ["policy", "try", wrong]);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toMatch(/wrong\.toml, line 4: profile\.0\.Full\.fs:read: the table says allowed already/);
  const missing = await runGate(home, ["policy", "try", "nowhere.toml"]);
  expect(missing).toMatchObject({ code: 2, stdout: "" });
  expect(missing.stderr).toContain("there is no file nowhere.toml");
  expect((await runGate(home, ["policy", "try", wrong, "-n", "0"])).code).toBe(2);
});

it("never says that nothing is looser where some may be, in any language", () => {
  const counts = { calls: 9, same: 0, asked: 1, denied: 0, looser: 0, unknown: 8, may_be_looser: 0, why_unknown: {} };
  expect(tryLines(counts, "en")).toEqual(["of 9 calls: 1 more asked, 0 denied, 0 looser, 8 unknown"]);
  const unsure = { ...counts, may_be_looser: 2, why_unknown: { judges: 2, no_facts: 6 } };
  expect(tryLines(unsure, "en")).toEqual([
    "of 9 calls: 1 more asked, 0 denied, 8 unknown",
    "2 unknown: denied by a judge, which may have been asked otherwise",
    "6 unknown: kept without what this needs, as by an earlier version",
    "2 of the unknown may be let through more, so nobody can say that nothing gets looser",
  ]);
  expect(tryLines({ ...unsure, looser: 3 }, "en")[0]).toBe(
    "of 9 calls: 1 more asked, 0 denied, at least 3 looser, 8 unknown",
  );
  for (const language of ["en", "it"] as const) expect(tryLines(unsure, language)[0]).not.toMatch(/looser|permissiv/);
  expect(tryLines({ ...counts, calls: 0 }, "it")[0]).toContain("nulla");
});
