import { visible } from "../ipc/base/visible-text.ts";
import type { StoredReceipt } from "../main/records/receipts/stored-receipts.ts";
import type { ReceiptProblem } from "../main/records/receipts/verify.ts";
import type { Column } from "./table.ts";
import { momentText } from "./times.ts";

/** Receipts as a terminal shows them. @param now Unix milliseconds */

export interface ReceiptRow {
  receipt: number;
  kind: "answer" | "grant";
  /** When it was signed, Unix seconds. */
  ts: number;
  /** `approved`, `rejected`, `given`, `revoked`, `restored`. */
  what: string;
  agent: string | null;
  about: string;
  /** Null of an answer that nobody gave: a grant covered it. */
  surface: string | null;
  token: string | null;
  keyid: string;
}

export function receiptRow({ statement, keyid }: StoredReceipt): ReceiptRow {
  const { receipt, ts, surface, token } = statement.predicate;
  const common = { receipt, ts, surface, token, keyid };
  if ("grant" in statement.predicate) {
    const { act, grant, sentence } = statement.predicate;
    return { ...common, kind: "grant", what: act, agent: grant.agent, about: sentence };
  }
  const { decision, agent, executor, capabilities } = statement.predicate;
  const about = [executor, capabilities.join(", ")].filter((part) => part !== "").join(": ");
  return { ...common, kind: "answer", what: decision, agent, about };
}

export function receiptColumns(now: number): Column<ReceiptRow>[] {
  return [
    { title: "ID", text: ({ receipt }) => String(receipt), is_right: true },
    { title: "SIGNED", text: ({ ts }) => momentText(new Date(ts * 1000).toISOString(), now) },
    { title: "WHAT", text: ({ kind, what }) => (kind === "grant" ? `grant ${what}` : what) },
    { title: "AGENT", text: ({ agent }) => agent ?? "all of yours", shrinks_to: 8 },
    { title: "ABOUT", text: ({ about }) => about, shrinks_to: 16 },
    { title: "WHERE", text: ({ surface, kind }) => surface ?? (kind === "answer" ? "by a grant" : "") },
    { title: "CARD", text: ({ token }) => token ?? "", shrinks_to: 8 },
  ];
}

export interface KeyRow {
  keyid: string;
  since: string;
  until: string | null;
  first_receipt: number;
  is_proven: boolean;
}

export function keyColumns(now: number): Column<KeyRow>[] {
  return [
    { title: "KEY", text: ({ keyid }) => keyid, shrinks_to: 16 },
    { title: "SINCE", text: ({ since }) => momentText(since, now) },
    { title: "UNTIL", text: ({ until }) => (until === null ? "now" : momentText(until, now)) },
    { title: "FROM RECEIPT", text: ({ first_receipt }) => String(first_receipt), is_right: true },
    { title: "PROVEN", text: ({ is_proven }) => (is_proven ? "yes" : "no"), is_red: ({ is_proven }) => !is_proven },
  ];
}

export const RECEIPT_PROBLEM_COLUMNS: readonly Column<ReceiptProblem>[] = [
  { title: "FILE", text: ({ file, line }) => [file ?? "", line ?? ""].filter((part) => part !== "").join(":") },
  { title: "RECEIPT", text: ({ receipt }) => (receipt === null ? "" : String(receipt)), is_right: true },
  { title: "PROBLEM", text: ({ verdict }) => verdict.replaceAll("_", " ") },
  { title: "MEANS", text: ({ message }) => message, shrinks_to: 24 },
];

/** What it says, a field a line. */
export function receiptLines({ statement, keyid }: StoredReceipt): string[] {
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
