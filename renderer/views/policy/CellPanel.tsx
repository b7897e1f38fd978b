import { useEffect, useRef } from "react";
import type { Level } from "../../../ipc/decision.ts";
import type { PolicyRow } from "../../../ipc/operator-api.ts";
import { useQuery } from "../../gate/use-gate.tsx";
import { Button } from "../../parts/Button.tsx";
import { Failure } from "../../parts/Failure.tsx";
import { RelativeTime } from "../../parts/RelativeTime.tsx";
import { Target } from "../../parts/Target.tsx";
import { useLanguage, useWords } from "../../words/language.ts";
import { namesWords } from "../../words/names.ts";
import { policyWords } from "../../words/policy.ts";
import { grantsNote, ruleSentence } from "./matrix-view.ts";

interface CellPanelProps {
  row: PolicyRow;
  level: Level;
  agent: string | null;
  onClose(): void;
}

const SHOWN = 5;

/** Why a cell has its outcome, and the grants that bear on it. Escape closes it. */
export function CellPanel({ row, level, agent, onClose }: CellPanelProps) {
  const words = useWords(policyWords);
  const names = useWords(namesWords);
  const { outcome } = row.cells[level];
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
      {row.default_approval === "per_target" ? <Bearing row={row} level={level} agent={agent} /> : null}
      {row.default_approval === "always" && outcome === "denied" ? (
        <p className="quiet">{grantsNote(words, row, outcome)}</p>
      ) : null}
    </div>
  );
}

function Bearing({ row, level, agent }: Omit<CellPanelProps, "onClose">) {
  const words = useWords(policyWords);
  const language = useLanguage();
  const { data, error } = useQuery("grants.search", {
    capability: row.capability,
    limit: SHOWN,
    ...(agent === null ? {} : { agent }),
  });
  if (error !== undefined) return <Failure error={error} />;
  if (data === undefined) return null;
  if (data.total === 0) return <p className="quiet">{words.no_grants}</p>;
  return (
    <>
      <p className="quiet">
        {words.grants}. {grantsNote(words, row, row.cells[level].outcome)}
      </p>
      <ul className="bearing">
        {data.grants.map((grant) => (
          <li key={grant.id}>
            <Target text={grant.target} width={60} />
            <span className="quiet">
              {grant.agent_name ?? words.every_agent},{" "}
              {grant.expires_at === null ? (
                words.for_good
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
          {words.all_grants(data.total.toLocaleString(language), data.total === 1)}
        </a>
      </p>
    </>
  );
}
