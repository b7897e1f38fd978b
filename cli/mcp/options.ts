import { parseObject } from "../../ipc/base/json-object.ts";
import { PLACE_VARIABLES } from "../../ipc/base/paths.ts";
import { MCP_SERVER_NAME } from "../../ipc/contract/mcp-names.ts";
import { agentNameSchema } from "../../ipc/contract/wire.ts";

/** The words behind `metnos-gate mcp`. */

export interface McpOptions {
  name: string | undefined;
  agent: string | undefined;
  /** How long a call waits before the client is answered, in seconds; undefined: as this client waits. */
  wait_seconds: number | undefined;
  upstream: Upstream;
  /** The variables that decide which gate is asked, as the launcher keeps them. */
  places: Readonly<Record<string, string | null>>;
}

type Upstream = { kind: "program"; words: readonly string[] } | { kind: "url"; url: string };

const PLACES = new Set<string>(PLACE_VARIABLES);

/** @throws Error with a sentence about the words that aren't understood */
export function optionsIn(argv: readonly string[]): McpOptions {
  const given = new Map<string, string>();
  let at = 0;
  for (; at < argv.length && argv[at] !== "--"; at += 2) {
    const name = argv[at] ?? "";
    const value = argv[at + 1];
    if (!["--name", "--agent", "--wait", "--http", "--places"].includes(name))
      throw new Error(`unknown option ${name}`);
    if (value === undefined || value === "--") throw new Error(`${name} needs a value`);
    if (given.has(name)) throw new Error(`${name} is there twice`);
    given.set(name, value);
  }
  const words = argv.slice(at + 1);
  const [name, agent, wait] = [given.get("--name"), given.get("--agent"), given.get("--wait")];
  if (name !== undefined && !MCP_SERVER_NAME.test(name))
    throw new Error("--name takes letters, digits, '.', '_' and '-'");
  if (agent !== undefined && !agentNameSchema.safeParse(agent).success)
    throw new Error("--agent takes the name of a paired agent");
  if (wait !== undefined && !(Number(wait) > 0)) throw new Error("--wait takes seconds");
  const waitSeconds = wait === undefined ? undefined : Math.min(Number(wait), 86_400);
  const places = placesIn(given.get("--places") ?? "{}");
  return { name, agent, wait_seconds: waitSeconds, upstream: upstreamOf(given.get("--http"), words), places };
}

function placesIn(text: string): Record<string, string | null> {
  const places = parseObject(text);
  if (places === undefined) throw new Error("--places takes what connect wrote");
  const known = Object.entries(places).filter(([name]) => name === "HOME" || PLACES.has(name));
  return Object.fromEntries(known.map(([name, value]) => [name, typeof value === "string" ? value : null]));
}

function upstreamOf(url: string | undefined, words: readonly string[]): Upstream {
  if ((url === undefined) === (words.length === 0))
    throw new Error("give the server: `-- COMMAND...` for a program, or `--http URL`");
  if (url === undefined) return { kind: "program", words };
  const protocol = URL.canParse(url) ? new URL(url).protocol : "";
  if (protocol !== "http:" && protocol !== "https:") throw new Error("--http takes an address that begins with http");
  return { kind: "url", url };
}
