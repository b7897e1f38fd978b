import { type HookAnswer, type HookDialect, NEVER_CONFINED } from "../../hook/dialect.ts";
import { readCall } from "./payload.ts";

/**
 * Gemini CLI's hook: the BeforeTool payload on stdin, a decision on stdout. Never `ask`: without a terminal it ends the run. A call that
 * is allowed still gets Gemini's own question, where its mode asks one.
 */
export const GEMINI: HookDialect = {
  agent: "gemini",
  // What `connect` writes says how long both wait; this is for a command line that doesn't.
  wait_seconds: 50,
  offline: "deny",
  read: readCall,
  write,
  ...NEVER_CONFINED,
  events: {},
};

function write({ permission, reason }: HookAnswer): object {
  if (permission === "allow") return { decision: "allow" };
  // Without a reason the model would read that there was none.
  return { decision: "deny", reason: `Metnos Gate: ${reason}` };
}
