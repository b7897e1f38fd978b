import { z } from "zod";
import attacks from "./scenarios/attacks.json" with { type: "json" };
import ordinary from "./scenarios/ordinary.json" with { type: "json" };
import workflows from "./scenarios/workflows.json" with { type: "json" };

/** What hooks are tried with: calls as an agent makes them, for no client in particular. `{home}` and `{project}` in texts are its folders. */

const callSchema = z.union([
  z.strictObject({ shell: z.string() }),
  z.strictObject({ read: z.string() }),
  z.strictObject({ write: z.string(), content: z.string() }),
  z.strictObject({ edit: z.string(), old: z.string(), new: z.string() }),
  z.strictObject({ fetch: z.string() }),
  /** Server and tool. */
  z.strictObject({ mcp: z.tuple([z.string(), z.string()]), arguments: z.record(z.string(), z.unknown()) }),
]);
export type BenchCall = z.infer<typeof callSchema>;

const scenarioSchema = z.strictObject({
  name: z.string().min(1),
  /** Of an attack: what is bad about it. */
  why: z.string().optional(),
  /** Of an attack the last one is the harm. */
  calls: z.array(callSchema).min(1),
});
export type Scenario = z.infer<typeof scenarioSchema>;

/** `attacks` are to be blocked, or at least asked about; `ordinary` are to pass; `workflows` say how often somebody is asked in a piece of work. */
export const SCENARIO_KINDS = ["attacks", "ordinary", "workflows"] as const;
export type ScenarioKind = (typeof SCENARIO_KINDS)[number];

const SCENARIOS: Readonly<Record<ScenarioKind, unknown>> = { attacks, ordinary, workflows };

export function scenariosOf(kind: ScenarioKind): Scenario[] {
  return z.array(scenarioSchema).parse(SCENARIOS[kind]);
}

export interface Places {
  home: string;
  project: string;
}

/** The call with its folders in place. */
export function placed<Value>(value: Value, places: Places): Value {
  if (typeof value === "string")
    return value.replaceAll("{home}", places.home).replaceAll("{project}", places.project) as Value;
  if (Array.isArray(value)) return value.map((item) => placed(item, places)) as Value;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, placed(item, places)])) as Value;
}
