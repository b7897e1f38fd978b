import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { Writable } from "node:stream";
import { parseObject } from "../../ipc/base/json-object.ts";
import { ownCommand } from "../../ipc/base/own-command.ts";
import { type Env, homeFolder } from "../../ipc/base/paths.ts";
import { GateClient, GateClientError, type McpTools } from "../../ipc/client.ts";
import type { ProposedCall } from "../../ipc/contract/wire.ts";
import { RETURN_MS } from "../../ipc/words/return-time.ts";
import { VERSION } from "../../main/base/version.ts";
import { LineFilter } from "../proxy/line-filter.ts";
import { LineOutput } from "../proxy/line-output.ts";
import { startProgram } from "../proxy/program.ts";
import type { Asked, Decided } from "./asked-calls.ts";
import { agentOf, waitSecondsOf } from "./clients.ts";
import { environmentOfServer, setPlaces } from "./environment.ts";
import { HttpServer } from "./http-server.ts";
import type { McpOptions } from "./options.ts";
import { sessionOf } from "./proposed-call.ts";
import { type Decider, type Ends, McpProxy } from "./proxy.ts";
import { nameFromUrl, nameFromWords } from "./server-name.ts";

/** `metnos-gate mcp`: the proxy between this process's stdin and stdout and a server. */

/** A line that is longer is no message that anybody reads: from a server it is passed on unread, from a client it is refused. */
const MAX_LINE_BYTES = 8 * 1024 * 1024;
/** A client that has ended its input may still read. In milliseconds. */
const GRACE_MS = 10_000;
/** What it asked for before is decided on first, where nobody has to be asked. In milliseconds. */
const LAST_MS = 1000;

/** @returns the exit code: the server's own */
export async function runMcp(options: McpOptions): Promise<number> {
  const { upstream, places } = options;
  const env = environmentOfServer(process.env);
  setPlaces(places, process.env);
  return upstream.kind === "url"
    ? await runInFrontOfUrl(options, upstream.url)
    : await runInFrontOf(options, upstream.words, env);
}

async function runInFrontOf(options: McpOptions, words: readonly string[], env: Env): Promise<number> {
  const program = startProgram(words, { env, graceMs: GRACE_MS });
  const [toClient, toServer] = [new LineOutput(process.stdout), new LineOutput(program.stdin)];
  const proxy = proxyFor(options, {
    toClient: (line) => toClient.send(line, process.stdin),
    toServer: (line) => toServer.send(line),
  });
  const fromServer = new LineFilter({
    from: program.stdout,
    to: toClient,
    maxBytes: MAX_LINE_BYTES,
    beyond: "pass",
    look: (line) => {
      proxy.fromServer(line);
      return line;
    },
    onBeyond: () => proxy.serverBeyond(),
  });
  const closed = passageOfClient(proxy, toServer).ended.then(async () => {
    await proxy.idle(LAST_MS);
    program.close();
  });
  const code = await program.ended;
  await fromServer.ended;
  proxy.close();
  process.stdin.destroy();
  await closed;
  return code;
}

async function runInFrontOfUrl(options: McpOptions, url: string): Promise<number> {
  const toClient = new LineOutput(process.stdout);
  const server = new HttpServer({
    url: new URL(url),
    headers: givenHeaders(process.env),
    onLine: (line) => {
      proxy.fromServer(line);
      toClient.send(line, process.stdin);
    },
  });
  const toServer = (line: Buffer) => server.send(line);
  const proxy = proxyFor(options, { toClient: (line) => toClient.send(line, process.stdin), toServer });
  const lines = new Writable({
    write(line: Buffer, _encoding, done) {
      // A piece holds whole lines.
      for (let start = 0; start < line.length; ) {
        const end = line.indexOf("\n", start);
        server.send(line.subarray(start, end === -1 ? line.length : end + 1));
        start = end === -1 ? line.length : end + 1;
      }
      done();
    },
  });
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.once(signal, () => process.stdin.destroy());
  await passageOfClient(proxy, new LineOutput(lines)).ended;
  await proxy.idle(LAST_MS);
  await server.close(GRACE_MS);
  proxy.close();
  return 0;
}

function passageOfClient(proxy: McpProxy, to: LineOutput): LineFilter {
  return new LineFilter({
    from: process.stdin,
    to,
    maxBytes: MAX_LINE_BYTES,
    beyond: "drop",
    look: (line) => proxy.fromClient(line),
    onBeyond: () => proxy.clientBeyond(),
  });
}

