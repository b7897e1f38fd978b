import type { Word } from "../reading.ts";
import { type Arguments, argumentsOf, hasOption } from "./arguments.ts";
import type { Access, Accesses, CommandContext, Program, Role } from "./program.ts";

/** What a command touches, by its program's record. */
export function accessesOf(
  program: Program,
  args: readonly Word[],
  context: CommandContext,
  name = program.names[0],
): Accesses {
  const said = program.accesses?.(args, context) ?? byRoles(program, args, context);
  const unclear =
    said.unclear ??
    (program.guard_only ? `${name} isn't among the programs that can be cleared` : null) ??
    (program.isClear?.(args) === false ? "its words may do more" : null);
  return { ...said, unclear, data: program.data === undefined ? said.data : program.data(args) };
}

const KIND_OF: Partial<Record<Role, Access["kind"]>> = {
  reads: "read",
  lists: "list",
  writes: "write",
  deletes: "delete",
  modes: "mode",
  host: "host",
};

/** By options and operands alone. */
export function byRoles(
  program: Program,
  args: readonly Word[],
  context: CommandContext,
  given: Arguments = argumentsOf(program, args),
): Accesses {
  const { options, operands } = given;
  const accesses: Access[] = [];
  const data: Word[] = [];
  const isTree = program.tree === "always" || (program.tree !== undefined && hasOption(given, program.tree));
  const more: Partial<Access> = {
    ...(isTree ? { is_tree: isTree } : {}),
    ...(program.skips_hidden ? { skips_hidden: true } : {}),
    ...(program.readsFolders ? { reads_folder: true } : {}),
  };
  // Where a program may run what it is given, none of its words is only data.
  const isData = program.text_only !== undefined;
  for (const { role, value, isClear } of options) {
    if (value === undefined) continue;
    if (role === "reads") accesses.push({ kind: "read", word: value });
    else if (role === "writes") accesses.push({ kind: "write", word: value });
    else if (role !== "target" && isClear && isData) data.push(value);
  }
  let unclear = given.unclear;
  const roles = program.operands ?? [];
  const rolesLeft = options.some(({ role }) => role === "pattern") ? roles.filter((role) => role !== "pattern") : roles;
  const last = rolesLeft.at(-1);
  if (isPlacing(last)) {
    const placed = placing(last, given, more);
    return { accesses: [...accesses, ...placed.accesses], unclear: unclear ?? placed.unclear, data };
  }
  for (const [index, word] of operands.entries()) {
    const role = rolesLeft[index] ?? last;
    if (role === undefined) {
      unclear ??= "more words than it takes";
      continue;
    }
    // The pattern of `grep *` is the first of the names that the shell puts there; the others are files.
    if (role === "pattern" && word.glob) accesses.push({ kind: "read", word, ...more });
    if (role === "pattern" || role === "text" || role === "command") {
      if (isData) data.push(word);
      continue;
    }
    const kind = KIND_OF[role];
    if (kind === undefined || role === "object" || (kind === "read" && word.text === "-")) continue;
    const own = kind === "write" ? {} : more;
    const isMany = index >= rolesLeft.length - 1 && (kind === "read" || kind === "list");
    accesses.push({
      kind,
      word,
      ...own,
      ...(isMany ? { is_many: isMany } : {}),
      ...(program.plainFilesOnly ? (isTree ? { follows_links: true } : { is_plain_file: true }) : {}),
    });
  }
  const files = operands.length - rolesLeft.filter((role) => role === "pattern").length;
  if (files <= 0) {
    // Whether it reads its input or the folder is for it to find out; only the guard takes it as it seems.
    const readsInput = context.hasInput && !context.looksAtDisk;
    const here =
      program.withoutOperands ?? (isTree ? roles.find((role) => role === "reads" || role === "lists") : undefined);
    const isSearch = isTree && program.withoutOperands === undefined;
    if (here !== undefined && !(isSearch && readsInput && program.tree === "always"))
      accesses.push({ kind: here === "lists" ? "list" : "read", word: "here", ...more });
  }
  return { accesses, unclear, data };
}

type PlacingRole = "copies" | "moves" | "links";

const isPlacing = (role: Role | undefined): role is PlacingRole =>
  role === "copies" || role === "moves" || role === "links";

/** How a program puts what it names into another place, if it does. */
export function placingRole({ operands }: Program): PlacingRole | undefined {
  const last = operands?.at(-1);
  return isPlacing(last) ? last : undefined;
}

/** `cp A B`, `mv A B DIR`, `ln -s A B`: sources, then the place where they go. */
function placing(role: PlacingRole, given: Arguments, more: Partial<Access>): Accesses {
  const { options, operands } = given;
  const into = options
    .filter(({ role: of }) => of === "target")
    .flatMap(({ value }) => (value === undefined ? [] : value));
  const sources = into.length > 0 ? operands : operands.length > 1 ? operands.slice(0, -1) : operands;
  const targets = into.length > 0 ? into : operands.slice(1).slice(-1);
  const isExact = hasOption(given, "-T --no-target-directory");
  const form = into.length > 0 || sources.length > 1 ? "folder" : isExact ? "exactly" : "either";
  const accesses: Access[] = [];
  for (const source of sources) {
    if (role === "moves") accesses.push({ kind: "move", word: source });
    else if (role === "copies") accesses.push({ kind: "read", word: source, ...more });
    for (const word of targets) accesses.push({ kind: "write", word, copy_of: source, into: form });
  }
  const isWhole = sources.length > 0 && targets.length === 1;
  return { accesses, unclear: isWhole ? given.unclear : (given.unclear ?? "no source or no target"), data: [] };
}
