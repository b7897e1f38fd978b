import { useCallback, useState } from "react";
import type { Outcome } from "../../../ipc/contract/decision.ts";
import type { GateError } from "../../../ipc/contract/gate-error.ts";
import type { OperatorParams } from "../../../ipc/contract/operator-api.ts";
import { useAct } from "../../gate/use-act.ts";
import { useCall } from "../../gate/use-gate.tsx";

/** Makes cells stricter by hand, and takes that back: each at once, without a question, and each can be undone. */

type Stricter = OperatorParams<"policy.tighten">["outcome"];
/** A cell, and for whom: null for every agent. */
type HandCell = Pick<OperatorParams<"policy.tighten">, "level" | "capability"> & { agent: string | null };

/** What was done last. `before`, `outcome`: null where nothing is set by hand. */
interface Tightened {
  cell: HandCell;
  before: Stricter | null;
  outcome: Stricter | null;
  isUndone: boolean;
}

export interface Tightening {
  last: Tightened | null;
  isBusy: boolean;
  error: GateError | undefined;
  tighten(cell: HandCell, outcome: Stricter): void;
  loosen(cell: HandCell, id: number, outcome: Outcome): void;
  undo(): void;
}

export function useTightening(): Tightening {
  const call = useCall();
  const { run, isBusy, error } = useAct();
  const [last, setLast] = useState<(Tightened & { id: number }) | null>(null);
  const set = useCallback(
    async ({ agent, ...cell }: HandCell, outcome: Stricter) =>
      await call("policy.tighten", { ...cell, outcome, ...(agent === null ? {} : { agent }) }),
    [call],
  );
  const tighten = (cell: HandCell, outcome: Stricter) =>
    void run(async () => {
      const { id, before } = await set(cell, outcome);
      setLast({ cell, id, before: stricterOf(before), outcome, isUndone: false });
    });
  const loosen = (cell: HandCell, id: number, outcome: Outcome) =>
    void run(async () => {
      await call("policy.loosen", { id });
      setLast({ cell, id, before: stricterOf(outcome), outcome: null, isUndone: false });
    });
  const undo = () =>
    void run(async () => {
      if (last === null) return;
      if (last.before === null) await call("policy.loosen", { id: last.id });
      else await set(last.cell, last.before);
      setLast({ ...last, isUndone: true });
    });
  return { last, isBusy, error, tighten, loosen, undo };
}

const stricterOf = (outcome: Outcome | null): Stricter | null => (outcome === "allowed" ? null : outcome);
