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
  isMarked: boolean;
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
          startsAt={Math.max(
            0,
            rows.findIndex(({ isMarked }) => isMarked),
          )}
          look={isNew ? "diff numbered new" : "diff numbered"}
          row={(index) => {
            const row = rows[index];
            if (row === undefined) return null;
            return (
              <div key={index} className={row.isMarked ? `line ${row.kind} risky` : `line ${row.kind}`}>
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
    const numbered = lines.map((line) => {
      const number = line.kind === "removed" ? oldNumber : newNumber;
      if (line.kind !== "added") oldNumber = next(oldNumber);
      if (line.kind !== "removed") newNumber = next(newNumber);
      return { line, number };
    });
    const rows = paired(numbered).flatMap(({ line: { kind, text, risk }, number }): DiffRow[] =>
      lineRows(text).map(({ start, end }) => {
        const shown = { number: start === 0 ? number : null, text: text.slice(start, end) };
        return { kind, ...shown, continues: start > 0, isMarked: risk !== undefined };
      }),
    );
    return hunk === 0 ? rows : [{ kind: "gap", number: null, text: "", continues: false, isMarked: false }, ...rows];
  });
}

interface NumberedLine {
  line: DescribedChange["hunks"][number]["lines"][number];
  number: number | null;
}

/** Longer stretches are shown as they are: all that goes, then all that comes. */
const MAX_PAIRED = 400;

/** Each removed line with the added one that takes its place, where they are alike: what became of it is read in one look. */
function paired(lines: readonly NumberedLine[]): NumberedLine[] {
  const shown: NumberedLine[] = [];
  for (let at = 0; at < lines.length; ) {
    const removed = runAt(lines, at, "removed");
    const added = runAt(lines, at + removed.length, "added");
    if (removed.length === 0 || added.length === 0 || removed.length + added.length > MAX_PAIRED) {
      const end = at + Math.max(1, removed.length + added.length);
      shown.push(...lines.slice(at, end));
      at = end;
      continue;
    }
    shown.push(...interleaved(removed, added));
    at += removed.length + added.length;
  }
  return shown;
}

function runAt(lines: readonly NumberedLine[], from: number, kind: "removed" | "added"): NumberedLine[] {
  let end = from;
  while (lines[end]?.line.kind === kind) end++;
  return lines.slice(from, end);
}

/** How far ahead a line's like is looked for. */
const AHEAD = 6;

function interleaved(removed: readonly NumberedLine[], added: readonly NumberedLine[]): NumberedLine[] {
  const shown: NumberedLine[] = [];
  let done = 0;
  for (const one of removed) {
    const ahead = added.slice(done, done + AHEAD).findIndex((other) => areAlike(one.line.text, other.line.text));
    if (ahead === -1) {
      shown.push(one);
      continue;
    }
    shown.push(...added.slice(done, done + ahead), one, ...added.slice(done + ahead, done + ahead + 1));
    done += ahead + 1;
  }
  return [...shown, ...added.slice(done)];
}

/** Half of the longer line is the same at its beginning and its end. */
function areAlike(a: string, b: string): boolean {
  const [left, right] = [a.trim(), b.trim()];
  const shorter = Math.min(left.length, right.length);
  let start = 0;
  while (start < shorter && left[start] === right[start]) start++;
  let end = 0;
  while (end < shorter - start && left.at(-1 - end) === right.at(-1 - end)) end++;
  return shorter > 0 && start + end >= Math.max(left.length, right.length) / 2;
}
