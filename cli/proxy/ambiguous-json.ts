/** What two programs may read differently in one line of JSON, beyond what a JSON parser sees: both proxies refuse it. */

const NEWLINE = 0x0a;
const RETURN = 0x0d;

/** True where a carriage return is within the line: white space to JSON, the end of a line to Python's and Java's readers. */
export function hasInnerReturn(line: Buffer): boolean {
  const at = line.indexOf(RETURN);
  return at !== -1 && line.subarray(at).some((byte) => byte !== RETURN && byte !== NEWLINE);
}

/** A name as the most lenient reader takes it: Go's and C's parsers don't tell capitals apart, and C's end a text at its first NUL. */
export function leniently(name: string): string {
  const [whole = ""] = name.split("\0", 1);
  return whole.normalize("NFKC").toLowerCase().replaceAll("\u0131", "i").trim();
}

/** Names of members, with how a lenient reader takes each. */
export type KnownKeys = ReadonlyMap<string, string>;

export function knownKeys(...names: readonly string[]): KnownKeys {
  return new Map(names.map((name) => [leniently(name), name]));
}

/** True where a key is none of those that are known, but would be one to a lenient reader. */
export function hasKeyLike(value: object, known: KnownKeys): boolean {
  return Object.keys(value).some((key) => {
    const meant = known.get(leniently(key));
    return meant !== undefined && meant !== key;
  });
}

/** The members of a JSON-RPC message. */
export const MESSAGE_KEYS = knownKeys("jsonrpc", "id", "method", "params", "result", "error");

export const UNCLEAR_KEY = "one of its keys is the protocol's to some readers, and not to others";
export const INNER_RETURN = "it has a carriage return in it, which ends a line for some readers";
