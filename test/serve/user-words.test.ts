import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { MAX_SHOWN_WORDS } from "../../ipc/words/user-words.ts";
import { type AgentConnection, tokenOf } from "../support/agent-connection.ts";
import { type GateUnderTest, startGate } from "../support/running-gate.ts";

const MARKER = "Tidy-my-attic-4711";
const CALL = {
  executor: "fs_write",
  args: { path: "/srv/p/a.txt", content: "x" },
  context: { cwd: "/srv/p", session: "s1", turn: "t1" },
};

async function say(agent: AgentConnection, text: string, turn = "t1"): Promise<void> {
  agent.send("session.event", { id: "said", session: "s1", event: { kind: "prompt", turn, text } });
  await agent.next("session.noted");
}

async function wordsOf(gate: GateUnderTest, token: string): Promise<string | null> {
  return (await gate.request(token)).user_words;
}

/** Every file below the home that holds this text, whatever it is. */
function holding(folder: string, text: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file).includes(text));
}

describe("what the user asked for", () => {
  it("is with the request while it waits, of the turn that its call names, and cut to its beginning", async () => {
    const gate = await startGate();
    const agent = await gate.agent();
    await say(agent, MARKER);
    await say(agent, `long ${"x".repeat(9000)}`, "t2");
    const token = tokenOf((await agent.ask(CALL)).decision);
    expect(await wordsOf(gate, token)).toBe(MARKER);
    const long = tokenOf(
      (await agent.ask({ ...CALL, context: { ...CALL.context, cwd: "/srv", turn: "t2" } })).decision,
    );
    expect(await wordsOf(gate, long)).toHaveLength(MAX_SHOWN_WORDS);
    const unknown = await agent.ask({ ...CALL, context: { ...CALL.context, cwd: "/", turn: "t9" } });
    expect(await wordsOf(gate, tokenOf(unknown.decision))).toBeNull();
    await gate.operator.call("approvals.resolve", { token, decision: "rejected" });
    expect(await wordsOf(gate, token)).toBeNull();
  });

  it("is never another agent's: neither said for it, nor shown with its calls", async () => {
    const gate = await startGate();
    const [agent, other] = [await gate.agent(), await gate.agent("other")];
    await say(agent, MARKER);
    await say(other, "something else");
    expect(await wordsOf(gate, tokenOf((await agent.ask(CALL)).decision))).toBe(MARKER);
    expect(await wordsOf(gate, tokenOf((await other.ask(CALL)).decision))).toBe("something else");
  });

  it("is in no file of the gate, neither while a card waits nor after any end of it, nor in its log", async () => {
    const gate = await startGate();
    const agent = await gate.agent();
    await say(agent, MARKER);
    const at = (folder: string) => ({ ...CALL, args: { path: `${folder}/a.txt` } });
    const [approved, rejected, left, kept] = [
      await agent.ask(at("/srv/1")),
      await agent.ask(at("/srv/2")),
      await agent.ask(at("/srv/3")),
      await agent.ask(at("/srv/4")),
    ];
    expect(await wordsOf(gate, tokenOf(kept.decision))).toBe(MARKER);
    expect(holding(gate.home.home, MARKER)).toEqual([]);
    const yes = { token: tokenOf(approved.decision), decision: "approved", scope: "session" } as const;
    await gate.operator.call("approvals.resolve", yes);
    await gate.operator.call("approvals.resolve", { token: tokenOf(rejected.decision), decision: "rejected" });
    agent.send("tool.cancel", { id: "c", token: tokenOf(left.decision), reason: "not needed" });
    await left.final();
    agent.send("session.event", { id: "e", session: "s1", event: { kind: "ended" } });
    expect((await kept.final()).status).toBe("cancelled");
    await agent.close();
    await gate.close();
    expect(holding(gate.home.home, "fs_write").length).toBeGreaterThan(0);
    expect(holding(gate.home.home, MARKER)).toEqual([]);
    expect(gate.log.join("\n")).not.toContain(MARKER);
  });
});
