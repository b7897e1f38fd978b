import type { RanCall } from "../../ipc/contract/wire.ts";
import { type Reporter, report } from "./report.ts";

/** `tool.ran` over gate.sock: that a call has run and how it ended, and what the gate knows of it. */

export interface RanReport extends Reporter {
  call_id: string;
  /** How the client says that it ended; left out, it doesn't say it. */
  ok?: boolean;
  /** In milliseconds, as the client says. */
  duration_ms?: number;
  /** What ran; left out, it isn't compared with what was allowed. */
  input?: RanCall;
  /** What ran has to be among what was asked about, by this id. */
  unasked?: true;
  /** Its output says that its box kept it from something. */
  refused?: true;
}

/** What the call was confined to. `is_narrow`: to less than its project. */
export interface ConfinedTo {
  is_narrow: boolean;
  project: string;
  network: boolean;
}

/** What the gate had the call confined to; null where it wasn't, or the gate doesn't say. Never rejects. */
export async function reportRan({
  call_id,
  ok,
  duration_ms,
  input,
  unasked,
  refused,
  ...reporter
}: RanReport): Promise<ConfinedTo | null> {
  const data = {
    call_id,
    ...(ok === undefined ? {} : { ok }),
    ...(duration_ms === undefined ? {} : { duration_ms }),
    ...(input === undefined ? {} : { input }),
    ...(unasked === undefined ? {} : { unasked }),
    ...(refused === undefined ? {} : { refused }),
  };
  const answer = await report(reporter, "tool.ran", data, "tool.ran.ok");
  return answer === null ? null : confinedTo(answer.confined);
}

function confinedTo(confined: unknown): ConfinedTo | null {
  if (typeof confined !== "object" || confined === null) return null;
  const { kind, project, network } = confined as Record<string, unknown>;
  return typeof project === "string" ? { is_narrow: kind !== undefined, project, network: network === true } : null;
}
