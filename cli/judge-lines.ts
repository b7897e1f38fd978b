import { ownCommand } from "../ipc/base/own-command.ts";
import { homeFolder } from "../ipc/base/paths.ts";
import { shortenHome, visible } from "../ipc/base/visible-text.ts";
import type { JudgeStatus, JudgeTest, ModelStatus, RefusedCall } from "../ipc/contract/judges.ts";
import type { Review } from "../ipc/contract/review.ts";
import { possibleAfter } from "../ipc/contract/rules.ts";
import {
  costText,
  measuredText,
  modelProblemText,
  modelUseText,
  possibleText,
  refusedText,
  reviewText,
} from "../ipc/words/judge-words.ts";
import { modelFix } from "./model-fix.ts";
import { shortTokens } from "./short-tokens.ts";
import { momentText } from "./times.ts";
import { folded } from "./watch/rows.ts";

/** What the judges' commands say on a terminal. */

/** Of one sentence on a terminal. */
const MAX_ROWS = 8;

/** `judge status` in words. */
export function judgeStatusLines(status: JudgeStatus): string[] {
  const { kind, kind_now, threshold, llm_threshold, model, models, validators, judge_agents, can_override } = status;
  const denied = kind_now === "llm-v1" ? llm_threshold : threshold;
  const instead = kind === kind_now ? "" : `, now ${kind_now}`;
  const uses = kind === "llm-v1" ? ` by ${model ?? "no model"}` : "";
  return [
    `judge: ${kind}${uses}${instead}; a score below ${denied} is denied`,
    ...(kind === "llm-v1" && model === null
      ? [`  ${modelProblemText("no-model", "en")}: no call is judged by one`]
      : []),
    ...models.flatMap((one) => modelLines(one)),
    ...(validators.length === 0 ? ["no validators"] : []),
    ...validators.map(
      ({ judge_agent, min_score, min_confidence, criteria }, index) =>
        `validator ${index + 1}: ${judge_agent}, score at least ${min_score}${min_confidence > 0 ? `, confidence at least ${min_confidence}` : ""}: ${oneLine(criteria)}`,
    ),
    ...judge_agents.map(
      ({ name, kind: madeOf, model: asks }) =>
        `judge agent ${name}: ${madeOf === "command" ? "a command" : `the model ${asks ?? ""}`.trim()}`,
    ),
    ...(can_override ? [`you may allow once what a judge refused: ${ownCommand("judge refusals")}`] : []),
  ];
}

function modelLines(model: ModelStatus): string[] {
  const { name, host, is_online, problem } = model;
  return [
    `model ${name}: ${model.model} at ${host}${is_online ? ", another machine" : ""}`,
    `  ${problem === null ? "no problem known" : `can't be asked: ${modelProblemText(problem, "en")}`}; ${modelUseText(model, "en")}`,
    `  ${measuredText(model.measured, "en")}`,
  ];
}

/** `judge test` in one line, and what to do where it doesn't work. @param isHere no gate runs, so that this process asked */
export function judgeTestLines(test: JudgeTest, isHere: boolean): string[] {
  const { ok, problem } = test;
  return [judgeTestLine(test, isHere), ...(ok || problem === null ? [] : [`  ${modelFix(problem)}`])];
}

function judgeTestLine(test: JudgeTest, isHere: boolean): string {
  const { name, ok, problem, sentence, score, ms, cost, input_tokens, output_tokens } = test;
  const tokens =
    input_tokens === null || output_tokens === null ? "" : ` (${input_tokens} tokens there, ${output_tokens} back)`;
  const took = `${ms} ms, cost ${costText(cost, "en")}${tokens}`;
  const where = isHere ? "; asked from here, as no gate is running" : "";
  const said = oneLine(sentence);
  if (!ok) {
    // Its own sentence says more than the kind of problem.
    const why = said === "" && problem !== null ? modelProblemText(problem, "en") : said;
    return `${name} does not work: ${why}; ${took}${where}`;
  }
  return `${name} works: ${took}${score === null ? "" : `; score ${score.toFixed(2)}`}${said === "" ? "" : `: ${said}`}${where}`;
}

/** A refusal is a few lines: what, then by whom and why, then what can be done. @param now Unix milliseconds @param width in columns */
export function refusedCallLines(refused: readonly RefusedCall[], now: number, width: number): string[] {
  const shorts = shortTokens(refused.map(({ id }) => id));
  return refused.flatMap((refusal) => {
    const { id, agent_name, summary, refused_at } = refusal;
    const short = shorts.get(id) ?? id;
    const what = shortenHome(summary, homeFolder(process.env));
    const indented = [refusedText(refusal, "en"), nextText(refusal, short)];
    return [
      ...folded(visible(`${short}  ${momentText(refused_at, now)}  ${agent_name}: ${oneLine(what)}`), width, MAX_ROWS),
      ...indented.flatMap((text) => folded(visible(oneLine(text)), width - 2, MAX_ROWS).map((line) => `  ${line}`)),
    ];
  });
}

/** What a person can do, with the command that does it where there is one. */
function nextText(refused: RefusedCall, short: string): string {
  const { agent_name, can_override, overridden_at, rule } = refused;
  if (overridden_at !== null) return "you allowed it once";
  if (can_override) return `to allow it once: ${ownCommand(`judge override ${short}`)}`;
  const possible = possibleText(refused, "en");
  if (possibleAfter(rule) !== "level") return possible;
  return `${possible}: ${ownCommand(`agents level ${agent_name} Supervised`)}`;
}

/** What each judge found, a line each. Of those that weren't asked the trace says so. */
export function reviewLines(reviews: readonly Review[]): string[] {
  return reviews
    .filter(({ outcome }) => outcome !== "not_run")
    .map((review) => {
      const figures = [
        ...(review.score === null ? [] : [`score ${review.score.toFixed(2)}`]),
        ...(review.confidence === null ? [] : [`confidence ${review.confidence.toFixed(2)}`]),
        `${review.ms} ms`,
      ];
      return `${reviewText(review, "en")} (${figures.join(", ")})`;
    });
}

/** One line stays one, whatever a model wrote. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
