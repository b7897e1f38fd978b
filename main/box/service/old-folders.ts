import { chmod, lstat, opendir, realpath, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { errorCode } from "../../base/errors.ts";
import { LAST_USED } from "../arguments/caches.ts";
import { PROBE_FOLDER } from "./probe.ts";

/** What earlier gates have left that nobody uses any more: folders of probes that were killed, and what runs of a project kept. */

/** No probe takes as long; in milliseconds. */
const OLD_PROBE_MS = 3_600_000;
/** Of 90 days; in milliseconds. */
const OLD_PROJECT_MS = 90 * 86_400_000;

/**
 * Removes it, while others have their turns.
 * @param boxFolder the gate's @param now in milliseconds @throws the system's error where something couldn't be, and all else was
 */
export async function removeOldFolders(boxFolder: string, now = Date.now()): Promise<void> {
  const failures: unknown[] = [];
  const noted = (error: unknown) => failures.push(error);
  const temporary = await realpath(tmpdir());
  for (const name of await namesIn(temporary))
    if (name.startsWith(PROBE_FOLDER)) await removeProbe(join(temporary, name), now).catch(noted);
  const projects = join(boxFolder, "projects");
  for (const name of await namesIn(projects)) await removeProject(join(projects, name), now).catch(noted);
  if (failures.length > 0) throw failures[0];
}

async function removeProbe(path: string, now: number): Promise<void> {
  if (await isOwnFolder(path, (changedAt) => now - changedAt > OLD_PROBE_MS)) await removeAll(path);
}

async function removeProject(path: string, now: number): Promise<void> {
  const name = basename(path);
  if (/^[0-9a-f]{32}\.old$/.test(name)) await removeAll(path);
  if (!/^[0-9a-f]{32}$/.test(name) || !(await isUnused(path, now))) return;
  await rename(path, `${path}.old`);
  await removeAll(`${path}.old`);
}

/** Of an earlier version nothing says when it was used: from now on something does. */
async function isUnused(folder: string, now: number): Promise<boolean> {
  const used = join(folder, LAST_USED);
  const stat = await statOf(used);
  if (stat === undefined && (await isOwnFolder(folder))) await writeFile(used, "", { mode: 0o600, flag: "a" });
  return stat !== undefined && now - stat.mtimeMs > OLD_PROJECT_MS;
}

async function isOwnFolder(path: string, isOld = (_changedAt: number) => true): Promise<boolean> {
  const stat = await statOf(path);
  return stat?.isDirectory() === true && stat.uid === process.getuid?.() && isOld(stat.mtimeMs);
}

async function statOf(path: string) {
  try {
    return await lstat(path);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

async function namesIn(path: string): Promise<string[]> {
  const names: string[] = [];
  try {
    for await (const { name } of await opendir(path)) names.push(name);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
  }
  return names;
}

/** Also where its folders can't be written, as Go's are. No link is followed. */
async function removeAll(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch (error) {
    if (errorCode(error) !== "EACCES") throw error;
    await openAll(path);
    await rm(path, { recursive: true, force: true });
  }
}

async function openAll(path: string): Promise<void> {
  await chmod(path, 0o700);
  for await (const entry of await opendir(path)) if (entry.isDirectory()) await openAll(join(path, entry.name));
}
