import { useEffect, useRef } from "react";
import { shortened } from "../../../ipc/base/visible-text.ts";
import type { Level, Outcome } from "../../../ipc/contract/decision.ts";
import type { PolicyRow } from "../../../ipc/contract/operator-api.ts";
import { useQuery } from "../../gate/use-gate.tsx";
import { Button } from "../../parts/Button.tsx";
import { Failure } from "../../parts/Failure.tsx";
import { RelativeTime } from "../../parts/RelativeTime.tsx";
import { Target } from "../../parts/Target.tsx";
import { VisibleText } from "../../parts/VisibleText.tsx";
import { useLanguage, useWords } from "../../words/language.ts";
import { namesWords } from "../../words/names.ts";
import { policyWords } from "../../words/policy.ts";
import { grantsNote, ruleSentence } from "./matrix-view.ts";
import { OverrideMark } from "./OverrideMark.tsx";
import { type CellOverrides, outcomeAt } from "./overrides.ts";

interface CellPanelProps {
  row: PolicyRow;
  level: Level;
  agent: string | null;
  overrides: CellOverrides;
  onClose(): void;
}

const SHOWN = 5;
const PROFILE_SHOWN = 80;

/** Why a cell has its outcome, and the grants that bear on it. Escape closes it. */
export function CellPanel({ row, level, agent, overrides, onClose }: CellPanelProps) {
  const words = useWords(policyWords);
  const names = useWords(namesWords);
  const outcome = outcomeAt(row, level, overrides);
  const panel = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // It gives a promise in some browsers: nothing of it goes to React.
    panel.current?.scrollIntoView({ block: "nearest" });
  }, []);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a part of a table's cell, not a section of the page
    <div
      ref={panel}
      role="group"
      className="cell-panel"
      aria-label={`${row.capability}, ${names.levels[level]}`}
      onKeyDown={(event) => {
        if (event.key === "Escape") onClose();
      }}
    >
      <div className="said">
        <p>{ruleSentence(words, row, level)}</p>
        <Button size="small" look="plain" onClick={onClose}>
          {words.close}
        </Button>
      </div>
      <Overridden overrides={overrides} />
      {row.default_approval === "per_target" ? <Bearing row={row} outcome={outcome} agent={agent} /> : null}
      {row.default_approval === "always" && outcome === "denied" ? (
        <p className="quiet">{grantsNote(words, row, outcome)}</p>
      ) : null}
    </div>
  );
}

/** Which profile makes this cell stricter, and where that is written. */
function Overridden({ overrides: { all, inForce } }: { overrides: CellOverrides }) {
  const words = useWords(policyWords);
  const names = useWords(namesWords);
  if (all.length === 0) return null;
  return (
    <ul className="overridden">
      {all.map((one) => (
        <li key={`${one.line} ${one.profile}`}>
          <OverrideMark isInForce={inForce.includes(one)} />
          <span>
            <VisibleText
              text={words.overrides.cell(
                shortened(one.profile, PROFILE_SHOWN),
                names.outcomes[one.outcome],
                names.outcomes[one.before],
              )}
            />{" "}
            <span className="quiet">
              {words.overrides.line(one.line)}
              {one.agents.length === 0 ? null : (
                <>
                  {", "}
                  <VisibleText text={words.overrides.agents(one.agents.join(", "))} />
                </>
              )}
            </span>
          </span>
        </li>
      ))}
    </ul>
  );
}

interface BearingProps {
  row: PolicyRow;
  /** What is in force. */
  outcome: Outcome;
  agent: string | null;
}

function Bearing({ row, outcome, agent }: BearingProps) {
  const words = useWords(policyWords);
  const language = useLanguage();
  const { data, error } = useQuery("grants.search", {
    capability: row.capability,
    limit: SHOWN,
    ...(agent === null ? {} : { agent }),
  });
  if (error !== undefined) return <Failure error={error} />;
  if (data === undefined) return null;
  // Where it is denied no approval would come.
  if (data.total === 0) return outcome === "denied" ? null : <p className="quiet">{words.noGrants}</p>;
  return (
    <>
      <p className="quiet">
        {words.grants}. {grantsNote(words, row, outcome)}
      </p>
      <ul className="bearing">
        {data.grants.map((grant) => (
          <li key={grant.id}>
            <Target text={grant.target} width={60} />
            <span className="quiet">
              {grant.agent_name ?? words.everyAgent},{" "}
              {grant.expires_at === null ? (
                words.forGood
              ) : (
                <>
                  {words.ends} <RelativeTime at={grant.expires_at} />
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
      <p>
        <a href={`#/grants/${encodeURIComponent(row.capability)}`}>
          {words.allGrants(data.total.toLocaleString(language), data.total === 1)}
        </a>
      </p>
    </>
  );
}
