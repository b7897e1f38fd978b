import { hash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { decisionSchema, STAGES, verdictSchema } from "../../ipc/contract/decision.ts";
import { runGate } from "../support/gate-process.ts";
import { startGate } from "../support/running-gate.ts";
import { temporaryHome } from "../support/temporary-home.ts";

const WRITE = { executor: "Write", args: { file_path: "/tmp/notes/a.txt", content: "hello" } };
const DANGEROUS = { intent: "tidy up", executor: "Bash", args: { command: "rm -rf /" }, context: { critical: true } };
const HARMLESS = { intent: "what time is it", executor: "time_now", args: {} };

/** Every file below a folder and what is in it. */
function everyFile(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(paths.map((path) => [path, hash("sha256", readFileSync(path))]));
}

describe("vaglio check", () => {
  it("prints the required Verdict for what it is given as an argument or on stdin; with --stdin one line each", async () => {
    const home = temporaryHome();
    const input = `${JSON.stringify(DANGEROUS)}\n\nnot json\n${JSON.stringify(HARMLESS)}\n`;
    const [argument, stdin, lines, nothing, unreadable] = await Promise.all([
      runGate(home, ["vaglio", "check", JSON.stringify(DANGEROUS)]),
      runGate(home, ["vaglio", "check"], JSON.stringify(HARMLESS)),
      runGate(home, ["vaglio", "check", "--stdin"], input),
      runGate(home, ["vaglio", "check"]),
      runGate(home, ["vaglio", "check", "{"]),
    ]);
    expect(argument.code).toBe(0);
    expect(verdictSchema.strict().parse(argument.lines[0])).toMatchObject({
      approved: false,
      score: 0,
      blocked_by: "guard",
    });
    expect(verdictSchema.strict().parse(stdin.lines[0])).toMatchObject({ approved: true, blocked_by: null });
    expect(lines.lines).toMatchObject([{ approved: false }, { error: { code: "usage" } }, { approved: true }]);
    expect(lines.code).toBe(2);
    for (const { code, stdout } of [nothing, unreadable]) expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(readdirSync(home.home)).toEqual([]);
  });

  it("refuses what would not be the same on a card: a number that changes, a key twice", async () => {
    const home = temporaryHome();
    const call = (args: string) => `{"intent":"","executor":"Read","args":${args}}`;
    const input = [call('{"id":9007199254740993}'), call('{"id":1,"id":2}'), call('{"id":1.50}')].join("\n");
    const { lines } = await runGate(home, ["vaglio", "check", "--stdin"], input);
    expect(lines).toMatchObject([{ error: { code: "usage" } }, { error: { code: "usage" } }, { approved: true }]);
  });
});

describe("explain", () => {
  it("prints the Decision with what it needs and each stage's trace, and creates nothing", async () => {
    const home = temporaryHome();
    const [ask, denied, lines] = await Promise.all([
      runGate(home, ["explain", JSON.stringify({ ...WRITE, intent: "keep notes", level: "Supervised" })]),
      runGate(home, ["explain"], JSON.stringify({ ...DANGEROUS, level: "Full" })),
      runGate(
        home,
        ["explain", "--stdin"],
        `${JSON.stringify(HARMLESS)}\n${JSON.stringify({ ...WRITE, level: "ReadOnly" })}\n{}\n`,
      ),
    ]);
    const decision = decisionSchema.parse(ask.lines[0]);
    expect(decision).toMatchObject({
      outcome: "approval_required",
      capabilities: [{ capability: "fs:write", target: "/tmp/notes/a.txt" }],
    });
    expect(decision.trace?.map(({ stage }) => stage)).toEqual([...STAGES]);
    expect(decision.pending).toBeUndefined();
    expect(denied.lines[0]).toMatchObject({ outcome: "denied", stage: "guard", verdict: { blocked_by: "guard" } });
    expect(lines.lines).toMatchObject([
      { outcome: "allowed", stage: "policy" },
      { outcome: "denied", stage: "policy" },
      { error: { code: "invalid_input" } },
    ]);
    expect([ask.code, denied.code, lines.code]).toEqual([0, 0, 2]);
    expect(readdirSync(home.home)).toEqual([]);
  });

  it("reads an executor's name as the agent that is named has it; without one as whichever has it", async () => {
    const asked = [
      { ...HARMLESS, agent: "generic" },
      { ...HARMLESS, agent: "claude-code" },
      { executor: "TodoWrite", agent: "generic" },
      { executor: "TodoWrite", agent: "claude-code" },
      HARMLESS,
      { executor: "TodoWrite" },
      { executor: "TodoWrite", agent: "somebody" },
      { executor: "TodoWrite", agent: "some body" },
    ];
    const { lines } = await runGate(
      temporaryHome(),
      ["explain", "--stdin"],
      asked.map((one) => JSON.stringify(one)).join("\n"),
    );
    expect(lines).toMatchObject([
      { outcome: "allowed" },
      { outcome: "approval_required", capabilities: [{ capability: "code:exec" }] },
      { outcome: "approval_required", capabilities: [{ capability: "code:exec" }] },
      { outcome: "allowed" },
      { outcome: "allowed" },
      { outcome: "allowed" },
      { outcome: "approval_required", capabilities: [{ capability: "code:exec" }] },
      { error: { code: "invalid_input" } },
    ]);
  });

  it("knows the grants that were given, and leaves every file as it was", async () => {
    const gate = await startGate();
    await gate.operator.call("grants.add", { capability: "fs:write", target: "/tmp/notes/*" });
    await gate.close();
    const before = everyFile(gate.home.home);
    const { lines } = await runGate(gate.home, ["explain", JSON.stringify({ ...WRITE, intent: "" })]);
    expect(lines[0]).toMatchObject({ outcome: "allowed", reason: expect.stringContaining("grant") });
    expect(everyFile(gate.home.home)).toEqual(before);
  });

  it("knows the grants that a running gate has just been given", async () => {
    const gate = await startGate();
    await gate.operator.call("grants.add", { capability: "fs:write", target: "/tmp/notes/*" });
    const { lines } = await runGate(gate.home, ["explain", JSON.stringify({ ...WRITE, intent: "" })]);
    expect(lines[0]).toMatchObject({ outcome: "allowed", reason: expect.stringContaining("grant") });
  });
});
