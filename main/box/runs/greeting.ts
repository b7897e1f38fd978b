/**
 * What a launcher says: the ID of its run, how many variables its environment has, and these, each ended by a zero byte. The last one says
 * which processes it and its caller are.
 */

/** In bytes: more than an environment and its count can have. */
export const MAX_GREETING = 4 * 1024 * 1024;

const MAX_VARIABLES = 65_536;

export interface Greeting {
  id: string;
  /** `NAME=value`, one character for each byte. */
  environment: readonly string[];
  caller: Caller | undefined;
}

/** The launcher's process, which becomes bubblewrap, and the one that waits for it: numbers where these run. */
export interface Caller {
  readonly launcher: number;
  readonly parent: number;
}

/** By it a launcher says them. */
export const CALLER = "METNOS_BOX_CALLER";

export function readGreeting(bytes: Buffer): Greeting | "incomplete" | "invalid" {
  const words = bytes.toString("latin1").split("\0");
  const [id = "", count = ""] = words;
  if (words.length < 3) return "incomplete";
  if (!/^\d{1,5}$/.test(count) || Number(count) > MAX_VARIABLES) return "invalid";
  // The last one is what follows the last zero byte.
  if (words.length < Number(count) + 3) return "incomplete";
  const environment = words.slice(2, 2 + Number(count));
  const [, launcher, parent] = new RegExp(`^${CALLER}=(\\d+) (\\d+)$`).exec(environment.at(-1) ?? "") ?? [];
  const caller = parent === undefined ? undefined : { launcher: Number(launcher), parent: Number(parent) };
  return { id, environment, caller };
}
