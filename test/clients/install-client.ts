import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { CLIENTS, type ClientName, clientsFolder, programIn } from "./clients.ts";

/**
 * Installs a client from npm, where it isn't yet. Its install scripts are not run: the programs are in the packages.
 * @returns its program
 */
export function installClient(name: ClientName): string {
  const folder = clientsFolder();
  const client = CLIENTS[name];
  if (programIn(folder, name) === undefined) {
    const prefix = join(folder, client.folder);
    mkdirSync(prefix, { recursive: true });
    const options = ["--ignore-scripts", "--omit=optional", "--no-audit", "--no-fund", "--no-save"];
    execFileSync("npm", ["install", "--prefix", prefix, ...options, "--package-lock=false", ...client.packages], {
      stdio: ["ignore", "ignore", "inherit"],
    });
  }
  const program = programIn(folder, name);
  if (program === undefined) throw new Error(`${client.title} has no program for ${process.platform}-${process.arch}`);
  return program;
}
