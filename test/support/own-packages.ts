import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";

/** Packages of this repository, as another project would have them installed. */

const OWN = join(import.meta.dirname, "../../node_modules");

interface Manifest {
  bin?: string | Readonly<Record<string, string>>;
  dependencies?: Readonly<Record<string, string>>;
  optionalDependencies?: Readonly<Record<string, string>>;
  peerDependencies?: Readonly<Record<string, string>>;
}

const manifestOf = (name: string) => JSON.parse(readFileSync(join(OWN, name, "package.json"), "utf8")) as Manifest;

/** With all that they need and that is installed here. */
function withNeeded(names: readonly string[]): Set<string> {
  const found = new Set<string>();
  const waiting = [...names];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (found.has(name) || !existsSync(join(OWN, name, "package.json"))) continue;
    found.add(name);
    const { dependencies, optionalDependencies, peerDependencies } = manifestOf(name);
    const needed = { ...dependencies, ...optionalDependencies, ...(names.includes(name) ? {} : peerDependencies) };
    waiting.push(...Object.keys(needed));
  }
  return found;
}

/** Makes `node_modules` in `project`, with these packages of this repository; their programs are in `node_modules/.bin`. */
export function installOwnPackages(project: string, names: readonly string[]): void {
  const target = join(project, "node_modules");
  for (const name of withNeeded(names)) {
    mkdirSync(dirname(join(target, name)), { recursive: true });
    execFileSync("cp", ["-a", join(OWN, name), join(target, name)]);
    const { bin = {} } = manifestOf(name);
    mkdirSync(join(target, ".bin"), { recursive: true });
    for (const [program, file] of Object.entries(typeof bin === "string" ? { [name]: bin } : bin))
      symlinkSync(join("..", name, file), join(target, ".bin", program));
  }
}
