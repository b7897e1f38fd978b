/** What a launcher says: the ID of its run, how many variables its environment has, and these, each ended by a zero byte. */

/** In bytes: more than an environment and its count can have. */
export const MAX_GREETING = 4 * 1024 * 1024;

const MAX_VARIABLES = 65_536;

export interface Greeting {
  id: string;
  /** `NAME=value`, one character for each byte. */
  environment: readonly string[];
}

export function readGreeting(bytes: Buffer): Greeting | "incomplete" | "invalid" {
  const words = bytes.toString("latin1").split("\0");
  const [id = "", count = ""] = words;
  if (words.length < 3) return "incomplete";
  if (!/^\d{1,5}$/.test(count) || Number(count) > MAX_VARIABLES) return "invalid";
  // The last one is what follows the last zero byte.
  if (words.length < Number(count) + 3) return "incomplete";
  return { id, environment: words.slice(2, 2 + Number(count)) };
}
