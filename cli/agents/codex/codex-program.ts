import type { Env } from "../../../ipc/base/paths.ts";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import { programOnPath } from "../../../main/agents/agents-on-path.ts";

export const CODEX_PROGRAM = "codex";

/** @param client the program that the user named. @throws GateError `client_failed` where there is none */
export function codexProgram(env: Env, client?: string): string {
  const program = client ?? programOnPath(CODEX_PROGRAM, env.PATH);
  if (program !== undefined) return program;
  throw new GateError("client_failed", "there is no codex on PATH", "name its program with --client");
}
