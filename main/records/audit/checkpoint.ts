import { createPublicKey, hash, type KeyObject, verify } from "node:crypto";
import { isoSeconds } from "../../../ipc/contract/iso-seconds.ts";
import { MONTH_FILE } from "./chain.ts";

/**
 * A signed statement of where the trail's chain ends, in the C2SP format signed-note: lines of text, an empty line, and the signature. Those of
 * earlier versions were a tlog-checkpoint, with the root of a Merkle tree where the others say `version 2`.
 */

/** A key that signs; 64 bytes for each message. */
export interface CheckpointSigner {
  /** The raw Ed25519 public key, 32 bytes. */
  readonly publicBytes: Uint8Array;
  sign(message: Uint8Array): Uint8Array;
  /** The same on another thread. Left out: it can't. */
  signBeside?(message: Uint8Array): Promise<Uint8Array>;
}

/** Why checkpoints were begun anew: the trail isn't the continuation of what the one before says. */
const RESTART_REASONS = ["accepted", "changed", "cut"] as const;
export type RestartReason = (typeof RESTART_REASONS)[number];

/** What a checkpoint says. */
export interface Checkpoint {
  /** Which gate's trail it is of: also the name of the key. */
  origin: string;
  /** The number of the last line: how many lines of the trail the gate has written. */
  size: number;
  /** 1 for the first; the next one is begun where the trail isn't the continuation of what was signed. */
  epoch: number;
  /** Where the last line is: its month's file, the byte after it, its SHA-256 (hex). Each line has the hash of the one before in it. */
  end: { file: string; offset: number; hash: string };
  /** When it was signed, in milliseconds, to the second. */
  ms: number;
  /** Why this epoch was begun; in the first checkpoint of a later one. */
  restarted: RestartReason | null;
}

export interface SignedCheckpoint extends Checkpoint {
  /** In those of earlier versions: of the Merkle tree over the lines, whose number is `size`. */
  root: Buffer | null;
  /** The whole note. */
  text: string;
}

/** A signed note as it was read: nothing of it is proven yet. */
export interface ReadNote extends SignedCheckpoint {
  /** What is signed: up to the line before the empty one, with its end. */
  signed: string;
  signatures: readonly { name: string; keyHash: Buffer; signature: Buffer }[];
}

export const ORIGIN = /^metnos-gate\/[0-9a-f]{32}$/;
const DASH = "\u2014";
const ED25519 = 0x01;
const KEY_HASH_BYTES = 4;
const SIGNATURE_BYTES = 64;

/** The signature's key hash: of the key's name, a newline, the signature's type and the key; its first four bytes. */
export function keyHash(name: string, publicBytes: Uint8Array): Buffer {
  const named = Buffer.concat([Buffer.from(`${name}\n`), Buffer.of(ED25519), publicBytes]);
  return hash("sha256", named, "buffer").subarray(0, KEY_HASH_BYTES);
}

/** The note, signed. */
export function signCheckpoint(checkpoint: Checkpoint, key: CheckpointSigner): string {
  const said = saidBy(checkpoint);
  return signedNote(checkpoint.origin, said, key, key.sign(Buffer.from(said)));
}

/** The same on another thread, where the key can. Rejects with what signing throws. */
export async function signCheckpointBeside(checkpoint: Checkpoint, key: CheckpointSigner): Promise<string> {
  const said = saidBy(checkpoint);
  const message = Buffer.from(said);
  return signedNote(checkpoint.origin, said, key, (await key.signBeside?.(message)) ?? key.sign(message));
}

function saidBy({ origin, size, epoch, end, ms, restarted }: Checkpoint): string {
  const lines = [
    origin,
    String(size),
    "version 2",
    `epoch ${epoch}`,
    `end ${end.file} ${end.offset} ${end.hash}`,
    `time ${isoSeconds(ms)}`,
    ...(restarted === null ? [] : [`restarted ${restarted}`]),
  ];
  return `${lines.join("\n")}\n`;
}

function signedNote(origin: string, said: string, { publicBytes }: CheckpointSigner, signature: Uint8Array): string {
  const named = Buffer.concat([keyHash(origin, publicBytes), signature]);
  return `${said}\n${DASH} ${origin} ${named.toString("base64")}\n`;
}

/** Reads one note, which must be as a gate writes it; undefined where it isn't. */
export function readNote(text: string): ReadNote | undefined {
  const gap = text.indexOf("\n\n");
  if (gap === -1 || !text.endsWith("\n")) return undefined;
  const signed = text.slice(0, gap + 1);
  const checkpoint = checkpointIn(signed.split("\n").slice(0, -1));
  const lines = text
    .slice(gap + 2)
    .split("\n")
    .slice(0, -1);
  const signatures = lines.map(signatureIn);
  if (checkpoint === undefined || signatures.length === 0) return undefined;
  const read = signatures.filter((signature) => signature !== undefined);
  return read.length === signatures.length ? { ...checkpoint, text, signed, signatures: read } : undefined;
}

