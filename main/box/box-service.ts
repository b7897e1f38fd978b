import type { BoxStatus } from "../../ipc/box.ts";
import type { Confined } from "../../ipc/decision.ts";
import { GateError } from "../../ipc/gate-error.ts";
import type { Box, ConfinedRun } from "../gate/confinement/box.ts";

/** The box of a running gate: whether there is one, its runs, and what was set aside after them. */
export class BoxService implements Box {
  readonly is_available: boolean = false;
  readonly has_network: boolean = false;

  prepare(_run: ConfinedRun): { argv: readonly string[] } {
    throw new GateError("box_unavailable", "no command can run confined here", "see box status");
  }

  discard(_argv: readonly string[]): void {
    // Nothing is ever prepared.
  }

  /** Whether this agent's call, by the client's own id of it, ran confined as it was allowed to; null where it wasn't to be confined. */
  ran(_agent_id: string, _call_id: string): { confined: Confined | null } {
    return { confined: null };
  }

  status(): BoxStatus {
    return {
      is_available: false,
      problem: "disabled",
      detail: "",
      fix: null,
      version: null,
      agents: [],
      running: 0,
      set_aside: [],
    };
  }
}
