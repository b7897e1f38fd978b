/** Scores the hook of any gate, by calls as an agent makes them. */

export { type AnsweredHook, runHookBench } from "./hook-bench.ts";
export { HOSTS, type Host } from "./hosts.ts";
export { SCENARIO_KINDS, type ScenarioKind } from "./scenario.ts";
export { letThrough, type Result, type Score, scoreOf } from "./score.ts";
