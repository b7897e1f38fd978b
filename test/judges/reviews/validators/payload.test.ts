import { expect, it } from "vitest";
import type { Decision } from "../../../../ipc/contract/decision.ts";
import { SessionDecisions } from "../../../../main/calls/reviews/session-decisions.ts";
import { ExecutorCatalog } from "../../../../main/decide/executors/catalog.ts";
import { judgeAgentConfigSchema, judgeConfigSchema } from "../../../../main/decide/reviews/config.ts";
import {
  type PayloadParts,
  sendToAgent,
  validatorPayload,
} from "../../../../main/judges/reviews/validators/payload.ts";
import { decided, examinationOf, PAIRED, type Situation } from "../../../support/examinations.ts";
import { judgeAgent } from "../../../support/judge-agents.ts";

const NOW = 1_714_225_863_214;
const MOUNTS = [{ source: "/srv/project", target: "/workspace", read_only: true as const }];
const JUDGE = { criteria: "Is it in the project?", agent: judgeAgent("", { mounts: MOUNTS }) };

function partsOf(change: Partial<PayloadParts> = {}): PayloadParts {
  const catalog = new ExecutorCatalog();
  return { catalog, decisions: new SessionDecisions(catalog, () => NOW), send: "full", now: () => NOW, ...change };
}

const SITUATION: Situation = {
  executor: "Write",
  args: { file_path: "/srv/project/a.txt", content: "hello" },
  intent: "greet",
  context: { cwd: "/srv/project" },
  session: "s-1",
};

it("has the eight required keys, the execution's id and its history, and nothing else", () => {
  const payload = validatorPayload(examinationOf(SITUATION), JUDGE, partsOf());
  expect(Object.keys(payload).sort()).toEqual(
    [
      "task",
      "proposed_tool_call",
      "available_tools",
      "worker_mounts",
      "output",
      "criteria",
      "validation_context",
      "policy_violations",
      "execution_id",
      "tool_audit_history",
    ].sort(),
  );
  expect(payload).toMatchObject({
    task: "greet",
    proposed_tool_call: { name: "Write", arguments: { file_path: "/srv/project/a.txt", content: "hello" } },
    worker_mounts: MOUNTS,
    criteria: "Is it in the project?",
    validation_context: "semantic_judge_pre_execution_inner_loop",
    policy_violations: [],
    execution_id: "s-1",
    tool_audit_history: [],
  });
  expect(JSON.parse(String(payload.output))).toEqual(payload.proposed_tool_call);
});

it("policy_violations names the tools that the policy denied earlier in the same turn, and no other; the history has no value", () => {
  const parts = partsOf();
  const decisions = new SessionDecisions(new ExecutorCatalog(), () => NOW);
  const note = (executor: string, turn: string, outcome: Decision["outcome"], stage: Decision["stage"] = "policy") => {
    const situation = { executor, args: { file_path: "/srv/secret-plans" }, context: { turn }, session: "s-1" };
    const { call, subject } = examinationOf(situation);
    decisions.note({ ...decided(situation), outcome, stage }, call, subject);
  };
  note("Glob", "turn-1", "denied");
  note("Write", "turn-2", "denied");
  note("Read", "turn-2", "allowed");
  note("Write", "turn-2", "denied");
  note("Bash", "turn-2", "denied", "guard");
  note("Edit", "turn-2", "denied", "judge");
  note("MultiEdit", "turn-2", "denied", "validators");
  const x = examinationOf({ ...SITUATION, context: { turn: "turn-2" } });
  const payload = validatorPayload(x, JUDGE, { ...parts, decisions });
  expect(payload.policy_violations).toEqual(["Write"]);
  expect(payload.tool_audit_history).toEqual([
    { executor: "Glob", outcome: "denied", stage: "policy" },
    { executor: "Write", outcome: "denied", stage: "policy" },
    { executor: "Read", outcome: "allowed", stage: "policy" },
    { executor: "Write", outcome: "denied", stage: "policy" },
    { executor: "Bash", outcome: "denied", stage: "guard" },
    { executor: "Edit", outcome: "denied", stage: "judge" },
    { executor: "MultiEdit", outcome: "denied", stage: "validators" },
  ]);
  expect(JSON.stringify(payload)).not.toContain("secret-plans");
  const other = validatorPayload(examinationOf({ ...SITUATION, session: "s-2" }), JUDGE, { ...parts, decisions });
  expect(other).toMatchObject({ policy_violations: [], tool_audit_history: [] });
});

