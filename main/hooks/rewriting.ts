import { confinedCommand } from "../../ipc/base/confined-command.ts";
import { clientAbove, clientProgram, hasPassed } from "./client-program.ts";
import { LeftToProgram, type Rewritable } from "./dialect.ts";

/** A call that runs confined: whether its client may be given another command line for it, and which. */

/** Longer than any path the system takes. */
const MAX_PATH = 4096;
const MAX_NAMES = 256;

export interface AskedClient {
  agent: string;
  call: Rewritable | undefined;
  /** The process that reads the hook's answer; undefined where the hook wasn't called by its launcher. */
  reader: number | undefined;
  state_dir: string;
}

/**
 * True where this very client runs what it is given instead of the call: it was tested, and none of its own rules could be about the line,
 * which they would not see any more.
 * @param mayHaveRule of the client's process; what else it throws counts as true @throws LeftToProgram
 */
export function canConfine(
  { agent, call, reader, state_dir }: AskedClient,
  mayHaveRule: (client: number, call: Rewritable) => boolean,
): boolean {
  if (call === undefined || reader === undefined || isTooDeep(call.cwd)) return false;
  try {
    const client = clientAbove(reader);
    const program = client === undefined ? undefined : clientProgram(client);
    if (client === undefined || program === undefined || !hasPassed(program, state_dir, agent)) return false;
    return !mayHaveRule(client, call);
  } catch (error) {
    if (error instanceof LeftToProgram) throw error;
    return false; // what can't be found out about the client is not known to be safe
  }
}

/** All folders above it are looked through. The gate refuses a call that names such a one, too. */
const isTooDeep = (cwd: string): boolean => cwd.length > MAX_PATH || cwd.split("/").length > MAX_NAMES;

/** The call's input with the confined command in the place of its own, and every other field as it was. */
export function rewritten({ input }: Rewritable, argv: readonly string[]): Record<string, unknown> {
  return { ...input, command: confinedCommand(argv) };
}
