import { basename, join } from "node:path";
import { errorCode } from "../../base/errors.ts";
import { MONTH_FILE, monthFile } from "../audit/chain.ts";
import { linesBetween } from "../audit/lines.ts";
import { monthFiles } from "../audit/month-files.ts";
import { signedBytes } from "./dsse.ts";
import { KEYS_FILE, type KeyList, type KnownKey } from "./public-keys-file.ts";
import { readSigned, statementIn, type Unreadable } from "./receipt-line.ts";
import { type PublicKey, publicKey } from "./signing-key.ts";
import type { Statement } from "./statement.ts";

/** Looks for whatever of the receipts isn't as the gate wrote it. Reads files only. */

/** Each kind of damage has its own. */
export type Verdict =
  | Unreadable
  /** Signed with none of the keys that are known. */
  | "unknown_key"
  /** Changed since it was signed. */
  | "signature"
  /** By a key of the gate's that wasn't the present one then. */
  | "key_not_current"
  /** Signed by the gate, and no receipt that this version knows. */
  | "unknown_statement"
  | "duplicate"
  | "order"
  | "month"
  /** Numbers between two receipts, or before the first one. */
  | "missing"
  /** At the end. */
  | "cut_off"
  /** A file that can't be read. */
  | "unreadable"
  /** The list of keys. */
  | "keys";

export interface ReceiptProblem {
  verdict: Verdict;
  file: string | null;
  /** From 1. */
  line: number | null;
  receipt: number | null;
  /** One sentence. */
  message: string;
}

export interface ReceiptsReport {
  ok: boolean;
  receipts: number;
  /** By how many of them each key was used. */
  keys: { keyid: string; receipts: number }[];
  problems: ReceiptProblem[];
}

/** A key whose signatures count, for the receipts from one number on to another. */
export interface TrustedKey extends Pick<PublicKey, "keyid" | "verify"> {
  first_receipt: number;
  /** Exclusive; null: for all that follow. */
  endReceipt: number | null;
}

const MESSAGES: Readonly<Record<Unreadable | "unknown_statement" | "signature", string>> = {
  bad_json: "it is no JSON",
  not_a_receipt: "it is no signed envelope",
  payload_type: "it is signed as something else than a statement",
  altered_form: "it isn't written as the gate writes a receipt",
  unknown_statement: "it is signed by the gate, and is no receipt that this version knows",
  signature: "it was changed since it was signed, or its signature was",
};

export interface VerifiedText {
  /** As a file of the gate's: its name says which month, and its last line is ended. */
  monthFile?: string;
  /** How a problem names it. */
  name: string | null;
  text: Iterable<{ bytes: Buffer; isEnded: boolean }>;
}

/** Follows receipts in the order in which they are in their files. */
export class ReceiptsVerifier {
  readonly #keys: ReadonlyMap<string, TrustedKey>;
  readonly #problems: ReceiptProblem[] = [];
  readonly #used = new Map<string, number>();
  readonly #numbers = new Set<number>();
  readonly #events = new Set<string>();
  #receipts = 0;

  constructor(keys: readonly TrustedKey[]) {
    this.#keys = new Map(keys.map((key) => [key.keyid, key]));
  }

  /** @throws the system's error */
  add({ name, monthFile, text }: VerifiedText): void {
    let line = 0;
    let before = 0;
    for (const { bytes, isEnded } of text) {
      line++;
      const at = { file: name, line };
      if (!isEnded && monthFile !== undefined) {
        this.#report("cut_off", { ...at, receipt: null }, "the last line has no end");
        continue;
      }
      const statement = this.#verified(bytes.toString("utf8"), at);
      if (statement === undefined) continue;
      this.#place(statement, { ...at, receipt: statement.predicate.receipt }, before, monthFile);
      before = statement.predicate.receipt;
    }
  }

  report(verdict: Verdict, file: string | null, message: string): void {
    this.#report(verdict, { file, line: null, receipt: null }, message);
  }

