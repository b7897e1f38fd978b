import { delimiter, isAbsolute, join } from "node:path";
import type { FoundAgent } from "../../ipc/contract/operator-api.ts";
import { isProgram } from "../base/files/is-program.ts";

/** The agents' programs that this gate knows by name, and what `connect` calls them. */
export const KNOWN_AGENTS: readonly FoundAgent[] = [
  { program: "claude", title: "Claude Code", connects_as: "claude-code" },
  { program: "codex", title: "Codex", connects_as: "codex" },
  { program: "gemini", title: "Gemini CLI", connects_as: "gemini" },
  { program: "opencode", title: "OpenCode", connects_as: "opencode" },
];

/** Those that are on this PATH. Nothing is run. */
export function agentsOnPath(path = process.env.PATH ?? ""): FoundAgent[] {
  return KNOWN_AGENTS.filter(({ program }) => programOnPath(program, path) !== undefined);
}

/** The file that a shell would run under this name, or undefined. */
export function programOnPath(program: string, path = process.env.PATH ?? ""): string | undefined {
  const folders = path.split(delimiter).filter((folder) => isAbsolute(folder));
  return folders.map((folder) => join(folder, program)).find(isProgram);
}
