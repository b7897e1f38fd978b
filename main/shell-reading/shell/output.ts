import { namesPrinted, printedBy, printsFile } from "../programs/prints.ts";
import { programCalled } from "../programs/table.ts";
import { absolutePath } from "./paths.ts";
import type { SimpleCommand, Word } from "./reading.ts";

/** What commands print, where that is known without running them: text that is fed to a shell is read, too. */

const MAX_OUTPUT = 65_536;

/** The text on a command's standard output, or null where it is unknown. */
export function outputOf(command: SimpleCommand, files: ReadonlyMap<string, string>): string | null {
  if (
    command.redirects.some(
      ({ operator, fd }) =>
        operator.includes(">") && !operator.includes("<") && (fd === null || fd === 1) && operator !== ">&",
    )
  )
    return "";
  const [file, ...more] = printsFile(command.name) ? command.argv.slice(1) : [];
  if (file?.is_resolved && more.length === 0) {
    const written = files.get(absolutePath(file.text, command.cwd) ?? "");
    if (written !== undefined) return written;
  }
  return printed(command);
}

/** The file that a command's output goes to, if both are known. */
export function writtenFile(command: SimpleCommand): { path: string; text: string; adds: boolean } | undefined {
  const redirect = command.redirects.find(
    ({ operator, fd }) => /^(?:>|>>|>\||&>|&>>)$/.test(operator) && (fd === null || fd === 1),
  );
  const copied = programCalled(command.name)?.copies_input
    ? command.argv.slice(1).find((word) => !word.text.startsWith("-"))
    : undefined;
  const target = redirect?.target ?? copied;
  if (target === undefined || !target.is_resolved || target.glob) return undefined;
  const path = absolutePath(target.text, command.cwd);
  const text = path === null || path.startsWith("/dev/") ? null : printed(command);
  if (path === null || text === null) return undefined;
  return {
    path,
    text,
    adds: redirect?.operator.includes(">>") ?? command.argv.some(({ text: option }) => option === "-a"),
  };
}

function printed({ argv, name, stdin, code, cwd }: SimpleCommand): string | null {
  const args = argv.slice(1);
  if (code !== undefined || !args.every(({ is_resolved, glob }) => is_resolved && glob === undefined)) return null;
  const texts = args.map(({ text }) => text);
  // A redirection without a command prints nothing.
  const output = name === "" ? "" : printedBy(name, texts, stdin?.text ?? null, cwd);
  return output !== null && output.length <= MAX_OUTPUT ? output : null;
}

/** The names that a listing prints, for what `xargs` and `read` make of them. Null where that is unknown. */
export function listedBy({ name, argv, start, end }: SimpleCommand): Word[] | null {
  return namesPrinted(name, argv.slice(1), { start, end });
}
