import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { signCheckpoint } from "../../main/records/audit/checkpoint.ts";
import { testSigner } from "../support/checkpoint-keys.ts";
import { hasOpenssl } from "../support/openssl.ts";
import { tempFolder } from "../support/temp-folder.ts";

const TEXT = readFileSync(new URL("../../docs/receipts.md", import.meta.url), "utf8");

test.skipIf(!hasOpenssl())(
  "docs/receipts.md: a checkpoint is verified with openssl alone, and a changed one isn't",
  () => {
    const folder = tempFolder();
    const key = testSigner();
    writeFileSync(join(folder, "key.pem"), key.public_key.export({ type: "spki", format: "pem" }));
    const text = signCheckpoint(
      {
        origin: `metnos-gate/${"0f".repeat(16)}`,
        size: 128,
        epoch: 1,
        end: { file: "2026-05.jsonl", offset: 51_200, hash: "ab".repeat(32) },
        ms: Date.parse("2026-05-04T10:00:00Z"),
        restarted: null,
      },
      key,
    );
    const [script = ""] = [...TEXT.matchAll(/```bash\n([\s\S]*?)```/g)].map(([, block]) => block);
    const verified = (checkpoint: string) => {
      writeFileSync(join(folder, "checkpoint.txt"), checkpoint);
      return spawnSync("sh", ["-c", `set -e\n${script}`], { cwd: folder, encoding: "utf8" });
    };
    expect(verified(text)).toMatchObject({ status: 0, stdout: "Signature Verified Successfully\n" });
    expect(verified(text.replace("\n128\n", "\n129\n")).status).not.toBe(0);
  },
);
