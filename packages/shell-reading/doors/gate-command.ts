/** The gate's own command, as an agent's line may name it: what it is given, and what it runs outside of a box. Loads nothing else. */

export {
  askedOutside,
  GATE_COMMAND,
  GATE_PROCESS,
  gateWords,
  onlyAsksGate,
  outsideWords,
} from "../programs/gate-command.ts";
