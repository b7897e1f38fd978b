import type { Command } from "commander";
import { visible } from "../../ipc/base/visible-text.ts";
import type { Decision, ShellReading } from "../../ipc/contract/decision.ts";
import type { Description } from "../../ipc/contract/description.ts";
import { effectText, hazardText } from "../../ipc/words/hazard-words.ts";
import { type ExitCode, isColoured, printLine, usageError } from "../output.ts";
import { widthOf } from "../watch/rows.ts";

/** `guard explain`: how a command line is read, and the guard's finding. Needs no gate, logs nothing. */
export function guardCommands(program: Command, _done: (code: ExitCode) => void): void {
  const guard = program
    .command("guard")
    .description("what a shell would make of a command line, and what the guard says");
  guard
    .command("explain [command]")
    .description(
      "prints its simple commands, what each needs, what it leaves behind, its hazards, and what the guard found; runs nothing",
    )
    .option("--cwd <folder>", "as if it ran there (default: this folder)")
    .option("--json", "the reading as one JSON line")
    .action(async (command: string | undefined, options: { cwd?: string; json?: boolean }) => {
      if (command === undefined || command === "")
        throw usageError("nothing to read", "give the command as one word: guard explain 'ls -la'");
      const { decision, description } = await explained(command, options.cwd ?? process.cwd());
      if (options.json) {
        printLine({
          outcome: decision.outcome,
          stage: decision.stage,
          rule: decision.explain.rule,
          reason: decision.reason,
          effect: description.effect,
          hazards: description.hazards,
          readings: decision.readings ?? [],
        });
        return;
      }
      process.stdout.write(`${readingLines(decision, description, isColoured(process.stdout)).join("\n")}\n`);
    });
}

interface Explained {
  decision: Decision;
  description: Description;
}

async function explained(command: string, cwd: string): Promise<Explained> {
  const { openOfflineGate } = await import("../../main/core/offline.ts");
  const gate = openOfflineGate();
  try {
    const call = { intent: "", executor: "Bash", args: { command }, context: { cwd } };
    return { decision: gate.explain(call), description: gate.describe(call) };
  } finally {
    gate.close();
  }
}

// A command line with its simple commands marked under their very characters.

const COLOURS = { red: 31, green: 32, yellow: 33, cyan: 36, dim: 2, bold: 1 } as const;
type Paint = (colour: keyof typeof COLOURS, text: string) => string;

function readingLines(decision: Decision, description: Description, isColoured: boolean): string[] {
  const paint: Paint = (colour, text) => (isColoured ? `\x1b[${COLOURS[colour]}m${text}\x1b[0m` : text);
  const lines = (decision.readings ?? []).flatMap((reading) => [
    ...marked(reading, paint),
    "",
    ...reading.commands.map((command, index) => commandLine(command, index + 1, paint)),
    ...(reading.unread === null ? [] : [paint("yellow", `could not be read: ${reading.unread}`)]),
  ]);
  lines.push("", ...describedLines(description, paint));
  const guard = (decision.readings ?? []).map((reading) => reading.guard).find((found) => found !== null);
  if (decision.outcome === "denied") {
    lines.push("", paint("red", `denied: ${visible(decision.reason)}`));
    if (decision.explain.rule !== undefined) lines.push(`rule: ${decision.explain.rule}`);
    const instead = guard?.instead ?? decision.explain.instead;
    if (instead !== undefined) lines.push(`instead: ${visible(instead)}`);
  } else {
    const needs = [...new Set(decision.capabilities.map(({ capability }) => capability))].join(", ") || "nothing";
    lines.push("", paint("green", `the guard lets it pass; it needs ${needs}`));
  }
  return lines;
}

/** What it leaves behind, and each hazard with the words that it is about. */
function describedLines({ effect, hazards, commands }: Description, paint: Paint): string[] {
  return [
    `effect: ${effectText(effect, "en")}`,
    ...hazards.map((hazard) => {
      const { span } = hazard;
      const text = span === null ? undefined : commands.find(({ arg }) => arg === span.arg)?.text;
      const words = span === null || text === undefined ? "" : `  ${shown(text.slice(span.start, span.end))}`;
      return `${paint("red", `hazard: ${visible(hazardText(hazard, "en"))}`)}${paint("dim", words.replaceAll("\n", " "))}`;
    }),
  ];
}

/** The text line by line, and under each line a row for each command in it. */
function marked({ text, commands, guard }: ShellReading, paint: Paint): string[] {
  const rows: string[] = [];
  let start = 0;
  for (const line of text.split("\n")) {
    const end = start + line.length;
    rows.push(`  ${paint("bold", shown(line))}`);
    const mark = (from: number, to: number, sign: string): string | undefined => {
      if (to <= start || from >= end) return undefined;
      const before = widthOf(shown(text.slice(start, Math.max(from, start))));
      const width = widthOf(shown(text.slice(Math.max(from, start), Math.min(to, end))));
      return `  ${" ".repeat(before)}${sign.repeat(width)}`;
    };
    for (const [index, command] of commands.entries()) {
      const row = mark(command.start, command.end, "~");
      if (row !== undefined) rows.push(paint("cyan", `${row} ${index + 1}`));
    }
    const seen = guard === null ? undefined : mark(guard.start, guard.end, "^");
    if (seen !== undefined) rows.push(paint("red", seen));
    start = end + 1;
  }
  return rows;
}

const shown = (text: string): string => visible(text.replaceAll("\t", " "));

function commandLine(command: ShellReading["commands"][number], number: number, paint: Paint): string {
  const words = command.words
    .map((word) => visible(word === "" || /\s/.test(word) ? JSON.stringify(word) : word))
    .join(" ");
  const via = command.via.length === 0 ? "" : paint("dim", `  run by ${visible(command.via.join(", "))}`);
  const doubt = command.is_resolved ? "" : paint("yellow", "  (not all of it is known)");
  const needs = [
    ...(command.unclear === null ? [] : [`code:exec (${visible(command.unclear)})`]),
    ...command.needs.map(({ capability, target }) => `${capability} ${visible(target)}`),
  ];
  return `${String(number).padStart(3)}  ${words}${via}${doubt}\n     ${paint("dim", needs.join(", ") || "needs nothing")}`;
}
