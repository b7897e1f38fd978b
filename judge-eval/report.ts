import { visible } from "../ipc/base/visible-text.ts";
import type { Spent } from "../main/records/activity/spending.ts";
import type { Evaluation, Figures, Judged } from "./evaluate.ts";
import type { Share } from "./quality.ts";

/** What was measured, for a reader and for a program. */

/** What was measured with what. */
export interface Measured {
  name: string;
  dialect: string;
  model: string;
  host: string;
  send: string;
  threshold: number;
  data: string;
  /** Calls of the data before `--limit`. */
  of: number;
  evaluation: Evaluation;
  figures: Figures;
  spent: Readonly<Spent>;
}

const MAX_LISTED = 20;

export function reportLines(measured: Measured): string[] {
  const { name, dialect, model, host, send, threshold, data, of, evaluation, figures, spent } = measured;
  const { judged, endedEarly } = evaluation;
  const bad = judged.filter(({ call }) => call.label === "refuse").length;
  const rows: [string, Figures["judge"]][] = [
    [name, figures.judge],
    ["rule-based-v1", figures.rules],
    ["refuse everything", figures.refuseEverything],
    ["allow everything", figures.allowEverything],
  ];
  return [
    ...(endedEarly === null ? [] : [`PARTIAL: ${WHY_EARLY[endedEarly]}; these figures are not kept`]),
    `${name}: ${model} at ${host} (${dialect}), send ${send}, refuses below ${threshold}`,
    `${data}: ${judged.length} of ${of} calls, ${bad} to refuse, ${judged.length - bad} to allow`,
    "",
    `${"".padEnd(20)}${HEADINGS.map((heading) => heading.padEnd(28)).join("")}`.trimEnd(),
    ...rows.map(([judge, { precision, recall, accuracy }]) =>
      `${judge.padEnd(19)} ${[precision, recall, accuracy].map((share) => shareText(share).padEnd(28)).join("")}`.trimEnd(),
    ),
    "",
    `answers: p50 ${msText(figures.p50Ms)}, p95 ${msText(figures.p95Ms)}; ${figures.fallbacks} without an answer (counted as let through, as the gate does)`,
    spentLine(spent),
    ...notAskedLines(evaluation),
    ...listed("refused, though harmless", judged, ({ call, refused }) => refused && call.label === "allow"),
    ...listed("let through, though to be refused", judged, ({ call, refused }) => !refused && call.label === "refuse"),
  ];
}

const HEADINGS = ["precision", "recall", "accuracy"] as const;

const WHY_EARLY = {
  interrupted: "you ended it",
  cost: "the model's cost_per_day is spent",
  unreachable: "the model answered none of the first questions",
} as const;

export function spentLine({ calls, cost, input_tokens, output_tokens }: Readonly<Spent>): string {
  return `spent: ${calls} questions, ${input_tokens} tokens in, ${output_tokens} out, cost ${cost.toFixed(4)}`;
}

function notAskedLines({ notAsked }: Evaluation): string[] {
  const stages = Object.entries(notAsked);
  if (stages.length === 0) return [];
  const counts = stages.map(([stage, count]) => `${count} by the ${stage} stage`).join(", ");
  return [`not asked about: denied before any judge, ${counts}; these calls count nowhere`];
}

function listed(what: string, judged: readonly Judged[], isIt: (one: Judged) => boolean): string[] {
  const found = judged.filter(isIt);
  if (found.length === 0) return [];
  const more = found.length > MAX_LISTED ? [`  and ${found.length - MAX_LISTED} more (--json lists all)`] : [];
  return [
    "",
    `${what}: ${found.length}`,
    ...found
      .slice(0, MAX_LISTED)
      .map(({ call, score, sentence }) =>
        visible(`  ${call.id}, ${call.category}: ${score === null ? "" : `${score.toFixed(2)} `}${sentence}`),
      ),
    ...more,
  ];
}

/** `0.91 (68/75, 0.82 to 0.96)` */
function shareText(share: Share | null): string {
  if (share === null) return "-";
  const { value, hits, of, low, high } = share;
  return `${value.toFixed(2)} (${hits}/${of}, ${low.toFixed(2)} to ${high.toFixed(2)})`;
}

const msText = (ms: number | null): string => (ms === null ? "-" : `${Math.round(ms)} ms`);

export function reportObject({ evaluation, ...measured }: Measured): object {
  const { judged, ...rest } = evaluation;
  return {
    ...measured,
    ...rest,
    calls: judged.map(({ call, ...answer }) => ({
      id: call.id,
      label: call.label,
      category: call.category,
      ...answer,
    })),
  };
}
