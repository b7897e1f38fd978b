import { useEffect, useId, useRef, useState } from "react";
import { Failure } from "../parts/Failure.tsx";
import { useShortcuts } from "../parts/shortcuts.tsx";
import { useWords } from "../words/language.ts";
import { safetyWords } from "../words/safety.ts";
import { windowWords } from "../words/window.ts";
import { PAUSE_LENGTHS, usePause } from "./use-pause.ts";
import { ViewIcon } from "./ViewIcon.tsx";

/** The emergency stop, in every view: pressed, it offers how long; while all is paused it resumes. */
export function PauseControl() {
  const words = useWords(windowWords);
  const { lengths, pause_for } = useWords(safetyWords);
  const { state, pause, resume, is_busy, error } = usePause();
  const [is_open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const first = useRef<HTMLButtonElement>(null);
  const id = useId();
  const is_paused = state?.is_paused === true;
  useShortcuts(
    [{ key: "p", says: is_paused ? words.resume : words.pause, run: () => button.current?.click() }],
    words.keys.window,
  );
  useEffect(() => {
    if (is_open) first.current?.focus();
  }, [is_open]);
  useEffect(() => {
    if (is_paused) setOpen(false);
  }, [is_paused]);
  if (state === undefined) return <div className="pause-control" />;
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape is a second way to close what the button opened
    <div
      className="pause-control"
      onKeyDown={(event) => {
        if (event.key === "Escape" && is_open) close();
      }}
    >
      <button
        ref={button}
        type="button"
        className="pause-button"
        aria-expanded={is_paused ? undefined : is_open}
        aria-controls={is_open ? id : undefined}
        disabled={is_busy}
        onClick={() => (is_paused ? void resume() : setOpen(!is_open))}
      >
        <ViewIcon name={is_paused ? "resume" : "pause"} />
        <span>{is_paused ? words.resume : words.pause}</span>
      </button>
      {is_open && !is_paused ? (
        // biome-ignore lint/a11y/useSemanticElements: buttons that belong together, not fields of a form
        <div id={id} className="pause-lengths" role="group" aria-label={pause_for}>
          <p className="quiet">{pause_for}</p>
          {PAUSE_LENGTHS.map(({ name, seconds }, index) => (
            <button
              key={name}
              ref={index === 0 ? first : null}
              type="button"
              className="button small"
              disabled={is_busy}
              onClick={() => void pause(seconds).then((was_done) => was_done && button.current?.focus())}
            >
              {lengths[name]}
            </button>
          ))}
        </div>
      ) : null}
      <Failure error={error} />
    </div>
  );
}
