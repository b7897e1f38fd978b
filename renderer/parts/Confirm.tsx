import { type ReactNode, useEffect, useRef } from "react";
import { Button } from "./Button.tsx";

interface ConfirmProps {
  children: ReactNode;
  /** The safe way out; it has the focus. */
  keep: string;
  act: string;
  /** For what can't be undone. */
  isDanger?: boolean;
  isBusy?: boolean;
  onKeep(): void;
  onAct(): void;
}

/** Asks for confirmation, in the place of the button that was pressed. Escape changes nothing. */
export function Confirm({ children, keep, act, isDanger = false, isBusy = false, onKeep, onAct }: ConfirmProps) {
  const safe = useRef<HTMLButtonElement>(null);
  useEffect(() => safe.current?.focus(), []);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape is a second way to the button that is there
    <div
      className="confirm"
      onKeyDown={(event) => {
        if (event.key === "Escape") onKeep();
      }}
    >
      <p>{children}</p>
      <div>
        <Button ref={safe} size="small" disabled={isBusy} onClick={onKeep}>
          {keep}
        </Button>
        <Button size="small" look={isDanger ? "danger" : "normal"} disabled={isBusy} onClick={onAct}>
          {act}
        </Button>
      </div>
    </div>
  );
}
