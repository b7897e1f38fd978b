import { z } from "zod";
import { GateError } from "../../ipc/contract/gate-error.ts";

/** The newest version, asked for at an address of the user's choice, when the user wants to know. Nothing is downloaded. */

/** An npm registry's `/NAME/latest`, or a GitHub release. */
const answerSchema = z.union([
  z.object({ version: z.string() }).transform(({ version }) => version),
  z.object({ tag_name: z.string() }).transform(({ tag_name }) => tag_name),
]);
const VERSION = /^v?(\d{1,6})\.(\d{1,6})\.(\d{1,6})(?:-[0-9A-Za-z.-]{1,40})?$/;

const MAX_BYTES = 256 * 1024;
const PATIENCE_MS = 10_000;

/**
 * The newest version as the address says it: three numbers, without a `v`.
 * @throws GateError `not_available` where it says none, too much, leads elsewhere, or doesn't answer within 10 s
 */
export async function newestVersion(url: string, get: typeof fetch = fetch): Promise<string> {
  if (!url.startsWith("https://")) throw cantTell("the address doesn't begin with https://");
  try {
    const response = await get(url, {
      redirect: "error",
      credentials: "omit",
      referrerPolicy: "no-referrer",
      headers: { accept: "application/json" },
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    if (!response.ok) throw cantTell(`the address answers with ${response.status}`);
    const said = answerSchema.safeParse(JSON.parse(await boundedText(response)));
    if (!said.success || !VERSION.test(said.data)) throw cantTell("the address names no version");
    return said.data.replace(/^v/, "");
  } catch (error) {
    if (error instanceof GateError) throw error;
    throw cantTell(reasonOf(error));
  }
}

/** True if `other` comes after `own`: by its three numbers; of the same ones, a version comes after its previews. */
export function isNewer(other: string, own: string): boolean {
  const [theirs, ours] = [numbersOf(other), numbersOf(own)];
  for (const [index, number] of theirs.entries()) {
    if (number !== ours[index]) return number > (ours[index] ?? 0);
  }
  return own.includes("-") && !other.includes("-");
}

function numbersOf(version: string): number[] {
  return (VERSION.exec(version)?.slice(1, 4) ?? []).map(Number);
}

async function boundedText(response: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of response.body ?? []) {
    bytes += piece.byteLength;
    if (bytes > MAX_BYTES) throw cantTell("the address sends too much");
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}

/** Without the text of an error, which may hold what the address sent. */
function reasonOf(error: unknown): string {
  if (error instanceof SyntaxError) return "the address sends no JSON";
  if (error instanceof DOMException && error.name === "TimeoutError") return "the address doesn't answer";
  return "the address can't be reached, or leads to another one";
}

function cantTell(why: string): GateError {
  return new GateError("not_available", why);
}
