import { type ReactNode, useEffect, useId, useRef } from "react";

interface DialogProps {
  title: string;
  onClose(): void;
  children: ReactNode;
  /** The buttons, the safe one first: it has the focus. */
  ends: ReactNode;
}

/** A modal question. Escape closes it and answers nothing. Rendered only while it is open. */
export function Dialog({ title, onClose, children, ends }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    element?.querySelector<HTMLElement>(".ends button, .ends a")?.focus();
    return () => element?.close();
  }, []);
  return (
    <dialog ref={dialog} className="dialog" aria-labelledby={titleId} onClose={onClose}>
      <h2 id={titleId}>{title}</h2>
      {children}
      <div className="ends">{ends}</div>
    </dialog>
  );
}
