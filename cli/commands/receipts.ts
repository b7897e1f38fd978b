import { text } from "node:stream/consumers";
import type { Command } from "commander";
import { ownCommand } from "../../ipc/base/own-command.ts";
import { gatePaths } from "../../ipc/base/paths.ts";
import { visible } from "../../ipc/base/visible-text.ts";
import { GateError } from "../../ipc/contract/gate-error.ts";
import type { KnownKey } from "../../main/records/receipts/public-keys-file.ts";
import type { StoredReceipt } from "../../main/records/receipts/stored-receipts.ts";
import type { ReceiptProblem, ReceiptsReport, TrustedKey } from "../../main/records/receipts/verify.ts";
import { givenFile } from "../given-file.ts";
import { withOperator } from "../operator.ts";
import {
  type DataOptions,
  EXIT,
  type ExitCode,
  jsonOption,
  list,
  printWord,
  say,
  tellAs,
  usageError,
} from "../output.ts";
import type { Column } from "../table.ts";
import { momentText } from "../times.ts";

/** `receipts ...`: the signed receipts of answers and grants. All but `rotate-key` read files only, and need no gate. */
export function receiptsCommands(program: Command, done: (code: ExitCode) => void): void {
  const receipts = program
    .command("receipts")
    .description("the signed receipts of your answers, of grants and of undos");
  listingCommands(receipts);
  verifyCommand(receipts, done);
  keyCommands(receipts, done);
}

function listingCommands(receipts: Command): void {
  receipts
    .command("list")
    .description("the last ones, oldest first")
    .option("-n, --lines <count>", "how many", "20")
    .addOption(jsonOption())
    .action(async (options: { lines: string } & DataOptions) => {
      const count = Number(options.lines);
      if (!Number.isInteger(count) || count < 1) throw usageError("-n needs a whole number above 0");
      const rows = (await stored()).slice(-count).map(receiptRow);
      if (list(rows, receiptColumns(Date.now()), options) && rows.length === 0) say("no receipts");
    });

  receipts
    .command("show <id>")
    .description("a receipt by its number, or those of a card by its token; piped, as they are in their file")
    .addOption(jsonOption())
    .action(async (id: string, options: DataOptions) => {
      const found = (await stored()).filter((receipt) => isNamed(receipt, id));
      if (found.length === 0)
        throw new GateError("unknown_receipt", `there is no receipt ${id}`, `see: ${ownCommand("receipts list")}`);
      for (const receipt of found) {
        if (process.stdout.isTTY !== true || options.json === true) printWord(receipt.line);
        else for (const line of receiptLines(receipt)) printWord(line);
      }
    });
}

function verifyCommand(receipts: Command, done: (code: ExitCode) => void): void {
  receipts
    .command("verify [file]")
    .description(
      `finds whatever isn't as the gate wrote it, in its own receipts or in a file (- for stdin); exits with ${EXIT.problemFound} if there is anything`,
    )
    .option("--key <file>", "with this public key (PEM), or a gate's list of keys, instead of this gate's own")
    .addOption(jsonOption())
    .action(async (file: string | undefined, { key, ...options }: { key?: string } & DataOptions) => {
      if (file === undefined && key !== undefined)
        throw usageError("--key is for a file of receipts", "receipts verify FILE --key KEY");
      const report = file === undefined ? await verifyOwn() : await verifyFile(file, key);
      showReport(report, options);
      done(report.ok ? EXIT.ok : EXIT.problemFound);
    });
}

function keyCommands(receipts: Command, done: (code: ExitCode) => void): void {
  receipts
    .command("key")
    .description("the public keys that receipts are signed with, oldest first")
    .option("--pem", "the present one alone, for openssl and for verifying elsewhere")
    .addOption(jsonOption())
    .action(async (options: { pem?: boolean } & DataOptions) => {
      const { knownKeys } = await import("../../main/records/receipts/receipt-keys.ts");
      const { keys, problem } = knownKeys(gatePaths(process.env).receiptsDir);
      if (options.pem) printPem(keys.at(-1));
      else if (list(keys.map(shownKey), keyColumns(Date.now()), options) && keys.length === 0) say("no key yet");
      if (problem === null) return;
      say(`the list of keys isn't as the gate wrote it from line ${problem.line} on: ${problem.message}`);
      done(EXIT.problemFound);
    });

  receipts
    .command("rotate-key")
    .description("makes another key, signed by the present one; works with or without a running gate")
    .option("--lost", "although the present one can't be used any more: the list of keys says so for good")
    .addOption(jsonOption())
    .action(({ lost, ...options }: { lost?: boolean } & DataOptions) =>
      withOperator(async (api) => {
        const key = await api.call("receipts.rotate_key", { is_lost: lost === true });
        const how = key.is_proven ? "signed by the key before" : "not signed by any key before";
        tellAs(options, key, `receipts are signed with the key ${key.keyid.slice(0, 16)} from now on, ${how}`);
      }),
    );
}

