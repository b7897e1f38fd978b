import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, test } from "vitest";
import { LAUNCHER, runGate } from "../support/gate-process.ts";
import { hasOpenssl } from "../support/openssl.ts";
import { receiptFiles } from "../support/receipts.ts";
import { startGate } from "../support/running-gate.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { type TemporaryHome, temporaryHome } from "../support/temporary-home.ts";

const TEXT = readFileSync(new URL("../../docs/receipts.md", import.meta.url), "utf8");

/** A home in which two grants were given and the gate has ended. */
async function homeWithReceipts(): Promise<TemporaryHome> {
  const home = temporaryHome();
  const gate = await startGate({ home });
  for (const target of ["/srv/a", "/srv/b"]) await gate.operator.call("grants.add", { capability: "fs:read", target });
  await gate.close();
  return home;
}

test.skipIf(!hasOpenssl())(
  "docs/receipts.md: a receipt is verified with openssl alone, and a changed one isn't",
  async () => {
    const home = await homeWithReceipts();
    const folder = tempFolder();
    const bin = join(folder, "bin");
    mkdirSync(bin);
    writeFileSync(join(bin, "metnos-gate"), `#!/bin/sh\nexec '${process.execPath}' '${LAUNCHER}' "$@"\n`, {
      mode: 0o755,
    });
    const env = { ...home.env, PATH: `${bin}${delimiter}${home.env.PATH}` };
    const [made = "", verifying = "", naming = "", ...more] = [...TEXT.matchAll(/```sh\n([\s\S]*?)```/g)].map(
      ([, block]) => block ?? "",
    );
    expect(more).toEqual([]);
    const run = (script: string) => spawnSync("sh", ["-c", script], { cwd: folder, env, encoding: "utf8" });
    expect(run(`set -e\n${made}`)).toMatchObject({ status: 0, stderr: "" });
    expect(run(`set -e\n${verifying}`)).toMatchObject({ status: 0, stdout: "Signature Verified Successfully\n" });
    const receipt = readFileSync(join(folder, "receipt.json"), "utf8");
    const { signatures } = JSON.parse(receipt) as { signatures: { keyid: string }[] };
    expect(run(naming).stdout).toContain(signatures[0]?.keyid);
    expect(JSON.parse(readFileSync(join(folder, "statement.json"), "utf8"))).toMatchObject({
      predicate: { receipt: 1, sentence: "allow fs:read on /srv/a for all of your agents, until revoked" },
    });
    const payload = /"payload":"([^"]*)"/.exec(receipt)?.[1] ?? "";
    const changed = Buffer.from(Buffer.from(payload, "base64").toString().replace("/srv/a", "/srv/b")).toString(
      "base64",
    );
    writeFileSync(join(folder, "receipt.json"), receipt.replace(payload, changed));
    expect(run(`set -e\n${verifying}`).status).not.toBe(0);
  },
);

test("receipts are listed, shown and verified without a gate, also elsewhere with the public key alone; a changed one is exit code 5", async () => {
  const home = await homeWithReceipts();
  const { paths } = home;
  const gate = (args: string[], input = "") => runGate(home, args, input);
  const listed = await gate(["receipts", "list"]);
  expect(
    listed.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
  ).toMatchObject([
    { receipt: 1, kind: "grant", what: "given" },
    { receipt: 2, kind: "grant", what: "given" },
  ]);
  expect(await gate(["receipts", "verify"])).toMatchObject({ code: 0, stderr: expect.stringContaining("2 receipts") });
  expect(await gate(["receipts", "show", "3"])).toMatchObject({
    code: 4,
    stderr: expect.stringContaining("no receipt 3"),
  });
  const shown = await gate(["receipts", "show", "1"]);
  const file = join(paths.receiptsDir, receiptFiles(paths.receiptsDir)[0] ?? "");
  expect(readFileSync(file, "utf8").split("\n")[0]).toBe(shown.stdout.trim());
  const elsewhere = temporaryHome();
  const key = join(elsewhere.home, "key.pem");
  writeFileSync(key, (await gate(["receipts", "key", "--pem"])).stdout);
  const there = (input: string, ...more: string[]) => runGate(elsewhere, ["receipts", "verify", "-", ...more], input);
  expect(await there(shown.stdout, "--key", key)).toMatchObject({ code: 0 });
  expect(await there(shown.stdout)).toMatchObject({ code: 5, stdout: expect.stringContaining('"unknown_key"') });
  const list = join(paths.receiptsDir, "keys.jsonl");
  expect(await there(shown.stdout.replace('"sig":"', '"sig":"A'), "--key", list)).toMatchObject({ code: 5 });
  expect(await there(shown.stdout, "--key", file)).toMatchObject({ code: 2 });
  expect(await gate(["receipts", "rotate-key"])).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("signed by the key before"),
  });
  const keys = await gate(["receipts", "key"]);
  expect(
    keys.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
  ).toMatchObject([
    { first_receipt: 1, is_proven: true },
    { first_receipt: 3, until: null, is_proven: true },
  ]);
}, 60_000);

test("every verdict of docs/receipts.md's table is one that verify gives, and none is missing", () => {
  const code = readFileSync(new URL("../../main/records/receipts/verify.ts", import.meta.url), "utf8");
  const line = readFileSync(new URL("../../main/records/receipts/receipt-line.ts", import.meta.url), "utf8");
  const union = (text: string, name: string) =>
    [...(new RegExp(`type ${name} =([\\s\\S]*?);`).exec(text)?.[1] ?? "").matchAll(/"(\w+)"/g)].map(
      ([, verdict]) => verdict,
    );
  const known = [...union(line, "Unreadable"), ...union(code, "Verdict")].sort();
  const table = /\| verdict \| means \|\n([\s\S]*?)\n\n/.exec(TEXT)?.[1] ?? "";
  const documented = table
    .split("\n")
    .flatMap((row) => [...(row.split("|")[1] ?? "").matchAll(/`(\w+)`/g)].map(([, name]) => name));
  expect(documented.sort()).toEqual(known);
});
