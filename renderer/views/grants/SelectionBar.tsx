import { useEffect, useRef } from "react";
import type { GrantView } from "../../../ipc/contract/operator-api.ts";
import { Button } from "../../parts/Button.tsx";
import { Failure } from "../../parts/Failure.tsx";
import { grantsWords } from "../../words/grants.ts";
import { useWords } from "../../words/language.ts";
import type { Revocation } from "./use-revocation.ts";

/** What was ticked, by id. */
export type Chosen = ReadonlyMap<number, GrantView>;

interface SelectionBarProps {
  chosen: Chosen;
  onClear(): void;
  revocation: Revocation;
  /** Shown here while nothing is ticked. */
  idle: string;
}

/** One line above the table, always there: how many there are, what is ticked, or what was just revoked and can be undone. */
export function SelectionBar({ chosen, onClear, revocation, idle }: SelectionBarProps) {
  const words = useWords(grantsWords);
  const { revoked, progress, error, revoke } = revocation;
  const count = chosen.size;
  const said = progress !== null ? words.working(progress.done, progress.of) : count > 0 ? words.selected(count) : idle;
  return (
    <div className="selection">
      <Failure error={error} />
      {revoked !== null && progress === null ? (
        <UndoLine revocation={revocation} />
      ) : (
        <p className="quiet figures" role="status">
          {said}
        </p>
      )}
      {count > 0 && progress === null ? (
        <div>
          <Button size="small" look="plain" onClick={onClear}>
            {words.clear}
          </Button>
          <Button
            size="small"
            look="danger"
            onClick={() => {
              onClear();
              void revoke([...chosen.keys()]);
            }}
          >
            {words.revokeMany(count)}
          </Button>
        </div>
      ) : null}
    </div>
  );
}

function UndoLine({ revocation: { revoked, undo } }: { revocation: Revocation }) {
  const words = useWords(grantsWords);
  const button = useRef<HTMLButtonElement>(null);
  const count = revoked?.ids.length ?? 0;
  const isUndone = revoked?.isUndone === true;
  useEffect(() => {
    // The button that was pressed has gone with its row: the keyboard isn't left nowhere.
    if (document.activeElement === document.body) button.current?.focus({ preventScroll: true });
  }, []);
  return (
    <div className="undo">
      <p className="figures" role="status">
        {isUndone ? words.givenBack(count) : words.revokedMany(count)}
      </p>
      {isUndone ? null : (
        <Button ref={button} size="small" onClick={() => void undo()}>
          {words.undo}
        </Button>
      )}
    </div>
  );
}
