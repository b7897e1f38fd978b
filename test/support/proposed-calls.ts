import type { CallContext, ProposedCall } from "../../ipc/contract/wire.ts";
import { type Executor, ExecutorCatalog } from "../../main/decide/executors/catalog.ts";
import { needsOf } from "../../main/decide/executors/needs.ts";
import type { ResolvedRequirement } from "../../main/targets/target.ts";

const CATALOG = new ExecutorCatalog();

export interface Prepared {
  call: ProposedCall;
  executor: Executor;
  needs: ResolvedRequirement[];
}

/** A call as it is once validation has passed: its executor found, its needs known. */
export function prepared(
  home: string,
  executorName: string,
  args: Record<string, unknown>,
  more: { intent?: string; context?: CallContext } = {},
): Prepared {
  const call: ProposedCall = { intent: more.intent ?? "", executor: executorName, args };
  if (more.context !== undefined) call.context = more.context;
  const executor = CATALOG.find(executorName, "any");
  return { call, executor, needs: needsOf(call, executor, home) };
}
