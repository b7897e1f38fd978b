import { app } from "electron";
import { commandArguments, runCommand } from "./command-mode.ts";

// The app's entry. What must happen before Electron is ready happens here; the file waits for it (top-level await).
// As `metnos-gate` (`--cli`) it is a command without windows: nothing of the desktop is loaded then.

const command = commandArguments(process.argv, process.defaultApp === true);
if (command === undefined) {
  const { startDesktop } = await import("./app.ts");
  startDesktop();
} else {
  app.exit(await runCommand(command));
}
