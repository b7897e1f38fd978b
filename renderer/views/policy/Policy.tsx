import { useState } from "react";
import { OUTCOMES } from "../../gate/contract-lists.ts";
import { useQuery } from "../../gate/use-gate.tsx";
import { Failure } from "../../parts/Failure.tsx";
import { FilterSelect } from "../../parts/FilterSelect.tsx";
import { OutcomeShape } from "../../parts/OutcomeShape.tsx";
import { Target } from "../../parts/Target.tsx";
import { UndoStrip } from "../../parts/UndoStrip.tsx";
import { useWords } from "../../words/language.ts";
import { namesWords } from "../../words/names.ts";
import { policyWords } from "../../words/policy.ts";
import { BoxState } from "./BoxState.tsx";
import { Matrix } from "./Matrix.tsx";
import { columnsOf, familiesOf, firstAgent, type OpenCell } from "./matrix-view.ts";
import { OverrideMark } from "./OverrideMark.tsx";
import type { Override } from "./overrides.ts";
import { type Tightening, useTightening } from "./use-tightening.ts";
import "../../style/views.css";
import "./policy.css";

/** What each level may do, and why. */
export default function Policy() {
  const words = useWords(policyWords);
  const matrix = useQuery("policy.matrix", {});
  const { data: stricter } = useQuery("policy.overrides", {});
  const { data: listed } = useQuery("agents.list", {});
  const agents = listed?.agents ?? [];
  const [chosen, setChosen] = useState<string | null | undefined>(undefined);
  const [open, setOpen] = useState<OpenCell | null>(null);
  const tightening = useTightening();
  const agent = chosen === undefined ? firstAgent(agents) : chosen;
  const paired = agents.filter(({ revoked_at }) => revoked_at === null);
  return (
    <div className="place policy">
      <header className="place-head">
        <div>
          <h1>{words.title}</h1>
          <p className="quiet">{words.intro}</p>
        </div>
        {paired.length > 0 ? (
          <div className="filters">
            <span className="quiet" aria-hidden="true">
              {words.inForceFor}
            </span>
            <FilterSelect
              label={words.inForceFor}
              all={words.noAgent}
              items={paired.map(({ name }) => ({ value: name, label: name }))}
              chosen={agent}
              onChoose={setChosen}
            />
          </div>
        ) : null}
      </header>
      <Failure error={matrix.error} />
      {matrix.data === undefined ? null : (
        <Matrix
          families={familiesOf(matrix.data)}
          columns={columnsOf(agents, agent)}
          agent={agent}
          overrides={stricter?.overrides ?? []}
          tightening={tightening}
          open={open}
          onOpen={(cell) => setOpen(cell.capability === open?.capability && cell.level === open.level ? null : cell)}
          onClose={() => setOpen(null)}
        />
      )}
      <Legend hasOverrides={(stricter?.overrides.length ?? 0) > 0} />
      {stricter === undefined ? null : <OverridesFile file={stricter.file} overrides={stricter.overrides} />}
      <BoxState />
      <TightenedStrip tightening={tightening} />
    </div>
  );
}

/** What was made stricter last, or taken back, and its way back. */
function TightenedStrip({ tightening: { last, undo } }: { tightening: Tightening }) {
  const { tighten: words, everyAgent } = useWords(policyWords);
  const names = useWords(namesWords);
  if (last === null) return null;
  const { cell, before, outcome, isUndone } = last;
  const now = isUndone ? before : outcome;
  const what = `${cell.capability}, ${names.levels[cell.level]}`;
  const whom = cell.agent ?? everyAgent;
  const said = now === null ? words.isBack(what, whom) : words.isNow(what, whom, names.outcomes[now]);
  return <UndoStrip said={said} undo={isUndone ? null : words.undo} onUndo={undo} />;
}

/** Where cells are made stricter, and how many are. */
function OverridesFile({ file, overrides }: { file: string; overrides: readonly Override[] }) {
  const words = useWords(policyWords);
  const written = overrides.filter(({ line }) => line !== null);
  const count = new Set(written.map(({ capability, level }) => `${capability} ${level}`)).size;
  return (
    <p className="quiet overrides-file">
      {count === 0 ? words.overrides.none : words.overrides.some(count)} <Target text={file} />
      {words.overrides.how}
    </p>
  );
}

function Legend({ hasOverrides }: { hasOverrides: boolean }) {
  const words = useWords(policyWords);
  const names = useWords(namesWords);
  return (
    <ul className="legend quiet" aria-label={words.legend}>
      {OUTCOMES.map((outcome) => (
        <li key={outcome}>
          <OutcomeShape outcome={outcome} />
          <b className="letter">{names.letters[outcome]}</b> {names.outcomes[outcome]}
        </li>
      ))}
      {hasOverrides ? (
        <>
          <li>
            <OverrideMark isInForce /> {words.overrides.inForce}
          </li>
          <li>
            <OverrideMark isInForce={false} /> {words.overrides.ofOthers}
          </li>
        </>
      ) : null}
    </ul>
  );
}
