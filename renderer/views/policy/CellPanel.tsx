import { useEffect, useRef, useState } from "react";
import { shortened } from "../../../ipc/base/visible-text.ts";
import type { Level, Outcome } from "../../../ipc/contract/decision.ts";
import type { PolicyRow } from "../../../ipc/contract/operator-api.ts";
import { useQuery } from "../../gate/use-gate.tsx";
import { Button } from "../../parts/Button.tsx";
import { Failure } from "../../parts/Failure.tsx";
import { FilterSelect } from "../../parts/FilterSelect.tsx";
import { OutcomeShape } from "../../parts/OutcomeShape.tsx";
import { RelativeTime } from "../../parts/RelativeTime.tsx";
import { Target } from "../../parts/Target.tsx";
import { VisibleText } from "../../parts/VisibleText.tsx";
import { useLanguage, useWords } from "../../words/language.ts";
import { namesWords } from "../../words/names.ts";
import { type PolicyWords, policyWords } from "../../words/policy.ts";
import { grantsNote, ruleSentence } from "./matrix-view.ts";
import { OverrideMark } from "./OverrideMark.tsx";
import { agentOf, type CellOverrides, isStricter, type Override, outcomeAt } from "./overrides.ts";
import type { Tightening } from "./use-tightening.ts";

interface CellPanelProps {
  row: PolicyRow;
  level: Level;
  agent: string | null;
  overrides: CellOverrides;
  tightening: Tightening;
  onClose(): void;
}

const SHOWN = 5;
const PROFILE_SHOWN = 80;

/** Why a cell has its outcome, and the grants that bear on it. Escape closes it. */
export function CellPanel({ row, level, agent, overrides, tightening, onClose }: CellPanelProps) {
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
      <Overridden overrides={overrides} tightening={tightening} />
      <Tighten row={row} level={level} agent={agent} overrides={overrides} tightening={tightening} />
      {row.default_approval === "per_target" ? <Bearing row={row} outcome={outcome} agent={agent} /> : null}
      {row.default_approval === "always" && outcome === "denied" ? (
        <p className="quiet">{grantsNote(words, row, outcome)}</p>
      ) : null}
    </div>
  );
}

interface OverriddenProps {
  overrides: CellOverrides;
  tightening: Tightening;
}

/** What makes this cell stricter, where that is written, and the way back of what was done by hand. */
function Overridden({ overrides: { all, inForce }, tightening }: OverriddenProps) {
  const words = useWords(policyWords);
  const names = useWords(namesWords);
  if (all.length === 0) return null;
  return (
    <ul className="overridden">
      {all.map((one) => (
        <li key={`${one.line} ${one.by_hand?.id} ${one.profile}`}>
          <OverrideMark isInForce={inForce.includes(one)} />
          <span>
            <VisibleText
              text={words.overrides.cell(whomText(one, words), names.outcomes[one.outcome], names.outcomes[one.before])}
            />{" "}
            <span className="quiet">
              {one.line === null ? words.overrides.byHand : words.overrides.line(one.line)}
              {one.agents.length === 0 ? null : (
                <>
                  {", "}
                  <VisibleText text={words.overrides.agents(one.agents.join(", "))} />
                </>
              )}
            </span>
          </span>
          {one.by_hand === undefined ? null : <TakeBack override={one} id={one.by_hand.id} tightening={tightening} />}
        </li>
      ))}
    </ul>
  );
}

function TakeBack({ override, id, tightening }: { override: Override; id: number; tightening: Tightening }) {
  const words = useWords(policyWords);
  const { level, capability, outcome } = override;
  return (
    <Button
      size="small"
      aria-label={words.overrides.takeBackOf(whomText(override, words))}
      disabled={tightening.isBusy}
      onClick={() => tightening.loosen({ level, capability, agent: agentOf(override) }, id, outcome)}
    >
      {words.overrides.takeBack}
    </Button>
  );
}

function whomText(override: Override, words: PolicyWords): string {
  if (override.by_hand === undefined) return shortened(override.profile, PROFILE_SHOWN);
  return agentOf(override) ?? words.everyAgent;
}

const STRICTER = ["approval_required", "denied"] as const;

/** Makes this cell stricter, for the agent that is looked at or for every one. Nothing where the table denies it already. */
function Tighten({ row, level, agent, overrides, tightening }: Omit<CellPanelProps, "onClose">) {
  const words = useWords(policyWords);
  const names = useWords(namesWords);
  // Undefined: the agent that is looked at, whichever that is.
  const [chosen, setChosen] = useState<string | null | undefined>(undefined);
  const whom = chosen === undefined ? agent : chosen;
  const { capability } = row;
  const table = row.cells[level].outcome;
  const possible = STRICTER.filter((outcome) => isStricter(outcome, table));
  if (possible.length === 0) return null;
  const set = overrides.all.find((one) => one.by_hand !== undefined && agentOf(one) === whom)?.outcome;
  return (
    // biome-ignore lint/a11y/useSemanticElements: buttons that belong together, not fields of a form
    <div className="tighten" role="group" aria-label={words.tighten.title}>
      <span aria-hidden="true">{words.tighten.title}</span>
      {agent === null ? (
        <span>{words.everyAgent}</span>
      ) : (
        <FilterSelect
          label={words.tighten.whom}
          all={words.everyAgent}
          items={[{ value: agent, label: agent }]}
          chosen={whom}
          onChoose={setChosen}
        />
      )}
      {possible.map((outcome) => (
        <Button
          key={outcome}
          size="small"
          disabled={tightening.isBusy || outcome === set}
          aria-pressed={outcome === set}
          aria-label={words.tighten.to(names.outcomes[outcome], whom ?? words.everyAgent)}
          onClick={() => tightening.tighten({ level, capability, agent: whom }, outcome)}
        >
          <OutcomeShape outcome={outcome} /> {names.outcomes[outcome]}
        </Button>
      ))}
      <Failure error={tightening.error} />
    </div>
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
