import { createInterface } from "node:readline/promises";

/** Asks on the terminal; anything but a clear yes is a no. */
export async function isConfirmed(question: string): Promise<boolean> {
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(?:es)?$/i.test((await asking.question(question)).trim());
  } finally {
    asking.close();
  }
}
