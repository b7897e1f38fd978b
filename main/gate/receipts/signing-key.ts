import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { GateError } from "../../../ipc/gate-error.ts";
import { ownCommand } from "../../../ipc/own-command.ts";
import { readRegularFile } from "../../../ipc/regular-file.ts";
import { writeDurably } from "../durable-file.ts";
import { errorCode } from "../errors.ts";
import { fileError } from "../file-errors.ts";

/** The Ed25519 key that signs receipts and checkpoints. */
export interface SigningKey {
  /** PEM, of the public key. */
  readonly public_pem: string;
  /** The raw public key, 32 bytes. */
  readonly public_bytes: Buffer;
  /** 64 bytes. */
  sign(message: Uint8Array): Buffer;
}

const WHAT = "the key of receipts,";

/** The key in this file (PEM, PKCS #8); a new one (0600) where there is none. @throws GateError `file_unusable` */
export function openSigningKey(file: string): SigningKey {
  try {
    return keyOf(createPrivateKey(readRegularFile(file)));
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw unusable(file, error);
  }
  const { privateKey } = generateKeyPairSync("ed25519");
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeDurably(file, privateKey.export({ type: "pkcs8", format: "pem" }).toString(), WHAT);
  return keyOf(privateKey);
}

function keyOf(key: KeyObject): SigningKey {
  if (key.asymmetricKeyType !== "ed25519") throw new Error("not an Ed25519 key");
  const public_key = createPublicKey(key);
  const { x = "" } = public_key.export({ format: "jwk" });
  return {
    public_pem: public_key.export({ type: "spki", format: "pem" }).toString(),
    public_bytes: Buffer.from(x, "base64url"),
    sign: (message) => sign(null, message, key),
  };
}

function unusable(file: string, error: unknown): GateError {
  if (error instanceof GateError) return error;
  const { message } = fileError(error, "the key of receipts", file, "file_unusable");
  const hint = `move it away: the gate makes a new one at its next start, and says so; see: ${ownCommand("doctor")}`;
  return new GateError("file_unusable", message, hint, { cause: error });
}
