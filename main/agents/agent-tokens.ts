import { hash, randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { agentTokenFile, type GatePaths } from "../../ipc/base/paths.ts";
import { NOT_A_FILE, readRegularFile } from "../../ipc/base/regular-file.ts";
import { errorCode } from "../base/errors.ts";
import { writeDurably } from "../base/files/durable-file.ts";
import { fileError } from "../base/files/file-errors.ts";

/** The files in which agents' adapters find their tokens. The gate itself keeps only the tokens' hashes. */

const WHAT = "the agent's token";

export function tokenHash(token: string): string {
  return hash("sha256", token.trim(), "hex");
}

/** Makes a token and writes its file atomically and durably. @throws GateError `file_unusable` */
export function writeNewToken(paths: GatePaths, name: string): { token_hash: string; token_file: string } {
  const token = randomBytes(32).toString("hex");
  const tokenFile = agentTokenFile(paths, name);
  writeDurably(tokenFile, `${token}\n`, WHAT);
  return { token_hash: tokenHash(token), token_file: tokenFile };
}

/** True if the agent's file has the token of its pairing. @throws GateError `file_unusable` where the file can't be read */
export function hasItsToken(paths: GatePaths, { name, token_hash }: { name: string; token_hash: string }): boolean {
  const file = agentTokenFile(paths, name);
  try {
    return tokenHash(readRegularFile(file)) === token_hash;
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT" || code === NOT_A_FILE) return false;
    throw fileError(error, WHAT, file);
  }
}

/** Removes a token's file. Ignores errors: a token without a pairing is worthless. */
export function removeToken(paths: GatePaths, name: string): void {
  try {
    rmSync(agentTokenFile(paths, name), { force: true });
  } catch {
    // a folder in its place, or no permission: the pairing is over all the same
  }
}
