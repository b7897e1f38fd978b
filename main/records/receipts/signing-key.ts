import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hash,
  type KeyObject,
  sign,
  verify,
} from "node:crypto";
import { closeSync, fchmodSync, fstatSync, readFileSync } from "node:fs";
import { ownCommand } from "../../../ipc/base/own-command.ts";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import { errorCode } from "../../base/errors.ts";
import { writeDurably } from "../../base/files/durable-file.ts";
import { fileError } from "../../base/files/file-errors.ts";
import { openOwnFile } from "../../base/files/own-files.ts";
import type { Signer } from "./dsse.ts";

/** The Ed25519 keys that sign receipts and checkpoints. */

export interface PublicKey {
  /** SHA-256 (hex) of the public key in DER (SPKI). */
  readonly keyid: string;
  /** PEM, of the public key. */
  readonly publicPem: string;
  /** The raw public key, 32 bytes. */
  readonly publicBytes: Buffer;
  verify(message: Uint8Array, signature: Uint8Array): boolean;
}

export interface SigningKey extends PublicKey, Signer {
  /** The same on another thread. */
  signBeside(message: Uint8Array): Promise<Buffer>;
}

const WHAT = "the key of receipts,";

/** The key in this file (PEM, PKCS #8); undefined where there is no file. @throws GateError `file_unusable`, `not_a_file` */
export function readSigningKey(file: string): SigningKey | undefined {
  try {
    const descriptor = openOwnFile(file, "read");
    try {
      // As a copy from a backup may be: for its owner alone.
      if ((fstatSync(descriptor).mode & 0o077) !== 0) fchmodSync(descriptor, 0o600);
      return signingKey(createPrivateKey(readFileSync(descriptor)));
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw unusable(file, error);
  }
}

/** A new key, on the disk (0600) once this returns. @throws GateError `file_unusable` */
export function makeSigningKey(file: string): SigningKey {
  const { privateKey } = generateKeyPairSync("ed25519");
  writeDurably(file, privateKey.export({ type: "pkcs8", format: "pem" }).toString(), WHAT);
  return signingKey(privateKey);
}

/** @throws Error where this is no Ed25519 public key in PEM */
export function publicKey(pem: string): PublicKey {
  return publicKeyOf(createPublicKey(pem));
}

/** An Ed25519 key signs a message always alike, and signing takes a third of what verifying takes. */
function signingKey(key: KeyObject): SigningKey {
  const ofPublic = publicKeyOf(createPublicKey(key));
  return {
    ...ofPublic,
    sign: (message) => sign(null, message, key),
    signBeside: (message) =>
      new Promise((resolve, reject) =>
        sign(null, message, key, (error, signature) => (error === null ? resolve(signature) : reject(error))),
      ),
    verify: (message, signature) => sign(null, message, key).equals(signature) || ofPublic.verify(message, signature),
  };
}

function publicKeyOf(key: KeyObject): PublicKey {
  if (key.asymmetricKeyType !== "ed25519") throw new Error("not an Ed25519 key");
  const { x = "" } = key.export({ format: "jwk" });
  return {
    keyid: hash("sha256", key.export({ type: "spki", format: "der" }), "hex"),
    publicPem: key.export({ type: "spki", format: "pem" }).toString(),
    publicBytes: Buffer.from(x, "base64url"),
    verify: (message, signature) => verify(null, message, key, signature),
  };
}

function unusable(file: string, error: unknown): GateError {
  // Node's and OpenSSL's words about a file's content may quote it.
  const isContent = error instanceof Error && (!("syscall" in error) || error.syscall === undefined);
  if (error instanceof GateError || !isContent) return fileError(error, WHAT, file);
  return new GateError(
    "file_unusable",
    `${WHAT} ${file} holds no Ed25519 private key`,
    `put it back from a backup; if it is lost: ${ownCommand("receipts rotate-key --lost")}`,
  );
}