/** What the user has the server sent with each request: in the environment, where other users don't see it. */
function givenHeaders({ METNOS_MCP_HEADERS: text }: Env): Record<string, string> {
  const given = text === undefined ? {} : (parseObject(text) ?? {});
  return Object.fromEntries(
    Object.entries(given).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}

/** What is between the ends. */
function proxyFor({ name, agent, wait_seconds, upstream }: McpOptions, ends: Ends): McpProxy {
  const { env } = process;
  const isProgram = upstream.kind === "program";
  const server = name ?? (isProgram ? nameFromWords(upstream.words) : nameFromUrl(upstream.url));
  const cwd = process.cwd();
  const source = isProgram ? sourceOfProgram(upstream.words, cwd, homeFolder(env)) : sourceOfUrl(upstream.url);
  return new McpProxy({
    server,
    cwd,
    env,
    ends,
    gateFor: (client, onInvalid) =>
      new ProxyGate({
        agent: agent ?? agentOf(client),
        session: sessionOf({}, env),
        server: { server, source },
        onInvalid,
      }),
    waitSeconds: (client) => wait_seconds ?? waitSecondsOf(client, env),
  });
}

// What a server is to the gate: what the user said of its tools holds for that alone.

/** They look for what they start in the packages of the folder, and fetch by its settings. */
const PACKAGE_RUNNERS = new Set(["npx", "npm", "pnpm", "pnpx", "yarn", "bun", "bunx"]);
const PACKAGE_FILES = ["node_modules", "package.json", ".npmrc", "bunfig.toml", ".yarnrc.yml"];
/** `python -m`, `uv run`, `cargo run`: what they start is the folder's. */
const FOLDER_WORDS = new Set(["-m", "run"]);

/**
 * SHA-256 (hex) of the words that start a server, and of the folder where they mean another program in another one.
 * @param cwd where it is started
 */
export function sourceOfProgram(words: readonly string[], cwd: string, home: string): string {
  return hashed(isOfFolder(words, cwd, home) ? [words, cwd] : words);
}

/** SHA-256 (hex) of a server's address. */
export function sourceOfUrl(url: string): string {
  return hashed([url]);
}

function hashed(what: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(what)).digest("hex");
}

function isOfFolder(words: readonly string[], cwd: string, home: string): boolean {
  const [program = "", ...args] = words;
  if (program.includes("/") && !isAbsolute(program)) return true;
  if (args.some((word) => FOLDER_WORDS.has(word) || isFileIn(cwd, word))) return true;
  const hasRunner = words.some((word) => PACKAGE_RUNNERS.has(basename(word)));
  return (
    hasRunner && foldersUpTo(cwd, home).some((folder) => PACKAGE_FILES.some((name) => existsSync(join(folder, name))))
  );
}

/** Also behind an option: `--config=server.json`. */
function isFileIn(cwd: string, word: string): boolean {
  const path = word.startsWith("-") ? word.slice(word.indexOf("=") + 1) : word;
  return path !== "" && !isAbsolute(path) && existsSync(resolve(cwd, path));
}

/** The folder and those above it; the home, whose packages are the user's, isn't one of them. */
function foldersUpTo(cwd: string, home: string): string[] {
  const folders: string[] = [];
  for (let folder = cwd; folder !== home && folder !== dirname(folder); folder = dirname(folder)) folders.push(folder);
  return folders;
}

// The gate, as a proxy asks it. Nothing here rejects: whatever isn't a decision is an error with its reason.

/** Until it was reached once, in milliseconds: a client waits meanwhile, and a gate that is away is soon known to be. */
const FIRST_RETRY_MS = 1000;

interface GateOptions {
  agent: string;
  session: string | undefined;
  server: Pick<McpTools, "server" | "source">;
  /** What was allowed before holds no longer. */
  onInvalid(): void;
}

class ProxyGate implements Decider {
  readonly #client: GateClient;
  readonly #server: GateOptions["server"];
  #isPairing = false;

  constructor({ agent, session, server, onInvalid }: GateOptions) {
    this.#server = server;
    this.#client = new GateClient({
      name: agent,
      version: VERSION,
      retryMs: RETURN_MS,
      firstRetryMs: FIRST_RETRY_MS,
      ...(session === undefined ? {} : { session }),
    });
    this.#client.on("paused", onInvalid);
    this.#client.on("disconnected", onInvalid);
    this.#client.on("pairing", () => {
      this.#isPairing = true;
    });
    this.#client.on("ready", () => {
      this.#isPairing = false;
    });
  }

  get isPairing(): boolean {
    return this.#isPairing;
  }

  announce(tools: McpTools["tools"]): void {
    try {
      this.#client.announceTools({ ...this.#server, tools });
    } catch (error) {
      if (!(error instanceof GateClientError)) throw error;
      // Too deep for a message: nothing is described.
      this.#client.announceTools({ ...this.#server, tools: [] });
    }
    // The first call then doesn't wait for it. Where it fails, that call says so.
    this.#client.connect().catch(() => undefined);
  }

  ask(call: ProposedCall, key: string): Asked {
    const controller = new AbortController();
    return { key, ended: this.#decide(call, controller.signal), withdraw: () => controller.abort() };
  }

  close(): void {
    this.#client.close();
  }

  outcome(decisionId: string, ok: boolean): void {
    this.#client.outcome(decisionId, ok).catch(() => undefined); // the gate is away: it was only a report
  }

  async #decide(call: ProposedCall, signal: AbortSignal): Promise<Decided> {
    try {
      return { kind: "decision", decision: await this.#client.call(call, { signal }) };
    } catch (error) {
      if (!(error instanceof GateClientError)) return { kind: "error", reason: "the gate's answer can't be read" };
      return { kind: "error", reason: reasonOf(error) };
    }
  }
}

function reasonOf({ code, message, hint }: GateClientError): string {
  if (code === "not_running") return `no gate is running; tell the user to start it with: ${ownCommand("start")}`;
  return hint === "" ? message : `${message} (${hint})`;
}
