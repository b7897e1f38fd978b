import { GateError } from "../../../ipc/gate-error.ts";
import type { Env } from "../../../ipc/paths.ts";
import { programOnPath } from "../../../main/operator/agents-on-path.ts";

export const CODEX_PROGRAM = "codex";

/** @param client the program that the user named. @throws GateError `client_failed` where there is none */
export function codexProgram(env: Env, client?: string): string {
  const program = client ?? programOnPath(CODEX_PROGRAM, env.PATH);
  if (program !== undefined) return program;
  throw new GateError("client_failed", "there is no codex on PATH", "name its program with --client");
}
