import type { Env } from "../../../ipc/base/paths.ts";
import { clientAbove, environmentOf } from "../../../main/hooks/client-program.ts";

/**
 * Whether Claude Code is VS Code's extension, which is reported to run a call that a hook answers with `ask` without a prompt
 * (claude-code#86754): by how it was started, which it says in its own variable.
 */

/** What a launcher keeps that variable in: nothing else of the client's reaches the hook. */
export const GIVEN_ENTRYPOINT = "METNOS_GIVEN_ENTRYPOINT";
const ENTRYPOINT = "CLAUDE_CODE_ENTRYPOINT";
const EXTENSION = "claude-vscode";

/** @param reader the process that reads the hook's answer: a project's settings change what hooks get, not what the client was started with */
export function isInVsCode(env: Env, reader: number | undefined): boolean {
  if (env[GIVEN_ENTRYPOINT] === EXTENSION) return true;
  try {
    const client = reader === undefined ? undefined : clientAbove(reader);
    return client !== undefined && environmentOf(client)[ENTRYPOINT] === EXTENSION;
  } catch {
    return false; // another system, or the process has ended
  }
}
