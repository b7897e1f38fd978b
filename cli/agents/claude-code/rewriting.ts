import { confinedCommand } from "../../../ipc/confined-command.ts";
import type { Rewritable } from "../../hook/dialect.ts";
import { clientProgram, hasPassed } from "./client-program.ts";
import { mayHaveRuleAbout } from "./permission-rules.ts";

/** A call that runs confined: whether Claude Code may be given another command line for it, and which. */

const AGENT = "claude-code";

/**
 * True where this very client runs what it is given instead of the call: it was tested, and none of its own permission rules could be about
 * the line, which they would not see any more. Never throws.
 * @param client its process; undefined where the hook wasn't called by its launcher
 */
export function canConfine(call: Rewritable | undefined, client: number | undefined, state_dir: string): boolean {
  if (call === undefined || client === undefined) return false;
  try {
    const program = clientProgram(client);
    if (program === undefined || !hasPassed(program, state_dir, AGENT)) return false;
    return !mayHaveRuleAbout({ line: call.line, cwd: call.cwd, pid: client, env: process.env });
  } catch {
    return false; // what can't be found out about the client is not known to be safe
  }
}

/** The call's input with the confined command in the place of its own, and every other field as it was. */
export function rewritten({ input }: Rewritable, argv: readonly string[]): Record<string, unknown> {
  return { ...input, command: confinedCommand(argv) };
}
