import { app, dialog } from "electron";
import type { GateError } from "../../ipc/contract/gate-error.ts";
import { type Language, languageOf } from "../../ipc/contract/language.ts";
import {
  deathNotice,
  GATE_EXIT,
  isHowItEnded,
  mayStartAgain,
  PAUSED_FLAG,
  RESTARTED_FLAG,
  SUPERVISED_FLAG,
} from "../core/restart.ts";
import { shellWords } from "./words.ts";

/** The gate runs in the app's process: what happens when it fails, or ends itself. */

/** How the previous app ended, where this one was started in its place. */
export function restartedAfter(argv: readonly string[] = process.argv): string | undefined {
  const given = argv.find((argument) => argument.startsWith(`${RESTARTED_FLAG}=`))?.slice(RESTARTED_FLAG.length + 1);
  return given !== undefined && isHowItEnded(given) ? given : undefined;
}

/** How long a failed gate may take to close. Milliseconds. */
const CLOSING_MS = 2000;

/**
 * An uncaught error ends the app. It is started again once, by itself or by its supervisor; the next time a dialog says so.
 * @param close closes the gate: no agent has to wait while the user reads the dialog
 * @param isPauseUnkept whether its death ends a pause: the next one starts paused then
 */
export function startAgainOnDeath(close: () => Promise<void>, isPauseUnkept: () => boolean): void {
  const startedAt = performance.now();
  let isEnding = false;
  process.on("uncaughtException", (error) => {
    console.error(`metnos-gate: ${deathNotice(error)}`);
    if (isEnding) return;
    isEnding = true;
    const upMs = performance.now() - startedAt;
    if (mayStartAgain({ wasRestarted: restartedAfter() !== undefined, upMs })) {
      if (!process.argv.includes(SUPERVISED_FLAG)) relaunch(isPauseUnkept());
      app.exit(GATE_EXIT.died);
      return;
    }
    const isLate = new Promise((resolve) => setTimeout(resolve, CLOSING_MS));
    void Promise.race([close().catch(() => undefined), isLate]).then(() => {
      const words = shellWords[systemLanguage()];
      dialog.showErrorBox(words.diedAgain, words.diedAgainNext);
      app.exit(GATE_EXIT.died);
    });
  });
}

function relaunch(isPaused: boolean): void {
  const others = process.argv
    .slice(1)
    .filter((argument) => !argument.startsWith(`${RESTARTED_FLAG}=`) && argument !== PAUSED_FLAG);
  const args = [...others, `${RESTARTED_FLAG}=exit code ${GATE_EXIT.died}`, ...(isPaused ? [PAUSED_FLAG] : [])];
  // An AppImage's own binary is removed with its process; the file itself stays.
  const image = process.env.APPIMAGE;
  app.relaunch(image ? { args, execPath: image } : { args });
}

/** Reports that the gate has ended. It isn't started again, as it would only end again; the app has to be closed. */
export function showGateEnded({ message, hint }: GateError): void {
  const words = shellWords[systemLanguage()];
  dialog.showErrorBox(words.gateEnded, hint === "" ? message : `${message}\n${hint}`);
}

/** For when the gate can't be asked for the chosen language. */
export function systemLanguage(): Language {
  return languageOf(app.getLocale());
}
