import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { IS_WHOLE_RUN } from "../support/whole-run.ts";

/** The real clients that the gate is tested with, by version, and where they are kept: outside of the project, never part of it. */

const CLAUDE_CODE_VERSIONS = ["2.1.330", "2.1.197"] as const;

export interface Client {
  /** As tests name it. */
  readonly title: string;
  readonly version: string;
  /** Its folder in the folder of all clients. */
  readonly folder: string;
  /** What npm installs. Only the package for this machine, where a client has one for each. */
  readonly packages: readonly string[];
  /** The program, below `node_modules`. One that ends with `.js` is run by Node. */
  readonly program: string;
}

const SYSTEM = `${process.platform}-${process.arch}`;

const claudeCode = (version: string): Client => ({
  title: `Claude Code ${version}`,
  version,
  folder: `claude-code-${version}`,
  packages: [`@anthropic-ai/claude-code-${SYSTEM}@${version}`],
  program: `@anthropic-ai/claude-code-${SYSTEM}/claude`,
});

const CODEX_SYSTEMS: Readonly<Record<string, string>> = {
  "linux-x64": "x86_64-unknown-linux-musl",
  "linux-arm64": "aarch64-unknown-linux-musl",
  "darwin-x64": "x86_64-apple-darwin",
  "darwin-arm64": "aarch64-apple-darwin",
};

export const CLIENTS = {
  "claude-code": claudeCode(CLAUDE_CODE_VERSIONS[0]),
  "claude-code-earlier": claudeCode(CLAUDE_CODE_VERSIONS[1]),
  codex: {
    title: "Codex 0.169.0",
    version: "0.169.0",
    folder: "codex-0.169.0",
    packages: [`@openai/codex@0.169.0-${SYSTEM}`],
    program: `@openai/codex/vendor/${CODEX_SYSTEMS[SYSTEM]}/bin/codex`,
  },
  gemini: {
    title: "Gemini CLI 0.61.0",
    version: "0.61.0",
    folder: "gemini-0.61.0",
    packages: ["@google/gemini-cli@0.61.0"],
    program: "@google/gemini-cli/bundle/gemini.js",
  },
  opencode: {
    title: "OpenCode 1.18.33",
    version: "1.18.33",
    folder: "opencode-1.18.33",
    packages: [`opencode-${SYSTEM}@1.18.33`],
    program: `opencode-${SYSTEM}/bin/opencode`,
  },
  /** Claude Code as an ACP agent; what it runs is the Claude Code that CLAUDE_CODE_EXECUTABLE names. */
  "claude-agent-acp": {
    title: "claude-agent-acp 0.101.0",
    version: "0.101.0",
    folder: "claude-agent-acp-0.101.0",
    packages: ["@agentclientprotocol/claude-agent-acp@0.101.0"],
    program: "@agentclientprotocol/claude-agent-acp/dist/index.js",
  },
  /** Codex as an ACP agent; what it runs is the Codex that CODEX_PATH names. */
  "codex-acp": {
    title: "codex-acp 2.6.0",
    version: "2.6.0",
    folder: "codex-acp-2.6.0",
    packages: ["@agentclientprotocol/codex-acp@2.6.0"],
    program: "@agentclientprotocol/codex-acp/dist/index.js",
  },
  /** The one before, with a Codex of its own. */
  "codex-acp-earlier": {
    title: "codex-acp 0.16.0",
    version: "0.16.0",
    folder: "codex-acp-0.16.0",
    packages: [`@zed-industries/codex-acp-${SYSTEM}@0.16.0`],
    program: `@zed-industries/codex-acp-${SYSTEM}/bin/codex-acp`,
  },
  /** MCP's own suite of scenarios, with the SDK that its clients and servers are made of: see `conformance/`. */
  "mcp-conformance": {
    title: "MCP conformance 0.2.0-alpha.12",
    version: "0.2.0-alpha.12",
    folder: "mcp-conformance-0.2.0-alpha.12",
    packages: [
      "@modelcontextprotocol/conformance@0.2.0-alpha.12",
      "@modelcontextprotocol/server@2.4.0",
      "@modelcontextprotocol/client@2.4.0",
      "@modelcontextprotocol/node@2.1.2",
    ],
    program: "@modelcontextprotocol/conformance/dist/index.js",
  },
} satisfies Record<string, Client>;
export type ClientName = keyof typeof CLIENTS;

/** The Claude Codes that are tried: the newest alone, and by `npm run test:clients` each of them. */
export const TRIED_CLAUDE_CODES: readonly ClientName[] = IS_WHOLE_RUN
  ? ["claude-code", "claude-code-earlier"]
  : ["claude-code"];

/** The folder of all clients: METNOS_CLIENTS_DIR, or one in the user's cache. `home` is the user's own, not a test's. */
export function clientsFolder(env: NodeJS.ProcessEnv = process.env, home = homedir()): string {
  return env.METNOS_CLIENTS_DIR || join(env.XDG_CACHE_HOME || join(home, ".cache"), "metnos-gate-clients");
}

/** The client's program, or undefined if it isn't installed. */
export function programIn(folder: string, name: ClientName): string | undefined {
  const client = CLIENTS[name];
  const file = join(folder, client.folder, "node_modules", client.program);
  return existsSync(file) ? file : undefined;
}
