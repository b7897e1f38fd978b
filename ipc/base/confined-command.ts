import { shellWord } from "./shell-quoted.ts";
import { shortened, visible } from "./visible-text.ts";

/** `exec`: a process less, and a client's shell that is ended takes the box with it. Its last line costs a process only where it must. */
const BEFORE = "{ r=0; d=$(\\unset -f exec 2>/dev/null || :; \\exec ";
const AFTER =
  ' 9>&1 1>&8) || r=$?; [ -z "$d" ] || \\cd "$d" >/dev/null 2>&1 || :; [ "$r" -eq 0 ] || (\\exit "$r"); } 8>&1';

/**
 * What an agent's own shell runs in the place of a confined command line: standard streams and the exit code are the command's own, and
 * the shell is then in the folder that the command ended in, which it names on file descriptor 9. Understood by bash, zsh and dash, also
 * with `set -e` and `set -u`; aliases are avoided, and what a function in the place of `cd` prints isn't shown.
 * @param argv the words of `decision.confine`
 */
export function confinedCommand(argv: readonly string[]): string {
  return `${BEFORE}${argv.map(shellWord).join(" ")}${AFTER}`;
}

/**
 * The same for a client that begins each call in a folder of its own choice, and refuses command lines with others in them: nothing names the
 * folder that the command ended in.
 */
export function confinedCommandAlone(argv: readonly string[]): string {
  return `${argv.map(shellWord).join(" ")} 9>/dev/null`;
}

/** So much of a line is shown, in characters. */
const MAX_SHOWN = 400;

/** The agent's own line for its user's eyes, in one line. */
export const shownLine = (line: string): string => shortened(visible(line), MAX_SHOWN);

/** With a remark before it, for a client that shows its user what it was given in the place of the agent's own line. */
export function remarked(remark: string, command: string): string {
  return `# ${remark}\n${command}`;
}

/** What is run, without the remark. */
export function withoutRemark(command: string): string {
  return command.replace(/^# [^\n]*\n/, "");
}

/** True if a command line has the form of `confinedCommand`, whatever the words in it, and nothing else. */
export function isConfinedCommand(text: string): boolean {
  const command = withoutRemark(text);
  if (!command.startsWith(BEFORE) || !command.endsWith(AFTER)) return false;
  return /^(?:[\w@%+=:,./ -]|'[^']*'|\\')+$/.test(command.slice(BEFORE.length, -AFTER.length));
}
