import { EventEmitter, once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, connect, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { connect as connectTls, createServer as createTlsServer, type TLSSocket } from "node:tls";
import { onTestFinished } from "vitest";
import { localPrincipal } from "../../ipc/base/paths.ts";
import type { Level } from "../../ipc/contract/decision.ts";
import type { ApprovalView } from "../../ipc/contract/operator-api.ts";
import { isPublicAddress } from "../../main/box/network/addresses.ts";
import { BoxNetwork } from "../../main/box/network/box-network.ts";
import { NETWORK_LIMITS, type NetworkLimits } from "../../main/box/network/limits.ts";
import { BOX_SOCKET } from "../../main/box/network/relay.ts";
import type { RunNetwork } from "../../main/box/network/run-network.ts";
import { type Core, openCore } from "../../main/core/core.ts";
import { type TemporaryHome, temporaryHome } from "./temporary-home.ts";

/** A real gate, and confined runs' ways through it to servers of the test's own on loopback. */

export const BY = localPrincipal();

export class NetworkUnderTest {
  readonly core: Core;
  readonly home: TemporaryHome;
  readonly network: BoxNetwork;
  readonly failures: string[];
  /** What each name resolves to; a list of lists: one answer after the other. */
  readonly names: Map<string, string[] | string[][]>;
  /** The names that were looked up. */
  readonly lookedUp: string[];
  /** Ports of loopback that count as public: the test's own servers'. */
  readonly servers: Set<number>;

  constructor(parts: Omit<NetworkUnderTest, "run" | "question" | "answerNext" | "grant" | "waiting" | "serve">) {
    this.core = parts.core;
    this.home = parts.home;
    this.network = parts.network;
    this.failures = parts.failures;
    this.names = parts.names;
    this.lookedUp = parts.lookedUp;
    this.servers = parts.servers;
  }

  /** A run of an agent that is paired at first. */
  run(line = "npm install", { name = "tester", level = "Supervised" as Level } = {}): RunUnderTest {
    const agent = this.core.agents.named(name) ?? this.core.agents.pair(name, level).agent;
    const run = { agent_id: agent.agent_id, session: "s1", line, declaration: { cwd: join(this.home.home, "site") } };
    const way = this.network.open(run);
    onTestFinished(() => way.close());
    return new RunUnderTest(way, agent.agent_id);
  }

  grant(host: string): number {
    const { id } = this.core.grants.recordGrant({
      ...BY,
      capability: "network:http",
      target: host,
      granted_by: "test",
    });
    this.core.publish({ type: "grants.changed", data: {} });
    return id;
  }

  waiting(): ApprovalView[] {
    const { broker } = this.core.gate;
    return broker.registry.listPending().map((request) => broker.view(request));
  }

  /** The next card that somebody is asked by. */
  question(): Promise<ApprovalView> {
    return new Promise((resolve) => {
      const unsubscribe = this.core.listeners.add(["approval.waiting"], ({ data }) => {
        unsubscribe();
        resolve(data);
      });
    });
  }

  async answerNext(decision: "approved" | "rejected", message?: string): Promise<ApprovalView> {
    const card = await this.question();
    this.core.gate.answer({ token: card.token, decision, ...(message === undefined ? {} : { message }) }, BY);
    return card;
  }

  /** A server that counts as public, under these names. */
  async serve(server: Server, ...names: string[]): Promise<number> {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => {
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    this.servers.add(port);
    for (const name of names) this.names.set(name, ["127.0.0.1"]);
    return port;
  }
}

export async function openedNetwork(limits: Partial<NetworkLimits> = {}): Promise<NetworkUnderTest> {
  const home = temporaryHome();
  const failures: string[] = [];
  const core = await openCore({
    env: home.env,
    log: (line) => {
      if (line.startsWith("error in")) failures.push(line);
    },
  });
  onTestFinished(() => core.close());
  const names: NetworkUnderTest["names"] = new Map();
  const lookedUp: string[] = [];
  const servers = new Set<number>();
  const network = new BoxNetwork({
    ...core,
    failed: (what, error) => failures.push(`${what}: ${String(error)}`),
    // Not the gate's own, which empties its folder once its box is looked for.
    folder: join(home.paths.state_dir, "box-under-test"),
    node: process.execPath,
    limits: { ...NETWORK_LIMITS, ...limits },
    rules: {
      resolve: async (name) => {
        const bare = name.replace(/\.$/, "");
        lookedUp.push(bare);
        const found = names.get(bare);
        if (found === undefined) throw new Error("ENOTFOUND");
        return (Array.isArray(found[0]) ? found.shift() : found) as string[];
      },
      isAllowed: (address, port) => (address === "127.0.0.1" && servers.has(port)) || isPublicAddress(address),
    },
  });
  onTestFinished(() => network.close());
  return new NetworkUnderTest({ core, home, network, failures, names, lookedUp, servers });
}

export class RunUnderTest {
  readonly way: RunNetwork;
  readonly agent_id: string;

  constructor(way: RunNetwork, agentId: string) {
    this.way = way;
    this.agent_id = agentId;
  }

  /** Where the proxy listens, outside of the box. */
  get socket(): string {
    return this.way.arguments[this.way.arguments.indexOf(BOX_SOCKET) - 1] ?? "";
  }

  async connect(): Promise<Wire> {
    const socket = connect({ path: this.socket, allowHalfOpen: true });
    await once(socket, "connect");
    onTestFinished(() => {
      socket.destroy();
    });
    return new Wire(socket);
  }

  /** Sends this text, and returns what is answered until the connection ends. */
  async send(text: string | Buffer): Promise<string> {
    const wire = await this.connect();
    wire.socket.write(text);
    return wire.rest();
  }

  /** A request in absolute form, on a connection of its own. */
  get(url: string, headers = ""): Promise<string> {
    return this.send(`GET ${url} HTTP/1.1\r\nHost: ${new URL(url).host}\r\nConnection: close\r\n${headers}\r\n`);
  }

  /** CONNECT alone: the connection, and the first line of the answer. */
  async tunnel(target: string): Promise<{ wire: Wire; status: string }> {
    const wire = await this.connect();
    wire.socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`);
    const head = await wire.until("\r\n\r\n");
    return { wire, status: head.split("\r\n")[0] ?? "" };
  }

  /** TLS through a tunnel. @throws what the client's library says */
  async tls(target: string, servername: string | undefined): Promise<TLSSocket> {
    const { wire, status } = await this.tunnel(target);
    if (!status.includes(" 200 ")) throw new Error(status);
    // Not half open: what the proxy closes is closed.
    wire.socket.allowHalfOpen = false;
    const secure = connectTls({
      socket: wire.released(),
      ...(servername === undefined ? {} : { servername }),
      ...PSK,
      pskCallback: () => ({ psk: KEY, identity: "test" }),
      checkServerIdentity: () => undefined,
    });
    onTestFinished(() => {
      secure.destroy();
    });
    await once(secure, "secureConnect");
    return secure;
  }
}

/** One end of a connection, and what came on it. */
export class Wire {
  readonly socket: Socket;
  #text = "";
  #isEnded = false;
  readonly #events = new EventEmitter();
  readonly #take = (chunk: Buffer) => {
    this.#text += chunk.toString("latin1");
    this.#events.emit("more");
  };

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on("data", this.#take);
    // How it ended doesn't count: that it has.
    socket.on("error", () => undefined);
    for (const event of ["end", "close"])
      socket.on(event, () => {
        this.#isEnded = true;
        this.#events.emit("more");
      });
  }

  /** All that came up to this text; less where the connection ends before. */
  async until(text: string): Promise<string> {
    while (!this.#text.includes(text) && !this.#isEnded) await once(this.#events, "more");
    return this.#text;
  }

  async rest(): Promise<string> {
    while (!this.#isEnded) await once(this.#events, "more");
    return this.#text;
  }

  /** The socket, for another reader. */
  released(): Socket {
    this.socket.off("data", this.#take);
    return this.socket;
  }
}

const KEY = Buffer.alloc(32, 7);
/** TLS without certificates: what counts here is the first message. */
const PSK = {
  ciphers: "PSK-AES256-GCM-SHA384:PSK-AES128-GCM-SHA256",
  minVersion: "TLSv1.2",
  maxVersion: "TLSv1.2",
} as const;

/** Says which host it was called by, and then all that it is sent. */
export function echoTls(): Server {
  return createTlsServer({ ...PSK, pskCallback: () => KEY, pskIdentityHint: "test" }, (socket) => {
    socket.on("error", () => undefined);
    socket.write(`hello ${(socket as { servername?: unknown }).servername || "nobody"}\n`);
    socket.pipe(socket);
  });
}

export function plainServer(listener: RequestListener): Server {
  return createServer(listener);
}

/** The first text of this length or more that a stream says. */
export async function firstWords(stream: NodeJS.ReadableStream): Promise<string> {
  const [chunk] = await once(stream, "data");
  return String(chunk);
}
