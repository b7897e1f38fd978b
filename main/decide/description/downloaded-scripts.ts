import type { Hazard } from "../../../ipc/contract/description.ts";
import { evaluatesText, fetchedHost, sourceOf } from "../../shell-reading/programs/hazard-records.ts";
import { interpreterOf } from "../../shell-reading/programs/interpreters.ts";
import { scriptWordOf } from "../../shell-reading/programs/script-words.ts";
import { SHELLS } from "../../shell-reading/programs/shells.ts";
import { absolutePath } from "../../shell-reading/shell/paths.ts";
import type { SimpleCommand } from "../../shell-reading/shell/reading.ts";
import type { CommandLine } from "../executors/command-lines.ts";
import { effectsOf } from "../guard/shell/effects.ts";

/** Text that comes from the internet, or is hidden in data, and is run: through a pipe, a substitution, or a file in between. */

/** More than one line of a user's ever has. */
const MAX_SOURCES = 40;

export function downloadedScripts(line: CommandLine): Hazard[] {
  const { commands } = line.reading;
  const sources = commands.flatMap((command) => {
    const source = sourceOf(command.name, command.argv.slice(1));
    return source === null ? [] : [{ command, source }];
  });
  return sources.slice(0, MAX_SOURCES).flatMap(({ command, source }): Hazard[] => {
    const runner =
      commands.find((one) => takesFromPipe(one, command)) ??
      commands.find((one) => takesSubstitution(one, command, line.text)) ??
      (source === "fetched" ? commands.find((one) => runsFile(one, command, commands)) : undefined);
    if (runner === undefined) return [];
    const start = Math.min(command.start, runner.start);
    const end = Math.min(Math.max(command.end, runner.end), line.text.length);
    const host = source === "fetched" ? fetchedHost(command.argv.slice(1)) : null;
    return [
      {
        id: source === "fetched" ? "runs-downloaded-script" : "runs-hidden-code",
        span: start < end ? { arg: line.arg, start, end } : null,
        ...(host === null ? {} : { host }),
      },
    ];
  });
}

const runsText = (name: string): boolean => SHELLS.has(name) || interpreterOf(name) !== undefined;

/** `curl URL | sh -s`: a later part of its pipeline runs what comes on its input. */
function takesFromPipe(runner: SimpleCommand, source: SimpleCommand): boolean {
  if (runner.pipeline === 0 || runner.pipeline !== source.pipeline || runner.pipeline_index <= source.pipeline_index)
    return false;
  if (!runsText(runner.name)) return false;
  const script = scriptWordOf(runner.name, runner.argv);
  const reads_input = script === null || /^\/dev\/(?:stdin|fd\/0)$/.test(script.text);
  return (
    reads_input &&
    (SHELLS.has(runner.name) ||
      !runner.argv.some(({ text }) => /^-\w*[ceEpnmrVv]$|^--(?:eval|print|version|help)$/.test(text)))
  );
}

/** `bash <(curl URL)`, `eval "$(curl URL)"`, `sh -c "$(curl URL)"`. */
function takesSubstitution(runner: SimpleCommand, source: SimpleCommand, text: string): boolean {
  if (runner === source || source.captures <= runner.captures) return false;
  if (runner.start > source.start || runner.end < source.end) return false;
  const [first] = runner.argv;
  const last = runner.via.at(-1);
  // A text that was evaluated, and began with what was fetched.
  if (last !== undefined && (evaluatesText(last) || / -c$/.test(last))) return first?.is_resolved === false;
  if (evaluatesText(runner.name)) return true;
  if (!runsText(runner.name)) return false;
  const script = scriptWordOf(runner.name, runner.argv);
  const holds = (word: { start: number; end: number } | null | undefined) =>
    word != null && word.start <= source.start && word.end >= source.end;
  if (holds(script)) return true;
  const code = runner.argv.findIndex(({ text: one }) => /^-\w*[ceE]$|^--eval$/.test(one));
  if (code > 0 && holds(runner.argv[code + 1])) return true;
  // `sh <<< "$(curl URL)"`, `sh < <(curl URL)`.
  return script === null && code === -1 && /<<<|<\s*<\(/.test(text.slice(runner.start, source.start));
}

/** `curl -o x.sh URL && sh x.sh`. */
function runsFile(runner: SimpleCommand, source: SimpleCommand, commands: readonly SimpleCommand[]): boolean {
  if (commands.indexOf(runner) <= commands.indexOf(source)) return false;
  const script = scriptWordOf(runner.name, runner.argv);
  const path = script === null ? null : absolutePath(script.text, runner.cwd);
  if (path === null) return false;
  const files = effectsOf(source).written.flatMap((word) => absolutePath(word.text, source.cwd) ?? []);
  return files.includes(path) || fetchedName(source) === path;
}

/** `curl -O https://a.example/x.sh` makes x.sh. */
function fetchedName(source: SimpleCommand): string | null {
  const url = source.argv.find(({ text }) => /^[a-z]+:\/\//i.test(text))?.text ?? "";
  const name = /\/([^/?#]+)(?:[?#]|$)/.exec(url.replace(/^[a-z]+:\/\/[^/]*/i, ""))?.[1];
  return name === undefined ? null : absolutePath(name, source.cwd);
}
