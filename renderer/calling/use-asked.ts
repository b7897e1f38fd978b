import { useEffect, useReducer } from "react";
import type { ApprovalView } from "../../ipc/contract/operator-api.ts";
import { useCall, useGateEvents, useLinkState } from "../gate/use-gate.tsx";

/** Enough to say what waits; how much it is, the gate's status says. */
const MOST = 50;
/** After the page's own first drawing, in milliseconds. */
const AFTER_MS = 400;

type Step = (before: readonly ApprovalView[]) => readonly ApprovalView[];

/**
 * The requests that wait, soonest deadline first, in whichever view.
 * @param appeared is called for each that comes while the page is open
 */
export function useAsked(appeared: (view: ApprovalView) => void): readonly ApprovalView[] {
  const call = useCall();
  const link = useLinkState();
  const [asked, step] = useReducer((before: readonly ApprovalView[], change: Step) => change(before), []);
  useGateEvents((event) => {
    if (event.type === "approval.waiting") {
      appeared(event.data);
      step((before) => [...without(before, event.data.token), event.data]);
    } else if (event.type === "approval.closed") step((before) => without(before, event.data.token));
  });
  useEffect(() => {
    if (link !== "answering") return step(() => []); // what was known may no longer be true
    const timer = setTimeout(() => {
      void call("approvals.list", { limit: MOST, order: "deadline" }).then(
        (views) => step(() => views),
        () => undefined, // gone again: asked anew when it is back
      );
    }, AFTER_MS);
    return () => clearTimeout(timer);
  }, [call, link]);
  return asked;
}

function without(views: readonly ApprovalView[], token: string): readonly ApprovalView[] {
  return views.filter((view) => view.token !== token);
}
