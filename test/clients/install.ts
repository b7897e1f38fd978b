import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { CLIENTS, type ClientName, clientsFolder, programIn } from "./clients.ts";

/** Installs the real clients from npm, where they aren't yet. Their install scripts are not run: the programs are in the packages. */
const folder = clientsFolder();
for (const [name, client] of Object.entries(CLIENTS)) {
  if (programIn(folder, name as ClientName) === undefined) {
    const prefix = join(folder, client.folder);
    mkdirSync(prefix, { recursive: true });
    const options = ["--ignore-scripts", "--omit=optional", "--no-audit", "--no-fund", "--no-save"];
    execFileSync("npm", ["install", "--prefix", prefix, ...options, "--package-lock=false", ...client.packages], {
      stdio: ["ignore", "ignore", "inherit"],
    });
  }
  const program = programIn(folder, name as ClientName);
  if (program === undefined) throw new Error(`${client.title} has no program for ${process.platform}-${process.arch}`);
  console.log(`${client.title}: ${program}`);
}
