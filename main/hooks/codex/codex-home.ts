import { homedir } from "node:os";
import { join } from "node:path";
import type { Env } from "../../../ipc/base/paths.ts";

/** Where Codex keeps what the user sets. */

export function codexHome(env: Env): string {
  return env.CODEX_HOME || join(env.HOME || homedir(), ".codex");
}

export function hooksFile(env: Env): string {
  return join(codexHome(env), "hooks.json");
}

export function configFile(env: Env): string {
  return join(codexHome(env), "config.toml");
}
