import type { Command } from "commander";
import { withLastingGate } from "../operator.ts";

/** `watch`: cards in the terminal, answered with keys. */
export function watchCommand(program: Command): void {
  program
    .command("watch")
    .description("shows requests as they come and takes your answers, in this terminal")
    .option("--no-bell", "no sound of the terminal when something new waits")
    .option("--speak", "says what waits, by spd-say, say or espeak-ng")
    .action(async ({ bell, speak = false }: { bell: boolean; speak?: boolean }) => {
      const { watch } = await import("../watch/watch.ts");
      await withLastingGate((api) =>
        watch(api, { has_bell: bell, speaks: speak, onPresence: (listener) => api.onPresence(listener) }),
      );
    });
}
