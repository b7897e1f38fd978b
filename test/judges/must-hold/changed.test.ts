import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Decision, Level } from "../../../ipc/contract/decision.ts";
import type { AgentConnection } from "../../support/agent-connection.ts";
import { type JudgedGate, judgedGate } from "../../support/judged-gate.ts";
import { HARMLESS_ANSWER, modelServer } from "../../support/model-server.ts";

interface Row {
  level: Level;
  /** What the gate is like when the call is sent. */
  before?(gate: JudgedGate): Promise<void> | void;
  /** What changes while the judge thinks. */
  meanwhile(gate: JudgedGate): Promise<void>;
  expected: object;
}

const folderOf = (gate: JudgedGate) => join(gate.folder, "inner");

function relink(gate: JudgedGate, target: string): void {
  mkdirSync(target, { recursive: true });
  rmSync(folderOf(gate), { recursive: true, force: true });
  symlinkSync(target, folderOf(gate));
}

const ROWS: Record<string, Row> = {
  "a folder became a link to another folder": {
    level: "Full",
    meanwhile: async (gate) => relink(gate, join(gate.home.home, "elsewhere")),
    expected: { outcome: "denied", stage: "judge", explain: { rule: "judge.changed-while-judged" } },
  },
  "a link leads to another folder": {
    level: "Full",
    before: (gate) => relink(gate, join(gate.home.home, "first")),
    meanwhile: async (gate) => relink(gate, join(gate.home.home, "second")),
    expected: { outcome: "denied", stage: "judge", explain: { rule: "judge.changed-while-judged" } },
  },
  "a folder became a link to ~/.ssh": {
    level: "Full",
    meanwhile: async (gate) => relink(gate, join(gate.home.home, ".ssh")),
    expected: { outcome: "denied", stage: "guard" },
  },
  "the grant that it needed was revoked": {
    level: "Supervised",
    before: async (gate) => {
      await gate.operator.call("grants.add", { capability: "fs:write", target: `${gate.folder}/**` });
    },
    meanwhile: async (gate) => {
      const [grant] = await gate.operator.call("grants.list", {});
      await gate.operator.call("grants.revoke", { id: grant?.id ?? -1 });
    },
    expected: { outcome: "approval_required", reviews: [{ outcome: "passed" }] },
  },
  "the level was lowered": {
    level: "Full",
    meanwhile: async (gate) => {
      await gate.operator.call("agents.level", { name: "worker", level: "ReadOnly" });
    },
    expected: { outcome: "denied" },
  },
  "the agent was paused": {
    level: "Full",
    meanwhile: async (gate) => {
      await gate.operator.call("agents.pause", { name: "worker" });
    },
    expected: { outcome: "denied" },
  },
};

async function decided(gate: JudgedGate, agent: AgentConnection): Promise<Decision> {
  const path = join(folderOf(gate), "note.txt");
  return await gate.propose(agent, { executor: "fs_write", intent: "keep a note", args: { path, content: "x" } })
    .decision;
}

it.each(Object.entries(ROWS))(
  "what the judge passed is examined again: %s",
  async (_, { level, before, meanwhile, expected }) => {
    let isChanged = false;
    const server = await modelServer(async () => {
      await meanwhile(gate);
      isChanged = true;
      return HARMLESS_ANSWER;
    });
    const gate: JudgedGate = await judgedGate(`[judge]\nkind = "llm-v1"\nmodel = "m"\n${server.toml("m")}`);
    mkdirSync(folderOf(gate));
    await before?.(gate);
    const agent = await gate.agent("worker", level);
    expect(await decided(gate, agent)).toMatchObject(expected);
    await server.until(() => isChanged || server.aborted === 1);
    expect(server.requests).toHaveLength(1);
  },
);

it("nothing changed: it is allowed, by the grant that it needed", async () => {
  const server = await modelServer();
  const gate = await judgedGate(`[judge]\nkind = "llm-v1"\nmodel = "m"\n${server.toml("m")}`);
  mkdirSync(folderOf(gate));
  await gate.operator.call("grants.add", { capability: "fs:write", target: `${gate.folder}/**` });
  expect(await decided(gate, await gate.agent("worker", "Supervised"))).toMatchObject({ outcome: "allowed" });
});

it("what the judge passed isn't run once a script of it is another one", async () => {
  const server = await modelServer(() => {
    writeFileSync(join(gate.folder, "x.sh"), "echo other\n");
    return HARMLESS_ANSWER;
  });
  const gate: JudgedGate = await judgedGate(`[judge]\nkind = "llm-v1"\nmodel = "m"\n${server.toml("m")}`);
  writeFileSync(join(gate.folder, "x.sh"), "echo first\n");
  const agent = await gate.agent("worker", "Full");
  const call = { executor: "Bash", intent: "", args: { command: "bash x.sh" }, context: { cwd: gate.folder } };
  expect(await gate.propose(agent, call).decision).toMatchObject({
    outcome: "denied",
    explain: { rule: "judge.changed-while-judged" },
  });
  expect(await gate.propose(agent, call).decision).toMatchObject({ reviews: [{ outcome: "passed" }] });
  expect(server.requests).toHaveLength(2);
});
