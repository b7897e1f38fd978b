import type { Confinement } from "../decide/confinement/confinement.ts";
import { callHash } from "../decide/executors/canonical.ts";
import type { Reviewable } from "../decide/stages/examination.ts";
import type { PreparedRun } from "./revisable-decision.ts";

/**
 * Has the box prepare the run of a call that is allowed as a confined one; null where its whole agent is confined, and runs it as it is.
 * @throws GateError where it can't
 */
export function prepareBoxedRun(
  { call, subject, settings }: Reviewable,
  { declaration, line }: Confinement,
): PreparedRun | null {
  if (line === null) return null;
  const { box } = settings;
  const { agent, session = "" } = subject;
  if (box === undefined || agent === null)
    throw new Error("only an agent's call is confined, and only where there is a box");
  const { argv } = box.prepare({
    declaration,
    line,
    agent_id: agent.agent_id,
    agent_name: agent.name,
    session,
    call_hash: callHash(call.executor, call.args),
    call_id: call.context?.call_id,
    ...(call.args.run_in_background === true ? { in_background: true } : {}),
  });
  return { argv, discard: () => box.discard(argv) };
}
