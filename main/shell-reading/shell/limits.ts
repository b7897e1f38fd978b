/** How much of a command line is read. Beyond any of these it counts as "could not be read": never allowed silently. */

/** UTF-8 bytes of command text, nested texts counted each time they are read. */
export const MAX_BYTES = 64 * 1024;
/** Shells in shells, substitutions in substitutions, functions in functions. */
export const MAX_DEPTH = 16;
/** Simple commands, a loop's body counted once for each word it runs over. */
export const MAX_COMMANDS = 512;
/** Words of one command, also those that braces and lists expand to. */
export const MAX_WORDS = 4096;
/** States that a command may have left (a `cd` that failed, a branch that was taken). */
export const MAX_STATES = 8;
/** Brackets that are open at once: a parser's own recursion ends here, before it begins. */
const MAX_OPEN = 128;

const MAX_BACKQUOTES = 1024;

/** Thrown inside the reader only; `readCommand` turns it into `unread`. */
export class Unreadable extends Error {}

/** What reading one command line may still cost. */
export class Budget {
  #characters = 2 * MAX_BYTES;
  #commands = MAX_COMMANDS;
  #steps = 50_000;

  takeText(text: string): void {
    this.#characters -= text.length;
    if (this.#characters < 0) throw new Unreadable("it holds more text than is read");
    if (text.split("`").length > MAX_BACKQUOTES) throw new Unreadable("it holds too many substitutions");
    if (tooDeep(text)) throw new Unreadable("it is nested too deeply");
  }

  takeCommand(): void {
    if (--this.#commands < 0) throw new Unreadable(`it holds more than ${MAX_COMMANDS} simple commands`);
  }

  takeStep(cost = 1): void {
    this.#steps -= cost;
    if (this.#steps < 0) throw new Unreadable("it takes too many steps to read");
  }
}

/** Openers without closers, quoted or not: more of them than anybody writes. One pass, before anything is parsed. */
function tooDeep(text: string): boolean {
  let open = 0;
  let double = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === 40 || code === 123) {
      if (++open > MAX_OPEN) return true;
    } else if (code === 41 || code === 125) {
      if (open > 0) open--;
    } else if (code === 60 && text.charCodeAt(index + 1) === 60) {
      if (++double > MAX_OPEN * 2) return true;
      index++;
    }
  }
  return false;
}
