import { type ReactNode, useState } from "react";
import type { GateError } from "../../ipc/contract/gate-error.ts";
import { asGateError } from "../../ipc/contract/gate-error.ts";
import { useWords } from "../words/language.ts";
import { partsWords } from "../words/parts.ts";
import { Button } from "./Button.tsx";
import type { Days } from "./days.ts";
import { copiesExports } from "./export.ts";
import type { ExportForm } from "./export-text.ts";
import { Failure } from "./Failure.tsx";

export interface SearchInputProps {
  label: string;
  text: string;
  onText(text: string): void;
}

/** The search field of a listing: `/` leads to it. */
export function SearchInput({ label, text, onText }: SearchInputProps) {
  return (
    <input
      type="search"
      className="input grows"
      aria-label={label}
      placeholder={label}
      maxLength={200}
      value={text}
      onChange={({ target }) => onText(target.value)}
    />
  );
}

interface ListToolsProps {
  days: Days;
  onDays(days: Days): void;
  answered: boolean;
  onAnswered(answered: boolean): void;
  /** What only this listing has. */
  children?: ReactNode;
  /** Rejects with a `GateError`. */
  onExport(form: ExportForm): Promise<void>;
}

/** What fewer people need of a listing: days, what they answered themselves, and the listing as a file. */
export function ListTools({ days, onDays, answered, onAnswered, children, onExport }: ListToolsProps) {
  const words = useWords(partsWords);
  const [error, setError] = useState<GateError | undefined>();
  const [isDone, setDone] = useState(false);
  const save = (form: ExportForm) => {
    setDone(false);
    setError(undefined);
    onExport(form).then(
      () => setDone(true),
      (thrown: unknown) => setError(asGateError(thrown)),
    );
  };
  const copies = copiesExports();
  return (
    <details className="list-tools">
      <summary className="quiet">{words.more}</summary>
      <div className="filters">
        <label className="check">
          <input type="checkbox" checked={answered} onChange={({ target }) => onAnswered(target.checked)} />
          {words.answered}
        </label>
        {children}
        <DayInput label={words.from} day={days.from} max={days.to} onDay={(from) => onDays({ ...days, from })} />
        <DayInput label={words.to} day={days.to} min={days.from} onDay={(to) => onDays({ ...days, to })} />
        <Button size="small" onClick={() => save("csv")}>
          {copies ? words.copyAs("CSV") : words.saveAs("CSV")}
        </Button>
        <Button size="small" onClick={() => save("jsonl")}>
          {copies ? words.copyAs("JSON lines") : words.saveAs("JSON lines")}
        </Button>
        <span className="quiet" role="status">
          {isDone ? (copies ? words.copied : words.saved) : null}
        </span>
      </div>
      <Failure error={error} />
    </details>
  );
}

interface DayInputProps {
  label: string;
  /** `2026-11-21`, or empty: any. */
  day: string;
  min?: string;
  max?: string;
  onDay(day: string): void;
}

function DayInput({ label, day, min = "", max = "", onDay }: DayInputProps) {
  return (
    <label className="day">
      {label}
      <input
        type="date"
        className="input"
        value={day}
        min={min === "" ? undefined : min}
        max={max === "" ? undefined : max}
        onChange={({ target }) => onDay(target.value)}
      />
    </label>
  );
}
