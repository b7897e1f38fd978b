import { visible } from "../../../ipc/base/visible-text.ts";
import type { RefusalView } from "../../../ipc/contract/operator-api.ts";
import { useAct } from "../../gate/use-act.ts";
import { useCall, useQuery } from "../../gate/use-gate.tsx";
import { Button } from "../../parts/Button.tsx";
import { Failure } from "../../parts/Failure.tsx";
import { RelativeTime } from "../../parts/RelativeTime.tsx";
import { Target } from "../../parts/Target.tsx";
import { VisibleText } from "../../parts/VisibleText.tsx";
import { grantsWords } from "../../words/grants.ts";
import { useWords } from "../../words/language.ts";

/** What is denied for a session without asking. Nothing where nothing is. */
export function Refusals() {
  const words = useWords(grantsWords);
  const { data, error } = useQuery("refusals.list", {});
  if (error !== undefined) return <Failure error={error} />;
  if (data === undefined || data.length === 0) return null;
  return (
    <section className="refusals" aria-labelledby="refusals-title">
      <h2 id="refusals-title">{words.refusals.title}</h2>
      <ul>
        {data.map((refusal) => (
          <RefusalRow key={refusal.id} refusal={refusal} />
        ))}
      </ul>
    </section>
  );
}

function RefusalRow({ refusal }: { refusal: RefusalView }) {
  const words = useWords(grantsWords);
  const call = useCall();
  const { run, is_busy, error } = useAct();
  const { id, refuse, executor, capability, target, agent_name, expires_at } = refusal;
  return (
    <li className="refusal">
      <div>
        <p className="what">
          <span className="mono">{capability ?? visible(executor)}</span> <Target text={target} />
        </p>
        <p className="quiet">
          {refuse === "call" ? words.refusals.call : words.refusals.target} · <VisibleText text={agent_name ?? ""} /> ·{" "}
          {words.refusals.ends} <RelativeTime at={expires_at} />
        </p>
        <Failure error={error} />
      </div>
      <Button
        size="small"
        look="plain"
        disabled={is_busy}
        aria-label={words.refusals.revoke_one(visible(target))}
        onClick={() => void run(() => call("refusals.revoke", { id }))}
      >
        {words.revoke}
      </Button>
    </li>
  );
}
