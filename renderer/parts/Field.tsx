import { type ReactNode, useId } from "react";

/** A labelled control. `children` gets the id that ties it to its label. */
export function Field({ label, children }: { label: string; children: (id: string) => ReactNode }) {
  const id = useId();
  return (
    <div className="field">
      <label className="label" htmlFor={id}>
        {label}
      </label>
      {children(id)}
    </div>
  );
}
