import { cpSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";

/** The scope of the packages that lie in packages/. */
const OWN = "@metnos-gate";

/** Gives a copy of a checkout's tree what is installed in the checkout, but of the project's own packages those of the copy. */
export function linkPackages(checkout: string, copy: string): void {
  const [from, to] = [join(checkout, "node_modules"), join(copy, "node_modules")];
  mkdirSync(to);
  for (const name of readdirSync(from))
    if (name !== OWN && (name === ".bin" || !name.startsWith("."))) symlinkSync(join(from, name), join(to, name));
  // npm's links to them are relative: in the copy they lead to the copy's.
  cpSync(join(from, OWN), join(to, OWN), { recursive: true, verbatimSymlinks: true });
}
