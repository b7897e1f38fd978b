import type { BoxStatus } from "../../ipc/box.ts";
import { GateError } from "../../ipc/gate-error.ts";
import type { Box, ConfinedRun } from "../gate/confinement/box.ts";

/** The box of a running gate: whether there is one, its runs, and what was set aside after them. */
export class BoxService implements Box {
  readonly is_available: boolean = false;

  prepare(_run: ConfinedRun): { argv: readonly string[] } {
    throw new GateError("box_unavailable", "no command can run confined here", "see box status");
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
