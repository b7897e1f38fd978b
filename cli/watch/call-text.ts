import { shortenHome, visible } from "../../ipc/base/visible-text.ts";
import type { DescribedChange, StandsFor } from "../../ipc/contract/description.ts";
import type { Language } from "../../ipc/contract/language.ts";
import type { AskedTool } from "../../ipc/contract/mcp.ts";
import type { ApprovalView } from "../../ipc/contract/operator-api.ts";
import { runsUnaskedText, tooLongText, toolStateText } from "../../ipc/words/mcp-words.ts";
import { shownCall } from "../../ipc/words/shown-call.ts";
import { CARD_WORDS } from "./card-words.ts";
import { widthOf, wrapped } from "./rows.ts";
import { callWords } from "./words.ts";

/** A row that continues the line above starts with this; a new line starts with blanks. */
const GOES_ON = "↳ ";
const INDENT = "  ";
/** In front of a script's line in which something is dangerous. */
const DANGER = "! ";
const SIGN = { same: " ", added: "+", removed: "-" } as const;

/** What of a card, or of a refusal, is the call. */
export type CallOfCard = Pick<ApprovalView, "args" | "capabilities" | "cwd" | "description" | "intent"> &
  Partial<Pick<ApprovalView, "mcp">>;

/**
 * The whole call as rows of at most `width` columns: what would change in files, each argument that this doesn't show under its name,
 * and what a name in it would run. Hidden characters are made visible.
 */
export function callLines(
  card: CallOfCard,
  width: number,
  language: Language = "en",
  home: string | null = null,
): string[] {
  const changes = card.description?.changes ?? [];
  const { beside } = shownCall({ ...card, description: withoutCommands(card) });
  const args = Object.entries(changes.length === 0 ? (card.args ?? {}) : beside);
  const said = card.mcp == null ? [] : toolLines(card.mcp, width, language);
  const rows = [
    ...changes.flatMap((change) => changeLines({ ...change, path: shortPath(change.path, home) }, width, language)),
    ...args.flatMap(([name, value]) => argumentLines(name, value, width)),
    ...(card.description?.stands_for ?? []).flatMap((one) =>
      scriptLines({ ...one, file: shortPath(one.file, home) }, width, language),
    ),
  ];
  return [...said, ...(rows.length === 0 ? [CARD_WORDS[language].noArguments] : rows)];
}

function shortPath(path: string, home: string | null): string {
  return home === null ? path : shortenHome(path, home);
}

/** A command is shown as the argument that it is. */
function withoutCommands({ description }: CallOfCard): ApprovalView["description"] {
  return description === null ? null : { ...description, commands: [], request: null };
}

function argumentLines(key: string, value: unknown, width: number): string[] {
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  const lines = shownLines(text);
  const name = `${visible(key)}:`;
  const [first = ""] = lines;
  if (lines.length === 1 && widthOf(`${name} ${first}`) <= width) return [`${name} ${first}`];
  return [...wrapped(name, width), ...lines.flatMap((line) => indented(line, INDENT, width))];
}

/** What is known of a server's tool, and what the server says of it where it wasn't allowed as it is now. */
function toolLines(tool: AskedTool, width: number, language: Language): string[] {
  const { says } = callWords[language];
  const head = tool.is_too_long ? tooLongText(language) : toolStateText(tool, language);
  const unasked = tool.runs_unasked ? wrapped(`${runsUnaskedText(language)}.`, width) : [];
  if (tool.state === "looks") return wrapped(visible(head), width);
  if (tool.difference !== null) {
    const { hunks } = tool.difference;
    const lines = hunks.flatMap((hunk) => hunk.lines.map(({ kind, text }) => ({ sign: `${SIGN[kind]} `, text })));
    const shown = lines.flatMap(({ sign, text }) => shownLines(text).flatMap((line) => indented(line, sign, width)));
    return [...wrapped(`${visible(head)}:`, width), ...shown, ...unasked];
  }
  const said = tool.description === "" ? [] : shownLines(tool.description);
  const words = said.flatMap((line) => indented(line, INDENT, width));
  const claims = words.length === 0 ? [] : wrapped(says(visible(tool.server)), width);
  return [...wrapped(`${visible(head)}.`, width), ...claims, ...words, ...unasked];
}

/** A unified difference: the file with its counts, then its lines with their signs. */
function changeLines(change: DescribedChange, width: number, language: Language): string[] {
  const words = callWords[language];
  const head = `${visible(change.path)}: ${words.change(change)}`;
  const lines = change.hunks.flatMap(({ lines, new_start }, index) => [
    ...(index === 0 ? [] : [`@@ ${new_start ?? ""}`.trimEnd()]),
    ...lines.flatMap(({ kind, text }) => shownLines(text).flatMap((line) => indented(line, `${SIGN[kind]} `, width))),
  ]);
  const rest = change.left_out === 0 ? [] : [words.leftOut(change.left_out)];
  return [...wrapped(head, width), ...lines, ...rest.flatMap((text) => wrapped(text, width))];
}

function scriptLines(script: StandsFor, width: number, language: Language) {
  const { name, file, lines, total_lines, has_changed, marks = [], unread = [] } = script;
  let start = 0;
  const signs = lines.map(({ length }) => {
    const from = start;
    start += length + 1;
    return marks.some((mark) => mark.start < start && mark.end > from) ? DANGER : INDENT;
  });
  const words = callWords[language];
  const head = `${visible(name)} = ${visible(file)}${lines.length === 0 ? ` (${words.unreadable})` : ":"}`;
  const more = lines.length < total_lines ? [words.firstOf(lines.length, total_lines)] : [];
  return [
    ...(has_changed ? wrapped(words.anotherScript, width) : []),
    ...wrapped(head, width),
    ...lines.flatMap((line, at) => shownLines(line).flatMap((row) => indented(row, signs[at] ?? INDENT, width))),
    ...(unread.length > 0 ? [visible(words.notRead(unread))] : []).flatMap((text) => wrapped(text, width)),
    ...more.flatMap((text) => wrapped(text, width)),
  ];
}

function shownLines(text: string): string[] {
  return visible(text, { keepNewlines: true }).replaceAll("\t", "    ").split("\n");
}

function indented(line: string, start: string, width: number): string[] {
  const [first = "", ...rest] = wrapped(line, width - start.length);
  return [start + first, ...rest.map((row) => GOES_ON + row)];
}
