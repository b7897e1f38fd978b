import { lstatSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { pathTarget } from "@metnos-gate/shell-reading";
import {
  beginningOf,
  expandHome,
  hasTooManyNames,
  isAtOrBelow,
  kindOf,
  onceADecision,
  onceAFolderChanges,
  projectRoot,
  realForm,
  scanTree,
  withScanLimit,
} from "@metnos-gate/shell-reading/files";
import { type CallTarget, type ResolvedRequirement, targetText } from "../../targets/target.ts";
import type { CallEnvironment } from "./call-environment.ts";
import { HeldByGit } from "./held-by-git.ts";
import { stringsIn } from "./patterns.ts";
import { protectedPath } from "./protected-paths.ts";
import { pathFormOf } from "./vital-paths.ts";

/**
 * What clients read by themselves, and hand their model, beside a file that a call reads or writes: instructions in its folder and in those
 * above, and the files that these import (`@.env`). Claude Code does for its own tools and for commands such as `cat`, OpenCode for `read`.
 * Where one is a link that leads out, or a secret is imported, the call needs that as well.
 */

const NAMES = [
  ...["CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md", "AGENTS.md", "AGENTS.override.md", "GEMINI.md"],
  "CONTEXT.md",
];
/** Their last names, in lower case. */
export const INSTRUCTION_NAMES: ReadonlySet<string> = new Set(NAMES.map((name) => basename(name).toLowerCase()));
/** By the last name of a path. */
export const isInstructions = (path: string): boolean => INSTRUCTION_NAMES.has(basename(path).toLowerCase());

/** `@path`, a blank in it behind a backslash; in any of Markdown's marks. */
const IMPORT = /(?<![A-Za-z0-9])@((?:\\ |\S)+)/g;
/** As Gemini CLI takes it: all up to the next blank, whatever marks are in it. */
const IMPORT_AS_IT_IS = /(?<![^ \t\r\n])@([^ \t\r\n]+)/g;
/** Another place to each process. */
export const OWN_VIEW = /^\/(?:proc|dev)\//;
/** Such a mark ends it, or is a part of it. */
const MARK = /["'`*|<>()[\]\\].*$/s;

/** Claude Code's, of a folder: each file below it that ends in `.md`. */
export const RULES = ".claude/rules";
export const RULE_LIMITS = { maxEntries: 256, maxDepth: 6, skipped: new Set<string>() };

/** Folders, names that are imported, and bytes of each file that are looked at for one call. */
const MAX_FOLDERS = 64;
const MAX_IMPORTS = 256;
export const MAX_BYTES = 256 * 1024;
/** Characters of a name that is imported. */
const MAX_PATH = 4096;
const TOO_MUCH = "instructions that import more than is looked at";

/** Most folders hold none, and most calls are in folders that others were in. */
const lately = onceAFolderChanges<boolean>(5000);
const now = onceADecision<boolean>();
const hasAny = (folder: string): boolean =>
  [...NAMES, dirname(RULES)].some((name) => kindOf(join(folder, name)) !== "nothing");
const instructs = (folder: string): boolean => now(folder, () => lately(folder, () => hasAny(folder)));

/**
 * The paths that a text may import, in each form in which a client may take what is written; whatever else an `@` begins is among them.
 * Less than all of them where `isWhole` is false.
 * @param of the file (absolute) that holds the text
 */
export function importsIn(
  text: string,
  of: string,
  home: string,
): { paths: string[]; names: number; isWhole: boolean } {
  const paths = new Set<string>();
  let isWhole = text.length < MAX_BYTES;
  let names = 0;
  const begin = text.slice(0, MAX_BYTES);
  const isOneMore = (written: string): boolean => {
    if (++names > MAX_IMPORTS || written.length > MAX_PATH) isWhole = false;
    return names <= MAX_IMPORTS;
  };
  for (const [, written = ""] of begin.matchAll(IMPORT)) {
    if (!isOneMore(written)) break;
    const whole = written.slice(0, MAX_PATH).replaceAll("\\ ", " ").replace(/#.*$/s, "");
    const forms = [whole, whole.replace(MARK, "")].flatMap((one) => [one, withoutMarks(one)]);
    for (const one of forms) if (one !== "") paths.add(resolve(dirname(of), expandHome(one, home)));
  }
  for (const [, written = ""] of begin.matchAll(IMPORT_AS_IT_IS)) {
    const path = resolve(dirname(of), written.slice(0, MAX_PATH));
    if (paths.has(path)) continue;
    if (!isOneMore(written)) break;
    paths.add(path);
  }
  return { paths: [...paths], names, isWhole };
}

type Marked = (need: ResolvedRequirement, held: HeldByGit) => ResolvedRequirement;

/** Other clients' that begin in a folder. */
const OTHER_NAMES = [".cursorrules", ".github/copilot-instructions.md"];
/** Settings that name further ones, in a project or in a home: OpenCode's `instructions`, Gemini's `fileName`, Codex's fallbacks. */
const NAMING =
  "opencode.json opencode.jsonc .opencode/opencode.json .config/opencode/opencode.json .gemini/settings.json .codex/config.toml";
const NAMED = /["']([^"'\\\n*?{]{1,512}\.(?:md|mdc|txt))["']/gi;

/** What clients read by themselves as they begin in a folder, with what that imports: paths, whether a file is there or not. */
export function readAtStart(folder: string, home: string): ReadonlySet<string> {
  const reader = new InstructionReader(home, (need) => need);
  for (const name of [...NAMES, ...OTHER_NAMES]) reader.file(join(folder, name), folder);
  reader.rules(folder, folder);
  const settings = NAMING.split(" ").flatMap((name) => [join(folder, name), join(home, name)]);
  const named = settings.flatMap((path) => [...textOf(path).matchAll(NAMED)]).slice(0, MAX_IMPORTS);
  for (const [, path = ""] of named) reader.file(resolve(folder, expandHome(path, home)), folder);
  return reader.seen;
}

/** The same of the folders below, down to that of a file which a client reads there: paths. @param root real, as the file is */
export function readBeside(file: string, root: string, home: string): ReadonlySet<string> {
  let reader: InstructionReader | undefined;
  for (let here = dirname(file); here !== root && isAtOrBelow(here, root); here = dirname(here)) {
    if (!instructs(here)) continue;
    reader ??= new InstructionReader(home, (need) => need);
    reader.named(here, root);
    reader.rules(here, root);
  }
  return reader?.seen ?? NONE;
}
const NONE: ReadonlySet<string> = new Set();

/** @param marked marks a read of a secret */
export function instructionsBeside(
  needs: readonly ResolvedRequirement[],
  { home, cwd }: CallEnvironment,
  held: HeldByGit,
  marked: Marked,
): ResolvedRequirement[] {
  const reader = new InstructionReader(home, (need) => marked(need, held));
  const folders = new Map<string, string>();
  const roots = new Set<string>();
  for (const { capability, target, access } of needs) {
    const isFile = capability === "fs:read" || capability === "fs:write";
    if (!isFile || target.kind !== "path" || target.is_tree || access !== undefined) continue;
    const folder = dirname(target.lexical);
    // Nobody works so deep: each look at one would lead by a long way.
    if (hasTooManyNames(folder)) {
      reader.tooMuch(folder);
      continue;
    }
    const root = projectRoot(folder, home);
    // Those of the folder that a session begins in, and above it, are read before any call.
    const isBelow = cwd !== undefined && isAtOrBelow(folder, cwd) && (root === null || isAtOrBelow(root, cwd));
    const top = isBelow ? cwd : (root ?? cwd ?? home);
    if (roots.size < MAX_FOLDERS) roots.add(root ?? top);
    for (let here = folder; here !== top && here !== home && here !== "/"; here = dirname(here)) {
      if (folders.has(here) || folders.size === MAX_FOLDERS) break;
      folders.set(here, root ?? top);
    }
  }
  const instructing = [...folders].filter(([folder]) => instructs(folder));
  for (const [folder, root] of instructing) reader.named(folder, root);
  // Some of them, at a project's top as well, once a file is read that they are for.
  for (const [folder, root] of instructing) reader.rules(folder, root);
  for (const root of roots) if (!folders.has(root) && instructs(root)) reader.rules(root, root);
  return reader.needs;
}

/**
 * What a call writes into such a file, or into one that it imports, that clients would read of a secret. What a copy brings counts, and what
 * edits leave. @param args of the call
 */
export function importedByWritten(
  needs: readonly ResolvedRequirement[],
  args: Readonly<Record<string, unknown>>,
  { home, cwd }: CallEnvironment,
  held: HeldByGit,
  marked: Marked,
): ResolvedRequirement[] {
  const reader = new InstructionReader(home, (need) => marked(need, held));
  const imported = new Map<string, ReadonlySet<string>>();
  let given: readonly string[] | undefined;
  for (const { capability, target, access, copied_from } of needs) {
    if (capability !== "fs:write" || target.kind !== "path" || access === "delete") continue;
    const { lexical } = target;
    const folder = dirname(lexical);
    const root = projectRoot(folder, home) ?? folder;
    given ??= stringsIn(args).map(({ value }) => value);
    const texts = [...given, ...leftByEdits(lexical, args)];
    if (copied_from !== undefined) texts.push(textOf(copied_from));
    if (!texts.some((text) => text.includes("@"))) continue;
    if (!isInstructions(lexical)) {
      const known = imported.get(root) ?? importedAbove(cwd ?? folder, root, home);
      imported.set(root, known);
      // By another name of the same file another one may be meant.
      const others = otherNames(known, lexical);
      if (!known.has(lexical) && others.length === 0) continue;
      for (const of of others) for (const text of texts) reader.imports(text, of, root, true);
    }
    for (const text of texts) reader.imports(text, lexical, root, true);
  }
  return reader.needs;
}

/** The files that the instructions import which a session reads as it begins in this folder. */
function importedAbove(cwd: string, root: string, home: string): ReadonlySet<string> {
  const reader = new InstructionReader(home, (need) => need);
  reader.above(cwd, root);
  return reader.seen;
}

/**
 * Secrets, and what lies elsewhere behind a link, that the instructions hand to a model which a client reads as a session begins in this folder.
 * @param cwd absolute and normal
 */
export function handedAtStart(cwd: string, home: string, marked: Marked): string[] {
  return withScanLimit(() => {
    const held = new HeldByGit(home);
    const reader = new InstructionReader(home, (need) => marked(need, held));
    const top = projectRoot(cwd, home) ?? cwd;
    reader.above(cwd, top);
    return [...new Set(reader.needs.map(({ target }) => targetText(target)))];
  });
}

/** Names among what is imported of this very file: links lead to it, or it has several. */
function otherNames(known: ReadonlySet<string>, path: string): string[] {
  const file = fileAt(path);
  return [...known].filter((one) => one !== path && fileAt(one) === file);
}

function fileAt(path: string): string {
  const real = realForm(path) ?? path;
  try {
    const stat = lstatSync(real, { throwIfNoEntry: false });
    return stat?.isFile() === true && stat.nlink > 1 ? `${stat.dev}:${stat.ino}` : real;
  } catch {
    return real; // no folder on the way: nothing is there
  }
}

/** What edits make of a file that is there, each of them at one place or at all. */
function leftByEdits(path: string, args: Readonly<Record<string, unknown>>): string[] {
  const edits = [args, ...(Array.isArray(args.edits) ? args.edits : [])].flatMap((edit: unknown) => {
    const { old_string, oldString = old_string, new_string, newString = new_string } = { ...Object(edit) };
    return typeof oldString === "string" && typeof newString === "string" && oldString !== ""
      ? [[oldString, newString] as const]
      : [];
  });
  if (edits.length === 0 || edits.length > MAX_EDITS) return [];
  const before = textOf(path);
  const once = edits.reduce((text, [from, to]) => text.replace(from, () => to).slice(0, MAX_BYTES), before);
  const all = edits.reduce((text, [from, to]) => replacedAll(text, from, to), before);
  return [once, all];
}

/** The beginning of what becomes of it: the whole may be longer than any text can be. */
function replacedAll(text: string, from: string, to: string): string {
  let made = "";
  let at = 0;
  for (let next = text.indexOf(from); next >= 0 && made.length < MAX_BYTES; next = text.indexOf(from, at)) {
    made += text.slice(at, next) + to;
    at = next + from.length;
  }
  return (made + text.slice(at)).slice(0, MAX_BYTES);
}

const MAX_EDITS = 256;

function textOf(path: string): string {
  const begin = beginningOf(realForm(path) ?? path, MAX_BYTES);
  return begin.kind === "file" ? Buffer.from(begin.text, "latin1").toString() : "";
}

class InstructionReader {
  readonly needs: ResolvedRequirement[] = [];
  /** What was looked at, as it is named. */
  readonly seen = new Set<string>();
  readonly #home: string;
  readonly #marked: (need: ResolvedRequirement) => ResolvedRequirement;
  #left = MAX_IMPORTS;

  constructor(home: string, marked: (need: ResolvedRequirement) => ResolvedRequirement) {
    this.#home = home;
    this.#marked = marked;
  }

  /** Those in a folder. */
  named(folder: string, root: string): void {
    for (const name of NAMES) this.file(join(folder, name), root);
  }

  /** Those that are read as a session begins in a folder of this project, or of none. */
  above(folder: string, root: string): void {
    for (let here = folder; ; here = dirname(here)) {
      if (instructs(here)) {
        this.named(here, root);
        this.rules(here, root);
      }
      if (here === root || here === this.#home || dirname(here) === here) return;
    }
  }

  /** However many import one another up to this one: what counts is the shortest way, which needn't come first. @param root of its project */
  file(path: string, root: string): void {
    if (this.seen.has(path)) return;
    this.seen.add(path);
    const kind = kindOf(path);
    // What each process sees as its own is there for the client.
    if (kind === "folder" || (kind === "nothing" && !OWN_VIEW.test(path))) return;
    const target = pathTarget(path, this.#home, undefined, false);
    const need = this.#marked({ capability: "fs:read", target });
    if (need.ask_each_time !== undefined || OWN_VIEW.test(path) || this.#leadsAway(target, root)) this.needs.push(need);
    const real = realForm(path) ?? path;
    const begin = beginningOf(real, MAX_BYTES);
    if (begin.kind !== "file") return;
    const text = Buffer.from(begin.text, "latin1").toString();
    this.imports(text, path, root);
    if (real === path) return;
    // What it imports may be named from where it lies.
    this.seen.add(real);
    this.imports(text, real, root);
  }

  /** Claude Code's, of a folder. */
  rules(folder: string, root: string): void {
    const rules = join(folder, RULES);
    if (kindOf(rules) === "nothing") return;
    const isWhole = scanTree(rules, RULE_LIMITS, ({ relative, is_folder }) => {
      if (!is_folder && relative.endsWith(".md")) this.file(join(rules, relative), root);
      return true;
    });
    if (!isWhole) this.tooMuch(rules);
  }

  /** @param of the file that holds the text @param areMadeLater by its name a secret counts that isn't there yet */
  imports(text: string, of: string, root: string, areMadeLater = false): void {
    const { paths, names, isWhole } = importsIn(text, of, this.#home);
    const isOpen = this.#left > 0;
    this.#left = isWhole ? this.#left - names : 0;
    if (isOpen)
      for (const path of paths)
        if (areMadeLater && kindOf(path) === "nothing") this.#secret(path);
        else this.file(path, root);
    if (this.#left <= 0) this.tooMuch(of);
  }

  #secret(path: string): void {
    const need = this.#marked({ capability: "fs:read", target: pathTarget(path, this.#home, undefined, false) });
    if (need.ask_each_time !== undefined) this.needs.push(need);
  }

  tooMuch(of: string): void {
    if (this.needs.some(({ ask_each_time }) => ask_each_time === TOO_MUCH)) return;
    const target = pathTarget(of, this.#home, undefined, false);
    this.needs.push({ capability: "fs:read", target, ask_each_time: TOO_MUCH });
  }

  /** A link out of the project; or what is no agent's, wherever it lies. */
  #leadsAway(target: CallTarget, root: string): boolean {
    if (target.kind !== "path" || target.real === null) return false;
    const { lexical, real } = target;
    const isOut = real !== lexical && isAtOrBelow(lexical, root) && !isAtOrBelow(real, realForm(root) ?? root);
    return isOut || protectedPath(pathFormOf(real), this.#home) !== undefined;
  }
}

/** Without those at its end. */
function withoutMarks(path: string): string {
  let end = path.length;
  while (end > 0 && !/[A-Za-z0-9/]/.test(path.charAt(end - 1))) end--;
  return path.slice(0, end);
}
