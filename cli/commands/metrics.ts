import type { Command } from "commander";
import { withRunningGate } from "../operator.ts";

/** `metrics`: the running gate's figures, in Prometheus' text format. */
export function metricsCommand(program: Command): void {
  program
    .command("metrics")
    .description("the running gate's figures in Prometheus' text format (docs/monitoring.md)")
    .action(() =>
      withRunningGate(async (api) => {
        process.stdout.write((await api.call("metrics", {})).text);
      }),
    );
}
