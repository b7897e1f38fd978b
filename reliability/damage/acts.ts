import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Conversation } from "../../bench/conversation.ts";
import { gatePaths } from "../../ipc/base/paths.ts";
import type { Decision } from "../../ipc/contract/decision.ts";
import type { OperatorClient } from "../../ipc/socket/operator-client.ts";
import { AGENT } from "./files.ts";
import { type Known, type Remembered, tried } from "./known.ts";

/** The operator's and an agent's acts at a running gate. What is acknowledged is added to what must last. */

export class Acts {
  readonly #operator: OperatorClient;
  readonly #agent: Conversation;
  readonly #known: Known;

  private constructor(operator: OperatorClient, agent: Conversation, known: Known) {
    this.#operator = operator;
    this.#agent = agent;
    this.#known = known;
  }

  /** Ends the pause, and lets the agent in. */
  static async begin(operator: OperatorClient, home: string, known: Known): Promise<Acts> {
    await operator.call("safety.resume", {});
    known.paused = null;
    return new Acts(operator, await greeted(home), known);
  }

  /** One of each kind. Refusals are noted in `seen`. */
  async doAll(name: string, seen: Pick<Remembered, "messages" | "raw">): Promise<void> {
    const { grants, agents, answered, decisions } = this.#known;
    const operator = this.#operator;
    const target = `/srv/${name}/**`;
    if (await tried(seen, () => done(operator.call("grants.add", { capability: "fs:read", target }))))
      grants.push(target);
    if (await tried(seen, () => done(operator.call("agents.pair", { name, level: "ReadOnly" })))) agents.push(name);
    const decisionId = (await this.#call("time_now", {}))?.decision_id;
    if (decisionId !== undefined) decisions.push(decisionId);
    const token = (await this.#call("fs_write", { path: `/srv/${name}.txt`, content: "x" }))?.pending?.token;
    const answer = (asked: string) => done(operator.call("approvals.resolve", { token: asked, decision: "rejected" }));
    if (token !== undefined && (await tried(seen, () => answer(token)))) answered.push(token);
    const setting = { key: "approvals.ttl_seconds", value: 777 } as const;
    if (await tried(seen, () => done(operator.call("settings.set", setting)))) this.#known.ttl_seconds = 777;
    await tried(seen, async () => {
      const { note } = await operator.call("safety.pause", { reason: name });
      if (note !== undefined) seen.messages.push(note);
      // It says so itself where it may not last.
      if (note?.includes("a restart would forget it") !== true) this.#known.paused = name;
    });
  }

  end(): void {
    this.#agent.close();
  }

  /** Undefined where there is no decision. */
  async #call(executor: string, args: object): Promise<Decision | undefined> {
    try {
      return (await this.#agent.call(executor, args))?.decision;
    } catch {
      return undefined; // an error or a closed connection means no
    }
  }
}

/** The agent of the prepared homes, at the gate of one. @throws if it isn't let in */
export async function greeted(home: string): Promise<Conversation> {
  const { agentTokensDir, agent_socket } = gatePaths({ HOME: home });
  const token = readFileSync(join(agentTokensDir, `${AGENT}.token`), "utf8").trim();
  const agent = await Conversation.begin(agent_socket, { name: AGENT, token });
  if (agent === undefined) throw new Error("not let in");
  return agent;
}

async function done(act: Promise<unknown>): Promise<void> {
  await act;
}
