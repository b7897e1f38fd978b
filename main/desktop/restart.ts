import { app, dialog } from "electron";
import type { GateError } from "../gate/errors.ts";
import { deathNotice, GATE_EXIT, isHowItEnded, mayStartAgain, RESTARTED_FLAG, SUPERVISED_FLAG } from "../restart.ts";
import { shellWords } from "./words.ts";

/** The gate lives in the app's own process: what happens where it fails, or ends itself. */

/** How the app before this one ended, where this one was started in its place. */
export function restartedAfter(argv: readonly string[] = process.argv): string | undefined {
  const given = argv.find((argument) => argument.startsWith(`${RESTARTED_FLAG}=`))?.slice(RESTARTED_FLAG.length + 1);
  return given !== undefined && isHowItEnded(given) ? given : undefined;
}

/** A gate that failed closes within this, or is left as it is. Milliseconds. */
const CLOSING_MS = 2000;

/**
 * What nobody catches ends the app. It is started again once, by itself or by who watches it; the next time a dialog says so.
 * @param close closes the gate: no agent waits for the human who reads a dialog
 */
export function startAgainOnDeath(close: () => Promise<void>): void {
  const started_at = performance.now();
  let is_ending = false;
  process.on("uncaughtException", (error) => {
    console.error(`metnos-gate: ${deathNotice(error)}`);
    if (is_ending) return;
    is_ending = true;
    const up_ms = performance.now() - started_at;
    if (mayStartAgain({ was_restarted: restartedAfter() !== undefined, up_ms })) {
      if (!process.argv.includes(SUPERVISED_FLAG)) relaunch();
      app.exit(GATE_EXIT.died);
      return;
    }
    const is_late = new Promise((resolve) => setTimeout(resolve, CLOSING_MS));
    void Promise.race([close().catch(() => undefined), is_late]).then(() => {
      const words = shellWords[systemLanguage()];
      dialog.showErrorBox(words.died_again, words.died_again_next);
      app.exit(GATE_EXIT.died);
    });
  });
}

function relaunch(): void {
  const others = process.argv.slice(1).filter((argument) => !argument.startsWith(`${RESTARTED_FLAG}=`));
  const args = [...others, `${RESTARTED_FLAG}=exit code ${GATE_EXIT.died}`];
  // An AppImage's own binary is gone with its process; the file itself stays.
  const image = process.env.APPIMAGE;
  app.relaunch(image ? { args, execPath: image } : { args });
}

/** The gate can't go on: said, and nothing is started again, as it would only end again. The app has to be closed. */
export function showGateEnded({ message, hint }: GateError): void {
  const words = shellWords[systemLanguage()];
  dialog.showErrorBox(words.gate_ended, hint === "" ? message : `${message}\n${hint}`);
}

/** Where the gate can't be asked for the language that was chosen. */
export function systemLanguage(): "en" | "it" {
  return app.getLocale().startsWith("it") ? "it" : "en";
}
