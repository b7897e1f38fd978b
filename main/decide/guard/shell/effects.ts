import { accessesOf } from "../../../shell-reading/programs/accesses.ts";
import type { Access, Accesses } from "../../../shell-reading/programs/program.ts";
import { programCalled } from "../../../shell-reading/programs/table.ts";
import type { SimpleCommand, Word } from "../../../shell-reading/shell/reading.ts";
import { wordOf } from "../../../shell-reading/shell/word.ts";

/** What a command touches by its program's record, as far as the worst is concerned. */
export interface Effects {
  /** Written to, or replaced. */
  written: readonly Word[];
  /** Deleted with all that lies below. */
  trees_deleted: readonly Word[];
  /** Deleted as single files. */
  deleted: readonly Word[];
  /** Of those, what a search may find. */
  found_deleted: readonly Word[];
  moved: readonly Word[];
  /** Rights or owners changed, with all that lies below. */
  trees_changed: readonly Word[];
  /** Rights or owners changed, one by one. */
  changed: readonly Word[];
  /** Contents read, with all that lies below. */
  trees_read: readonly Word[];
  /** Read or listed, and not changed. */
  only_read: readonly Word[];
  /** Copies and moves, each with what is put there. */
  placed: readonly { word: Word; source: Word; is_exact: boolean }[];
  /** Folders in which anything may be written. */
  trees_written: readonly Word[];
}

const NOTHING: Accesses = { accesses: [], unclear: null, data: [] };
const known = new WeakMap<SimpleCommand, Accesses>();

/** What the program's record says of a command; nothing for a program that has none. */
export function recordedAccesses(command: SimpleCommand): Accesses {
  let found = known.get(command);
  if (found === undefined) {
    const program = programCalled(command.name);
    const args = command.argv.slice(1);
    const only_asks = /^--(?:help|version)$/.test(args[0]?.text ?? "");
    found =
      program === undefined || only_asks
        ? NOTHING
        : accessesOf(program, args, {
            cwd: command.cwd,
            home: "",
            has_input: command.stdin !== null,
            input_text: command.stdin?.text ?? null,
            looks_at_disk: false,
          });
    known.set(command, found);
  }
  return found;
}

/** The effects of one command; its redirections are among what is written. */
export function effectsOf(command: SimpleCommand): Effects {
  const { accesses } = recordedAccesses(command);
  const words = (isOne: (access: Access) => boolean): Word[] => [
    ...new Set(accesses.filter(isOne).map(({ word }) => (word === "here" ? here(command) : word))),
  ];
  const redirected = command.redirects.filter(({ operator }) => operator.includes(">")).map(({ target }) => target);
  const found_deleted = accesses.some((access) => access.is_found)
    ? (programCalled(command.name)?.finds?.(command.argv.slice(1), command) ?? [])
    : [];
  const changed = words(({ kind }) => kind !== "read" && kind !== "list");
  return {
    written: [...words(({ kind }) => kind === "write"), ...redirected],
    trees_written: words(({ kind, is_tree }) => kind === "write" && is_tree === true),
    trees_deleted: words((access) => access.kind === "delete" && access.is_tree === true && !access.is_found),
    deleted: [...words((access) => access.kind === "delete" && !access.is_tree), ...found_deleted],
    found_deleted,
    moved: words(({ kind }) => kind === "move"),
    trees_changed: words((access) => access.kind === "mode" && access.is_tree === true),
    changed: words((access) => access.kind === "mode" && !access.is_tree),
    trees_read: words(({ kind, is_tree }) => (kind === "read" && is_tree === true) || kind === "move"),
    only_read: words(({ kind }) => kind === "read" || kind === "list").filter((word) => !changed.includes(word)),
    placed: accesses.flatMap(({ kind, word, copy_of, into }) =>
      kind === "write" && copy_of !== undefined && word !== "here"
        ? [{ word, source: copy_of, is_exact: into === "exactly" }]
        : [],
    ),
  };
}

function here(command: SimpleCommand): Word {
  return wordOf([{ text: ".", kind: "text" }], command);
}
