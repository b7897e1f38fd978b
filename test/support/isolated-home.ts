import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

/** No test reads or writes the user's own folders: HOME and XDG_* point into a temporary one, METNOS_* is gone. */
const home = mkdtempSync(join(tmpdir(), "metnos-home-"));
process.env.HOME = home;
for (const name of Object.keys(process.env)) {
  if (name.startsWith("METNOS_") || name.startsWith("XDG_") || name === "CLAUDE_CONFIG_DIR") delete process.env[name];
}
afterAll(() => rmSync(home, { recursive: true, force: true }));
