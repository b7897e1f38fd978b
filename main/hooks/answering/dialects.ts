import type { KnownAgent } from "../../../ipc/contract/agent-kind.ts";
import { CLAUDE_CODE } from "../claude-code/dialect.ts";
import type { HookDialect } from "../dialect.ts";

/** The clients whose hooks are understood, by the name after `hook`. Claude Code's is part of the hook's one file; OpenCode has a plugin. */
const DIALECTS: Readonly<Record<Exclude<KnownAgent, "opencode">, () => HookDialect | Promise<HookDialect>>> = {
  "claude-code": () => CLAUDE_CODE,
  codex: async () => (await import("../codex/dialect.ts")).CODEX,
  gemini: async () => (await import("../gemini/dialect.ts")).GEMINI,
};

export function dialectOf(name: string | undefined): HookDialect | Promise<HookDialect> | undefined {
  return name !== undefined && Object.hasOwn(DIALECTS, name) ? DIALECTS[name as keyof typeof DIALECTS]() : undefined;
}
