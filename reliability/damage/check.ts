import { type CaseResult, type DamageCase, runCase } from "./damage-case.ts";
import { expectedFor } from "./expected.ts";
import { type FaultCase, type FaultResult, faultNameOf, runFault } from "./fault-case.ts";
import { expectedAfter, type RightOutcome } from "./fault-outcomes.ts";
import type { AllowedOutcome } from "./outcomes.ts";
import type { PreparedHomes } from "./prepared-homes.ts";

/** A case beside what is expected of it. */
export interface Checked {
  name: string;
  verdict: "right" | "wrong" | "skipped";
  /** The outcome, or why there is none. */
  seen: string;
  expected: string;
  /** What was seen of each gate, where it is wrong. */
  details: string[];
}

export function nameOf({ file, kind, moment }: DamageCase): string {
  return `${file.name}, ${kind}, ${moment}`;
}

export async function checkCase(damage: DamageCase, homes: PreparedHomes): Promise<Checked> {
  const accepted = expectedFor(damage.file.column, damage.kind, damage.moment);
  const checked = { name: nameOf(damage), expected: accepted.join(" or "), details: [] };
  let result: CaseResult;
  try {
    result = await runCase(damage, homes);
  } catch (error) {
    return { ...checked, verdict: "wrong", seen: String(error) };
  }
  if ("skipped" in result) return { ...checked, verdict: "skipped", seen: result.skipped };
  const { outcome: seen, observation } = result;
  if (accepted.includes(seen as AllowedOutcome)) return { ...checked, verdict: "right", seen };
  return { ...checked, verdict: "wrong", seen, details: detailsOf(observation) };
}

export async function checkFault(fault: FaultCase, homes: PreparedHomes): Promise<Checked> {
  const accepted = expectedAfter(fault.file?.column, fault.kind);
  const checked = { name: faultNameOf(fault), expected: accepted.join(" or "), details: [] };
  let result: FaultResult;
  try {
    result = await runFault(fault, homes);
  } catch (error) {
    return { ...checked, verdict: "wrong", seen: String(error) };
  }
  if ("skipped" in result) return { ...checked, verdict: "skipped", seen: result.skipped };
  const { outcome: seen, observation } = result;
  if (accepted.includes(seen as RightOutcome)) return { ...checked, verdict: "right", seen };
  const { failing, after, lost, hits } = observation;
  const details = detailsOf({ lives: [failing, after], written_elsewhere: [], lost });
  return { ...checked, verdict: "wrong", seen, details: [...details, `${hits} files could not be written`] };
}

function detailsOf({
  lives,
  written_elsewhere,
  lost,
}: Extract<CaseResult, { outcome: string }>["observation"]): string[] {
  const ofLives = lives.flatMap(({ output, verify_problems, ...life }) => [
    JSON.stringify({ ...life, verify_problems: verify_problems.slice(0, 3) }).slice(0, 1000),
    `printed: ${JSON.stringify(output.slice(-600))}`,
  ]);
  const beyond = written_elsewhere.length + lost.length > 0 ? [JSON.stringify({ written_elsewhere, lost })] : [];
  return [...ofLives, ...beyond];
}
