import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { clientsFolder } from "../clients/clients.ts";

/** No test reads or writes the user's own folders: HOME and XDG_* point into a temporary one, METNOS_* is unset. */
const home = mkdtempSync(join(tmpdir(), "metnos-home-"));
const clients = clientsFolder();
process.env.HOME = home;
for (const name of Object.keys(process.env)) {
  if (name.startsWith("METNOS_") || name.startsWith("XDG_") || name === "CLAUDE_CONFIG_DIR") delete process.env[name];
}
// Where the real clients are kept is the user's own: they are only read there.
process.env.METNOS_CLIENTS_DIR = clients;
afterAll(() => rmSync(home, { recursive: true, force: true }));
