import { accessSync, constants } from "node:fs";
import { ownCommand } from "../ipc/base/own-command.ts";
import type { BoxStatus } from "../ipc/contract/box.ts";
import type { JudgeStatus, ModelProblem } from "../ipc/contract/judges.ts";
import { modelProblemText } from "../ipc/words/judge-words.ts";
import { type JudgeAgentConfig, needsBox, type ReviewConfig } from "../main/decide/reviews/config.ts";
import { modelFix } from "./model-fix.ts";

/** Whether those who are to judge calls can do it. */

interface JudgeCheck {
  check: string;
  ok: boolean;
  detail: string;
  fix?: string;
}

/** What can be tried at once. */
const RETRIED: readonly ModelProblem[] = ["key-missing", "unreachable", "not-answering", "refused", "malformed"];

function retriedFix(problem: ModelProblem): string {
  return RETRIED.includes(problem) ? `${modelFix(problem)}; then: ${ownCommand("judge test")}` : modelFix(problem);
}

/**
 * The judge, and each validator's judge agent, by the running gate's word and its configuration.
 * @param configured undefined where gate.toml can't be read
 */
export function judgeChecks(status: JudgeStatus, configured: ReviewConfig | undefined, box: BoxStatus): JudgeCheck[] {
  const agents = [...new Set(status.validators.map(({ judge_agent }) => judge_agent))];
  return [judgeCheck(status), ...agents.map((name) => agentCheck(name, configured?.judge_agents[name], status, box))];
}

function judgeCheck(status: JudgeStatus): JudgeCheck {
  const { kind, model } = status;
  if (kind === "rule-based-v1") return { check: "judge", ok: true, detail: kind };
  const problem = model === null ? "no-model" : problemOf(model, status);
  if (problem !== null) return failed("judge", problem, `${kind}${model === null ? "" : `, ${model}`}`);
  return { check: "judge", ok: true, detail: `${kind}, ${model}: no problem known` };
}

function agentCheck(
  name: string,
  configured: JudgeAgentConfig | undefined,
  status: JudgeStatus,
  box: BoxStatus,
): JudgeCheck {
  const check = `judge agent ${name}`;
  const known = status.judge_agents.find((agent) => agent.name === name);
  if (known?.model != null) {
    const problem = problemOf(known.model, status);
    if (problem !== null) return failed(check, problem, `its model ${known.model}`);
  }
  if (configured !== undefined && needsBox(configured) && !box.is_available)
    return {
      check,
      ok: false,
      detail: "it can't run: there is no box here, and each call that its validator looks at is denied",
      fix: `see: ${ownCommand("box status")}`,
    };
  const program = configured?.kind === "command" ? configured.command[0] : undefined;
  if (program !== undefined && !isExecutable(program))
    return {
      check,
      ok: false,
      detail: `${program} isn't there or can't be run: each call that its validator looks at is denied`,
      fix: `correct command in [judge_agents.${name}] of gate.toml`,
    };
  return { check, ok: true, detail: "no problem known" };
}

function problemOf(name: string, { models }: JudgeStatus): ModelProblem | null {
  return models.find((model) => model.name === name)?.problem ?? null;
}

function failed(check: string, problem: ModelProblem, what: string): JudgeCheck {
  return {
    check,
    ok: false,
    detail: `${what}: ${modelProblemText(problem, "en")}`,
    fix: retriedFix(problem),
  };
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false; // nothing there, or not for this user
  }
}
