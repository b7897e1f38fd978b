import type { Span, Stdin, Word } from "../reading.ts";

/** What is dangerous about a program's words: rules beside the programs' records (hazard-records.ts). They only warn. */

/** What a rule finds, by its name. */
type ProgramHazard =
  | "as-root"
  | "changes-rights"
  | "changes-what-runs-later"
  | "deletes-cloud-resources"
  | "deletes-container-data"
  | "deletes-database"
  | "discards-changes"
  | "hides-changes"
  | "leaves-container"
  | "overwrites-disk"
  | "publishes"
  | "rewrites-remote-history"
  | "runs-downloaded-script"
  | "sends-file"
  | "sends-mail"
  | "stops-processes"
  | "stops-services"
  | "unpinned-package";

/** A command's words, the program's name first, and what is known of its input. */
export interface Called {
  argv: readonly Word[];
  stdin: Stdin | null;
  /** Where it runs; null where that isn't known. */
  cwd: string | null;
}

export interface HazardRule {
  id: ProgramHazard;
  /** The subcommand: its words in order, among the first words that are no options. Left out: whatever the program is asked. */
  words?: readonly RegExp[];
  /** One of these options (separated by blanks) is given. */
  options?: string;
  /** With one of these it doesn't do it. */
  unless?: string;
  /** One of the other words is like this. */
  word?: RegExp;
  /** Its words, or the text on its input, say so. */
  text?: RegExp;
  /** Where none of the above can say it. */
  finds?: (called: Called) => readonly FoundHazard[];
}

export interface HazardRecord {
  /** Programs that share the rules. */
  names: readonly string[];
  rules: readonly HazardRule[];
}

export interface FoundHazard {
  id: ProgramHazard;
  /** From the first to the last of these words; none: no word says it. */
  marks: readonly Span[];
  host?: string;
  path?: string;
}

/** With one of these any program only says what it would do. */
const ONLY_SAYS = /^--(?:help|version|dry-run(?:=(?!none|false).*)?)$/;

/** What the rules see in a command. */
export function hazardsBy(rules: readonly HazardRule[], called: Called): FoundHazard[] {
  const args = called.argv.slice(1);
  if (args.some(({ text }) => ONLY_SAYS.test(text))) return [];
  return rules.flatMap((rule) => foundBy(rule, called, args));
}

function foundBy(rule: HazardRule, called: Called, args: readonly Word[]): readonly FoundHazard[] {
  const named = subcommand(rule.words ?? [], args);
  if (named === null) return [];
  if (rule.unless !== undefined && optionGiven(rule.unless, args) !== undefined) return [];
  if (rule.finds !== undefined) return rule.finds(called);
  const [program] = called.argv;
  const marked: Word[] = rule.words === undefined || program === undefined ? [] : [program, ...named];
  if (rule.options !== undefined || rule.word !== undefined) {
    const option = rule.options === undefined ? undefined : optionMeant(rule.options, args);
    const { word: pattern } = rule;
    const word = option ?? (pattern && args.find((one) => !named.includes(one) && pattern.test(one.text)));
    return word === undefined ? [] : [{ id: rule.id, marks: [word] }];
  }
  if (rule.text !== undefined) {
    const { text } = rule;
    const word = args.find((one) => text.test(one.text));
    if (word !== undefined) return [{ id: rule.id, marks: [word] }];
    return text.test(called.stdin?.text ?? "") ? [{ id: rule.id, marks: program === undefined ? [] : [program] }] : [];
  }
  return [{ id: rule.id, marks: marked.length > 0 ? marked : program === undefined ? [] : [program] }];
}

/** The words of a subcommand, or null. A word behind an option may be the option's value. */
function subcommand(wanted: readonly RegExp[], args: readonly Word[]): Word[] | null {
  const found: Word[] = [];
  let afterOption = false;
  for (const word of args) {
    const next = wanted[found.length];
    if (next === undefined) break;
    const isOption = /^-/.test(word.text);
    if (next.test(word.text)) found.push(word);
    else if (!isOption && !afterOption) return null;
    afterOption = isOption && !word.text.includes("=");
  }
  return found.length === wanted.length ? found : null;
}

/** The same, and also where a long option is shortened, as many programs take it: `--forc`. For what warns. */
export function optionMeant(options: string, args: readonly Word[]): Word | undefined {
  const end = args.findIndex(({ text }) => text === "--");
  const shortened = args.find(({ text }, at) => {
    const given = text.replace(/=.*$/s, "");
    if (given.length < 4 || !given.startsWith("--") || (end !== -1 && at > end)) return false;
    return options.split(/\s+/).some((name) => name.length > given.length && name.startsWith(given));
  });
  return optionGiven(options, args) ?? shortened;
}

/** The first word that gives one of these options: as it is, with a value behind `=`, or a letter among others. */
export function optionGiven(options: string, args: readonly Word[]): Word | undefined {
  const names = options.split(/\s+/);
  const end = args.findIndex(({ text }) => text === "--");
  return args.find(({ text }, at) => {
    if (!text.startsWith("-") || (end !== -1 && at > end)) return false;
    return names.some((name) =>
      /^-[A-Za-z]$/.test(name)
        ? /^-[A-Za-z]+/.exec(text)?.[0].includes(name.slice(1)) === true && !text.startsWith("--")
        : text === name || text.startsWith(`${name}=`),
    );
  });
}