it("available_tools are those that the kind of agent has, at most 256", () => {
  const toolsOf = (name: string, parts = partsOf()) =>
    validatorPayload(examinationOf({ ...SITUATION, agent: { ...PAIRED, name } }), JUDGE, parts).available_tools;
  expect(toolsOf("claude-code")).toEqual(expect.arrayContaining(["Bash", "TodoWrite", "Write"]));
  expect(toolsOf("aider")).not.toContain("TodoWrite");
  expect(toolsOf("aider")).toContain("Write");
  const many = { names: () => Array.from({ length: 300 }, (_, index) => `tool_${index}`) };
  expect(toolsOf("aider", partsOf({ catalog: many }))).toHaveLength(256);
});

it("output is a preview: a large call is cut off there, and whole in proposed_tool_call", () => {
  const content = "x".repeat(100_000);
  const payload = validatorPayload(
    examinationOf({ ...SITUATION, args: { file_path: "/a", content } }),
    JUDGE,
    partsOf(),
  );
  expect(String(payload.output).length).toBeLessThan(4200);
  expect(payload.output).toMatch(/x… \(100\d{3} characters\)$/);
  expect(payload.proposed_tool_call).toMatchObject({ arguments: { content } });
});

it("the judge agent's mounts are asked about for the folder of the call; a folder that isn't absolute is none", () => {
  const workers: unknown[] = [];
  const mounts = (worker: unknown) => {
    workers.push(worker);
    return [];
  };
  for (const context of [{ cwd: "/srv/project" }, { cwd: "../up" }, {}])
    validatorPayload(examinationOf({ ...SITUATION, context }), { criteria: "", agent: { mounts } }, partsOf());
  expect(workers).toEqual([
    { cwd: "/srv/project", agent_name: "claude" },
    { cwd: null, agent_name: "claude" },
    { cwd: null, agent_name: "claude" },
  ]);
});

it("an online model gets the arguments' names only, unless the user says otherwise", () => {
  const payload = validatorPayload(examinationOf(SITUATION), JUDGE, partsOf({ send: "keys" }));
  expect(JSON.stringify(payload)).toContain("file_path");
  expect(JSON.stringify(payload)).not.toMatch(/srv|hello/);
  expect(payload.worker_mounts).toEqual([{ target: "/workspace", read_only: true }]);
  const judge = judgeConfigSchema.parse({ online: true });
  const model = judgeAgentConfigSchema.parse({ kind: "model", model: "m", prompt: "p" });
  const program = judgeAgentConfigSchema.parse({ kind: "command", command: ["/usr/bin/judge"] });
  expect(sendToAgent(judge, model, true)).toBe("keys");
  expect(sendToAgent(judge, model, false)).toBe("redacted");
  expect(sendToAgent({ ...judge, send: "full" }, model, true)).toBe("full");
  expect(sendToAgent({ ...judge, send: "keys" }, program, false)).toBe("full");
});

it("a model on this machine gets the values, with secrets masked and contents cut; the intent, too", () => {
  const content = `api_key = "sk-live-0123456789abcdef0123"\n${"line\n".repeat(1000)}`;
  const intent = "use the token ghp_0123456789abcdefghijABCDEFGHIJ012345";
  const x = examinationOf({ ...SITUATION, intent, args: { file_path: "/srv/project/a.txt", content } });
  const redacted = validatorPayload(x, JUDGE, partsOf({ send: "redacted" }));
  expect(JSON.stringify(redacted)).toContain("/srv/project/a.txt");
  expect(JSON.stringify(redacted)).not.toMatch(/sk-live|ghp_/);
  expect(JSON.stringify(redacted).length).toBeLessThan(20_000);
  const full = validatorPayload(x, JUDGE, partsOf({ send: "full" }));
  expect(full).toMatchObject({ task: intent, proposed_tool_call: { arguments: { content } } });
});

it("says beside the arguments what the gate itself knows of the call", () => {
  for (const send of ["keys", "redacted", "full"] as const) {
    const { proposed_tool_call } = validatorPayload(examinationOf(SITUATION), JUDGE, partsOf({ send }));
    expect(proposed_tool_call).toMatchObject({ name: "Write", needs: [expect.stringContaining("fs:write")] });
    expect(proposed_tool_call).toHaveProperty("effect");
  }
});

it("the task is the user's own message where that is known, and the agent's intent is beside the call; by names only, never", () => {
  const words = { of: () => "please greet everybody, pw=hunter2hunter2" };
  const x = examinationOf({ ...SITUATION, settings: { words } });
  const payloadFor = (send: PayloadParts["send"]) => validatorPayload(x, JUDGE, partsOf({ send }));
  expect(payloadFor("full")).toMatchObject({
    task: "please greet everybody, pw=hunter2hunter2",
    proposed_tool_call: { name: "Write", intent: "greet" },
  });
  expect(payloadFor("redacted").task).toMatch(/^please greet everybody, pw=<masked>/);
  expect(payloadFor("keys").task).toBe("greet");
  expect(JSON.stringify(payloadFor("keys"))).not.toContain("everybody");
});
