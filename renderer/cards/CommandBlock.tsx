import { useMemo } from "react";
import type { DescribedCommand, Hazard } from "../../ipc/contract/description.ts";
import { VisibleText } from "../parts/VisibleText.tsx";
import { cardWords } from "../words/cards.ts";
import { useWords } from "../words/language.ts";
import { commandRows, hazardSpans, type Piece, rowPieces } from "./command-rows.ts";
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
  const is_script = rows.length > 1;
  const [first = ""] = command.text.split("\n", 1);
  const lines = rows.at(-1)?.number ?? command.text.split("\n").length;
  return (
    <>
      {is_script && isLong(size) ? (
        <p className="first-line quiet">
          <span className="mono">
            <VisibleText text={first.slice(0, 200)} />
          </span>
          <span className="figures"> · {words.lines(lines)}</span>
        </p>
      ) : null}
      <TextBlock
        {...size}
        label={words.theCommand(lines)}
        look={is_script ? "command numbered" : "command"}
        row={(index) => {
          const row = rows[index];
          if (row === undefined) return null;
          return (
            <div key={index} className="line">
              {is_script ? <LineNumber number={row.number} /> : null}
              <code>
                {hazardRuns(rowPieces(command, spans, row)).map((pieces, at) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a row never change
                  <Run key={at} pieces={pieces} />
                ))}
                {row.start === row.end ? <br /> : null}
              </code>
            </div>
          );
        }}
      />
    </>
  );
}

/** Neighbouring pieces that are dangerous, and those between them: what is dangerous has one mark. */
function hazardRuns(pieces: readonly Piece[]): Piece[][] {
  const runs: Piece[][] = [];
  for (const piece of pieces) {
    const run = runs.at(-1);
    if (run?.[0]?.is_hazard === piece.is_hazard) run.push(piece);
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
  return pieces[0]?.is_hazard ? <mark>{coloured}</mark> : coloured;
}

/** Drawn, and no part of the text: it isn't copied with it. */
export function LineNumber({ number }: { number: number | null }) {
  return <span className="number" data-number={number ?? ""} aria-hidden="true" />;
}
