import type { ProposedCall } from "../../ipc/wire.ts";
import { CLAUDE_CODE_EXECUTORS } from "../../main/gate/executors/claude-code.ts";
import { forbiddenPath } from "../../main/gate/guard/path-patterns.ts";
import { dangerousCommand } from "../../main/gate/guard/shell-patterns.ts";
import { stringsIn } from "../../main/gate/guard/strings.ts";

/** The seed's guard patterns for when no gate can be asked: what is never allowed isn't allowed then either. */
export function forbiddenOffline(call: ProposedCall, home: string): string | undefined {
  const manifest = CLAUDE_CODE_EXECUTORS.find(
    ({ name, aliases }) => name === call.executor || aliases?.includes(call.executor),
  );
  for (const { value } of stringsIn(call.args, manifest?.content_args ?? [])) {
    const expanded = value === "~" || value.startsWith("~/") ? home + value.slice(1) : value;
    const pattern = forbiddenPath(value) ?? forbiddenPath(expanded);
    if (pattern !== undefined) return `forbidden path violated: pattern '${pattern}' in args`;
  }
  const runs_code = manifest === undefined || manifest.needs.some(({ capability }) => capability === "code:exec");
  if (!runs_code) return undefined;
  for (const name of ["command", "cmd"]) {
    const value = call.args[name];
    const command = Array.isArray(value) ? value.join(" ") : value;
    const pattern = typeof command === "string" ? dangerousCommand(command) : undefined;
    if (pattern !== undefined) return `irrecoverable command: pattern '${pattern}'`;
  }
  return undefined;
}
