import { describe, expect, it } from "vitest";
import { LEVELS } from "../../../ipc/contract/decision.ts";
import type { AgentView, PolicyRow } from "../../../ipc/contract/operator-api.ts";
import { CAPABILITY_REGISTRY } from "../../../main/targets/capabilities.ts";
import { columnsOf, familiesOf, firstAgent, ruleSentence } from "../../../renderer/views/policy/matrix-view.ts";
import { policyWords } from "../../../renderer/words/policy.ts";
import { startGate } from "../../support/running-gate.ts";

async function realRows(): Promise<PolicyRow[]> {
  const gate = await startGate();
  return await gate.operator.call("policy.matrix", {});
}

const agent = (change: Partial<AgentView>): AgentView => ({
  agent_id: "agent-1",
  name: "claude-code",
  level: "Supervised",
  paired_at: "2026-11-01T00:00:00Z",
  last_seen_at: null,
  revoked_at: null,
  is_connected: false,
  calls_today: 0,
  paused: null,
  ...change,
});

describe("the policy table on the page", () => {
  it("has every capability once, by family", async () => {
    const families = familiesOf(await realRows());
    expect(families.map(({ family }) => family)).toEqual([
      "files",
      "code",
      "network",
      "model",
      "mail",
      "channels",
      "local",
    ]);
    expect(families.flatMap(({ rows }) => rows.map((row) => row.capability)).toSorted()).toEqual(
      Object.keys(CAPABILITY_REGISTRY).toSorted(),
    );
  });

  it.each(["en", "it"] as const)(
    "says for each cell which rule made it, and never that of another outcome (%s)",
    async (language) => {
      const words = policyWords[language];
      for (const row of await realRows()) {
        for (const level of LEVELS) {
          const sentence = ruleSentence(words, row, level);
          const what = words.descriptions[row.capability];
          const { outcome, rule } = row.cells[level];
          if (outcome === "denied") expect(sentence).toBe(words.rules.ReadOnly.denied(what));
          else if (rule.includes("allowed at every level")) expect(sentence).toBe(words.rules.free(row.capability));
          else if (rule.includes("can be undone")) expect(sentence).toBe(words.rules.Full(what));
          else if (rule.includes("asked every time")) expect(sentence).toBe(words.rules.always(row.capability));
          else expect([words.rules.ReadOnly.approval_required, words.rules.Supervised]).toContain(sentence);
        }
      }
    },
  );
});

describe("the column in force", () => {
  it("is the chosen agent's, and each agent is at its own level", () => {
    const agents = [
      agent({}),
      agent({ name: "codex", level: "Full" }),
      agent({ name: "gone", revoked_at: "2026-11-02T00:00:00Z" }),
    ];
    expect(columnsOf(agents, "codex")).toEqual([
      { level: "ReadOnly", agents: [], isInForce: false },
      { level: "Supervised", agents: ["claude-code"], isInForce: false },
      { level: "Full", agents: ["codex"], isInForce: true },
    ]);
  });

  it("is none where no agent is paired; a connected one is shown first", () => {
    expect(firstAgent([agent({ revoked_at: "2026-11-02T00:00:00Z" })])).toBeNull();
    expect(columnsOf([], null).some((column) => column.isInForce)).toBe(false);
    expect(firstAgent([agent({}), agent({ name: "codex", is_connected: true })])).toBe("codex");
  });
});
