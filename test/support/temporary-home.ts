import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type GatePaths, gatePaths } from "../../ipc/base/paths.ts";

/** A separate home folder, and where a gate in it keeps everything. */
export interface TemporaryHome {
  home: string;
  env: { HOME: string; PATH: string };
  paths: GatePaths;
}

/**
 * Makes one below the test's own temporary folder, which is removed with it, or in `folder`. `config` is the text of its gate.toml.
 */
export function temporaryHome(config?: string, folder = process.env.HOME ?? tmpdir()): TemporaryHome {
  const home = mkdtempSync(join(folder, "h-"));
  const env = { HOME: home, PATH: process.env.PATH ?? "" };
  const paths = gatePaths(env);
  if (config !== undefined) {
    mkdirSync(dirname(paths.configFile), { recursive: true });
    writeFileSync(paths.configFile, config);
  }
  return { home, env, paths };
}
