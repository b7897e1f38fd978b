import type { Decision, TraceStep } from "../../ipc/decision.ts";
import type { ProposedCall } from "../../ipc/wire.ts";
import type { Subject } from "./stages/examination.ts";

/** A decision that isn't published to the surfaces yet. */
export interface Unpublished {
  decision: Decision;
  call: ProposedCall;
  subject: Subject;
  trace: TraceStep[] | undefined;
  /** Of a call's first decision: how long it took, and which grants it depends on. */
  first?: { ms: number; grants_used: readonly number[] };
}
