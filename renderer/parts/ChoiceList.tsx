import { type ReactNode, useId } from "react";

export interface ChoiceItem<V extends string> {
  value: V;
  label: ReactNode;
  /** Beneath the label, quieter. */
  detail?: ReactNode;
}

interface ChoiceListProps<V extends string> {
  legend: string;
  items: readonly ChoiceItem<V>[];
  chosen: V | null;
  onChoose(value: V): void;
  /** Where the surroundings already say it. */
  hidesLegend?: boolean;
}

/** One of a few, as sentences. Arrow keys move, as in any radio group. */
export function ChoiceList<V extends string>({ legend, items, chosen, onChoose, hidesLegend }: ChoiceListProps<V>) {
  const name = useId();
  return (
    <fieldset className="choices">
      <legend className={hidesLegend ? "unseen" : "quiet"}>{legend}</legend>
      {items.map(({ value, label, detail }) => (
        <label key={value} className="choice">
          <input type="radio" name={name} value={value} checked={value === chosen} onChange={() => onChoose(value)} />
          <span>{label}</span>
          {detail === undefined ? null : <span className="detail quiet">{detail}</span>}
        </label>
      ))}
    </fieldset>
  );
}