const LINES = [
  /^(?<origin>metnos-gate\/[0-9a-f]{32})$/,
  /^(?<size>0|[1-9]\d{0,14})$/,
  /^(?:(?<root>[A-Za-z0-9+/]{43}=)|version 2)$/,
  /^epoch (?<epoch>[1-9]\d{0,8})$/,
  /^end (?<file>\S{0,32}) (?<offset>0|[1-9]\d{0,14}) (?<last>[0-9a-f]{64})$/,
  /^time (?<time>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)$/,
  /^restarted (?<restarted>accepted|changed|cut)$/,
];
const REQUIRED_LINES = LINES.length - 1;

function checkpointIn(lines: readonly string[]): (Checkpoint & { root: Buffer | null }) | undefined {
  if (lines.length < REQUIRED_LINES || lines.length > LINES.length) return undefined;
  const found: Record<string, string | undefined> = {};
  for (const [index, line] of lines.entries()) {
    const groups = LINES[index]?.exec(line)?.groups;
    if (groups === undefined) return undefined;
    Object.assign(found, groups);
  }
  const root = found.root === undefined ? null : strictBase64(found.root);
  const ms = Date.parse(found.time ?? "");
  const { origin = "", file = "", last = "" } = found;
  if (root === undefined || Number.isNaN(ms) || (file !== "" && !MONTH_FILE.test(file))) return undefined;
  return {
    origin,
    size: Number(found.size),
    root,
    epoch: Number(found.epoch),
    end: { file, offset: Number(found.offset), hash: last },
    ms,
    restarted: RESTART_REASONS.find((reason) => reason === found.restarted) ?? null,
  };
}

function signatureIn(line: string): ReadNote["signatures"][number] | undefined {
  const [dash, name = "", encoded = "", ...more] = line.split(" ");
  const bytes = strictBase64(encoded);
  if (dash !== DASH || name === "" || bytes === undefined || more.length > 0) return undefined;
  if (bytes.length <= KEY_HASH_BYTES) return undefined;
  return { name, keyHash: bytes.subarray(0, KEY_HASH_BYTES), signature: bytes.subarray(KEY_HASH_BYTES) };
}

/** Undefined where encoding the bytes again would give another text. */
function strictBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, "base64");
  return bytes.toString("base64") === text ? bytes : undefined;
}

export type SignatureVerdict = "valid" | "unknown key" | "wrong";

/** Whether one of these keys has signed the note: raw Ed25519 public keys. */
export function verdictOn(note: ReadNote, keys: readonly Uint8Array[]): SignatureVerdict {
  let verdict: SignatureVerdict = "unknown key";
  for (const key of keys) {
    const keyId = keyHash(note.origin, key);
    const named = note.signatures.find((one) => one.name === note.origin && one.keyHash.equals(keyId));
    if (named === undefined) continue;
    if (isSignedBy(note.signed, named.signature, key)) return "valid";
    verdict = "wrong";
  }
  return verdict;
}

function isSignedBy(signed: string, signature: Buffer, key: Uint8Array): boolean {
  if (signature.length !== SIGNATURE_BYTES) return false;
  return verify(null, Buffer.from(signed), keyOf(key), signature);
}

/** Making one takes about as long as a signature's check. */
const madeKeys = new WeakMap<Uint8Array, KeyObject>();

function keyOf(publicBytes: Uint8Array): KeyObject {
  const made = madeKeys.get(publicBytes);
  if (made !== undefined) return made;
  const x = Buffer.from(publicBytes).toString("base64url");
  const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
  madeKeys.set(publicBytes, key);
  return key;
}

/** A part of a text that should be a note, and the note if it is one. */
export interface NotePart {
  text: string;
  note: ReadNote | undefined;
}

/**
 * The notes in a text, in its order: one after the other, with empty lines between them, or each as a quoted text in a line of a
 * log. Anything else in it is a part that is no note, but other lines of a log, which are passed over.
 */
export function notesIn(text: string): NotePart[] {
  return partsIn(text).map((part) => ({ text: part, note: readNote(part) }));
}

/** The same, not read yet. */
export function partsIn(text: string): string[] {
  const quoted = [...text.matchAll(QUOTED)].map(([, one = ""]) => unquoted(one));
  return quoted.length > 0 ? quoted : partsOf(text);
}

const QUOTED = /checkpoint ("metnos-gate\/(?:[^"\\]|\\.)*")/g;

function unquoted(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return ""; // reported as a part that is no note
  }
}

/** A part ends after its last signature line. */
function partsOf(text: string): string[] {
  const parts: string[] = [];
  let part = "";
  const end = () => {
    if (part.trim() !== "") parts.push(part.replace(/^\n+/, ""));
    part = "";
  };
  let isAfterSignature = false;
  for (const line of text.match(/[^\n]*\n|[^\n]+$/g) ?? []) {
    const isSignature = line.startsWith(`${DASH} `);
    // What is left of a note that was cut short ends where the next one begins.
    if ((isAfterSignature && !isSignature) || ORIGIN.test(line.trimEnd())) end();
    part += line;
    isAfterSignature = isSignature;
  }
  end();
  return parts;
}
