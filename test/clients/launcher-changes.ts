/** Changes of a hook's launcher, as it was written (cli/hook/launcher-text.ts). */

function changed(text: string, from: string, to: string): string {
  if (!text.includes(from)) throw new Error(`the launcher has no ${JSON.stringify(from)}`);
  return text.replace(from, () => to);
}

/** Its program alone asks. */
export const withoutPipes = (text: string): string => changed(text, 'if ask "$@"; then', "if false; then");

const [SECONDS, ONE_SECOND] = ["  seconds=", '  set -- "$@" --wait 1\n  seconds='];

/** It waits for an answer for a second, by either way, or again as long as before. */
export const withOneSecond = (text: string): string => changed(text, SECONDS, ONE_SECOND);
export const withItsTime = (text: string): string => changed(text, ONE_SECOND, SECONDS);
