import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, readlinkSync } from "node:fs";
import { join } from "node:path";

/** Git as stores use it: the system's, whatever the user's PATH says. */

export const GIT_PATH = "/usr/local/bin:/usr/bin:/bin:/run/current-system/sw/bin";
/** What Git itself is made of. */
const SYSTEM = ["/usr", "/bin", "/lib", "/lib32", "/lib64", "/nix", "/run/current-system", "/etc/ld.so.cache"];

/**
 * Git on a store, in a box that shows it this store alone, without a network: what it reads there was a project's. Where no box can be made it runs
 * as it is. @param maker of boxes @param writes a folder of the store that it may write in
 */
export function gitWords(words: readonly string[], folder: string, maker: string | null, writes?: string): string[] {
  if (maker === null) return ["git", ...words];
  return [
    ...[maker, "--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent", "--new-session"],
    ...["--cap-drop", "ALL", "--tmpfs", "/", ...SYSTEM.flatMap(systemWords), "--proc", "/proc", "--dev", "/dev"],
    ...["--ro-bind", folder, folder],
    ...(writes === undefined ? [] : ["--bind", writes, writes]),
    ...["--chdir", folder, "--", "git", ...words],
  ];
}

function systemWords(path: string): string[] {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return [];
  return stat.isSymbolicLink() ? ["--symlink", readlinkSync(path), path] : ["--ro-bind", path, path];
}

/** The oldest that is known to do. */
const OLDEST = [2, 20] as const;

/** Why nothing can be kept here; null where it can. @param path where it is looked for */
export function gitProblem(path = GIT_PATH): string | null {
  const found = path.split(":").find((folder) => existsSync(join(folder, "git")));
  if (found === undefined) return "git is not installed";
  try {
    const said = execFileSync(join(found, "git"), ["--version"], {
      env: { PATH: path },
      encoding: "utf8",
      timeout: 5000,
    });
    const [major = 0, minor = 0] = (/\d+\.\d+/.exec(said)?.[0] ?? "").split(".").map(Number);
    const isOld = major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]);
    return isOld ? `git is older than ${OLDEST.join(".")}` : null;
  } catch {
    return "git doesn't start";
  }
}
