interface FilterSelectProps<V extends string> {
  label: string;
  /** What the choice of none is called. */
  all: string;
  items: readonly { value: V; label: string }[];
  chosen: V | null;
  onChoose(value: V | null): void;
}

/** One filter of a listing: a value, or all. Its first entry names it, so it needs no label beside it. */
export function FilterSelect<V extends string>({ label, all, items, chosen, onChoose }: FilterSelectProps<V>) {
  return (
    <select
      className="select"
      aria-label={label}
      value={chosen ?? ""}
      onChange={({ target }) => onChoose(items.find(({ value }) => value === target.value)?.value ?? null)}
    >
      <option value="">{all}</option>
      {items.map(({ value, label: text }) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  );
}
