import { EventEmitter, once } from "node:events";
import { readFileSync } from "node:fs";
import { onTestFailed, onTestFinished } from "vitest";
import { agentTokenFile, type GatePaths } from "../../ipc/base/paths.ts";
import type { Level } from "../../ipc/contract/decision.ts";
import type { OperatorEvent } from "../../ipc/contract/operator-api.ts";
import { OperatorClient } from "../../ipc/socket/operator-client.ts";
import type { Clock } from "../../main/base/clocks/clock.ts";
import { type RunningGate, type ServeOptions, serveGate } from "../../main/serve.ts";
import { AgentConnection } from "./agent-connection.ts";
import { clockOf } from "./manual-clock.ts";
import { givePort } from "./own-port.ts";
import { type TemporaryHome, temporaryHome } from "./temporary-home.ts";

export interface GateOptions {
  /** Left out: a new one. Given: the gate starts again where another one has run. */
  home?: TemporaryHome;
  config?: string;
  clock?: Clock;
  /** A wall clock alone: both clocks move with it. */
  now?: () => number;
  frameTimeoutMs?: number;
  notifications?: NonNullable<ServeOptions["notifications"]>;
  web?: boolean;
  acceptEmpty?: NonNullable<ServeOptions["acceptEmpty"]>;
  /** Left out: few. Making as many as a user's gate has, and removing them, takes longer than most tests. */
  pipesAhead?: number;
}

const FEW_PIPES = 4;

/** A real gate in this process, with its sockets and databases in a separate home. Closed when the test ends. */
export class GateUnderTest {
  readonly gate: RunningGate;
  readonly home: TemporaryHome;
  readonly log: string[];
  readonly #logEvents: EventEmitter;
  #closing: Promise<void> | undefined;

  constructor(gate: RunningGate, home: TemporaryHome, log: string[], logEvents: EventEmitter) {
    this.gate = gate;
    this.home = home;
    this.log = log;
    this.#logEvents = logEvents;
  }

  get paths(): GatePaths {
    return this.home.paths;
  }

  get operator(): RunningGate["operator"] {
    return this.gate.operator;
  }

  close(): Promise<void> {
    this.#closing ??= this.gate.close();
    return this.#closing;
  }

  /** The first log line that matches, now or later. */
  async logged(pattern: RegExp): Promise<string> {
    for (;;) {
      const line = this.log.find((text) => pattern.test(text));
      if (line !== undefined) return line;
      await once(this.#logEvents, "line");
    }
  }

  /** The next event that matches, as every surface gets it. */
  event(matches: (event: OperatorEvent) => boolean): Promise<OperatorEvent> {
    return new Promise((resolve) => {
      const unsubscribe = this.operator.subscribe((event) => {
        if (!matches(event)) return;
        unsubscribe();
        resolve(event);
      });
    });
  }

  token(name: string): string {
    return readToken(agentTokenFile(this.paths, name));
  }

  /** Connects without greeting. Closed when the test ends. */
  async connect(): Promise<AgentConnection> {
    const connection = await AgentConnection.open(this.paths.agent_socket);
    onTestFinished(() => connection.close());
    return connection;
  }

  /** A connected, greeted agent; paired first where it isn't yet. */
  async agent(
    name = "tester",
    level: Level = "Supervised",
    extra: Record<string, unknown> = {},
  ): Promise<AgentConnection> {
    const { agents } = await this.operator.call("agents.list", {});
    const isPaired = agents.some((agent) => agent.name === name && agent.revoked_at === null);
    if (!isPaired) await this.operator.call("agents.pair", { name, level });
    const connection = await this.connect();
    const answer = await connection.hello(name, { token: this.token(name), ...extra });
    if (answer.type !== "hello.ok") throw new Error(`not greeted: ${JSON.stringify(answer)}`);
    return connection;
  }

  /** The operator's contract over its socket, as the command line uses it. */
  async operatorClient(): Promise<OperatorClient> {
    const client = await OperatorClient.connect(this.paths.operator_socket, this.paths.operatorToken);
    onTestFinished(() => client.close());
    return client;
  }

  /** The tokens of waiting requests, newest first. */
  async waiting(): Promise<string[]> {
    return (await this.operator.call("approvals.list", {})).map(({ token }) => token);
  }

  async request(token: string) {
    const all = await this.operator.call("approvals.list", { include_resolved: true, limit: 1000 });
    const found = all.find((request) => request.token === token);
    if (found === undefined) throw new Error("there is no such request");
    return found;
  }
}

export function readToken(file: string): string {
  return readFileSync(file, "utf8").trim();
}

export async function startGate({ home, config, now, ...options }: GateOptions = {}): Promise<GateUnderTest> {
  const place = home ?? temporaryHome(config);
  if (options.web === true) givePort(place);
  const log: string[] = [];
  const logEvents = new EventEmitter();
  const gate = await serveGate({
    pipesAhead: FEW_PIPES,
    ...options,
    ...(now === undefined ? {} : { clock: clockOf(now) }),
    env: place.env,
    log: (line) => {
      log.push(line);
      logEvents.emit("line");
    },
  });
  const underTest = new GateUnderTest(gate, place, log, logEvents);
  const events: string[] = [];
  underTest.operator.subscribe((event) => events.push(JSON.stringify(event).slice(0, 600)));
  onTestFailed(() => console.log(["What the gate said:", ...events.slice(-40), ...log.slice(-40)].join("\n")));
  onTestFinished(() => underTest.close());
  return underTest;
}
