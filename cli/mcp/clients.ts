import { isObject, type Json } from "../../ipc/base/json-object.ts";
import type { Env } from "../../ipc/base/paths.ts";

/** The MCP clients that are known: the agent that they are, and how long they wait for a tool. */

interface Known {
  agent: string;
  wait_seconds: number;
}

const KNOWN: Readonly<Record<string, Known>> = {
  "claude-code": { agent: "claude-code", wait_seconds: 50 },
  // Their own limits are 300 and 600 s.
  "codex-mcp-client": { agent: "codex", wait_seconds: 290 },
  "gemini-cli-mcp-client": { agent: "gemini", wait_seconds: 590 },
  opencode: { agent: "opencode", wait_seconds: 50 },
};

/** Most clients give up after 60 s. */
const OTHERS_WAIT_SECONDS = 50;

export interface ClientInfo {
  /** As the client names itself; empty where it doesn't. */
  name: string;
  protocol: string | undefined;
}

/** What `initialize` says of the client. */
export function clientOf({ clientInfo, protocolVersion }: Json): ClientInfo {
  const name = isObject(clientInfo) && typeof clientInfo.name === "string" ? clientInfo.name : "";
  return { name, protocol: typeof protocolVersion === "string" ? protocolVersion : undefined };
}

/** The same in a call of a protocol without `initialize`; undefined where it says nothing. */
export function clientInMeta(meta: Json): ClientInfo | undefined {
  const protocol = meta["io.modelcontextprotocol/protocolVersion"];
  if (typeof protocol !== "string") return undefined;
  return clientOf({ clientInfo: meta["io.modelcontextprotocol/clientInfo"], protocolVersion: protocol });
}

/** The agent that a client is: one that is connected, or by its own name; `mcp` where that can't be an agent's. */
export function agentOf({ name }: ClientInfo): string {
  const known = knownClient(name);
  if (known !== undefined) return known.agent;
  const plain = name
    .replaceAll(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/^[^A-Za-z0-9]+/, "")
    .slice(0, 64);
  return plain === "" ? "mcp" : plain;
}

/** After how long the client is answered that nobody has decided yet, in seconds: before it gives up. */
export function waitSecondsOf({ name }: ClientInfo, env: Env): number {
  const wait = knownClient(name)?.wait_seconds ?? OTHERS_WAIT_SECONDS;
  const given = name === "claude-code" ? Number(env.MCP_TOOL_TIMEOUT) : Number.NaN;
  // Claude Code gives its limit to its servers, in milliseconds.
  return given > 0 ? Math.min(Math.max((given / 1000) * 0.8, 0.5), 86_400) : wait;
}

function knownClient(name: string): Known | undefined {
  return Object.hasOwn(KNOWN, name) ? KNOWN[name] : undefined;
}
