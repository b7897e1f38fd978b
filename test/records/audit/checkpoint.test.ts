import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Checkpoint,
  keyHash,
  notesIn,
  readNote,
  signCheckpoint,
  verdictOn,
} from "../../../main/records/audit/checkpoint.ts";
import { testSigner } from "../../support/checkpoint-keys.ts";

const ORIGIN = `metnos-gate/${"0f".repeat(16)}`;
const CHECKPOINT: Checkpoint = {
  origin: ORIGIN,
  size: 128,
  epoch: 1,
  end: { file: "2026-05.jsonl", offset: 51_200, hash: "ab".repeat(32) },
  ms: Date.parse("2026-05-04T10:00:00Z"),
  restarted: null,
};
const key = testSigner();
const text = signCheckpoint(CHECKPOINT, key);
const known = [key.publicBytes];

describe("a checkpoint", () => {
  it("has the form of signed-note", () => {
    const [body = "", signatures = ""] = text.split("\n\n");
    expect(body.split("\n")).toEqual([
      ORIGIN,
      "128",
      "version 2",
      "epoch 1",
      `end 2026-05.jsonl 51200 ${"ab".repeat(32)}`,
      "time 2026-05-04T10:00:00Z",
    ]);
    expect(signatures).toMatch(/^\u2014 metnos-gate\/[0-9a-f]{32} [A-Za-z0-9+/]{91}=\n$/);
    const signature = Buffer.from(signatures.trim().split(" ")[2] ?? "", "base64");
    expect([signature.length, signature.subarray(0, 4)]).toEqual([68, keyHash(ORIGIN, key.publicBytes)]);
  });

  it("has the key hash of the format's reference implementation", () => {
    const [name = "", keyId, encoded = ""] = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
      .split("+", 2)
      .concat("ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW");
    const bytes = Buffer.from(encoded, "base64");
    expect(bytes[0]).toBe(1);
    expect(keyHash(name, bytes.subarray(1)).toString("hex")).toBe(keyId);
  });

  it("is read as it was signed, also the first of a later epoch", () => {
    for (const restarted of [null, "accepted", "changed", "cut"] as const) {
      const said = { ...CHECKPOINT, epoch: 2, restarted };
      const note = readNote(signCheckpoint(said, key));
      expect(note).toMatchObject({ ...said, root: null });
      expect(note && verdictOn(note, known)).toBe("valid");
    }
  });

  it("is unknown to other keys, and wrong where a known key hasn't signed it", () => {
    const note = readNote(text);
    if (note === undefined) throw new Error("not read");
    expect(verdictOn(note, [testSigner().publicBytes])).toBe("unknown key");
    expect(verdictOn(note, [testSigner().publicBytes, key.publicBytes])).toBe("valid");
    expect(verdictOn({ ...note, signed: note.signed.replace("128", "129") }, known)).toBe("wrong");
  });

  it("no changed byte leaves it valid", () => {
    const bytes = Buffer.from(text);
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const changed = Buffer.from(bytes);
        changed[at] = (changed[at] ?? 0) ^ change;
        const [part, ...more] = notesIn(changed.toString("utf8"));
        const isValid = part?.note !== undefined && more.length === 0 && verdictOn(part.note, known) === "valid";
        expect(isValid).toBe(false);
      }),
      { numRuns: 1500 },
    );
  });

  it("is found in a file of several, in lines of a log, and after one that was cut short", () => {
    const other = signCheckpoint({ ...CHECKPOINT, size: 192 }, key);
    const sizes = (content: string) => notesIn(content).map(({ note }) => note?.size);
    expect(sizes(`${text}\n${other}\n`)).toEqual([128, 192]);
    expect(sizes(`\n\n${text}${other}`)).toEqual([128, 192]);
    expect(sizes(`${text.slice(0, 90)}\n${other}`)).toEqual([undefined, 192]);
    expect(sizes(`Nov 22 gate[7]: allowed\nNov 22 gate[7]: checkpoint ${JSON.stringify(text)}\n`)).toEqual([128]);
    expect(sizes("not one")).toEqual([undefined]);
    expect(sizes("")).toEqual([]);
  });
});
