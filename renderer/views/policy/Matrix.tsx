import { Fragment, useEffect, useId, useRef } from "react";
import type { PolicyRow } from "../../../ipc/contract/operator-api.ts";
import { OutcomeShape } from "../../parts/OutcomeShape.tsx";
import { useWords } from "../../words/language.ts";
import { namesWords } from "../../words/names.ts";
import { policyWords } from "../../words/policy.ts";
import { CellPanel } from "./CellPanel.tsx";
import type { MatrixColumn, MatrixFamily, OpenCell } from "./matrix-view.ts";
import { OverrideMark } from "./OverrideMark.tsx";
import { type CellOverrides, type Override, outcomeAt, overridesAt } from "./overrides.ts";
import type { Tightening } from "./use-tightening.ts";

interface MatrixProps {
  families: readonly MatrixFamily[];
  columns: readonly MatrixColumn[];
  agent: string | null;
  overrides: readonly Override[];
  tightening: Tightening;
  open: OpenCell | null;
  onOpen(cell: OpenCell): void;
  onClose(): void;
}

/** Capabilities by family, levels as columns. A cell opens beneath its row. */
export function Matrix({ families, columns, agent, overrides, tightening, open, onOpen, onClose }: MatrixProps) {
  const words = useWords(policyWords);
  const panelId = useId();
  return (
    <table className="matrix">
      <thead>
        <tr>
          <th scope="col" className="family">
            <span className="unseen">{words.family}</span>
          </th>
          <th scope="col">{words.capability}</th>
          {columns.map((column) => (
            <LevelHead key={column.level} column={column} agent={agent} />
          ))}
        </tr>
      </thead>
      {families.map(({ family, rows }) => (
        <tbody key={family}>
          {rows.map((row, index) => {
            const opened = open?.capability === row.capability ? open : null;
            return (
              <Fragment key={row.capability}>
                <tr>
                  {index === 0 ? (
                    <th
                      scope="rowgroup"
                      className="family"
                      rowSpan={rows.length + (rows.some(({ capability }) => capability === open?.capability) ? 1 : 0)}
                    >
                      {words.families[family]}
                    </th>
                  ) : null}
                  <th scope="row" className="capability">
                    <span className="mono">{row.capability}</span>
                    <span className="quiet"> {words.descriptions[row.capability]}</span>
                  </th>
                  {columns.map((column) => (
                    <Cell
                      key={column.level}
                      row={row}
                      column={column}
                      overrides={overridesAt(overrides, row.capability, column.level, agent)}
                      isOpen={opened?.level === column.level}
                      panelId={panelId}
                      onOpen={onOpen}
                    />
                  ))}
                </tr>
                {opened === null ? null : (
                  <tr className="opened">
                    <td colSpan={1 + columns.length} id={panelId}>
                      <CellPanel
                        key={opened.level}
                        row={row}
                        level={opened.level}
                        agent={agent}
                        overrides={overridesAt(overrides, row.capability, opened.level, agent)}
                        tightening={tightening}
                        onClose={onClose}
                      />
                    </td>
                  </tr>
                )}
              </Fragment>
            );
          })}
        </tbody>
      ))}
    </table>
  );
}

function LevelHead({ column, agent }: { column: MatrixColumn; agent: string | null }) {
  const words = useWords(policyWords);
  const { level, agents, isInForce } = column;
  return (
    <th scope="col" className={isInForce ? "level in-force" : "level"}>
      <span className="name">{words.levelHeads[level]}</span>
      {isInForce && agent !== null ? <span className="unseen">{words.columnInForce(agent)}</span> : null}
      {agents.length > 0 ? (
        <span className="quiet agents" title={words.agentsAt(agents.join(", "))}>
          {agents.join(", ")}
        </span>
      ) : null}
    </th>
  );
}

interface CellProps {
  row: PolicyRow;
  column: MatrixColumn;
  overrides: CellOverrides;
  isOpen: boolean;
  panelId: string;
  onOpen(cell: OpenCell): void;
}

function Cell({ row, column, overrides, isOpen, panelId, onOpen }: CellProps) {
  const names = useWords(namesWords);
  const words = useWords(policyWords);
  const { level, isInForce } = column;
  const outcome = outcomeAt(row, level, overrides);
  const isOverridden = overrides.inForce.length > 0;
  const stricter = isOverridden ? words.overrides.inForce : overrides.all.length > 0 ? words.overrides.ofOthers : null;
  const said = [names.outcomes[outcome], ...(stricter === null ? [] : [stricter])].join(", ");
  const button = useRef<HTMLButtonElement>(null);
  const wasOpen = useRef(isOpen);
  useEffect(() => {
    // Closed from within: the keyboard focus returns to where it was.
    if (wasOpen.current && !isOpen && document.activeElement === document.body) button.current?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  return (
    <td className={isInForce ? "cell in-force" : "cell"}>
      <button
        ref={button}
        type="button"
        aria-expanded={isOpen}
        aria-controls={isOpen ? panelId : undefined}
        aria-label={`${row.capability}, ${names.levels[level]}: ${said}`}
        title={said}
        onClick={() => onOpen({ capability: row.capability, level })}
      >
        <OutcomeShape outcome={outcome} />
        <b className={`letter ${outcome}`}>{names.letters[outcome]}</b>
        {stricter === null ? null : <OverrideMark isInForce={isOverridden} />}
      </button>
    </td>
  );
}
