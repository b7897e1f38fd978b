import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { GatePaths } from "../ipc/paths.ts";
import { DEFAULT_LIMITS } from "../main/gate/rate/config.ts";

/** `[rate]` for a gate that gets as many calls as it can answer: each is counted as any other, and no budget is used up. */
export const HIGHEST_LIMITS = [
  "[rate]",
  "same_call_per_minute = 100000",
  ...Object.keys(DEFAULT_LIMITS).map((name) => `[rate.limits."${name}"]\nper_minute = 1000000`),
  "",
].join("\n");

/** Writes it as a home's whole gate.toml, or before what `more` says. */
export function configureHighestLimits({ config_file }: Pick<GatePaths, "config_file">, more = ""): void {
  mkdirSync(dirname(config_file), { recursive: true });
  writeFileSync(config_file, `${HIGHEST_LIMITS}${more}`);
}
