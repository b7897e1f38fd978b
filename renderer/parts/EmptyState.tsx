import type { ReactNode } from "react";

/** Instead of an empty listing: that there is nothing, and what to do next. `command` is shown to be copied. */
export function EmptyState({ title, children, command }: { title: string; children?: ReactNode; command?: string }) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      {children === undefined ? null : <p>{children}</p>}
      {command === undefined ? null : <code>{command}</code>}
    </div>
  );
}
