import { chmodSync, lstatSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { boxLauncher } from "../../ipc/base/paths.ts";
import { GateError } from "../../ipc/contract/gate-error.ts";
import { kindOfFile } from "../base/files/own-files.ts";

/** Where the box keeps its files: private to the user, and no link in it is ever followed. */
export interface BoxFolder {
  path: string;
  /** The program that starts a run. */
  launcher: string;
  /** The one that starts a whole agent. */
  agentLauncher: string;
  /** What runs that were going may have left, should the gate end. */
  going: string;
  /** What was moved out of projects. */
  set_aside: string;
}

const OWNER_ONLY = 0o700;

/**
 * Makes the folder; an earlier gate's pipes stay until its runs have ended.
 * @throws GateError `box_unavailable` where a link or somebody else's folder is in its place, or the system's error
 */
export function openBoxFolder(stateDir: string): BoxFolder {
  const path = join(stateDir, "box");
  const folder = {
    path,
    launcher: boxLauncher({ state_dir: stateDir }),
    agentLauncher: join(path, "metnos-gate-agent"),
    going: join(path, "going"),
    set_aside: join(path, "set-aside"),
  };
  for (const each of [path, folder.going, folder.set_aside]) makePrivate(each);
  return folder;
}

/** Whether an earlier gate's runs may still be going, or have left what was not looked at. */
export function hasGoing(stateDir: string): boolean {
  try {
    return readdirSync(join(stateDir, "box/going")).length > 0;
  } catch {
    return false; // there was no box
  }
}

/** @throws GateError `box_unavailable` where a link or somebody else's folder is in its place, or the system's error */
export function makePrivate(path: string): void {
  mkdirSync(path, { recursive: true, mode: OWNER_ONLY });
  const stat = lstatSync(path);
  if (!stat.isDirectory()) throw unusable(path, `is ${kindOfFile(stat)}, not a folder`);
  if (process.getuid !== undefined && stat.uid !== process.getuid()) throw unusable(path, "belongs to somebody else");
  if ((stat.mode & 0o777) !== OWNER_ONLY) chmodSync(path, OWNER_ONLY);
}

function unusable(path: string, why: string): GateError {
  return new GateError("box_unavailable", `${path} ${why}`, "move it away; the gate makes its own");
}
