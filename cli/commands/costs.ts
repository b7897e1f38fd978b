import type { Command } from "commander";
import { gatePaths } from "../../ipc/base/paths.ts";
import { LEVELS } from "../../ipc/contract/decision.ts";
import { amountText } from "../../ipc/words/price-words.ts";
import { SPENT_COLUMNS } from "../listings.ts";
import { listedBy } from "../operator.ts";
import { type DataOptions, type ExitCode, isSeenTogether, jsonOption, list, say } from "../output.ts";

/** `costs`: what the calls of today cost, by the prices of gate.toml and of own executors (docs/costs.md). */
export function costsCommand(program: Command, done: (code: ExitCode) => void): void {
  program
    .command("costs")
    .description("what each agent's calls cost since midnight, by the prices that you configured")
    .addOption(jsonOption())
    .action((options: DataOptions) =>
      listedBy(done, async (api) => {
        const spent = await api.call("costs.today", {});
        list(spent, SPENT_COLUMNS, options);
        if (spent.length === 0) say("no call with a price was allowed since midnight");
        if (isSeenTogether() && options.json !== true) say(await thresholds());
      }),
    );
}

/** From where on a call is asked about, as gate.toml has it. @throws GateError `invalid_config` */
async function thresholds(): Promise<string> {
  const { loadConfig } = await import("../../main/config/config.ts");
  const { costs } = loadConfig(gatePaths(process.env).configFile, process.env);
  const each = LEVELS.map((level) => `${amountText(costs.ask_above[level], costs.currency, "en")} at ${level}`);
  return `a call is asked about above ${each.join(", ")}`;
}
