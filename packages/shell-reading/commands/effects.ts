import { accessesOf } from "../programs/accesses.ts";
import type { Access, Accesses } from "../programs/program.ts";
import { programCalled } from "../programs/table.ts";
import type { SimpleCommand, Word } from "../reading.ts";
import { wordOf } from "../word.ts";

/** What a command touches by its program's record, as far as the worst is concerned. */
export interface Effects extends Pick<Accesses, "accesses" | "data"> {
  /** Written to, or replaced. */
  written: readonly Word[];
  /** Deleted with all that lies below. */
  treesDeleted: readonly Word[];
  /** Deleted as single files. */
  deleted: readonly Word[];
  /** Of those, what a search may find. */
  foundDeleted: readonly Word[];
  moved: readonly Word[];
  /** Rights or owners changed, with all that lies below. */
  treesChanged: readonly Word[];
  /** Rights or owners changed, one by one. */
  changed: readonly Word[];
  /** Contents read, with all that lies below. */
  treesRead: readonly Word[];
  /** Read or listed, and not changed. */
  onlyRead: readonly Word[];
  /** Copies and moves, each with what is put there. */
  placed: readonly { word: Word; source: Word; isExact: boolean }[];
  /** Folders in which anything may be written. */
  treesWritten: readonly Word[];
}

const NOTHING: Accesses = { accesses: [], unclear: null, data: [] };
const known = new WeakMap<SimpleCommand, Accesses>();
const knownEffects = new WeakMap<SimpleCommand, Effects>();

/** What the program's record says of a command; nothing for a program that has none. */
export function recordedAccesses(command: SimpleCommand): Accesses {
  let found = known.get(command);
  if (found === undefined) {
    const program = programCalled(command.name);
    const args = command.argv.slice(1);
    const onlyAsks = /^--(?:help|version)$/.test(args[0]?.text ?? "");
    found =
      program === undefined || onlyAsks
        ? NOTHING
        : accessesOf(program, args, {
            cwd: command.cwd,
            home: "",
            hasInput: command.stdin !== null,
            inputText: command.stdin?.text ?? null,
            looksAtDisk: false,
          });
    known.set(command, found);
  }
  return found;
}

/** The effects of one command; its redirections are among what is written. */
export function effectsOf(command: SimpleCommand): Effects {
  const found = knownEffects.get(command) ?? foundEffects(command);
  knownEffects.set(command, found);
  return found;
}

function foundEffects(command: SimpleCommand): Effects {
  const { accesses, data } = recordedAccesses(command);
  const words = (isOne: (access: Access) => boolean): Word[] => [
    ...new Set(accesses.filter(isOne).map(({ word }) => (word === "here" ? here(command) : word))),
  ];
  const redirected = command.redirects.filter(({ operator }) => operator.includes(">")).map(({ target }) => target);
  const foundDeleted = accesses.some((access) => access.is_found)
    ? (programCalled(command.name)?.finds?.(command.argv.slice(1), command) ?? [])
    : [];
  const changed = words(({ kind }) => kind !== "read" && kind !== "list");
  return {
    accesses,
    data,
    written: [...words(({ kind }) => kind === "write"), ...redirected],
    treesWritten: words(({ kind, is_tree }) => kind === "write" && is_tree === true),
    treesDeleted: words((access) => access.kind === "delete" && access.is_tree === true && !access.is_found),
    deleted: [...words((access) => access.kind === "delete" && !access.is_tree), ...foundDeleted],
    foundDeleted,
    moved: words(({ kind }) => kind === "move"),
    treesChanged: words((access) => access.kind === "mode" && access.is_tree === true),
    changed: words((access) => access.kind === "mode" && !access.is_tree),
    treesRead: words(({ kind, is_tree }) => (kind === "read" && is_tree === true) || kind === "move"),
    onlyRead: words(({ kind }) => kind === "read" || kind === "list").filter((word) => !changed.includes(word)),
    placed: accesses.flatMap(({ kind, word, copy_of, into }) =>
      kind === "write" && copy_of !== undefined && word !== "here"
        ? [{ word, source: copy_of, isExact: into === "exactly" }]
        : [],
    ),
  };
}

function here(command: SimpleCommand): Word {
  return wordOf([{ text: ".", kind: "text" }], command);
}
