import { useState } from "react";
import type { Pause } from "../../../ipc/safety.ts";
import { useAct } from "../../gate/use-act.ts";
import { useCall } from "../../gate/use-gate.tsx";
import { Button } from "../../parts/Button.tsx";
import { Failure } from "../../parts/Failure.tsx";
import { Field } from "../../parts/Field.tsx";
import { RelativeTime } from "../../parts/RelativeTime.tsx";
import { VisibleText } from "../../parts/VisibleText.tsx";
import { useWords } from "../../words/language.ts";
import { safetyWords } from "../../words/safety.ts";

interface PauseStateProps {
  pause: Pause;
  onChanged(): void;
}

export function PauseState({ pause, onChanged }: PauseStateProps) {
  return (
    <section className="state">
      {pause.is_paused ? <Paused pause={pause} onChanged={onChanged} /> : <Running onChanged={onChanged} />}
    </section>
  );
}

const LENGTHS = [
  { name: "short", seconds: 300 },
  { name: "hour", seconds: 3600 },
  { name: "open", seconds: undefined },
] as const;

function Running({ onChanged }: { onChanged(): void }) {
  const words = useWords(safetyWords);
  const call = useCall();
  const { run, is_busy, error } = useAct();
  const [reason, setReason] = useState("");
  const pause = async (for_seconds: number | undefined) => {
    const why = reason.trim();
    await run(() =>
      call("safety.pause", {
        ...(for_seconds === undefined ? {} : { for_seconds }),
        ...(why === "" ? {} : { reason: why }),
      }),
    );
    onChanged();
  };
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
        {LENGTHS.map(({ name, seconds }) => (
          <Button key={name} disabled={is_busy} onClick={() => void pause(seconds)}>
            {words.lengths[name]}
          </Button>
        ))}
      </div>
      <Failure error={error} />
    </>
  );
}

function Paused({ pause, onChanged }: PauseStateProps) {
  const words = useWords(safetyWords);
  const call = useCall();
  const { run, is_busy, error } = useAct();
  const { by, reason, since, until, clears } = pause;
  const resume = async () => {
    await run(() => call("safety.resume", {}));
    onChanged();
  };
  return (
    <>
      <h2 className="pause-state">
        <StandingShape isPaused /> {words.paused}
      </h2>
      <p>
        {words.paused_note} {until === null ? words.clears[clears] : null}
        {until === null ? null : (
          <>
            {words.ends_at} <RelativeTime at={until} />.
          </>
        )}
      </p>
      <p className="quiet">
        {by === null ? null : words.by[by]}
        {since === null ? null : (
          <>
            , <RelativeTime at={since} />
          </>
        )}
        {reason === null ? null : (
          <>
            : <VisibleText text={reason} />
          </>
        )}
      </p>
      <Failure error={error} />
      <div>
        <Button disabled={is_busy} onClick={() => void resume()}>
          {words.resume}
        </Button>
      </div>
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
