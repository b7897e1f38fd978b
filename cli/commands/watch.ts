import type { Command } from "commander";
import { withLastingGate } from "../operator.ts";

/** `watch`: cards in the terminal, answered with keys. */
export function watchCommand(program: Command): void {
  program
    .command("watch")
    .description("shows requests as they come and takes your answers, in this terminal")
    .option("--no-bell", "no sound of the terminal when something new waits")
    .action(async ({ bell }: { bell: boolean }) => {
      const { watch } = await import("../watch/watch.ts");
      await withLastingGate((api) =>
        watch(api, { has_bell: bell, onPresence: (listener) => api.onPresence(listener) }),
      );
    });
}
