import "../../style/views.css";
import "./settings.css";
import { Fragment } from "react";
import type { Setting, SettingKey } from "../../../ipc/contract/settings.ts";
import { byteSize } from "../../../ipc/words/byte-size.ts";
import { bridge } from "../../gate/open-link.ts";
import { useQuery } from "../../gate/use-gate.tsx";
import { Failure } from "../../parts/Failure.tsx";
import { useEveryHalfMinute } from "../../parts/use-every-half-minute.ts";
import { VisibleText } from "../../parts/VisibleText.tsx";
import { chooseTheme, THEMES, useTheme } from "../../style/theme.ts";
import { keptFilesWords } from "../../words/kept-files.ts";
import { useLanguage, useWords } from "../../words/language.ts";
import { settingsWords } from "../../words/settings.ts";
import { BrowserSettings } from "./BrowserSettings.tsx";
import { Channels } from "./Channels.tsx";
import { JudgeState } from "./JudgeState.tsx";
import { Row } from "./Row.tsx";
import { SettingRow } from "./SettingRow.tsx";
import { JudgeSetUpForm } from "./SetUp.tsx";

type Group = "asking" | "judging" | "looks" | "system";

const GROUPS: readonly { group: Group; keys: readonly SettingKey[] }[] = [
  { group: "asking", keys: ["approvals.ttl_seconds", "notifications.enabled"] },
  { group: "judging", keys: ["judge.kind", "judge.threshold"] },
  { group: "looks", keys: ["language"] },
  { group: "system", keys: ["start_at_login"] },
];

/** The settings; each that can't be changed here says why. */
export default function Settings() {
  const words = useWords(settingsWords);
  const { data, error } = useQuery("settings.list", {});
  const known = new Map<SettingKey, Setting>((data ?? []).map((setting) => [setting.key, setting]));
  return (
    <div className="place settings">
      <header className="place-head">
        <h1>{words.title}</h1>
      </header>
      <Failure error={error} />
      {data === undefined
        ? null
        : GROUPS.map(({ group, keys }) => (
            <Fragment key={group}>
              <section aria-labelledby={`settings-${group}`}>
                <h2 id={`settings-${group}`}>{words.groups[group]}</h2>
                {keys.map((key) => {
                  const setting = known.get(key);
                  return setting === undefined ? null : <SettingRow key={key} setting={setting} />;
                })}
                {group === "judging" ? <Judging /> : null}
                {group === "looks" ? <ThemeRow /> : null}
              </section>
              {group === "asking" ? <Channels /> : null}
            </Fragment>
          ))}
      <KeptFiles />
      {bridge() === undefined ? <BrowserSettings /> : null}
    </div>
  );
}

function Judging() {
  return (
    <>
      <JudgeState />
      <JudgeSetUpForm />
    </>
  );
}

function ThemeRow() {
  const words = useWords(settingsWords);
  const theme = useTheme();
  return (
    <Row label={words.theme.label} note={words.theme.note} id="setting-theme">
      <select
        id="setting-theme"
        className="select"
        value={theme}
        onChange={({ target }) => chooseTheme(THEMES.find((one) => one === target.value) ?? "system")}
      >
        {THEMES.map((one) => (
          <option key={one} value={one}>
            {words.themes[one]}
          </option>
        ))}
      </select>
    </Row>
  );
}

/** The sizes of the gate's files, and the room that is left where they are. */
function KeptFiles() {
  const language = useLanguage();
  const words = keptFilesWords[language];
  const { data, error, refresh } = useQuery("storage.files", {});
  useEveryHalfMinute(refresh);
  if (data === undefined) return <Failure error={error} />;
  return (
    <section className="kept-files" aria-labelledby="settings-kept-files">
      <h2 id="settings-kept-files">{words.title}</h2>
      <p className="quiet">{words.intro}</p>
      <dl>
        {data.files.map(({ kind, path, bytes }) => (
          <div key={kind} title={path}>
            <dt>{words.kinds[kind]}</dt>
            <dd>{byteSize(bytes, language)}</dd>
          </div>
        ))}
      </dl>
      {data.disks.map(({ path, free_bytes, total_bytes, is_low }) => (
        <div key={path}>
          <p className="disk">
            {words.free(byteSize(free_bytes, language), byteSize(total_bytes, language))}{" "}
            <code>
              <VisibleText text={path} />
            </code>
          </p>
          {is_low ? <p className="why-not">{words.low}</p> : null}
        </div>
      ))}
    </section>
  );
}
