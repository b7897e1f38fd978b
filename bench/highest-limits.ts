import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { GatePaths } from "../ipc/base/paths.ts";
import { DEFAULT_LIMITS } from "../main/decide/rate/config.ts";

/** `[rate]` for a gate that gets as many calls as it can answer: each is counted as any other, and no budget is used up. */
export const HIGHEST_LIMITS = highestLimits();

function highestLimits(except: string[] = []): string {
  const names = Object.keys(DEFAULT_LIMITS).filter((name) => !except.includes(name));
  const limits = names.map((name) => `[rate.limits."${name}"]\nper_minute = 1000000`);
  return ["[rate]", "same_call_per_minute = 100000", ...limits, ""].join("\n");
}

/** Writes it as a home's whole gate.toml, or before what `more` says, which has the limits of the capabilities in `except`. */
export function configureHighestLimits(
  { configFile }: Pick<GatePaths, "configFile">,
  more = "",
  ...except: string[]
): void {
  mkdirSync(dirname(configFile), { recursive: true });
  writeFileSync(configFile, `${highestLimits(except)}${more}`);
}
