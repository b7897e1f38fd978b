import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isAtOrBelow, kindOf, realForm } from "@metnos-gate/shell-reading/files";
import { holdsText } from "../../../ipc/base/regular-file.ts";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import { projectFolder } from "../arguments/caches.ts";
import type { Machine } from "../arguments/machine.ts";
import { isNeverShown } from "../arguments/unusable-places.ts";
import { makePrivate } from "../box-folder.ts";
import { BOX_FOLDER } from "../network/relay.ts";
import type { AgentRun, AgentSetting } from "./agent-run.ts";

const EMPTY_OBJECT = "{}\n";

// What an agent's box shows of the agent: a state of its own, and the user's settings as they are.

export interface PlaceWords {
  /** Bubblewrap's, before what fills the folders in memory. */
  readonly first: readonly string[];
  /** Bubblewrap's. */
  readonly words: readonly string[];
  /** Where they put something. */
  readonly at: readonly string[];
}

/**
 * Makes the folders of its state where they aren't there yet.
 * @throws GateError `box_unavailable` where a place can't be shown; the system's error
 */
export function agentPlaceWords(
  { agent_name, places }: Pick<AgentRun, "agent_name" | "places">,
  project: string,
  machine: Machine,
): PlaceWords {
  const own = join(projectFolder(machine.boxFolder, project), "agents", agent_name);
  const state = places.state.map((path) => {
    const at = placeIn(path, machine);
    const source = join(own, createHash("sha256").update(path).digest("hex").slice(0, 16));
    makePrivate(source);
    return { source, at };
  });
  const settings = places.settings.map((setting) => {
    const at = placeIn(setting.path, machine);
    const holder = state.find((folder) => isAtOrBelow(at, folder.at) && at !== folder.at);
    if (holder !== undefined) makeMountPoint(holder.source, at.slice(holder.at.length + 1), setting.is_folder);
    return { source: sourceOf(setting, machine), at };
  });
  const files = places.files.map(({ source, at }) => ({ source: realForm(source) ?? source, at }));
  return {
    first: heldFolders(
      files.map(({ at }) => at),
      machine,
    ),
    words: [
      ...state.flatMap(({ source, at }) => ["--bind", source, at]),
      ...[...settings, ...files].flatMap(({ source, at }) => ["--ro-bind", source, at]),
    ],
    at: [...state, ...settings, ...files].map(({ at }) => at),
  };
}

/**
 * File systems of their own for the folders in memory, so that everything else can be read-only, and for those on the way to the gate's
 * files: a folder in use as a mount can't be renamed, and another put in its place.
 */
function heldFolders(files: readonly string[], { homeReal, settings }: Machine): string[] {
  const size = ["--size", String(settings.tmp_mb * 1024 * 1024)];
  const held = new Set(["/run", BOX_FOLDER, homeReal]);
  for (const file of files)
    for (let folder = dirname(file); isAtOrBelow(folder, homeReal) && folder !== homeReal; folder = dirname(folder))
      held.add(folder);
  const folders = [...held].sort((one, other) => one.length - other.length);
  return [
    "--perms",
    "1777",
    ...size,
    "--tmpfs",
    "/tmp",
    ...folders.flatMap((path) => ["--perms", "0700", ...size, "--tmpfs", path]),
  ];
}

/** @throws GateError `box_unavailable` for the home itself, a folder above it, the kernel's, the gate's own */
function placeIn(path: string, machine: Machine): string {
  const { home, homeReal } = machine;
  const at = isAtOrBelow(path, home) ? homeReal + path.slice(home.length) : path;
  const isPlain =
    path.startsWith("/") &&
    !path
      .split("/")
      .slice(1)
      .some((name) => /^\.{0,2}$/.test(name));
  if (isPlain && !isNeverShown(at, machine)) return at;
  throw new GateError("box_unavailable", `${path} can't be an agent's own in a box`, "run it without --box");
}

/** The user's own; where there is none, something empty, so that the agent can't put its own there. */
function sourceOf({ path, is_folder, is_json }: AgentSetting, machine: Machine): string {
  const real = realForm(path) ?? path;
  const kind = kindOf(real);
  if (kind === (is_folder ? "folder" : "file") && !isNeverShown(real, machine)) return real;
  if (!is_folder) return is_json ? emptyObject(machine) : machine.covers.empty;
  const nothing = join(machine.boxFolder, "no-settings");
  mkdirSync(nothing, { recursive: true, mode: 0o500 });
  return nothing;
}

/** To a client a file with nothing in it isn't JSON, but broken. */
function emptyObject({ boxFolder }: Machine): string {
  const file = join(boxFolder, "no-settings.json");
  const stat = lstatSync(file, { throwIfNoEntry: false });
  if (stat?.isFile() && stat.nlink === 1 && holdsText(file, EMPTY_OBJECT)) return file;
  rmSync(file, { recursive: true, force: true });
  writeFileSync(file, EMPTY_OBJECT, { mode: 0o400, flag: "wx" });
  return file;
}

/**
 * What bubblewrap covers with the user's own: a plain file or folder. What an earlier run put there instead is removed; one that is
 * right stays, as another run may have it covered now. @param name below `folder`, with slashes
 */
function makeMountPoint(folder: string, name: string, isFolder: boolean): void {
  const path = join(folder, name);
  for (let above = dirname(path), wrong: string[] = []; ; above = dirname(above)) {
    if (above === folder) {
      for (const one of wrong.reverse()) makeRight(one, true);
      break;
    }
    wrong = [...wrong, above];
  }
  makeRight(path, isFolder);
}

function makeRight(path: string, isFolder: boolean): void {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (isFolder ? stat?.isDirectory() : stat?.isFile()) return;
  rmSync(path, { recursive: true, force: true });
  if (isFolder) mkdirSync(path, { mode: 0o700 });
  else writeFileSync(path, "", { mode: 0o600, flag: "wx" });
}
