import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { GatePaths } from "../../ipc/base/paths.ts";
import { recordedEnd } from "../../main/core/offline-receipts.ts";
import { MONTH_FILE } from "../../main/records/audit/chain.ts";
import { knownKeys } from "../../main/records/receipts/receipt-keys.ts";
import type { AnswerPredicate, GrantPredicate } from "../../main/records/receipts/statement.ts";
import { type StoredReceipt, storedReceipts } from "../../main/records/receipts/stored-receipts.ts";
import { type ReceiptsReport, verifyFolder } from "../../main/records/receipts/verify.ts";

/** The receipts of a gate under test, as whoever reads its files finds them. */

export function receiptsIn({ receiptsDir }: Pick<GatePaths, "receiptsDir">): StoredReceipt[] {
  return [...storedReceipts(receiptsDir)];
}

export function answersIn(paths: Pick<GatePaths, "receiptsDir">): AnswerPredicate[] {
  return receiptsIn(paths).flatMap(({ statement: { predicate } }) => ("decision" in predicate ? [predicate] : []));
}

export function grantsIn(paths: Pick<GatePaths, "receiptsDir">): GrantPredicate[] {
  return receiptsIn(paths).flatMap(({ statement: { predicate } }) => ("grant" in predicate ? [predicate] : []));
}

/** Against its own keys, and what its databases know of the end. */
export function verified({ receiptsDir, receiptKey }: GatePaths, home: string): ReceiptsReport {
  return verifyFolder(receiptsDir, knownKeys(receiptsDir, receiptKey), recordedEnd({ HOME: home }));
}

/** Everything in the folder of receipts, with what is signed in it as text. */
export function receiptTexts(folder: string): string {
  return readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), "utf8"))
    .flatMap((text) => text.split("\n"))
    .map((line) => (line === "" ? "" : `${line}\n${Buffer.from(payloadOf(line), "base64").toString("utf8")}`))
    .join("\n");
}

function payloadOf(line: string): string {
  return (JSON.parse(line) as { payload: string }).payload;
}

export function receiptFiles(folder: string): string[] {
  return readdirSync(folder).filter((name) => MONTH_FILE.test(name));
}