async function stored(): Promise<StoredReceipt[]> {
  const { storedReceipts } = await import("../../main/records/receipts/stored-receipts.ts");
  return [...storedReceipts(gatePaths(process.env).receiptsDir)];
}

function isNamed({ statement: { predicate } }: StoredReceipt, id: string): boolean {
  return String(predicate.receipt) === id || ("undo" in predicate ? predicate.undo : predicate.token) === id;
}

async function verifyOwn(): Promise<ReceiptsReport> {
  const [{ knownKeys }, { verifyFolder }, { recordedEnd }] = await Promise.all([
    import("../../main/records/receipts/receipt-keys.ts"),
    import("../../main/records/receipts/verify.ts"),
    import("../../main/core/offline-receipts.ts"),
  ]);
  const { receiptsDir, receiptKey } = gatePaths(process.env);
  // First: what a running gate adds meanwhile is beyond it.
  const end = recordedEnd();
  return verifyFolder(receiptsDir, knownKeys(receiptsDir, receiptKey), end);
}

async function verifyFile(file: string, keyFile: string | undefined): Promise<ReceiptsReport> {
  const { verifyText } = await import("../../main/records/receipts/verify.ts");
  const keys = await trustedKeys(keyFile);
  const isStdin = file === "-";
  const given = isStdin ? await text(process.stdin) : givenFile(file);
  if (given.trim() === "") throw usageError("there is nothing to verify");
  return verifyText(given, isStdin ? undefined : file, keys);
}

async function trustedKeys(keyFile: string | undefined): Promise<readonly TrustedKey[]> {
  const [{ knownKeys }, { readKeys }, { keysIn }] = await Promise.all([
    import("../../main/records/receipts/receipt-keys.ts"),
    import("../../main/records/receipts/public-keys-file.ts"),
    import("../../main/records/receipts/verify.ts"),
  ]);
  if (keyFile === undefined) return knownKeys(gatePaths(process.env).receiptsDir).keys;
  const keys = keysIn(givenFile(keyFile), readKeys);
  if (keys === undefined)
    throw usageError(`${keyFile} holds no Ed25519 public key`, "give what `receipts key --pem` prints, or keys.jsonl");
  return keys;
}

/** The problems, then the summary. */
function showReport({ problems, ...summary }: ReceiptsReport, options: DataOptions): void {
  list(problems, RECEIPT_PROBLEM_COLUMNS, options);
  const receipts = `${summary.receipts} receipt${summary.receipts === 1 ? "" : "s"}`;
  const by = summary.keys.map(({ keyid, receipts: count }) => `${count} by ${keyid.slice(0, 16)}`).join(", ");
  const good = `${receipts} as the gate signed ${summary.receipts === 1 ? "it" : "them"}${by === "" ? "" : `: ${by}`}`;
  const found = `${problems.length} problem${problems.length === 1 ? "" : "s"} found`;
  tellAs(options, summary, problems.length === 0 ? good : `${found}; ${good}`);
}

function printPem(key: KnownKey | undefined): void {
  if (key === undefined)
    throw new GateError("not_available", "there is no key yet", "the gate makes it at its first start");
  process.stdout.write(key.publicPem);
}

function shownKey({ keyid, since, until, first_receipt, is_proven, publicPem }: KnownKey) {
  return { keyid, since, until, first_receipt, is_proven, public_key: publicPem };
}

// Receipts as a terminal shows them. @param now Unix milliseconds

interface ReceiptRow {
  receipt: number;
  kind: "answer" | "grant" | "undo";
  /** When it was signed, Unix seconds. */
  ts: number;
  /** `approved`, `rejected`, `given`, `revoked`, `restored`, `taken_back`, `put_again`. */
  what: string;
  agent: string | null;
  about: string;
  /** Null of an answer that nobody gave: a grant covered it. */
  surface: string | null;
  token: string | null;
  keyid: string;
}

