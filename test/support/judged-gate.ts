import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Decision, decisionSchema, type Level } from "../../ipc/contract/decision.ts";
import type { ApprovalView } from "../../ipc/contract/operator-api.ts";
import type { ProposedCall } from "../../ipc/contract/wire.ts";
import type { OperatorClient } from "../../ipc/socket/operator-client.ts";
import type { AgentConnection } from "./agent-connection.ts";
import { linesIn } from "./audit-trail.ts";
import { type StartedProcess, startServe } from "./gate-process.ts";
import { operatorOf, pairedAgent } from "./served-agent.ts";
import { type TemporaryHome, temporaryHome } from "./temporary-home.ts";

type Call = Partial<ProposedCall> & { executor: string };

/** A gate with judges, as a user starts it: a process in a home of its own, an operator on its socket. All of it ends with the test. */
export class JudgedGate {
  readonly home: TemporaryHome;
  readonly serve: StartedProcess;
  readonly operator: OperatorClient;
  /** Where agents write: there already. */
  readonly folder: string;
  #calls = 0;

  constructor(home: TemporaryHome, serve: StartedProcess, operator: OperatorClient) {
    this.home = home;
    this.serve = serve;
    this.operator = operator;
    this.folder = join(home.home, "work");
    mkdirSync(this.folder, { recursive: true });
  }

  async agent(name = "worker", level: Level = "Full"): Promise<AgentConnection> {
    return await pairedAgent(this.home, this.operator, name, level);
  }

  /** A call that a judge has to look at, and that at the level Full nobody is asked about. No two are alike. */
  write(content = "hello"): Call & { args: { path: string; content: string } } {
    this.#calls += 1;
    const path = join(this.folder, `note-${this.#calls}.txt`);
    return { executor: "fs_write", intent: "keep a note", args: { path, content } };
  }

  /** Sends a call and gives the id that `tool.cancel` names, and its first decision. */
  propose(agent: AgentConnection, call: Call): Proposed {
    this.#calls += 1;
    const id = `proposed-${this.#calls}`;
    agent.send("tool.call", { id, intent: "", args: {}, ...call });
    let isDecided = false;
    const read = async () => {
      const message = await agent.next(({ data }) => data.id === id);
      isDecided = true;
      if (message.type !== "tool.decision") throw new Error(`expected a decision, got ${JSON.stringify(message)}`);
      return decisionSchema.parse(message.data);
    };
    const decision = read();
    decision.catch(() => undefined); // of a connection that is ended on purpose nobody awaits it
    return { id, decision, isDecided: () => isDecided, final: read };
  }

  async card(token: string): Promise<ApprovalView> {
    const cards = await this.operator.call("approvals.list", { limit: 1000 });
    const card = cards.find((one) => one.token === token);
    if (card === undefined) throw new Error("there is no such card");
    return card;
  }

  trail(): Record<string, unknown>[] {
    return linesIn(this.home.paths.auditDir).map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  /** The trail's line of a decision. */
  line({ decision_id }: Decision): Record<string, unknown> | undefined {
    return this.trail().find((line) => line.event === "decision" && line.decision_id === decision_id);
  }
}

export interface Proposed {
  id: string;
  decision: Promise<Decision>;
  isDecided(): boolean;
  /** The decision after the first one. */
  final(): Promise<Decision>;
}

/** `home`: where another gate has run; its configuration is kept. */
export async function judgedGate(
  config: string,
  {
    home = temporaryHome(config),
    args = [],
    env = {},
  }: { home?: TemporaryHome; args?: readonly string[]; env?: NodeJS.ProcessEnv } = {},
): Promise<JudgedGate> {
  const serve = await startServe(home, args, env);
  return new JudgedGate(home, serve, await operatorOf(home));
}

/** The pids of processes whose command line has `text` in it. */
export function processesWith(text: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && commandLineOf(name).includes(text))
    .map(Number);
}

function commandLineOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    // It has ended meanwhile.
    return "";
  }
}

/** Every file below a folder that holds what matches, whatever kind of file it is. */
export function filesWith(folder: string, pattern: RegExp): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => pattern.test(readFileSync(path, "latin1")));
}
