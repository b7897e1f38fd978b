import { onTestFinished } from "vitest";
import { agentTokenFile, type GatePaths } from "../../../ipc/base/paths.ts";
import { OperatorClient } from "../../../ipc/socket/operator-client.ts";
import { AgentConnection, type Message } from "../../support/agent-connection.ts";
import { readToken } from "../../support/running-gate.ts";

const CALL = { executor: "time_now", intent: "", args: {} };

/** An agent that asks a gate again and again, and when it received `allowed`. */
export class Hammer {
  /** Milliseconds of one clock for all of them. */
  readonly allowed: number[] = [];
  /** Why the gate has closed, as a silent connection of the agent's receives it: one that sends may be cut before it reads it. */
  readonly farewell: Promise<Message>;
  readonly closed: Promise<void>;
  readonly #connection: AgentConnection;

  private constructor(connection: AgentConnection, listener: AgentConnection) {
    this.#connection = connection;
    this.farewell = listener.next("error");
    // Not every test waits for it.
    this.farewell.catch(() => undefined);
    this.closed = this.#run();
  }

  /** Pairs it first, where it isn't. The connection is closed when the test ends. */
  static async begin(paths: GatePaths, name = "worker"): Promise<Hammer> {
    const operator = await OperatorClient.connect(paths.operator_socket, paths.operatorToken);
    const { agents } = await operator.call("agents.list", {});
    if (!agents.some((agent) => agent.name === name)) await operator.call("agents.pair", { name, level: "Full" });
    await operator.close();
    return new Hammer(await greeted(paths, name), await greeted(paths, name));
  }

  /** Sends a call whose answer is awaited by the running loop only. */
  async #run(): Promise<void> {
    for (let id = 0; ; id++) {
      try {
        this.#connection.send("tool.call", { id: `hammer-${id}`, ...CALL });
        const message = await this.#connection.next(({ type }) => type === "tool.decision" || type === "error");
        if (message.data.outcome === "allowed") this.allowed.push(performance.now());
        else if (message.type === "error") return;
      } catch {
        return; // the connection ended
      }
    }
  }
}

async function greeted(paths: GatePaths, name: string): Promise<AgentConnection> {
  const connection = await AgentConnection.open(paths.agent_socket);
  onTestFinished(() => connection.close());
  const answer = await connection.hello(name, { token: readToken(agentTokenFile(paths, name)) });
  if (answer.type !== "hello.ok") throw new Error(`not greeted: ${JSON.stringify(answer)}`);
  return connection;
}