function receiptRow({ statement, keyid }: StoredReceipt): ReceiptRow {
  const { receipt, ts, surface } = statement.predicate;
  if ("undo" in statement.predicate) {
    const { act, calls, files } = statement.predicate;
    const about = `${calls.length === 1 ? "1 call" : `${calls.length} calls`}, ${files === 1 ? "1 file" : `${files} files`}`;
    return { receipt, ts, surface, token: null, keyid, kind: "undo", what: act.replace("_", " "), agent: null, about };
  }
  const common = { receipt, ts, surface, token: statement.predicate.token, keyid };
  if ("grant" in statement.predicate) {
    const { act, grant, sentence } = statement.predicate;
    return { ...common, kind: "grant", what: act, agent: grant.agent, about: sentence };
  }
  const { decision, agent, executor, capabilities } = statement.predicate;
  const about = [executor, capabilities.join(", ")].filter((part) => part !== "").join(": ");
  return { ...common, kind: "answer", what: decision, agent, about };
}

function receiptColumns(now: number): Column<ReceiptRow>[] {
  return [
    { title: "ID", text: ({ receipt }) => String(receipt), isRight: true },
    { title: "SIGNED", text: ({ ts }) => momentText(new Date(ts * 1000).toISOString(), now) },
    { title: "WHAT", text: ({ kind, what }) => (kind === "grant" ? `grant ${what}` : what) },
    { title: "AGENT", text: ({ agent, kind }) => agent ?? (kind === "undo" ? "" : "all of yours"), shrinksTo: 8 },
    { title: "ABOUT", text: ({ about }) => about, shrinksTo: 16 },
    { title: "WHERE", text: ({ surface, kind }) => surface ?? (kind === "answer" ? "by a grant" : "") },
    { title: "CARD", text: ({ token }) => token ?? "", shrinksTo: 8 },
  ];
}

type KeyRow = Pick<KnownKey, "keyid" | "since" | "until" | "first_receipt" | "is_proven">;

function keyColumns(now: number): Column<KeyRow>[] {
  return [
    { title: "KEY", text: ({ keyid }) => keyid, shrinksTo: 16 },
    { title: "SINCE", text: ({ since }) => momentText(since, now) },
    { title: "UNTIL", text: ({ until }) => (until === null ? "now" : momentText(until, now)) },
    { title: "FROM RECEIPT", text: ({ first_receipt }) => String(first_receipt), isRight: true },
    { title: "PROVEN", text: ({ is_proven }) => (is_proven ? "yes" : "no"), isRed: ({ is_proven }) => !is_proven },
  ];
}

const RECEIPT_PROBLEM_COLUMNS: readonly Column<ReceiptProblem>[] = [
  { title: "FILE", text: ({ file, line }) => [file ?? "", line ?? ""].filter((part) => part !== "").join(":") },
  { title: "RECEIPT", text: ({ receipt }) => (receipt === null ? "" : String(receipt)), isRight: true },
  { title: "PROBLEM", text: ({ verdict }) => verdict.replaceAll("_", " ") },
  { title: "MEANS", text: ({ message }) => message, shrinksTo: 24 },
];

/** What it says, a field a line. */
function receiptLines({ statement, keyid }: StoredReceipt): string[] {
  const digests = statement.subject.map(({ name, digest }) => [`${name} (SHA-256)`, digest.sha256]);
  const fields = Object.entries(statement.predicate).flatMap(([name, value]) => fieldLines(name, value));
  const lines = [["statement", statement.predicateType], ...digests, ...fields, ["signed with", keyid]];
  const width = Math.max(...lines.map(([name = ""]) => name.length));
  return [...lines.map(([name = "", value = ""]) => visible(`${name.padEnd(width)}  ${value}`)), ""];
}

function fieldLines(name: string, value: unknown): string[][] {
  if (Array.isArray(value)) return [[name, value.join(", ")]];
  if (typeof value !== "object" || value === null) return [[name, value === null ? "-" : String(value)]];
  return Object.entries(value).flatMap(([inner, one]) => fieldLines(`${name}.${inner}`, one));
}
