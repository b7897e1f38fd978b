import { useState } from "react";
import type { Severity, ViolationView } from "../../../ipc/contract/safety.ts";
import { violationText } from "../../../ipc/words/safety-words.ts";
import { useAct } from "../../gate/use-act.ts";
import { useCall, useQuery } from "../../gate/use-gate.tsx";
import { Button } from "../../parts/Button.tsx";
import { EmptyState } from "../../parts/EmptyState.tsx";
import { Failure } from "../../parts/Failure.tsx";
import { Moment } from "../../parts/RelativeTime.tsx";
import { VisibleText } from "../../parts/VisibleText.tsx";
import { useLanguage, useWords } from "../../words/language.ts";
import { safetyWords } from "../../words/safety.ts";
import { SeverityMark } from "./SeverityMark.tsx";

const SHOWN = 200;
const GRAVE: ReadonlySet<Severity> = new Set(["BLOCK", "CRITICAL"]);

/** Violations of rules, newest first, until they are acknowledged. */
export function Violations({ unacknowledged, onChanged }: { unacknowledged: number; onChanged(): void }) {
  const words = useWords(safetyWords);
  const call = useCall();
  const [includes, setIncludes] = useState(true);
  const { data, error, refresh } = useQuery("safety.violations", { include_acknowledged: includes, limit: SHOWN });
  const { run, isBusy, error: refused } = useAct();
  const acknowledge = async (ids: "all" | number[]) => {
    await run(() => call("safety.acknowledge", { ids }));
    refresh();
    onChanged();
  };
  const isEmpty = data?.length === 0;
  return (
    <section aria-labelledby="safety-violations">
      <div className="section-head">
        <h2 id="safety-violations">{words.violations}</h2>
        {isEmpty && includes ? null : (
          <>
            <span className="quiet figures">
              {unacknowledged > 0 ? words.unacknowledged(unacknowledged) : words.allAcknowledged}
            </span>
            <span className="filters">
              <label className="check">
                <input type="checkbox" checked={includes} onChange={({ target }) => setIncludes(target.checked)} />
                {words.showAcknowledged}
              </label>
              <Button size="small" disabled={isBusy || unacknowledged === 0} onClick={() => void acknowledge("all")}>
                {words.acknowledgeAll}
              </Button>
            </span>
          </>
        )}
      </div>
      <Failure error={refused ?? error} />
      {isEmpty ? <EmptyState title={words.noViolations}>{words.noViolationsNext}</EmptyState> : null}
      <ul className="violations">
        {(data ?? []).map((violation) => (
          <Violation
            key={violation.id}
            violation={violation}
            isBusy={isBusy}
            onAcknowledge={() => void acknowledge([violation.id])}
          />
        ))}
      </ul>
    </section>
  );
}

interface ViolationProps {
  violation: ViolationView;
  isBusy: boolean;
  onAcknowledge(): void;
}

function Violation({ violation, isBusy, onAcknowledge }: ViolationProps) {
  const words = useWords(safetyWords);
  const language = useLanguage();
  const { rule_id, severity, subject_type, subject_id, times, detected_at, acknowledged_at } = violation;
  return (
    <li className={acknowledged_at === null && GRAVE.has(severity) ? "violation grave" : "violation"}>
      <SeverityMark severity={severity} />
      <div>
        <p>
          <VisibleText text={`${violationText(violation, language)}.`} />
        </p>
        <p className="quiet">
          {words.meant[severity]} · <VisibleText text={`${words.subjects[subject_type]} ${subject_id}`} /> ·{" "}
          {times > 1 ? `${words.times(times)} · ` : null}
          <Moment at={detected_at} seconds />
        </p>
      </div>
      {acknowledged_at === null ? (
        <Button
          size="small"
          aria-label={words.acknowledgeOf(rule_id, subject_id)}
          disabled={isBusy}
          onClick={onAcknowledge}
        >
          {words.acknowledge}
        </Button>
      ) : (
        <span className="quiet">
          {words.acknowledged} <Moment at={acknowledged_at} />
        </span>
      )}
    </li>
  );
}
