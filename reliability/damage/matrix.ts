import { expectedFor, WHY_UNSEEN } from "./expected.ts";
import { AFTER_DISK_FAULTS, AFTER_FAULTS, expectedAfter, RIGHT_AFTER_FAULTS } from "./fault-outcomes.ts";
import { DISK_FAULTS, FILE_FAULTS, type FileFault } from "./faults.ts";
import { COLUMNS, FILES } from "./files.ts";
import { KINDS } from "./kinds.ts";
import { ALLOWED_OUTCOMES, MOMENTS, type Moment } from "./outcomes.ts";

/** The table of what is expected, as docs/reliability.md shows it. */

const BEGIN = "<!-- matrix: written by npm run damage -->";
const END = "<!-- end of the matrix -->";

const HEADINGS: Readonly<Record<Moment, string>> = {
  "at rest": "Damaged while no gate runs; then one is started:",
  running: "Damaged beside a running gate, which is used further and then restarted:",
};

function matrixText(): string {
  const legend = Object.entries(ALLOWED_OUTCOMES).map(([outcome, meaning]) => `- **${outcome}**: ${meaning}`);
  const why = Object.entries(WHY_UNSEEN).map(([column, reason]) => `- ${column}: ${reason}.`);
  return [...legend, ...MOMENTS.flatMap(tableFor), ...faultTable(), "", "Why some of it is unseen:", "", ...why].join(
    "\n",
  );
}

function tableFor(moment: Moment): string[] {
  const columns = COLUMNS.filter((column) => FILES.some((file) => file.column === column));
  return [
    "",
    HEADINGS[moment],
    "",
    `| | ${columns.join(" | ")} |`,
    `|---|${columns.map(() => "---").join("|")}|`,
    ...KINDS.map((kind) => {
      const cells = columns.map((column) => expectedFor(column, kind, moment).join(" or "));
      return `| ${kind} | ${cells.join(" | ")} |`;
    }),
  ];
}

/** A disk that fails: what is right, by column and kind. */
function faultTable(): string[] {
  const columns = COLUMNS.filter((column) => AFTER_FAULTS[column] !== undefined);
  const kinds = Object.keys(FILE_FAULTS) as FileFault[];
  return [
    "",
    "On a disk that fails while a gate runs, which is used further, killed, and started again on the repaired disk:",
    "",
    ...Object.entries(RIGHT_AFTER_FAULTS).map(([outcome, meaning]) => `- **${outcome}**: ${meaning}`),
    "",
    `| | ${kinds.join(" | ")} |`,
    `|---|${kinds.map(() => "---").join("|")}|`,
    ...columns.map((column) => {
      const cells = kinds.map((kind) => expectedAfter(column, kind).join(" or "));
      return `| ${column} | ${cells.join(" | ")} |`;
    }),
    "",
    ...DISK_FAULTS.map((kind) => `- a whole disk, ${kind}: ${AFTER_DISK_FAULTS[kind].join(" or ")}`),
  ];
}

/** The document with the matrix between its two markers. @throws if it hasn't got them */
export function withMatrix(document: string): string {
  const begin = document.indexOf(BEGIN);
  const end = document.indexOf(END);
  if (begin === -1 || end < begin) throw new Error(`the document has no ${BEGIN} and ${END}`);
  return `${document.slice(0, begin)}${BEGIN}\n\n${matrixText()}\n\n${document.slice(end)}`;
}
