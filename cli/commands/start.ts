import { type ChildProcess, spawn } from "node:child_process";
import type { Command } from "commander";
import { EXIT, type ExitCode, say } from "../output.ts";
import { findTrayApp, surroundings } from "../tray-app.ts";
import { acceptEmptyOption, type ServeCommandOptions, serve } from "./serve.ts";

/** `start`: the tray app where it can run, otherwise the gate with its page in a browser. One line says which, and why. */
export function startCommand(program: Command, done: (code: ExitCode) => void): void {
  program
    .command("start")
    .description("starts the tray app; where Electron or a display is missing, the gate with its page (serve --web)")
    .addOption(acceptEmptyOption())
    .action(async ({ acceptEmpty = [] }: Pick<ServeCommandOptions, "acceptEmpty">) => {
      const app = findTrayApp(surroundings());
      if ("missing" in app) {
        say(`Starting without a tray, with the page in a browser: ${app.missing}.`);
        return done(await serve({ web: true, acceptEmpty }));
      }
      say("Starting the tray app: Electron is installed and there is a display.");
      done(await runTrayApp(app));
    });
}

/** Runs until it ends; what interrupts this process interrupts it. */
export async function runTrayApp({ electron, root }: { electron: string; root: string }): Promise<ExitCode> {
  // Set in some editors' terminals: Electron would be a bare Node then.
  const { ELECTRON_RUN_AS_NODE: _, ...env } = process.env;
  // Listened to before the app is there: a signal in between would end this process alone.
  let child: ChildProcess | undefined;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => child?.kill(signal));
  const app = spawn(electron, [root], { stdio: "inherit", env });
  child = app;
  const code = await new Promise<number | null>((resolve, reject) => {
    app.once("error", reject);
    app.once("close", resolve);
  });
  return code === 0 ? EXIT.ok : EXIT.failed;
}
