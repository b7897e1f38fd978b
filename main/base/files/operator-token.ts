import { randomBytes } from "node:crypto";
import { chmodSync } from "node:fs";
import { readRegularFile } from "../../../ipc/base/regular-file.ts";
import { errorCode } from "../errors.ts";
import { writeDurably } from "./durable-file.ts";
import { fileError } from "./file-errors.ts";

const WHAT = "the operator's token";

/** The operator's token: 32 random bytes in a 0600 file, made once. @throws GateError `file_unusable` */
export function operatorToken(file: string): string {
  try {
    const token = readRegularFile(file).trim();
    if (/^[0-9a-f]{64}$/.test(token)) {
      chmodSync(file, 0o600);
      return token;
    }
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw fileError(error, WHAT, file);
  }
  const token = randomBytes(32).toString("hex");
  writeDurably(file, `${token}\n`, WHAT);
  return token;
}
