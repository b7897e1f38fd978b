import { basename } from "node:path";
import { MCP_SERVER_NAME } from "../../../ipc/mcp-names.ts";
import { LAUNCHER_NAME } from "../launcher.ts";
import { nameFromWords } from "../server-name.ts";

/** An entry for a server in a client's settings: the words that start it, with the proxy before them or without. */

export interface OwnWords {
  launcher: string;
  agent: string;
  /** As the client calls it. */
  server: string;
  /** How long the client waits for a tool, in seconds; undefined where its settings don't say. */
  timeout_seconds: number | undefined;
}

/** The client must be answered before it gives up. */
const SHARE = 0.8;

/** True of words that start the proxy, wherever it was. */
export function areOurs(words: readonly string[]): boolean {
  return basename(words[0] ?? "") === LAUNCHER_NAME && words.includes("--");
}

/** The words as the user had them. */
export function originalOf(words: readonly string[]): readonly string[] {
  return areOurs(words) ? words.slice(words.indexOf("--") + 1) : words;
}

/** The words with the proxy before them. */
export function withProxy(words: readonly string[], { launcher, agent, server, timeout_seconds }: OwnWords): string[] {
  const original = originalOf(words);
  const name = MCP_SERVER_NAME.test(server) ? server : nameFromWords([server]);
  const wait =
    timeout_seconds === undefined ? [] : ["--wait", String(Math.max(1, Math.floor(timeout_seconds * SHARE)))];
  return [launcher, "--name", name, "--agent", agent, ...wait, "--", ...original];
}
