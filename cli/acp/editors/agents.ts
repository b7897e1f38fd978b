import type { Env } from "../../../ipc/base/paths.ts";
import { programOnPath } from "../../../main/agents/agents-on-path.ts";

/** The agents that editors start, by the names that `connect EDITOR AGENT` takes. */

export interface EditorAgent {
  title: string;
  words: readonly string[];
}

export const EDITOR_AGENTS: Readonly<Record<string, EditorAgent>> = {
  "claude-code": { title: "Claude Code", words: ["claude-agent-acp"] },
  codex: { title: "Codex", words: ["codex-acp"] },
  gemini: { title: "Gemini CLI", words: ["gemini", "--acp"] },
  opencode: { title: "OpenCode", words: ["opencode", "acp"] },
};

/** The agent's command with its program's whole path: an editor that a desktop has started has another PATH. Undefined where it isn't installed. */
export function installedWords({ words: [program = "", ...args] }: EditorAgent, env: Env): string[] | undefined {
  const file = programOnPath(program, env.PATH ?? "");
  return file === undefined ? undefined : [file, ...args];
}
