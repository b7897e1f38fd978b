import { isUtf8 } from "node:buffer";
import { lstatSync } from "node:fs";
import { join } from "node:path";
import { isTellingLog, kindOf, logsIn, realForm } from "@metnos-gate/shell-reading/files";
import { keepLatest } from "../../base/keep-latest.ts";
import { repositoriesIn } from "../arguments/git.ts";
import type { TimeSlice } from "./time-slice.ts";

/** Git's logs, and its earlier forms of remotes. */
const LOGS = ["logs", "FETCH_HEAD", "remotes", "branches"];

/** One of these changes whenever what a user types at git is written into another of its logs. */
const TELLING = [...LOGS, "logs/HEAD"];

/** What was found stays so long where none of these has changed, in milliseconds: a project may have thousands of branches. */
const KEPT_MS = 10_000;

/** Bytes and files of one look: what is beyond that counts as holding a password. */
const MAX_BYTES = 16 * 1024 * 1024;
const MAX_FILES = 20_000;

/** Repositories whose logs are remembered. */
const MAX_KEPT = 1000;

interface Left {
  bytes: number;
  files: number;
}

interface Known {
  readonly state: string;
  readonly foundAt: number;
  readonly hidden: readonly string[];
}

/** Which of git's logs hold a password: as what only looks writes none, they can be hidden from it. */
export class LogsWithSecrets {
  readonly #known = new Map<string, Known>();

  /**
   * The paths of those that do, or of whole folders of them. Paths have one character for each byte.
   * @throws GateError `box_unavailable` for a repository that has more others in it than anybody has
   */
  async hidden(repositories: readonly string[], turns: TimeSlice): Promise<string[]> {
    const left: Left = { bytes: MAX_BYTES, files: MAX_FILES };
    const hidden: string[] = [];
    for (const path of repositories) {
      const bytes = Buffer.from(path, "latin1");
      // Of a path that isn't UTF-8 nothing can be read here.
      if (!isUtf8(bytes)) hidden.push(...LOGS.map((name) => join(path, name)).filter((log) => stateOf(log) !== ""));
      else for (const folder of repositoriesIn(bytes.toString())) hidden.push(...(await this.#of(folder, left, turns)));
      await turns.shared();
    }
    return hidden;
  }

  async #of(folder: string, left: Left, turns: TimeSlice): Promise<readonly string[]> {
    const bytes = Buffer.from(folder).toString("latin1");
    const state = TELLING.map((name) => stateOf(join(bytes, name))).join(",");
    const known = this.#known.get(folder);
    const foundAt = performance.now();
    if (known?.state === state && foundAt - known.foundAt < KEPT_MS) return known.hidden;
    const hidden: string[] = [];
    for (const name of LOGS) if (await holdsOne(join(folder, name), left, turns)) hidden.push(join(bytes, name));
    keepLatest(this.#known, folder, { state, foundAt, hidden }, MAX_KEPT);
    return hidden;
  }
}

async function holdsOne(path: string, left: Left, turns: TimeSlice): Promise<boolean> {
  const real = realForm(path) ?? path;
  const logs = kindOf(real) === "nothing" ? [] : logsIn(real);
  if (logs === null) return true;
  left.files -= logs.length;
  for (const log of logs) {
    if (left.bytes < 0 || left.files < 0) return true;
    const { isTelling, bytes } = isTellingLog(log);
    if (isTelling) return true;
    left.bytes -= bytes;
    await turns.shared();
  }
  return false;
}

/** What is at a path now, as it was last changed; "" where nothing is, or nobody can say. */
function stateOf(path: string): string {
  try {
    const { ino, size, ctimeMs } = lstatSync(Buffer.from(path, "latin1"));
    return `${ino} ${size} ${ctimeMs}`;
  } catch {
    return "";
  }
}
