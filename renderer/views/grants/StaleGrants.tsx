import { useState } from "react";
import type { OperatorResult } from "../../../ipc/contract/operator-api.ts";
import { useAct } from "../../gate/use-act.ts";
import { useCall, useQuery } from "../../gate/use-gate.tsx";
import { Button } from "../../parts/Button.tsx";
import { Failure } from "../../parts/Failure.tsx";
import { Moment, RelativeTime } from "../../parts/RelativeTime.tsx";
import { Target } from "../../parts/Target.tsx";
import { VisibleText } from "../../parts/VisibleText.tsx";
import { grantsWords } from "../../words/grants.ts";
import { useWords } from "../../words/language.ts";

type Stale = OperatorResult<"grants.stale">[number];

/** What the gate revoked as nobody used it for long: all of a time can be given back with one press. */
export function StaleGrants() {
  const { data, error, refresh } = useQuery("grants.stale", {});
  const [givenBack, setGivenBack] = useState<number | null>(null);
  const words = useWords(grantsWords);
  return (
    <>
      <Failure error={error} />
      {(data ?? []).map((stale) => (
        <Revoked
          key={stale.revoked_at}
          stale={stale}
          onGivenBack={(count) => {
            setGivenBack(count);
            refresh();
          }}
        />
      ))}
      <p className={givenBack === null ? "unseen" : "quiet"} role="status">
        {givenBack === null ? null : words.givenBack(givenBack)}
      </p>
    </>
  );
}

const LISTED = 50;

function Revoked({ stale, onGivenBack }: { stale: Stale; onGivenBack(count: number): void }) {
  const words = useWords(grantsWords);
  const call = useCall();
  const { run, isBusy, error } = useAct();
  const [isListed, setListed] = useState(false);
  const { revoked_at, until, unused_days, grants } = stale;
  const restore = () =>
    run(async () => {
      const { restored } = await call("grants.restore_stale", { revoked_at });
      onGivenBack(restored);
    });
  return (
    <div className="unused stale">
      <Failure error={error} />
      <p className="figures">
        {words.stale.revoked(grants.length, unused_days)} (<Moment at={revoked_at} />
        ).{" "}
        <span className="quiet">
          {words.stale.until} <Moment at={until} />.
        </span>
      </p>
      <div>
        <Button size="small" look="plain" aria-expanded={isListed} onClick={() => setListed(!isListed)}>
          {isListed ? words.stale.hide : words.showUnused}
        </Button>
        <Button size="small" disabled={isBusy} onClick={() => void restore()}>
          {words.stale.undo(grants.length)}
        </Button>
      </div>
      {isListed ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, by the keyboard too
        <ul className="stale-list" tabIndex={0} aria-label={words.stale.list}>
          {grants.slice(0, LISTED).map((grant) => (
            <li key={grant.id}>
              <span className="mono">{grant.capability}</span> <Target text={grant.target} />
              <span className="quiet">
                <VisibleText text={grant.agent_name ?? words.forEveryAgent} />,{" "}
                {grant.last_used_at === null ? (
                  words.stale.neverUsed
                ) : (
                  <>
                    {words.used} <RelativeTime at={grant.last_used_at} />
                  </>
                )}
              </span>
            </li>
          ))}
          {grants.length > LISTED ? <li className="quiet">{words.stale.more(grants.length - LISTED)}</li> : null}
        </ul>
      ) : null}
    </div>
  );
}
