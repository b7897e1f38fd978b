import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { Button } from "./Button.tsx";
import { VisibleText } from "./VisibleText.tsx";
import "./undo-strip.css";

interface UndoStripProps {
  /** What was just done, in a sentence; null: nothing. */
  said: string | null;
  /** What takes it back is called; null where that can't be done any more. */
  undo: string | null;
  onUndo(): void;
}

/** What was just done in a view, in the window's row for that, and its way back. */
export function UndoStrip({ said, undo, onUndo }: UndoStripProps) {
  const [place, setPlace] = useState<Element | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => setPlace(document.querySelector(".strip-place")), []);
  useEffect(() => {
    // The button that was pressed may have gone: the keyboard isn't left nowhere.
    if (said !== null && document.activeElement === document.body) button.current?.focus({ preventScroll: true });
  }, [said]);
  if (said === null || place === null) return null;
  return createPortal(
    <div className="undo-strip">
      <p role="status">
        <VisibleText text={said} />
      </p>
      {undo === null ? null : (
        <Button ref={button} size="small" onClick={onUndo}>
          {undo}
        </Button>
      )}
    </div>,
    place,
  );
}