  /**
   * What is missing between the numbers that were found. `first`: the number that has to be there; `last`: of the last receipt that was
   * written, as far as that is known.
   */
  end({ first, last = 0 }: { first?: number; last?: number } = {}): ReceiptsReport {
    const numbers = [...this.#numbers].sort((a, b) => a - b);
    let before = first === undefined ? undefined : first - 1;
    for (const number of numbers) {
      if (before !== undefined && number > before + 1) this.#missing("missing", before + 1, number - 1);
      before = number;
    }
    const found = before ?? 0;
    if (last > found) this.#missing("cut_off", found + 1, last);
    const keys = [...this.#used].map(([keyid, receipts]) => ({ keyid, receipts }));
    return { ok: this.#problems.length === 0, receipts: this.#receipts, keys, problems: this.#problems };
  }

  /** What is signed by a known key at its time; anything else is reported. */
  #verified(line: string, at: { file: string | null; line: number }): Statement | undefined {
    const signed = readSigned(line);
    if (typeof signed === "string") {
      this.#report(signed, { ...at, receipt: null }, MESSAGES[signed]);
      return undefined;
    }
    const statement = statementIn(signed);
    const place = { ...at, receipt: statement?.predicate.receipt ?? null };
    const key = this.#keys.get(signed.keyid);
    if (key === undefined) this.#report("unknown_key", place, `no key is known by ${shortKey(signed.keyid)}`);
    else if (!key.verify(signedBytes(signed.payload_type, signed.payload), signed.signature))
      this.#report("signature", place, MESSAGES.signature);
    else if (statement === undefined) this.#report("unknown_statement", place, MESSAGES.unknown_statement);
    else if (!isCurrent(key, statement.predicate.receipt))
      this.#report("key_not_current", place, `the key ${shortKey(key.keyid)} wasn't the gate's present one then`);
    else {
      this.#receipts++;
      this.#used.set(key.keyid, (this.#used.get(key.keyid) ?? 0) + 1);
      return statement;
    }
    return undefined;
  }

  #place(statement: Statement, at: Place & { receipt: number }, before: number, inMonth: string | undefined): void {
    const { receipt, event, ts } = statement.predicate;
    if (this.#numbers.has(receipt) || this.#events.has(event))
      this.#report("duplicate", at, `receipt ${receipt} was there before`);
    else if (receipt < before) this.#report("order", at, `receipt ${receipt} comes after receipt ${before}`);
    if (inMonth !== undefined && monthFile(ts * 1000) !== inMonth)
      this.#report("month", at, `receipt ${receipt} is of another month: ${monthFile(ts * 1000).slice(0, 7)}`);
    this.#numbers.add(receipt);
    this.#events.add(event);
  }

  #missing(verdict: Verdict, from: number, to: number): void {
    const what = from === to ? `receipt ${from} is missing` : `receipts ${from} to ${to} are missing`;
    const where = verdict === "cut_off" ? " at the end" : "";
    this.#report(verdict, { file: null, line: null, receipt: from }, `${what}${where}`);
  }

  #report(verdict: Verdict, { file, line, receipt }: Place, message: string): void {
    this.#problems.push({ verdict, file, line, receipt, message });
  }
}

interface Place {
  file: string | null;
  line: number | null;
  receipt: number | null;
}

/** All receipts of a gate, against its own list of keys. `last`: of the last one that its databases know of. @throws the system's error */
export function verifyFolder(folder: string, { keys, problem }: KeyList, last: number): ReceiptsReport {
  const verifier = new ReceiptsVerifier(keys);
  if (problem !== null) verifier.report("keys", KEYS_FILE, `line ${problem.line}: ${problem.message}`);
  for (const { keyid, is_proven } of keys)
    if (!is_proven) verifier.report("keys", KEYS_FILE, `the key before ${shortKey(keyid)} has not signed it`);
  for (const file of monthFiles(folder)) {
    try {
      verifier.add({ name: file, monthFile: file, text: linesBetween(join(folder, file), 0) });
    } catch (error) {
      verifier.report("unreadable", file, `it can't be read (${errorCode(error)})`);
    }
  }
  return verifier.end({ first: 1, last });
}

/** Receipts from elsewhere, against these keys. `file`: where they were, undefined for stdin. */
export function verifyText(text: string, file: string | undefined, keys: readonly TrustedKey[]): ReceiptsReport {
  const verifier = new ReceiptsVerifier(keys);
  const name = file === undefined ? null : basename(file);
  const monthFile = name !== null && MONTH_FILE.test(name) ? { monthFile: name } : {};
  verifier.add({ name, ...monthFile, text: linesOf(text) });
  return verifier.end();
}

/**
 * The keys in a file that the user gives: public keys in PEM, for all receipts; or a gate's list of keys, each for its own.
 * Undefined where it is neither.
 */
export function keysIn(text: string, readList: (text: string) => KeyList): readonly TrustedKey[] | undefined {
  const pems = text.match(/-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/g);
  try {
    if (pems !== null && !text.trimStart().startsWith("{"))
      return pems.map((pem) => ({ ...publicKey(pem), first_receipt: 1, endReceipt: null }));
  } catch {
    return undefined; // another kind of key
  }
  const { keys, problem } = readList(text);
  return problem === null && keys.length > 0 ? keys : undefined;
}

/** One envelope that another program has spread over several lines is one, too: of another form. */
function* linesOf(text: string): Generator<{ bytes: Buffer; isEnded: boolean }> {
  const lines = text.split("\n");
  const rest = lines.pop() ?? "";
  const isOne = lines.length > 1 && text.trimStart().startsWith("{") && !lines[0]?.includes("}");
  if (isOne) return yield { bytes: Buffer.from(text.trim()), isEnded: true };
  for (const line of lines) yield { bytes: Buffer.from(line), isEnded: true };
  if (rest !== "") yield { bytes: Buffer.from(rest), isEnded: false };
}

function isCurrent({ first_receipt, endReceipt }: TrustedKey, receipt: number): boolean {
  return receipt >= first_receipt && (endReceipt === null || receipt < endReceipt);
}

/** The first digits, which name a key among a gate's few. */
function shortKey(keyid: KnownKey["keyid"]): string {
  return /^[0-9a-f]{64}$/.test(keyid) ? keyid.slice(0, 16) : "a keyid that is none";
}
