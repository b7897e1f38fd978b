import { useCallback, useState } from "react";
import type { ApprovalView } from "../../ipc/contract/operator-api.ts";
import type { Asked } from "../../ipc/words/waiting.ts";
import { useCall } from "../gate/use-gate.tsx";

/** Takes back what an answer from here has stored: its grants, or its no for the session. */

/** Newer grants than those of an answer that was given seconds ago. */
const GRANTS_LOOKED_AT = 200;

export type Undone = "undone" | "nothing";

export interface Undo {
  /** By token: what came of it. */
  done: ReadonlyMap<string, Undone>;
  undo(asked: Asked): Promise<void>;
}

/** Whether its answer stored something that can be taken back. */
export function canUndo({ view, ended }: Asked): boolean {
  if (ended?.isOwn !== true) return false;
  return view.status === "approved" ? view.territory_concession !== "none" : ended.isRefused === true;
}

export function useUndo(): Undo {
  const call = useCall();
  const [done, setDone] = useState<ReadonlyMap<string, Undone>>(new Map());
  const undo = useCallback(
    async ({ view }: Asked) => {
      let count = 0;
      try {
        for (const id of view.status === "approved" ? await grantsOf(view, call) : await refusalsOf(view, call)) {
          const { revoked } =
            view.status === "approved" ? await call("grants.revoke", { id }) : await call("refusals.revoke", { id });
          if (revoked) count++;
        }
      } catch {
        count = 0; // the gate has refused it, or is away: it is said that nothing was taken back
      }
      setDone((before) => new Map([...before, [view.token, count > 0 ? "undone" : "nothing"]]));
    },
    [call],
  );
  return { done, undo };
}

type Call = ReturnType<typeof useCall>;

async function grantsOf({ token }: ApprovalView, call: Call): Promise<number[]> {
  const grants = await call("grants.list", { include_revoked: false, limit: GRANTS_LOOKED_AT });
  return grants.flatMap(({ id, granted_by }) => (granted_by === `approval:${token}` ? [id] : []));
}

/** A refusal names no request: it is the one of this session and tool that came with the answer. */
async function refusalsOf({ agent_id, session, executor, decision_at }: ApprovalView, call: Call): Promise<number[]> {
  const refusals = await call("refusals.list", {});
  return refusals
    .filter((one) => one.agent_id === agent_id && one.session === session && one.executor === executor)
    .filter(({ refused_at }) => refused_at === decision_at)
    .map(({ id }) => id);
}
