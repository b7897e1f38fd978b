import { ownCommand } from "../ipc/base/own-command.ts";
import type { ModelProblem } from "../ipc/contract/judges.ts";

const FIXES: Readonly<Record<ModelProblem, () => string>> = {
  "no-model": () => 'name a [models.NAME] as model in [judge] of gate.toml, or take kind = "llm-v1" out',
  "key-missing": () => "set the variable of key_env where the gate is started, or write the file of key_file (0600)",
  unreachable: () => "start its server, or correct base_url in gate.toml",
  "not-answering": () => "see whether it is busy, or raise timeout_seconds in gate.toml",
  refused: () => "correct model, base_url, dialect or its key in gate.toml: its provider has to know all of them",
  malformed: () => "correct base_url and dialect in gate.toml, or take a model that answers as it is asked to",
  "breaker-open": () => `see why: ${ownCommand("judge test")}`,
  "over-budget": () => "wait for midnight, or raise calls_per_day or cost_per_day",
};

/** What to do about a model that can't be asked. */
export function modelFix(problem: ModelProblem): string {
  return FIXES[problem]();
}
