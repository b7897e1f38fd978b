import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

/** Git as stores use it: the system's, whatever the user's PATH says. */

export const GIT_PATH = "/usr/local/bin:/usr/bin:/bin:/run/current-system/sw/bin";
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
