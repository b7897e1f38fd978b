import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { z } from "zod";
import { HAS_BUBBLEWRAP } from "../../support/boxes.ts";
import { judgedGate, processesWith } from "../../support/judged-gate.ts";
import { type Dialect, modelServer } from "../../support/model-server.ts";
import { stateOf, written } from "./agents-under-test.ts";

const RESULT = '{"score": 0.9, "confidence": 1, "reasoning": "the tests pass", "signals": [], "metadata": {}}';

const config = (judge: string, more = "") => `[judge_agents.qa]
${judge}
[[validators]]
type = "semantic"
judge_agent = "qa"
criteria = "the tests pass"
timeout_seconds = 20
when = { executors = ["fs_write"] }
${more}`;

const TESTED = `kind = "model"
model = "m"
prompt = "Run the tests."
tools = [{ name = "cmd.run", allowlist = ["./test.sh"] }, { name = "fs.read" }, { name = "ast_grep.search" }]`;

it.skipIf(!HAS_BUBBLEWRAP).each<Dialect>(["anthropic", "openai"])(
  "a model tests the worker's files before a call is allowed, over %s",
  async (dialect) => {
    const server = await modelServer();
    const gate = await judgedGate(config(TESTED, server.toml("m", dialect)));
    written(join(gate.folder, "test.sh"), "#!/bin/bash\necho 3 passed; echo x > here; cat /workspace/.env\n");
    mkdirSync(join(gate.folder, ".git"));
    writeFileSync(join(gate.folder, ".git/HEAD"), "ref: refs/heads/main\n");
    writeFileSync(join(gate.folder, ".env"), "PASSWORD=hunter2");
    writeFileSync(join(gate.folder, "a.ts"), "eval(code);\n");
    server.next('{"tool": "cmd.run", "args": {"command": "./test.sh"}}');
    server.next('{"tool": "ast_grep.search", "args": {"pattern": "eval($A)", "language": "TypeScript"}}');
    server.next('{"tool": "fs.read", "args": {"path": "/workspace/.env"}}');
    server.next(RESULT);
    const agent = await gate.agent();
    const before = stateOf(gate.folder);
    const decision = await gate.propose(agent, { ...gate.write(), context: { cwd: gate.folder } }).decision;
    expect(decision).toMatchObject({ outcome: "allowed", reviews: [{ name: "qa", outcome: "passed", score: 0.9 }] });
    expect(stateOf(gate.folder)).toBe(before);
    const asked = server.requests.map(({ messages }) => messages.at(-1)?.text ?? "");
    expect(asked).toHaveLength(4);
    expect(asked[0]).toContain("Criteria of the user:\nthe tests pass");
    expect(asked[0]).toContain(`{"source":"${gate.folder}","target":"/workspace","read_only":true}`);
    expect(asked[1]).toMatch(/BEGIN \w+\nexit code 0\n3 passed\n.*Read-only file system\n\nEND/);
    expect(asked[2]).toMatch(/BEGIN \w+\na.ts:1: eval\(code\)\nEND/);
    expect(asked[3]).toMatch(/BEGIN (\w+)\n\nEND \1/);
    expect(JSON.stringify(server.requests)).not.toContain("hunter2");
    expect(new Set(server.requests.map(({ system }) => system)).size).toBe(1);
  },
);

it.skipIf(!HAS_BUBBLEWRAP)("a program of the user's judges with the payload of the gate, in its box", async () => {
  const judge = `kind = "command"
command = ["/usr/bin/env", "bash", "-c", "cat > /tmp/payload; cat /workspace/result; cat /tmp/payload >&2"]`;
  const gate = await judgedGate(config(judge));
  writeFileSync(join(gate.folder, "result"), RESULT.replace("0.9", "0.1").replace("the tests pass", "they fail"));
  const agent = await gate.agent();
  const decision = await gate.propose(agent, { ...gate.write("a-value"), context: { cwd: gate.folder } }).decision;
  const answer = z.object({ outcome: z.string(), stage: z.string(), explain: z.object({ instead: z.string() }) });
  expect(answer.parse(decision)).toMatchObject({ outcome: "denied", stage: "validators" });
  expect(answer.parse(decision).explain.instead).toContain("they fail");
  expect(gate.serve.stdout + gate.serve.stderr).not.toContain("a-value");
  expect(processesWith(gate.folder)).toEqual([]);
});
