import { useEffect, useState } from "react";
import type { Language } from "../../../ipc/contract/language.ts";
import type { Setting } from "../../../ipc/contract/settings.ts";
import { useLanguage, useWords } from "../../words/language.ts";
import { settingsWords } from "../../words/settings.ts";

/** How long a request may wait, in seconds, as it is offered. The gate's file takes any other. */
const TTL_CHOICES = [60, 120, 300, 600, 900, 1800, 3600, 4 * 3600, 24 * 3600] as const;

/** `10 minutes` */
function lengthText(seconds: number, language: Language): string {
  const [count, unit] =
    seconds % 3600 === 0
      ? [seconds / 3600, "hour"]
      : seconds % 60 === 0
        ? [seconds / 60, "minute"]
        : [seconds, "second"];
  return new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long" }).format(count);
}

interface SettingControlProps {
  id: string;
  describedBy: string;
  setting: Setting;
  isBusy: boolean;
  onChoose(value: string | number | boolean): void;
}

/** The control that fits the setting. */
export function SettingControl({ id, describedBy, setting, isBusy, onChoose }: SettingControlProps) {
  const words = useWords(settingsWords);
  const language = useLanguage();
  const { key, value, can_change } = setting;
  const common = { id, "aria-describedby": describedBy, disabled: !can_change || isBusy };
  if (typeof value === "boolean") {
    return <input {...common} type="checkbox" checked={value} onChange={({ target }) => onChoose(target.checked)} />;
  }
  if (key === "judge.threshold") return <Threshold common={common} value={Number(value)} onChoose={onChoose} />;
  if (key === "approvals.ttl_seconds") {
    const seconds = Number(value);
    const choices = [...new Set([...TTL_CHOICES, seconds])].toSorted((a, b) => a - b);
    return (
      <select {...common} className="select" value={seconds} onChange={({ target }) => onChoose(Number(target.value))}>
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {lengthText(choice, language)}
          </option>
        ))}
      </select>
    );
  }
  const names: Readonly<Record<string, string>> = key === "language" ? words.languages : words.judges;
  const choices = Object.keys(names).includes(String(value)) ? Object.keys(names) : [String(value)];
  return (
    <select {...common} className="select" value={String(value)} onChange={({ target }) => onChoose(target.value)}>
      {choices.map((choice) => (
        <option key={choice} value={choice}>
          {names[choice] ?? choice}
        </option>
      ))}
    </select>
  );
}

interface ThresholdProps {
  common: { id: string; "aria-describedby": string; disabled: boolean };
  value: number;
  onChoose(value: number): void;
}

/** Counts once it is left or confirmed with Enter, not while it is being typed. */
function Threshold({ common, value, onChoose }: ThresholdProps) {
  const [text, setText] = useState(String(value));
  useEffect(() => setText(String(value)), [value]);
  const commit = () => {
    const typed = Number(text);
    if (text.trim() === "" || Number.isNaN(typed)) setText(String(value));
    else if (typed !== value) onChoose(typed);
  };
  return (
    <input
      {...common}
      className="input figures"
      type="number"
      min={0}
      max={1}
      step={0.05}
      value={text}
      onChange={({ target }) => setText(target.value)}
      onBlur={commit}
      onKeyDown={(event) => {
        if (event.key === "Enter") commit();
        if (event.key === "Escape") setText(String(value));
      }}
    />
  );
}
