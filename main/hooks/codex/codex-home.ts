import { homedir } from "node:os";
import { join } from "node:path";
import { GateError } from "../../../ipc/gate-error.ts";
import type { Env } from "../../../ipc/paths.ts";
import { programOnPath } from "../../operator/agents-on-path.ts";

/** Where Codex keeps what the user sets, and its program. */

export const CODEX_PROGRAM = "codex";

export function codexHome(env: Env): string {
  return env.CODEX_HOME || join(env.HOME || homedir(), ".codex");
}

export function hooksFile(env: Env): string {
  return join(codexHome(env), "hooks.json");
}

export function configFile(env: Env): string {
  return join(codexHome(env), "config.toml");
}

/** @param client the program that the user named. @throws GateError `client_failed` where there is none */
export function codexProgram(env: Env, client?: string): string {
  const program = client ?? programOnPath(CODEX_PROGRAM, env.PATH);
  if (program !== undefined) return program;
  throw new GateError("client_failed", "there is no codex on PATH", "name its program with --client");
}
