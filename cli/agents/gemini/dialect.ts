import { agentPaths } from "../../../ipc/paths.ts";
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
  events: {
    /** Something happened in a session: nothing is answered. */
    session: async (input) => {
      const { reportSession } = await import("../../hook/session-event.ts");
      // It has no id for the user's messages: their times tell them apart, and a call belongs to the last one.
      return reportSession(input, { paths: agentPaths(process.env), agent_name: "gemini", turn: "timestamp" });
    },
  },
};

function write({ permission, reason }: HookAnswer): object {
  if (permission === "allow") return { decision: "allow" };
  // Without a reason the model would read that there was none.
  return { decision: "deny", reason: `Metnos Gate: ${reason}` };
}
