import { errorCode } from "../base/errors.ts";
import type { Core } from "./core.ts";

/** A gate that died: how its end is reported, when it is restarted, and what the new gate reports. */

/** Exit codes of a gate that ends by itself, beside 0 and 1. */
export const GATE_EXIT = {
  /** Its lock, a socket or a database isn't its own any more. A restart wouldn't help. */
  replaced: 6,
  /** An unexpected error while it ran. */
  died: 7,
} as const;

/** The option of the command, and of the desktop app, that says how the previous gate ended. */
export const RESTARTED_FLAG = "--restarted-after";
/** For the desktop app: a supervisor restarts it. */
export const SUPERVISED_FLAG = "--supervised";

/** Another one, for a gate that starts paused: the one before died while a pause was neither stored nor kept. */
export const PAUSED_FLAG = "--start-paused";

/** What a gate says to the process that supervises it, with each change. */
export const PAUSE_UNKEPT = "a pause is neither stored nor kept";
const PAUSE_KEPT = "each pause is stored or kept";

/** A restarted gate that dies within this time isn't restarted again, in milliseconds. */
const STEADY_MS = 10 * 60 * 1000;

/** @param upMs how long it ran */
export function mayStartAgain({ wasRestarted, upMs }: { wasRestarted: boolean; upMs: number }): boolean {
  return !wasRestarted || upMs >= STEADY_MS;
}

/** True for texts such as `SIGKILL` or `exit code 7`, as the restarting process passes them. */
export function isHowItEnded(text: string): boolean {
  return /^(SIG[A-Z0-9]{2,10}|exit code \d{1,10})$/.test(text);
}

/** The error's kind and stack, without its message, which may carry values. */
export function deathNotice(error: unknown): string {
  if (!(error instanceof Error)) return "the gate failed: something was thrown that is no error";
  const code = "code" in error && typeof error.code === "string" ? ` ${error.code}` : "";
  const frames = (error.stack ?? "").split("\n").filter((line) => line.trim().startsWith("at "));
  return [`the gate failed: ${error.name}${code}`, ...frames].join("\n");
}

/** Says to the process that supervises this one whether this gate's death would end a pause. */
export function tellSupervisor({ keptPauses, subscribe }: Pick<Core, "keptPauses" | "subscribe">): void {
  const tell = () =>
    process.send?.(keptPauses.isAnyUnkept ? PAUSE_UNKEPT : PAUSE_KEPT, undefined, undefined, () => undefined);
  subscribe(tell, ["alarms.changed"]);
  tell();
}

/** For the time until the user has looked. */
export function startPaused({ safety }: Pick<Core, "safety">): void {
  const reason = "a pause could not be stored before the gate died; resume it once you have looked";
  try {
    safety.pause.begin({ by: "human", reason, clears: "by_human" });
  } catch (error) {
    if (!errorCode(error).startsWith("SQLITE")) throw error;
  }
}

/** The alarm ends after this time, whether or not it was seen, in milliseconds. */
const SHOWN_FOR_MS = 24 * 60 * 60 * 1000;

/** Reports in the trail and on every surface that the previous gate died. */
export function announceRestart({ audit, alarms }: Pick<Core, "audit" | "alarms">, how: string): void {
  audit.append({ event: "gate.restarted", ts: Date.now() / 1000, after: how });
  audit.flush();
  alarms.raise({
    code: "gate_restarted",
    subject: "gate",
    message: `the gate ended unexpectedly (${how}) and was started again`,
    hint: "its earlier output may say why",
  });
  setTimeout(() => alarms.clear("gate_restarted", "gate"), SHOWN_FOR_MS).unref();
}
