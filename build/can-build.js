import { createRequire } from "node:module";

/**
 * Before `npm pack`, and so before an install from Git, which npm packs first: whether the tools that build are here. npm 11 leaves them
 * out of a global one (`npm install --global git+...`). Plain JavaScript: any Node says it.
 */
const TOOLS = ["rolldown", "electron-vite", "typescript"];

const require = createRequire(import.meta.url);
const missing = TOOLS.filter((name) => !isThere(name));

if (missing.length > 0) {
  console.error(
    `metnos-gate: can't be built here, as npm did not install ${missing.join(", ")}: clone it, then run npm ci, npm run build and npm install --global .`,
  );
  process.exitCode = 1;
}

function isThere(name) {
  try {
    require.resolve(`${name}/package.json`);
    return true;
  } catch {
    return false;
  }
}
