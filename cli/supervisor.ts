import type { ChildProcess } from "node:child_process";
import { ownCommand } from "../ipc/base/own-command.ts";
import { mayStartAgain, PAUSE_UNKEPT, PAUSED_FLAG, RESTARTED_FLAG } from "../main/core/restart.ts";
import { EXIT, type ExitCode, say } from "./output.ts";

/** Runs the gate, or the tray app around it, as another process, and starts it again if it dies. */

export interface Supervised {
  /** In a sentence: `the gate`. */
  name: string;
  /** Starts it. `flags`: how the one before ended, none the first time. A message of it says whether its death would end a pause. */
  start(flags: readonly string[]): ChildProcess;
}

/** A second interrupt after this time ends the child at once, in milliseconds. */
const PATIENCE_MS = 1000;

/** These report the reason themselves: restarted it would only end again. */
const WANTED_ENDS: readonly (number | null)[] = [EXIT.ok, EXIT.failed, EXIT.usage, EXIT.refused, EXIT.replaced];

/**
 * Runs it until it ends for good, and gives its exit code. What interrupts this process interrupts it; one that dies is started
 * again once, and another time only after it ran for ten minutes. Rejects with the system's error where it can't be started.
 */
export async function supervise({ name, start }: Supervised): Promise<ExitCode> {
  let child: ChildProcess | undefined;
  let askedAt: number | undefined;
  let isPauseUnkept = false;
  const interrupt = (signal: NodeJS.Signals) => {
    if (askedAt === undefined) {
      askedAt = performance.now();
      child?.kill(signal);
    } else if (performance.now() - askedAt > PATIENCE_MS) child?.kill("SIGKILL");
  };
  // Listened to before the child is there: a signal in between would end this process alone.
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const signal of signals) process.on(signal, interrupt);
  try {
    let flags: string[] = [];
    for (;;) {
      const startedAt = performance.now();
      child = start(flags);
      // What the one before has said counts until this one says something.
      child.on("message", (message) => {
        isPauseUnkept = message === PAUSE_UNKEPT;
      });
      const { code, signal } = await endOf(child);
      child = undefined;
      // Interrupted before it could listen: it has ended as it was to.
      if (askedAt !== undefined && signal !== null && signal !== "SIGKILL") return EXIT.ok;
      if (askedAt !== undefined || (signal === null && WANTED_ENDS.includes(code))) return exitCodeOf(code);
      const how = signal ?? `exit code ${code}`;
      const upMs = performance.now() - startedAt;
      if (!mayStartAgain({ wasRestarted: flags.length > 0, upMs })) {
        say(`metnos-gate: ${name} ended unexpectedly again (${how}), ${seconds(upMs)} after it was started again`);
        say(`  its output above may say why; once that is solved, start it with: ${ownCommand("start")}`);
        return EXIT.died;
      }
      const paused = isPauseUnkept ? ", paused: a pause could not be stored" : "";
      say(`metnos-gate: ${name} ended unexpectedly (${how}); starting it again${paused}`);
      flags = [`${RESTARTED_FLAG}=${how}`, ...(isPauseUnkept ? [PAUSED_FLAG] : [])];
    }
  } finally {
    if (isPauseUnkept)
      say(`metnos-gate: a pause could not be stored: the next start isn't paused until you do: ${ownCommand("pause")}`);
    for (const signal of signals) process.off(signal, interrupt);
  }
}

function endOf(child: ChildProcess): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve({ code, signal }));
  });
}

/** Of one that a signal ended, or with a code that isn't one of ours: failed. */
function exitCodeOf(code: number | null): ExitCode {
  return Object.values(EXIT).find((known) => known === code) ?? EXIT.failed;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(0)} s`;
}
