import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { z } from "zod";
import { Alarms } from "../../main/base/alarms.ts";
import { openDatabase } from "../../main/base/sqlite/database.ts";
import { modelConfigSchema } from "../../main/decide/reviews/config.ts";
import { ModelAlarms, Models } from "../../main/judges/configured-judges.ts";
import type { ProviderModel } from "../../main/judges/models/provider-model.ts";
import type { ModelQuestion } from "../../main/judges/reviews/judge-ports.ts";
import { ACTIVITY_SCHEMA } from "../../main/records/activity/activity.ts";
import { ManualClock } from "./manual-clock.ts";
import type { Dialect, ModelServer } from "./model-server.ts";
import { tempFolder } from "./temp-folder.ts";

export const QUESTION: ModelQuestion = {
  system: "You judge tool calls.",
  messages: [{ role: "user", text: "Is it harmless to print the date?" }],
  schema: {
    type: "object",
    properties: { score: { type: "number", minimum: 0, maximum: 1 }, reason: { type: "string" } },
    required: ["score", "reason"],
    additionalProperties: false,
  },
  max_tokens: 64,
};

export interface OpenedModels {
  models: Models;
  model: ProviderModel;
  alarms: Alarms;
  clock: ManualClock;
  failures: string[];
  close(): void;
}

export interface OpenOptions {
  dialect?: Dialect;
  config?: Partial<z.input<typeof modelConfigSchema>>;
  env?: Record<string, string>;
  clock?: ManualClock;
  /** Its `activity.db`; left out: a new one. */
  file?: string;
}

/** One model of a real provider on loopback, as a gate has it. Closed when the test ends. */
export function openedModel(server: ModelServer, options: OpenOptions = {}): OpenedModels {
  const { dialect = "openai", config = {}, env = {}, clock = new ManualClock() } = options;
  const db = openDatabase(options.file ?? join(tempFolder(), "activity.db"), ACTIVITY_SCHEMA);
  const failures: string[] = [];
  const alarms = new Alarms(clock.now, () => undefined);
  const modelAlarms = new ModelAlarms(alarms);
  const parsed = modelConfigSchema.parse({
    dialect,
    base_url: server.base_url,
    model: "test-model",
    timeout_seconds: 1,
    ...config,
  });
  const models = new Models(
    { judge: parsed },
    {
      env,
      db,
      now: clock.now,
      failed: (what) => failures.push(what),
      changed: (model) => modelAlarms.look(model),
    },
  );
  let isClosed = false;
  const close = () => {
    if (isClosed) return;
    isClosed = true;
    models.close();
    modelAlarms.close();
    db.close();
  };
  onTestFinished(close);
  const model = models.all.get("judge");
  if (model === undefined) throw new Error("unreachable");
  return { models, model, alarms, clock, failures, close };
}

/** What a question failed with. @throws Error where it was answered */
export async function failureOf(asked: Promise<unknown>): Promise<Error> {
  try {
    await asked;
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
  throw new Error("it was answered");
}
