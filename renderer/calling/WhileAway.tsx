import { useEffect, useRef, useState } from "react";
import type { OperatorEvent } from "../../ipc/contract/operator-api.ts";
import { useGateEvents } from "../gate/use-gate.tsx";
import { Button } from "../parts/Button.tsx";
import { callingWords, type Happened } from "../words/calling.ts";
import { useWords } from "../words/language.ts";
import "./calling.css";

/** A page that was hidden for longer says what happened meanwhile, in milliseconds. */
const LONG_MS = 5 * 60 * 1000;

const NOTHING: Happened = { allowed: 0, expired: 0, denied: 0 };

/** What an event adds to what happened without the user. */
function counted(before: Happened, event: OperatorEvent): Happened {
  if (event.type === "approval.closed" && event.data.status === "expired")
    return { ...before, expired: before.expired + 1 };
  if (event.type !== "decision") return before;
  const { outcome, explain } = event.data.decision;
  if (outcome === "allowed" && explain.rule === "policy.grant-allows")
    return { ...before, allowed: before.allowed + 1 };
  if (outcome === "denied" && explain.rule?.startsWith("guard.")) return { ...before, denied: before.denied + 1 };
  return before;
}

/** One line for who comes back: what was decided without them. */
export function WhileAway() {
  const words = useWords(callingWords);
  const [report, setReport] = useState<Happened | null>(null);
  const hiddenAt = useRef<number | null>(null);
  const happened = useRef(NOTHING);
  useGateEvents((event) => {
    if (hiddenAt.current !== null) happened.current = counted(happened.current, event);
  });
  useEffect(() => {
    const changed = () => {
      if (document.visibilityState === "hidden") {
        hiddenAt.current = Date.now();
        happened.current = NOTHING;
        return;
      }
      const since = hiddenAt.current;
      hiddenAt.current = null;
      if (since !== null && Date.now() - since > LONG_MS) setReport(happened.current);
    };
    document.addEventListener("visibilitychange", changed);
    return () => document.removeEventListener("visibilitychange", changed);
  }, []);
  const parts = report === null ? [] : words.happened(report);
  if (parts.length === 0) return null;
  return (
    <p className="while-away quiet" role="status">
      <span>{words.whileAway(parts)}</span>
      <Button look="plain" size="small" onClick={() => setReport(null)}>
        {words.dismiss}
      </Button>
    </p>
  );
}
