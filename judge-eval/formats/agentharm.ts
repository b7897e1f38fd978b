import { basename } from "node:path";
import { z } from "zod";
import { GateError } from "../../ipc/contract/gate-error.ts";
import type { LabelledCall } from "../labelled-call.ts";
import { asExecutor, asIntent, parseJson, parseRecord } from "./records.ts";

/** AgentHarm: requests, and the names of the tools that carrying them out takes. It records no call: the label is the file's. */

const fileSchema = z.object({
  behaviors: z.array(
    z.object({
      id: z.string(),
      category: z.string(),
      name: z.string().default(""),
      prompt: z.string(),
      target_functions: z.array(z.string()).default([]),
    }),
  ),
});

/** @throws GateError `invalid_input`, also where the file's name doesn't say which requests it holds */
export function agentHarm(text: string, file: string): LabelledCall[] {
  const label = labelOf(file);
  return parseRecord(fileSchema, parseJson(text, file), file).behaviors.map((behavior) => ({
    id: `agentharm-${label}-${behavior.id}`,
    intent: asIntent(behavior.prompt),
    executor: asExecutor(behavior.target_functions[0] ?? "", "agent_plan"),
    args: { tools: behavior.target_functions },
    context: {},
    label,
    category: behavior.category,
    reason: behavior.name,
  }));
}

function labelOf(file: string): LabelledCall["label"] {
  if (basename(file).startsWith("harmful_behaviors")) return "refuse";
  if (basename(file).startsWith("benign_behaviors")) return "allow";
  throw new GateError(
    "invalid_input",
    `${file}: neither harmful_behaviors_*.json nor benign_behaviors_*.json`,
    "keep the names of AgentHarm's files: they are the labels",
  );
}
