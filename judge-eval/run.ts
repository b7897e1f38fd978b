import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { gatePaths } from "../ipc/base/paths.ts";
import { visible } from "../ipc/base/visible-text.ts";
import { GateError } from "../ipc/contract/gate-error.ts";
import { measuredText } from "../ipc/words/judge-words.ts";
import { type Config, loadConfig } from "../main/config/config.ts";
import { ExecutorCatalog, loadOwnExecutors } from "../main/decide/executors/catalog.ts";
import { fingerprintOf, type JudgeResult, measurementOf, OURS, sendOf } from "../main/judges/judge-results.ts";
import { JUDGE_PROMPT_VERSION } from "../main/judges/reviews/model-judge/prompt.ts";
import { type Options, OUR_CALLS, parseOptions } from "./arguments.ts";
import { COST_REACHED, type Evaluation, evaluate, figuresOf } from "./evaluate.ts";
import { FORMATS, readCalls, spread } from "./formats/formats.ts";
import { openJudge } from "./judge.ts";
import { keepJudgeResult } from "./keep-result.ts";
import { type Measured, reportLines, reportObject, spentLine } from "./report.ts";

/** `npm run judge-eval -- --model NAME [...]`: how good a model is as judge (docs/judge-eval.md). */

const EXIT_CODES = { whole: 0, interrupted: 130, cost: 1, unreachable: 1 } as const;

async function main(args: readonly string[]): Promise<number> {
  const options = parseOptions(args);
  const paths = gatePaths();
  const config = withSend(loadConfig(paths.configFile), options);
  const all = readCalls(options.format, options.files);
  const calls = spread(all, options.limit ?? all.length);
  const catalog = new ExecutorCatalog(loadOwnExecutors(paths.executorsDir));
  const interrupt = new AbortController();
  const judge = openJudge(config, options.model, process.env);
  const onInterrupt = () => interrupt.abort();
  process.once("SIGINT", onInterrupt).once("SIGTERM", onInterrupt);
  try {
    const limits = { atOnce: options.atOnce, threshold: config.judge.threshold };
    const evaluation = await evaluate(calls, judge.reviewer, catalog, limits, interrupt.signal, (done, of) => {
      if (judge.isOverCost) interrupt.abort(COST_REACHED);
      if (process.stderr.isTTY) process.stderr.write(`\r${done} of ${of} calls; ${spentLine(judge.spent)} \r`);
    });
    if (process.stderr.isTTY) process.stderr.write("\r\u001b[K");
    const measured: Measured = {
      name: options.model,
      dialect: judge.config.dialect,
      model: judge.config.model,
      host: judge.host,
      send: sendOf(config, options.model),
      threshold: config.judge.llm_threshold,
      data: dataName(options),
      of: all.length,
      evaluation,
      figures: figuresOf(evaluation.judged),
      spent: judge.spent,
    };
    const kept = keep(paths.judgeResults, config, measured);
    if (options.is_json) console.log(JSON.stringify({ ...reportObject(measured), kept }));
    else for (const line of [...reportLines(measured), "", kept]) console.log(line);
    return EXIT_CODES[evaluation.endedEarly ?? "whole"];
  } finally {
    judge.close();
    process.removeListener("SIGINT", onInterrupt).removeListener("SIGTERM", onInterrupt);
  }
}

function withSend(config: Config, { send }: Options): Config {
  return send === undefined ? config : { ...config, judge: { ...config.judge, send } };
}

/** Our own calls are `ours` only as they are shipped; a published set by its title; whatever else by its file's name. */
function dataName({ format, files }: Options): string {
  if (format !== "ours") return FORMATS[format].title;
  const [file = ""] = files;
  if (files.length === 1 && digestOf(file) === digestOf(OUR_CALLS)) return OURS;
  return visible(files.map((name) => basename(name)).join(", ")).slice(0, 100);
}

const digestOf = (file: string): string => createHash("sha256").update(readFileSync(file)).digest("hex");

/** @returns what became of the result, in one sentence */
function keep(file: string, config: Config, { name, data, of, evaluation, figures }: Measured): string {
  const { judged } = evaluation;
  const whyNot = whyNotKept(evaluation, figures.fallbacks);
  const fingerprint = fingerprintOf(config, name, JUDGE_PROMPT_VERSION);
  if (whyNot !== null || fingerprint === undefined) return `not kept: ${whyNot}`;
  const { true_positives, false_positives, true_negatives, false_negatives } = figures.judge;
  const denied = Object.values(evaluation.notAsked).reduce((sum, count) => sum + count, 0);
  const result: JudgeResult = {
    fingerprint,
    data,
    calls: judged.length,
    of: of - denied,
    fallbacks: figures.fallbacks,
    measured_at: new Date().toISOString(),
    true_positives,
    false_positives,
    true_negatives,
    false_negatives,
  };
  if (!keepJudgeResult(file, result)) return "not kept: there is a result of all calls already";
  return `kept: ${measuredText(measurementOf(result), "en")}`;
}

/** Of unanswered questions: with more, the figures are those of a connection, not of a judge. */
const MAX_FALLBACKS = 0.1;

function whyNotKept({ judged, endedEarly }: Evaluation, fallbacks: number): string | null {
  if (endedEarly !== null) return "it is partial";
  if (judged.length === 0) return "no call reached the judge";
  return fallbacks > MAX_FALLBACKS * judged.length ? "too many questions had no answer" : null;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof GateError)) throw error;
  console.error(`${error.message}${error.hint === undefined ? "" : `\n${error.hint}`}`);
  process.exitCode = error.code === "usage" ? 2 : 1;
}
