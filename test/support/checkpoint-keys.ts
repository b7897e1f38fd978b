import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import type { CheckpointSigner } from "../../main/records/audit/checkpoint.ts";
import type { CheckpointKeys } from "../../main/records/audit/checkpoints.ts";

export interface TestSigner extends CheckpointSigner {
  public_key: KeyObject;
}

/** A new Ed25519 key. */
export function testSigner(): TestSigner {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const { x = "" } = publicKey.export({ format: "jwk" });
  return {
    public_key: publicKey,
    publicBytes: Buffer.from(x, "base64url"),
    sign: (message) => sign(null, message, privateKey),
  };
}

/** A gate's keys, the last one being the present one; `rotate` adds another. */
export function testKeys(): CheckpointKeys & { rotate(): TestSigner; all: TestSigner[] } {
  const all = [testSigner()];
  return {
    all,
    current: () => all.at(-1),
    known: () => all.map(({ publicBytes }) => publicBytes),
    rotate() {
      const made = testSigner();
      all.push(made);
      return made;
    },
  };
}
