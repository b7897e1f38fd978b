import "../../style/views.css";
import "./safety.css";
import { useState } from "react";
import type { Pause, SafetyRuleView } from "../../../ipc/contract/safety.ts";
import { useCommand } from "../../gate/use-command.ts";
import { useQuery } from "../../gate/use-gate.tsx";
import { Button } from "../../parts/Button.tsx";
import { CommandToCopy } from "../../parts/CommandToCopy.tsx";
import { EmptyState } from "../../parts/EmptyState.tsx";
import { Failure } from "../../parts/Failure.tsx";
import { Field } from "../../parts/Field.tsx";
import { RelativeTime } from "../../parts/RelativeTime.tsx";
import { useEveryHalfMinute } from "../../parts/use-every-half-minute.ts";
import { VisibleText } from "../../parts/VisibleText.tsx";
import { PAUSE_LENGTHS, usePause } from "../../window/use-pause.ts";
import { useLanguage, useWords } from "../../words/language.ts";
import { safetyWords } from "../../words/safety.ts";
import { SeverityMark } from "./SeverityMark.tsx";
import { Violations } from "./Violations.tsx";

/** Whether the gate is paused, the violations, and the rules. */
export default function Safety() {
  const words = useWords(safetyWords);
  const { data, error, refresh } = useQuery("safety.status", {});
  return (
    <div className="place safety">
      <header className="place-head">
        <h1>{words.title}</h1>
      </header>
      <Failure error={error} />
      {data === undefined ? null : (
        <>
          <PauseState pause={data.pause} />
          <Violations unacknowledged={data.violations_unacknowledged} onChanged={refresh} />
          <Rules rules={data.rules} />
          <Trail />
        </>
      )}
    </div>
  );
}

/** The trail's newest signed checkpoint, and how to find with it whether anything before it was changed. */
function Trail() {
  const language = useLanguage();
  const words = safetyWords[language].trail;
  const command = useCommand();
  const { data, error, refresh } = useQuery("audit.checkpoint", {});
  // One is made every few minutes: no event says so.
  useEveryHalfMinute(refresh);
  if (data === undefined) return <Failure error={error} />;
  const { text, signed_at, lines } = data;
  return (
    <section className="trail" aria-labelledby="safety-trail">
      <h2 id="safety-trail">{words.title}</h2>
      <p className="quiet">{words.intro}</p>
      {text === null ? (
        <p>{words.none}</p>
      ) : (
        <>
          <p className="figures">
            {words.signed}
            {signed_at === null ? null : (
              <>
                {" "}
                <RelativeTime at={signed_at} />
              </>
            )}
            {lines === null ? null : `, ${words.over(lines.toLocaleString(language), lines === 1)}`}.
          </p>
          <details>
            <summary>{words.show}</summary>
            <CommandToCopy command={text} />
          </details>
          <p className="quiet">{words.check}</p>
          <CommandToCopy command={command("audit verify --against checkpoint.txt")} />
        </>
      )}
    </section>
  );
}

/** Whether all is paused; while it isn't, the pause with a reason. */
function PauseState({ pause }: { pause: Pause }) {
  return <section className="state">{pause.is_paused ? <Paused /> : <Running />}</section>;
}

function Running() {
  const words = useWords(safetyWords);
  const { pause, isBusy, error } = usePause();
  const [reason, setReason] = useState("");
  return (
    <>
      <h2 className="pause-state">
        <StandingShape isPaused={false} /> {words.running}
      </h2>
      <p className="quiet">{words.pauseNote}</p>
      <Field label={words.reason}>
        {(id) => (
          <input
            id={id}
            className="input"
            maxLength={500}
            autoComplete="off"
            value={reason}
            onChange={({ target }) => setReason(target.value)}
          />
        )}
      </Field>
      {/* biome-ignore lint/a11y/useSemanticElements: buttons that belong together, not fields of a form */}
      <div className="filters" role="group" aria-label={words.pauseFor}>
        <span className="quiet" aria-hidden="true">
          {words.pauseFor}
        </span>
        {PAUSE_LENGTHS.map(({ name, seconds }) => (
          <Button key={name} disabled={isBusy} onClick={() => void pause(seconds, reason.trim())}>
            {words.lengths[name]}
          </Button>
        ))}
      </div>
      <Failure error={error} />
    </>
  );
}

/** The banner above says who paused it and until when, and ends it. */
function Paused() {
  const words = useWords(safetyWords);
  return (
    <>
      <h2 className="pause-state">
        <StandingShape isPaused /> {words.paused}
      </h2>
      <p>{words.pausedNote}</p>
    </>
  );
}

/** Two bars while it is paused, a dot while it runs. */
function StandingShape({ isPaused }: { isPaused: boolean }) {
  return (
    <svg className={isPaused ? "pause-state-shape paused" : "pause-state-shape"} viewBox="0 0 14 14" aria-hidden="true">
      {isPaused ? <path d="M3 2 H6 V12 H3 Z M8 2 H11 V12 H8 Z" /> : <circle cx="7" cy="7" r="5" />}
    </svg>
  );
}

/** The safety filter's rules, and which of them failed. */
function Rules({ rules }: { rules: readonly SafetyRuleView[] }) {
  const { columns, ...words } = useWords(safetyWords);
  const isBroken = rules.some(({ errors }) => errors > 0);
  return (
    <section aria-labelledby="safety-rules">
      <h2 id="safety-rules">{words.rules}</h2>
      {rules.length === 0 ? <EmptyState title={words.noRules}>{words.noRulesNext}</EmptyState> : null}
      {isBroken ? <p className="failure">{words.broken}</p> : null}
      {rules.length === 0 ? null : (
        <table className="table rules folds">
          <thead>
            <tr>
              <th scope="col">{columns.rule}</th>
              <th scope="col">{columns.effect}</th>
              <th scope="col">{columns.what}</th>
              <th scope="col">{columns.errors}</th>
            </tr>
          </thead>
          <tbody>
            {rules.map((rule) => (
              <tr key={rule.rule_id}>
                <th scope="row">
                  <span className="mono">{rule.rule_id}</span>
                  {rule.is_builtin ? null : <span className="quiet"> {words.ownRule}</span>}
                </th>
                <td>
                  <SeverityMark severity={rule.severity} ofRule />
                </td>
                <td>
                  {rule.is_builtin ? null : <span className="quiet">{words.subjects[rule.subject_type]}: </span>}
                  <VisibleText text={(rule.is_builtin ? words.builtin[rule.rule_id] : undefined) ?? rule.description} />
                </td>
                <td>
                  {rule.errors === 0 ? (
                    <span className="quiet">{words.noErrors}</span>
                  ) : (
                    <>
                      <b>{words.errors(rule.errors)}</b>
                      {rule.last_error === null ? null : (
                        <p className="quiet">
                          <VisibleText text={rule.last_error} />
                        </p>
                      )}
                    </>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
