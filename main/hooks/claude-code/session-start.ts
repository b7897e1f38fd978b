import { askingStatus } from "../../../ipc/asking-status.ts";
import { agentPaths } from "../../../ipc/paths.ts";
import { recordedVersion } from "../client-program.ts";
import type { HookPlace } from "../dialect.ts";

/** From this version on Claude Code is known to show a hook's `statusMessage` while a tool waits for it. 2.1.197 says no more than "Waiting". */
const SHOWS_STATUS = [2, 1, 330];

/** At a session's start: how to answer, where it is on record that this very client doesn't show it while somebody is asked. */
export function sessionStart({ env, reader }: HookPlace): object {
  const version = reader === undefined ? undefined : recordedVersion(reader, agentPaths(env).state_dir, "claude-code");
  return !version || showsStatus(version) ? {} : { systemMessage: askingStatus() };
}

function showsStatus(version: string): boolean {
  const numbers = version.split(".").map(Number);
  const at = SHOWS_STATUS.findIndex((number, place) => numbers[place] !== number);
  return at === -1 || (numbers[at] ?? 0) > (SHOWS_STATUS[at] ?? 0);
}
