import { useState } from "react";
import type { Pause } from "../../../ipc/contract/safety.ts";
import { Button } from "../../parts/Button.tsx";
import { Failure } from "../../parts/Failure.tsx";
import { Field } from "../../parts/Field.tsx";
import { PAUSE_LENGTHS, usePause } from "../../window/use-pause.ts";
import { useWords } from "../../words/language.ts";
import { safetyWords } from "../../words/safety.ts";

/** Whether all is paused; while it isn't, the pause with a reason. */
export function PauseState({ pause }: { pause: Pause }) {
  return <section className="state">{pause.is_paused ? <Paused /> : <Running />}</section>;
}

function Running() {
  const words = useWords(safetyWords);
  const { pause, is_busy, error } = usePause();
  const [reason, setReason] = useState("");
  return (
    <>
      <h2 className="pause-state">
        <StandingShape isPaused={false} /> {words.running}
      </h2>
      <p className="quiet">{words.pause_note}</p>
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
      <div className="filters" role="group" aria-label={words.pause_for}>
        <span className="quiet" aria-hidden="true">
          {words.pause_for}
        </span>
        {PAUSE_LENGTHS.map(({ name, seconds }) => (
          <Button key={name} disabled={is_busy} onClick={() => void pause(seconds, reason.trim())}>
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
      <p>{words.paused_note}</p>
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
