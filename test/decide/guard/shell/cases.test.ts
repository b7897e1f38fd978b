import { describe, expect, it } from "vitest";
import { gatePaths } from "../../../../ipc/base/paths.ts";
import { guardThenJudge } from "../../../../main/decide/judge/verdicts.ts";
import { GateFiles } from "../../../../main/decide/places/gate-files.ts";
import { prepared } from "../../../support/proposed-calls.ts";
import { BLOCKED_PLAIN } from "./cases/blocked-plain.ts";
import { BLOCKED_WRAPPED } from "./cases/blocked-wrapped.ts";
import { CREDENTIALS } from "./cases/credentials.ts";
import { DATAFLOW } from "./cases/dataflow.ts";
import { DEVELOPER } from "./cases/developer.ts";
import { GATE_FILES } from "./cases/gate-files.ts";
import { HARMLESS } from "./cases/harmless.ts";
import { CWD, HOME, type ShellCase } from "./cases/shell-case.ts";

const TABLES = {
  "blocked, plain": BLOCKED_PLAIN,
  "blocked, wrapped": BLOCKED_WRAPPED,
  dataflow: DATAFLOW,
  "the gate itself": GATE_FILES,
  credentials: CREDENTIALS,
  "harmless look-alikes": HARMLESS,
  "ordinary developer commands": DEVELOPER,
} as const satisfies Record<string, readonly ShellCase[]>;

const ALL: readonly ShellCase[] = Object.values(TABLES).flat();
const SETTINGS = { home: HOME, gateFiles: new GateFiles(gatePaths({ HOME }), HOME), judge_threshold: 0, now: () => 0 };

/** The guard's result for one call, without the judge. */
function saidOf(executorName: string, args: Record<string, unknown>, cwd = CWD): { is: string; reason: string } {
  const { call, executor, needs } = prepared(HOME, executorName, args, { context: { cwd } });
  expect(executor.validate(args)).toBeNull();
  const verdict = guardThenJudge(call, executor, needs, undefined, SETTINGS);
  return { is: verdict.blocked_by === "guard" ? "blocked" : "passes", reason: verdict.reason };
}

describe("the table", () => {
  it("has at least 300 cases, each once, both ways", () => {
    expect(ALL.length).toBeGreaterThanOrEqual(300);
    const named = ALL.map(({ command, cwd = CWD }) => `${cwd}: ${command}`);
    expect(named.filter((name, index) => named.indexOf(name) !== index)).toEqual([]);
    expect(ALL.filter(({ expect: is }) => is === "blocked").length).toBeGreaterThanOrEqual(150);
    expect(ALL.filter(({ expect: is }) => is === "passes").length).toBeGreaterThanOrEqual(150);
  });
});

describe.each(Object.entries(TABLES))("%s", (_name, cases) => {
  it.each(cases.map((one) => [one.expect, one.command, one] as const))("%s: %j", (_expect, command, one) => {
    expect({ ...saidOf("Bash", { command }, one.cwd), why: one.why }).toMatchObject({ is: one.expect, why: one.why });
  });
});

describe("the same in another tool", () => {
  const each = (wanted: ShellCase["expect"]) =>
    ALL.filter((one) => one.expect === wanted).map((one) => [one.command, one] as const);

  it.each(each("blocked"))(
    "shell_exec blocks it, as `command`, as `cmd` and as a shell's argument: %j",
    (command, one) => {
      for (const args of [{ command }, { cmd: command }, { command: ["bash", "-c", command] }]) {
        expect([Object.keys(args), one.why, saidOf("shell_exec", args, one.cwd).is]).toEqual([
          Object.keys(args),
          one.why,
          "blocked",
        ]);
      }
    },
  );

  it.each(each("passes"))("shell_exec lets it pass: %j", (command, one) => {
    expect([one.why, saidOf("shell_exec", { command }, one.cwd)]).toMatchObject([one.why, { is: "passes" }]);
  });

  it.each(BLOCKED_PLAIN.map((one) => [one.command, one] as const))(
    "a tool that nothing describes: %j",
    (command, one) => {
      expect([one.why, saidOf("mcp__box__run", { command }, one.cwd).is]).toEqual([one.why, "blocked"]);
    },
  );
});
