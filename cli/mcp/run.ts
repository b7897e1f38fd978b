import { Writable } from "node:stream";
import { parseObject } from "../../ipc/base/json-object.ts";
import { type Env, homeFolder } from "../../ipc/base/paths.ts";
import { LineFilter } from "../proxy/line-filter.ts";
import { LineOutput } from "../proxy/line-output.ts";
import { startProgram } from "../proxy/program.ts";
import { agentOf, waitSecondsOf } from "./clients.ts";
import { environmentOfServer, setPlaces } from "./environment.ts";
import { ProxyGate } from "./gate.ts";
import { HttpServer } from "./http-server.ts";
import type { McpOptions } from "./options.ts";
import { sessionOf } from "./proposed-call.ts";
import { type Ends, McpProxy } from "./proxy.ts";
import { nameFromUrl, nameFromWords } from "./server-name.ts";
import { sourceOfProgram, sourceOfUrl } from "./server-source.ts";

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
  const program = startProgram(words, { env, grace_ms: GRACE_MS });
  const [to_client, to_server] = [new LineOutput(process.stdout), new LineOutput(program.stdin)];
  const proxy = proxyFor(options, {
    toClient: (line) => to_client.send(line, process.stdin),
    toServer: (line) => to_server.send(line),
  });
  const from_server = new LineFilter({
    from: program.stdout,
    to: to_client,
    max_bytes: MAX_LINE_BYTES,
    beyond: "pass",
    look: (line) => {
      proxy.fromServer(line);
      return line;
    },
    onBeyond: () => proxy.serverBeyond(),
  });
  const closed = passageOfClient(proxy, to_server).ended.then(async () => {
    await proxy.idle(LAST_MS);
    program.close();
  });
  const code = await program.ended;
  await from_server.ended;
  proxy.close();
  process.stdin.destroy();
  await closed;
  return code;
}

async function runInFrontOfUrl(options: McpOptions, url: string): Promise<number> {
  const to_client = new LineOutput(process.stdout);
  const server = new HttpServer({
    url: new URL(url),
    headers: givenHeaders(process.env),
    onLine: (line) => {
      proxy.fromServer(line);
      to_client.send(line, process.stdin);
    },
  });
  const toServer = (line: Buffer) => server.send(line);
  const proxy = proxyFor(options, { toClient: (line) => to_client.send(line, process.stdin), toServer });
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
    max_bytes: MAX_LINE_BYTES,
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
  const is_program = upstream.kind === "program";
  const server = name ?? (is_program ? nameFromWords(upstream.words) : nameFromUrl(upstream.url));
  const cwd = process.cwd();
  const source = is_program ? sourceOfProgram(upstream.words, cwd, homeFolder(env)) : sourceOfUrl(upstream.url);
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
