import type { ReactNode } from "react";

interface RowProps {
  /** Of the control. */
  id: string;
  label: string;
  note: string;
  why_not?: string | null;
  children: ReactNode;
}

/** What is set, and beside it how. */
export function Row({ id, label, note, why_not = null, children }: RowProps) {
  return (
    <div className="setting">
      <div>
        <label htmlFor={id}>{label}</label>
        <p className="quiet" id={`${id}-note`}>
          {note}
        </p>
        {why_not === null ? null : <p className="why-not">{why_not}</p>}
      </div>
      <div className="control">{children}</div>
    </div>
  );
}
