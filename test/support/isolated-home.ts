import { mkdtempSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";
import { clientsFolder } from "../clients/clients.ts";
import { remove } from "./removed-folders.ts";

/**
 * No test reads or writes the user's own folders: HOME and XDG_* point into a temporary one, METNOS_* and clients' variables are unset,
 * but for those by which bubblewrap makes the boxes, and by which tests know where to put what they have done with.
 */
const home = mkdtempSync(join(tmpdir(), "metnos-home-"));
const clients = clientsFolder();
process.env.HOME = home;
for (const name of Object.keys(process.env)) {
  if (
    /^(?:METNOS_(?!(?:BOX_MAKER|TESTS_REMOVED)$)|XDG_|CLAUDE_CONFIG_DIR$|CODEX_HOME$|GEMINI_CLI_|OPENCODE_)/.test(name)
  )
    delete process.env[name];
}
// Where the real clients are kept is the user's own: they are only read there.
process.env.METNOS_CLIENTS_DIR = clients;

/** As after an installation: the command has its bare name, which so is what the gate prints. */
const bin = mkdtempSync(join(tmpdir(), "metnos-bin-"));
symlinkSync(fileURLToPath(new URL("../../bin/metnos-gate.js", import.meta.url)), join(bin, "metnos-gate"));
const path = process.env.PATH ?? "";
process.env.PATH = [bin, path].join(delimiter);

afterAll(() => {
  process.env.PATH = path;
  remove(bin);
  remove(home);
});
