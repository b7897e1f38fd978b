import type { Command } from "commander";
import { withRunningGate } from "../operator.ts";

/** `watch`: cards in the terminal, answered with keys. */
export function watchCommand(program: Command): void {
  program
    .command("watch")
    .description("shows requests as they come and takes your answers, in this terminal")
    .action(async () => {
      const { watch } = await import("../watch/watch.ts");
      await withRunningGate((api) => watch(api, { lost: api.closed }));
    });
}
