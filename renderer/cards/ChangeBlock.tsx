import { useMemo } from "react";
import type { DescribedChange } from "../../ipc/contract/description.ts";
import { VisibleText } from "../parts/VisibleText.tsx";
import { cardWords } from "../words/cards.ts";
import { useWords } from "../words/language.ts";
import { LineNumber } from "./CommandBlock.tsx";
import { lineRows } from "./call-text.ts";
import { TextBlock } from "./TextBlock.tsx";

interface DiffRow {
  kind: "same" | "added" | "removed" | "gap";
  number: number | null;
  text: string;
  /** The row continues the one above. */
  continues: boolean;
}

const SIGN = { same: " ", added: "+", removed: "-", gap: " " } as const;

/** What would change in a file, as a unified difference; of a new file its text. */
export function ChangeBlock({ change }: { change: DescribedChange }) {
  const words = useWords(cardWords);
  const rows = useMemo(() => diffRows(change), [change]);
  // All of a new file is new: no line of it must say so.
  const isNew = change.status === "new" && change.removed === 0;
  return (
    <>
      {rows.length === 0 ? null : (
        <TextBlock
          count={rows.length}
          lengthOf={(index) => rows[index]?.text.length ?? 0}
          label={words.theChange(change.added, change.removed)}
          look={isNew ? "diff numbered new" : "diff numbered"}
          row={(index) => {
            const row = rows[index];
            if (row === undefined) return null;
            return (
              <div key={index} className={`line ${row.kind}`}>
                <LineNumber number={row.number} />
                {isNew ? null : <span className="sign">{row.continues ? " " : SIGN[row.kind]}</span>}
                <code>
                  {row.kind === "gap" ? "⋯" : <VisibleText text={row.text} keepNewlines />}
                  {row.text === "" && row.kind !== "gap" ? <br /> : null}
                </code>
              </div>
            );
          }}
        />
      )}
      {change.left_out === 0 ? null : <p className="quiet figures">{words.leftOut(change.left_out)}</p>}
    </>
  );
}

function diffRows({ hunks }: DescribedChange): DiffRow[] {
  return hunks.flatMap(({ old_start, new_start, lines }, hunk): DiffRow[] => {
    let [oldNumber, newNumber] = [old_start, new_start];
    const next = (number: number | null) => (number === null ? null : number + 1);
    const rows = lines.flatMap(({ kind, text }): DiffRow[] => {
      const number = kind === "removed" ? oldNumber : newNumber;
      if (kind !== "added") oldNumber = next(oldNumber);
      if (kind !== "removed") newNumber = next(newNumber);
      return lineRows(text).map(({ start, end }) => {
        return { kind, number: start === 0 ? number : null, text: text.slice(start, end), continues: start > 0 };
      });
    });
    return hunk === 0 ? rows : [{ kind: "gap", number: null, text: "", continues: false }, ...rows];
  });
}
