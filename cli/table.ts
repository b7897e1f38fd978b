import { visible } from "../ipc/base/visible-text.ts";
import { folded, widthOf } from "./watch/rows.ts";

/** Aligned columns for a terminal, never wider than it. */

export interface Column<T> {
  title: string;
  text(row: T): string;
  /** Where there isn't room for all, it is shortened down to so many columns before any other is. */
  shrinksTo?: number;
  /** Numbers. */
  isRight?: true;
  /** What there isn't room for in a line is below it: nothing of it is left out. */
  wraps?: true;
  /** Where there isn't room for all, it is left out before anything is shortened. */
  isFirstToGo?: true;
  /** For hazards, and for nothing else. */
  isRed?(row: T): boolean;
}

const GAP = "  ";
/** Below this a cell says nothing any more. */
const NARROWEST = 3;

/** The heading and a line for each row. A column without any text is left out. @param width of the terminal, in columns */
export function tableLines<T>(
  all: readonly Column<T>[],
  rows: readonly T[],
  width: number,
  isColoured = false,
): string[] {
  const cells = rows.map((row) => all.map((column) => visible(column.text(row))));
  const filled = all.map((_, index) => index).filter((index) => cells.some((line) => line[index] !== ""));
  const widest = (index: number) =>
    Math.max(widthOf(all[index]?.title ?? ""), ...cells.map((line) => widthOf(line[index] ?? "")));
  const isFull = sum(filled.map(widest)) + GAP.length * (filled.length - 1) > width;
  const kept = filled.filter((index) => !isFull || all[index]?.isFirstToGo !== true);
  const columns = kept.flatMap((index) => all[index] ?? []);
  const texts = [columns.map(({ title }) => title), ...cells.map((line) => kept.map((index) => line[index] ?? ""))];
  const widths = fitted(
    columns,
    columns.map((_, index) => Math.max(...texts.map((line) => widthOf(line[index] ?? "")))),
    width,
  );
  return texts.flatMap((line, row) => {
    const source = rows[row - 1];
    const parts = line.map((text, index) => partsOf(text, widths[index] ?? 0, columns[index]));
    const height = Math.max(1, ...parts.map(({ length }) => length));
    return Array.from({ length: height }, (_, at) => {
      const shown = parts.map((cell, index) => {
        const text = padded(
          cell[at] ?? "",
          widths[index] ?? 0,
          columns[index]?.isRight === true,
          index === line.length - 1,
        );
        const isRed = isColoured && source !== undefined && text !== "" && columns[index]?.isRed?.(source) === true;
        return isRed ? `\x1b[31m${text}\x1b[0m` : text;
      });
      const joined = shown.join(GAP).trimEnd();
      return isColoured && row === 0 ? `\x1b[2m${joined}\x1b[0m` : joined;
    });
  });
}

/** A cell in lines as wide as its column. */
function partsOf<T>(text: string, width: number, column: Column<T> | undefined): string[] {
  if (column?.wraps === true && width > 0) return folded(text, width, Number.POSITIVE_INFINITY);
  return [text];
}

/** The widest of those that may shrink gives way first; only then all the others. */
function fitted<T>(columns: readonly Column<T>[], natural: readonly number[], width: number): number[] {
  const widths = [...natural];
  const least = columns.map(({ shrinksTo }, index) => Math.min(shrinksTo ?? widths[index] ?? 0, widths[index] ?? 0));
  const room = width - GAP.length * Math.max(0, columns.length - 1);
  for (const floors of [least, widths.map(() => NARROWEST), widths.map(() => 0)]) {
    while (sum(widths) > room) {
      const free = widths.map((one, index) => one - (floors[index] ?? 0));
      if (Math.max(...free) <= 0) break;
      const widest = widths.reduce(
        (best, one, index) => ((free[index] ?? 0) > 0 && (best < 0 || one > (widths[best] ?? 0)) ? index : best),
        -1,
      );
      widths[widest] = (widths[widest] ?? 0) - 1;
    }
  }
  return widths;
}

function padded(text: string, width: number, isRight: boolean, isLast: boolean): string {
  const short = widthOf(text) <= width ? text : width < 1 ? "" : (folded(text, width, 1)[0] ?? "");
  const blank = " ".repeat(Math.max(0, width - widthOf(short)));
  if (isRight) return blank + short;
  return isLast ? short : short + blank;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
