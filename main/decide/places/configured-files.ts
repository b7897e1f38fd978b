import { isAbsolute } from "node:path";
import type { GatePaths } from "../../../ipc/base/paths.ts";

/**
 * Files that gate.toml names, which are the gate's own wherever they are: models' keys, channels' secrets and the file of
 * kept checkpoints, which no agent may touch, and the programs of
 * judge agents, which no agent may change. Lenient, as they are kept also by a configuration with which no gate would start.
 */
export function configuredFiles(config: {
  models?: unknown;
  judge_agents?: unknown;
  telegram?: unknown;
  ntfy?: unknown;
  receipts?: unknown;
}): Pick<GatePaths, "keyFiles" | "judgePrograms"> {
  return {
    keyFiles: [
      ...valuesOf(config.models).flatMap((model) => absolutes([fieldOf(model, "key_file")])),
      ...[config.telegram, config.ntfy].flatMap((channel) => absolutes([fieldOf(channel, "token_file")])),
      ...absolutes([fieldOf(config.telegram, "pin_file"), fieldOf(config.receipts, "checkpoint_file")]),
    ],
    judgePrograms: valuesOf(config.judge_agents).flatMap((agent) => {
      const command = fieldOf(agent, "command");
      return absolutes(Array.isArray(command) ? command : []);
    }),
  };
}

function valuesOf(table: unknown): unknown[] {
  return typeof table === "object" && table !== null ? Object.values(table) : [];
}

function fieldOf(table: unknown, name: string): unknown {
  return typeof table === "object" && table !== null ? (table as Record<string, unknown>)[name] : undefined;
}

function absolutes(values: readonly unknown[]): string[] {
  return values.filter((value) => typeof value === "string" && isAbsolute(value)) as string[];
}
