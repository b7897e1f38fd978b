import { createRequire } from "node:module";

/**
 * Before the build of an installation: whether the tools for it are here. npm leaves them out of a global one from Git
 * (`npm install --global git+...`), which would end with an error about one of them. Plain JavaScript: any Node says it.
 */
const TOOLS = ["rolldown", "electron-vite", "typescript"];

const { resolve } = createRequire(import.meta.url);
const missing = TOOLS.filter((name) => !isThere(name));
if (missing.length > 0) {
  console.error(
    `metnos-gate: it can't be built here, as npm has not installed ${missing.join(", ")}: clone it, run npm ci in the clone, then npm install --global .`,
  );
  process.exitCode = 1;
}

function isThere(name) {
  try {
    resolve(`${name}/package.json`);
    return true;
  } catch {
    return false;
  }
}
