import { useMemo } from "react";
import type { CallSpan, DescribedCommand, Hazard } from "../../ipc/contract/description.ts";
import { VisibleText } from "../parts/VisibleText.tsx";
import { cardWords } from "../words/cards.ts";
import { useWords } from "../words/language.ts";
import { lineRows } from "./call-text.ts";
import { isLong, TextBlock } from "./TextBlock.tsx";

/** A command as a command: its own line breaks, quiet colours by the kind of word, what is dangerous marked. */
export function CommandBlock({ command, hazards }: { command: DescribedCommand; hazards: readonly Hazard[] }) {
  const words = useWords(cardWords);
  const rows = useMemo(() => commandRows(command.text), [command]);
  const spans = useMemo(() => hazardSpans(command.arg, hazards), [command, hazards]);
  const size = {
    count: rows.length,
    lengthOf: (index: number) => (rows[index]?.end ?? 0) - (rows[index]?.start ?? 0),
  };
  const isScript = rows.length > 1;
  const firstMark = Math.min(...spans.map(({ start }) => start));
  const startsAt = Math.max(
    0,
    rows.findIndex(({ end }) => end > firstMark),
  );
  const [first = ""] = command.text.split("\n", 1);
  const lines = rows.at(-1)?.number ?? command.text.split("\n").length;
  return (
    <>
      {isScript && isLong(size) ? (
        <p className="first-line quiet">
          <span className="mono">
            <VisibleText text={first.slice(0, 200)} />
          </span>
          <span className="figures"> · {words.lines(lines)}</span>
        </p>
      ) : null}
      <TextBlock
        {...size}
        startsAt={startsAt}
        label={words.theCommand(lines)}
        look={isScript ? "command numbered" : "command"}
        row={(index) => {
          const row = rows[index];
          if (row === undefined) return null;
          return (
            <div key={index} className="line">
              {isScript ? <LineNumber number={row.number} /> : null}
              <code>
                <ColouredText text={command.text} tokens={command.tokens} marks={spans} row={row} />
              </code>
            </div>
          );
        }}
      />
    </>
  );
}

/** A row of a text, coloured by the kind of word, with what is dangerous marked. */
export function ColouredText({ text, tokens, marks, row }: ColouredTextProps) {
  return (
    <>
      {hazardRuns(rowPieces({ text, tokens }, marks, row)).map((pieces, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a row never change
        <Run key={at} pieces={pieces} />
      ))}
      {row.start === row.end ? <br /> : null}
    </>
  );
}

interface ColouredTextProps extends Pick<DescribedCommand, "text" | "tokens"> {
  marks: readonly TextSpan[];
  row: TextSpan;
}

type TextSpan = Pick<CallSpan, "start" | "end">;

/** Neighbouring pieces that are dangerous, and those between them: what is dangerous has one mark. */
function hazardRuns(pieces: readonly Piece[]): Piece[][] {
  const runs: Piece[][] = [];
  for (const piece of pieces) {
    const run = runs.at(-1);
    if (run?.[0]?.isHazard === piece.isHazard) run.push(piece);
    else runs.push([piece]);
  }
  return runs;
}

function Run({ pieces }: { pieces: readonly Piece[] }) {
  const coloured = pieces.map(({ text, kind }, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a row never change
    <span key={at} className={kind ?? undefined}>
      <VisibleText text={text} keepNewlines />
    </span>
  ));
  return pieces[0]?.isHazard ? <mark>{coloured}</mark> : coloured;
}

/** Drawn, and no part of the text: it isn't copied with it. */
export function LineNumber({ number }: { number: number | null }) {
  return <span className="number" data-number={number ?? ""} aria-hidden="true" />;
}

// A command's rows, and the pieces of each with their colour: cut only for those that are on the screen.

interface CommandRow {
  /** Where it begins and ends in the command's text. */
  start: number;
  end: number;
  /** Counted from 1; null where the row continues the one above. */
  number: number | null;
}

interface Piece {
  text: string;
  kind: DescribedCommand["tokens"][number]["kind"] | null;
  isHazard: boolean;
}

function commandRows(text: string): CommandRow[] {
  let at = 0;
  return text.split("\n").flatMap((line, index) => {
    const begin = at;
    at += line.length + 1;
    return lineRows(line).map(({ start, end }) => {
      return { start: begin + start, end: begin + end, number: start === 0 ? index + 1 : null };
    });
  });
}

/** The hazards' places in this command's text. */
function hazardSpans(arg: string, hazards: readonly Hazard[]): CallSpan[] {
  return hazards.flatMap(({ span }) => (span !== null && span.arg === arg && span.end > span.start ? [span] : []));
}

function rowPieces(
  { text, tokens }: Pick<DescribedCommand, "text" | "tokens">,
  hazards: readonly TextSpan[],
  { start, end }: TextSpan,
): Piece[] {
  const inside = tokens.slice(firstEndingAfter(tokens, start), firstEndingAfter(tokens, end) + 1);
  const cuts = new Set([start, end]);
  const add = (span: { start: number; end: number }) => {
    if (span.end <= start || span.start >= end) return;
    cuts.add(Math.max(start, span.start)).add(Math.min(end, span.end));
  };
  for (const span of [...inside, ...hazards]) add(span);
  const places = [...cuts].toSorted((a, b) => a - b);
  return places.slice(0, -1).map((from, index): Piece => {
    const isOver = (span: { start: number; end: number }) => span.start <= from && from < span.end;
    return {
      text: text.slice(from, places[index + 1]),
      kind: inside.find(isOver)?.kind ?? null,
      isHazard: hazards.some(isOver),
    };
  });
}

/** The tokens are in order: the first that reaches beyond `at`. */
function firstEndingAfter(tokens: DescribedCommand["tokens"], at: number): number {
  let [from, to] = [0, tokens.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((tokens[middle]?.end ?? 0) > at) to = middle;
    else from = middle + 1;
  }
  return from;
}
