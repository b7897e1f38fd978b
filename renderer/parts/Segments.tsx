import { useId } from "react";

export interface SegmentsProps<V extends string> {
  legend: string;
  items: readonly { value: V; label: string }[];
  /** Null: nothing yet. */
  chosen: V | null;
  onChoose(value: V): void;
}

/** One of a few short words side by side; arrow keys move, as in any radio group. */
export function Segments<V extends string>({ legend, items, chosen, onChoose }: SegmentsProps<V>) {
  const name = useId();
  return (
    <fieldset className="segments">
      <legend className="unseen">{legend}</legend>
      {items.map(({ value, label }) => (
        <label key={value}>
          <input
            className="unseen"
            type="radio"
            name={name}
            value={value}
            checked={value === chosen}
            onChange={() => onChoose(value)}
          />
          {label}
        </label>
      ))}
    </fieldset>
  );
}
