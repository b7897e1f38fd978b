import { writeDurably } from "../main/base/files/durable-file.ts";
import { type JudgeResult, readJudgeResults } from "../main/judges/judge-results.ts";

const MAX_RESULTS = 200;

/**
 * Keeps it as the last one of its configuration and data (durably, 0600). One of a part of the data never replaces one of all.
 * @returns whether it is kept
 * @throws GateError `file_unusable`
 */
export function keepJudgeResult(file: string, result: JudgeResult): boolean {
  const isSame = ({ fingerprint, data }: JudgeResult) => fingerprint === result.fingerprint && data === result.data;
  const results = readJudgeResults(file);
  const earlier = results.find(isSame);
  if (earlier !== undefined && earlier.calls === earlier.of && result.calls < result.of) return false;
  const kept = [...results.filter((one) => !isSame(one)), result].slice(-MAX_RESULTS);
  writeDurably(file, `${JSON.stringify({ results: kept }, null, 2)}\n`, "the judges' results");
  return true;
}
