import { basename, dirname, join, resolve } from "node:path";
import { pathTarget } from "@metnos-gate/shell-reading";
import {
  beginningOf,
  expandHome,
  hasTooManyNames,
  isAtOrBelow,
  kindOf,
  onceAFolderChanges,
  projectRoot,
  realForm,
  scanTree,
} from "@metnos-gate/shell-reading/files";
import type { CallTarget, ResolvedRequirement } from "../../targets/target.ts";
import type { CallEnvironment } from "./call-environment.ts";
import type { HeldByGit } from "./held-by-git.ts";
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

/** `@path`, a blank in it behind a backslash; in any of Markdown's marks. */
const IMPORT = /(?<![A-Za-z0-9])@((?:\\ |\S)+)/g;
/** Such a mark ends it, or is a part of it. */
const MARK = /["'`*|<>()[\]\\].*$/s;

const RULES = ".claude/rules";
const RULE_LIMITS = { maxEntries: 256, maxDepth: 6, skipped: new Set<string>() };

/** Folders, names that are imported, files that import one another, and bytes of each that are looked at for one call. */
const MAX_FOLDERS = 64;
const MAX_IMPORTS = 256;
const MAX_HOPS = 5;
const MAX_BYTES = 256 * 1024;
/** Characters of a name that is imported. */
const MAX_PATH = 4096;
const TOO_MUCH = "instructions that import more than is looked at";

/** Most folders hold none, and most calls are in folders that others were in. */
const instructs = onceAFolderChanges<boolean>(5000);
const hasAny = (folder: string): boolean =>
  [...NAMES, dirname(RULES)].some((name) => kindOf(join(folder, name)) !== "nothing");

type Marked = (need: ResolvedRequirement, held: HeldByGit) => ResolvedRequirement;

/** @param marked marks a read of a secret */
export function instructionsBeside(
  needs: readonly ResolvedRequirement[],
  { home, cwd }: CallEnvironment,
  held: HeldByGit,
  marked: Marked,
): ResolvedRequirement[] {
  const reader = new InstructionReader(home, held, marked);
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
  const instructing = (all: Iterable<string>) => [...all].filter((folder) => instructs(folder, () => hasAny(folder)));
  for (const folder of instructing(folders.keys()))
    for (const name of NAMES) reader.file(join(folder, name), folders.get(folder) ?? folder, 0);
  // Some of them, at a project's top as well, once a file is read that they are for.
  for (const folder of instructing(new Set([...folders.keys(), ...roots])))
    reader.rules(folder, folders.get(folder) ?? folder);
  return reader.needs;
}

/** What a text that a call writes into such a file would have clients read. @param texts of the call */
export function importedByWritten(
  needs: readonly ResolvedRequirement[],
  texts: readonly string[],
  { home }: CallEnvironment,
  held: HeldByGit,
  marked: Marked,
): ResolvedRequirement[] {
  const reader = new InstructionReader(home, held, marked);
  for (const { capability, target } of needs) {
    if (capability !== "fs:write" || target.kind !== "path") continue;
    if (!INSTRUCTION_NAMES.has(basename(target.lexical).toLowerCase())) continue;
    const folder = dirname(target.lexical);
    for (const text of texts) reader.imports(text, target.lexical, projectRoot(folder, home) ?? folder, 1);
  }
  return reader.needs;
}

class InstructionReader {
  readonly needs: ResolvedRequirement[] = [];
  readonly #home: string;
  readonly #held: HeldByGit;
  readonly #marked: Marked;
  readonly #seen = new Set<string>();
  #left = MAX_IMPORTS;

  constructor(home: string, held: HeldByGit, marked: Marked) {
    this.#home = home;
    this.#held = held;
    this.#marked = marked;
  }

  /** @param root of its project @param hops so many files import one another up to this one */
  file(path: string, root: string, hops: number): void {
    const kind = kindOf(path);
    if (kind === "nothing" || kind === "folder" || this.#seen.has(path)) return;
    this.#seen.add(path);
    const target = pathTarget(path, this.#home, undefined, false);
    const need = this.#marked({ capability: "fs:read", target }, this.#held);
    if (need.ask_each_time !== undefined || this.#leadsAway(target, root)) this.needs.push(need);
    const begin = beginningOf(realForm(path) ?? path, MAX_BYTES);
    if (begin.kind === "file" && hops < MAX_HOPS)
      this.imports(Buffer.from(begin.text, "latin1").toString(), path, root, hops + 1);
  }

  /** Claude Code's, of a folder. */
  rules(folder: string, root: string): void {
    const rules = join(folder, RULES);
    if (kindOf(rules) === "nothing") return;
    const isWhole = scanTree(rules, RULE_LIMITS, ({ relative, is_folder }) => {
      if (!is_folder && relative.endsWith(".md")) this.file(join(rules, relative), root, 0);
      return true;
    });
    if (!isWhole) this.tooMuch(rules);
  }

  /** @param of the file that holds the text */
  imports(text: string, of: string, root: string, hops: number): void {
    if (text.length >= MAX_BYTES) this.#left = 0;
    for (const [, written = ""] of text.slice(0, MAX_BYTES).matchAll(IMPORT)) {
      if (--this.#left < 0) break;
      if (written.length > MAX_PATH) this.#left = 0;
      const whole = written.slice(0, MAX_PATH).replaceAll("\\ ", " ").replace(/#.*$/s, "");
      const forms = [whole, whole.replace(MARK, "")].flatMap((one) => [one, withoutMarks(one)]);
      for (const one of new Set(forms))
        if (one !== "") this.file(resolve(dirname(of), expandHome(one, this.#home)), root, hops);
    }
    if (this.#left <= 0) this.tooMuch(of);
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
