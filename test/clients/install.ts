import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { CLAUDE_CODE_VERSIONS, claudeCodeIn, clientFolder, clientsFolder } from "./clients.ts";

/** Installs the real clients from npm, where they aren't yet. Their install scripts are not run: the binaries are in the packages. */
const folder = clientsFolder();
for (const version of CLAUDE_CODE_VERSIONS) {
  if (claudeCodeIn(folder, version) === undefined) {
    const prefix = clientFolder(folder, version);
    mkdirSync(prefix, { recursive: true });
    const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-save", "--package-lock=false"];
    execFileSync("npm", ["install", "--prefix", prefix, ...options, `@anthropic-ai/claude-code@${version}`], {
      stdio: ["ignore", "ignore", "inherit"],
    });
  }
  const client = claudeCodeIn(folder, version);
  if (client === undefined) throw new Error(`Claude Code ${version} has no binary for ${process.platform}`);
  console.log(`Claude Code ${version}: ${client}`);
}
