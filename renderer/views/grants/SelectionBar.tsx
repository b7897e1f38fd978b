import { useState } from "react";
import type { GrantView } from "../../../ipc/operator-api.ts";
import { useAct } from "../../gate/use-act.ts";
import { useCall } from "../../gate/use-gate.tsx";
import { Button } from "../../parts/Button.tsx";
import { Confirm } from "../../parts/Confirm.tsx";
import { Failure } from "../../parts/Failure.tsx";
import { grantsWords } from "../../words/grants.ts";
import { useWords } from "../../words/language.ts";

/** What was ticked, by id. */
export type Chosen = ReadonlyMap<number, GrantView>;

interface SelectionBarProps {
  chosen: Chosen;
  onClear(): void;
  /** Shown here while nothing is ticked. */
  idle: string;
}

/** So many revocations are sent at once. */
const AT_ONCE = 8;

/** Revokes the ticked grants, after a confirmation. */
export function SelectionBar({ chosen, onClear, idle }: SelectionBarProps) {
  const words = useWords(grantsWords);
  const call = useCall();
  const { run, is_busy, error } = useAct();
  const [is_asking, setAsking] = useState(false);
  const [done, setDone] = useState(0);
  const [result, setResult] = useState("");
  const count = chosen.size;
  const revoke = async () => {
    const ids = [...chosen.keys()];
    setDone(0);
    const next = ids.values();
    const worker = async () => {
      for (const id of next) {
        await call("grants.revoke", { id });
        setDone((now) => now + 1);
      }
    };
    const was_done = await run(() => Promise.all(Array.from({ length: AT_ONCE }, worker)));
    setAsking(false);
    if (!was_done) return;
    setResult(words.revoked_many(ids.length));
    onClear();
  };
  if (is_asking && count > 0) {
    return (
      <Confirm
        keep={words.keep}
        act={words.revoke_many(count)}
        isDanger
        isBusy={is_busy}
        onKeep={() => setAsking(false)}
        onAct={() => void revoke()}
      >
        {is_busy ? words.revoking(done, count) : words.confirm_many(count)}
      </Confirm>
    );
  }
  return (
    <div className="selection">
      <Failure error={error} />
      <p className="quiet figures" role="status">
        {count > 0 ? words.selected(count) : [result, idle].filter(Boolean).join(" ")}
      </p>
      {count > 0 ? (
        <div>
          <Button size="small" look="plain" onClick={onClear}>
            {words.clear}
          </Button>
          <Button
            size="small"
            look="danger"
            onClick={() => {
              setResult("");
              setAsking(true);
            }}
          >
            {words.revoke_many(count)}
          </Button>
        </div>
      ) : null}
    </div>
  );
}
