import type { Pause } from "../../ipc/contract/safety.ts";
import { useAct } from "../gate/use-act.ts";
import { useCall, useQuery } from "../gate/use-gate.tsx";

/** How long a pause lasts, as it is offered; `open`: until the user resumes. In seconds. */
export const PAUSE_LENGTHS = [
  { name: "short", seconds: 300 },
  { name: "hour", seconds: 3600 },
  { name: "open", seconds: undefined },
] as const;

/** The pause of all agents: its state, and the acts that begin and end it. `state` is undefined until the gate has answered. */
export function usePause() {
  const call = useCall();
  const { run, isBusy, error } = useAct();
  const { data: status } = useQuery("status", {});
  const state: Pause | undefined = status?.pause;
  const pause = (forSeconds: number | undefined, reason = "") =>
    run(() =>
      call("safety.pause", {
        ...(forSeconds === undefined ? {} : { for_seconds: forSeconds }),
        ...(reason === "" ? {} : { reason }),
      }),
    );
  const resume = () => run(() => call("safety.resume", {}));
  return { state, pause, resume, isBusy, error };
}
