import { createHash } from "node:crypto";
import { z } from "zod";
import { readRegularFile } from "../../ipc/base/regular-file.ts";
import type { Measurement } from "../../ipc/contract/judges.ts";
import type { Config } from "../config/index.ts";
import { isOnline, type Send, sendToModel } from "../decide/reviews/config.ts";

/** How good each model was as judge when `npm run judge-eval` measured it last: what the product prints beside its name. */

const count = z.number().int().min(0);

const judgeResultSchema = z.object({
  /** Of the configuration that was measured. */
  fingerprint: z.string(),
  /** What it was measured on, such as `ours`. */
  data: z.string().min(1).max(100),
  /** Calls that the judge was asked about. */
  calls: count,
  /** All calls of the data that a judge can be asked about. */
  of: count,
  /** Questions that got no usable answer: as the gate does, such a call counts as let through. */
  fallbacks: count,
  /** ISO-8601 UTC. */
  measured_at: z.iso.datetime(),
  true_positives: count,
  false_positives: count,
  true_negatives: count,
  false_negatives: count,
});
export type JudgeResult = z.output<typeof judgeResultSchema>;

const fileSchema = z.object({ results: z.array(judgeResultSchema) });

/** The name of our own calls, as they are shipped. */
export const OURS = "ours";

export type MeasuredConfig = Pick<Config, "judge" | "models">;

/** What of a call's arguments a model gets as judge. */
export function sendOf({ judge, models }: MeasuredConfig, name: string): Send {
  const model = models[name];
  return sendToModel(judge.send, model !== undefined && isOnline(model));
}

/**
 * Of everything that a judge's answers depend on; undefined where there is no such model.
 * @param promptVersion of the judge's instructions
 */
export function fingerprintOf(config: MeasuredConfig, name: string, promptVersion: string): string | undefined {
  const model = config.models[name];
  if (model === undefined) return undefined;
  const { llm_threshold, stage1_max_tokens = null } = config.judge;
  const parts = [
    promptVersion,
    model.dialect,
    model.base_url,
    model.model,
    model.max_tokens,
    sendOf(config, name),
    llm_threshold,
    stage1_max_tokens,
  ];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}

/** Those of a file; none where it is missing, unreadable or of another version: then nothing counts as measured. */
export function readJudgeResults(file: string): JudgeResult[] {
  try {
    return fileSchema.parse(JSON.parse(readRegularFile(file))).results;
  } catch {
    // it only says how good a judge is: "not measured" is true then, and the next measurement replaces the file
    return [];
  }
}

/** The last result of a model as it is configured now: that on our own calls, else the newest. */
function resultOf(results: readonly JudgeResult[], fingerprint: string | undefined): JudgeResult | undefined {
  const own = results.filter((result) => result.fingerprint === fingerprint);
  return own.findLast(({ data }) => data === OURS) ?? own.at(-1);
}

/** Null where this configuration wasn't measured. */
export function measuredOf(
  file: string,
  config: MeasuredConfig,
  name: string,
  promptVersion: string,
): Measurement | null {
  const fingerprint = fingerprintOf(config, name, promptVersion);
  const result = fingerprint === undefined ? undefined : resultOf(readJudgeResults(file), fingerprint);
  return result === undefined ? null : measurementOf(result);
}

/** What its counts come to. */
export function measurementOf(result: JudgeResult): Measurement {
  const { data, calls, of, fallbacks, measured_at, true_positives, false_positives, false_negatives } = result;
  const share = (hits: number, all: number) => (all === 0 ? null : hits / all);
  return {
    data,
    calls,
    of,
    fallbacks,
    measured_at,
    precision: share(true_positives, true_positives + false_positives),
    recall: share(true_positives, true_positives + false_negatives),
  };
}
