import { useEffect, useState } from "react";
import type { Setting } from "../../../ipc/contract/settings.ts";
import { useAct } from "../../gate/use-act.ts";
import { useCall, useQuery } from "../../gate/use-gate.tsx";
import { Failure } from "../../parts/Failure.tsx";
import { VisibleText } from "../../parts/VisibleText.tsx";
import { useWords } from "../../words/language.ts";
import { type SettingsWords, settingsWords } from "../../words/settings.ts";
import { SettingControl } from "./SettingControl.tsx";

/** One setting: what it is, its control, where its value comes from, and why it can't be changed where it can't. */
export function SettingRow({ setting }: { setting: Setting }) {
  const words = useWords(settingsWords);
  const call = useCall();
  const { refresh } = useQuery("settings.list", {});
  const { run, isBusy, error } = useAct();
  const [isSaved, setSaved] = useState(false);
  // The chosen value is shown at once; the gate's own value is restored where it is refused.
  const [chosen, setChosen] = useState<Setting["value"] | null>(null);
  const { key } = setting;
  const { label, note } = words.settings[key];
  const id = `setting-${key.replace(".", "-")}`;
  const reason = whyNot(words, setting);
  useEffect(() => {
    // The gate's value arrived, ours or another surface's: from now on it counts.
    if (setting.value !== undefined) setChosen(null);
  }, [setting.value]);
  const choose = async (value: Setting["value"]) => {
    setSaved(false);
    setChosen(value);
    const wasDone = await run(() => call("settings.set", { key, value }));
    setSaved(wasDone);
    if (!wasDone) setChosen(null);
    refresh();
  };
  return (
    <div className="setting">
      <div>
        <label htmlFor={id}>{label}</label>
        <p className="quiet" id={`${id}-note`}>
          {note}
        </p>
        {reason === null ? null : (
          <p className="why-not" id={`${id}-why`}>
            <VisibleText text={reason} />
          </p>
        )}
        <Failure error={error} />
      </div>
      <div className="control">
        <SettingControl
          id={id}
          describedBy={reason === null ? `${id}-note` : `${id}-note ${id}-why`}
          setting={chosen === null ? setting : { ...setting, value: chosen }}
          isBusy={isBusy}
          onChoose={(value) => void choose(value)}
        />
        <span className="quiet" role="status">
          {isSaved ? words.saved : setting.source === "default" ? null : words.source[setting.source]}
        </span>
      </div>
    </div>
  );
}

function whyNot(words: SettingsWords, { key, source, can_change, why_not }: Setting): string | null {
  if (can_change) return null;
  if (source === "environment" || source === "gate.toml") return words.why_not[source];
  if (key === "judge.kind" || key === "start_at_login") return words.why_not[key];
  return why_not;
}
