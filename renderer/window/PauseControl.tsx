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
  const { lengths, pauseFor } = useWords(safetyWords);
  const { state, pause, resume, isBusy, error } = usePause();
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const first = useRef<HTMLButtonElement>(null);
  const id = useId();
  const isPaused = state?.is_paused === true;
  useShortcuts(
    [{ key: "p", says: isPaused ? words.resume : words.pause, run: () => button.current?.click() }],
    words.keys.window,
  );
  useEffect(() => {
    if (isOpen) first.current?.focus();
  }, [isOpen]);
  useEffect(() => {
    if (isPaused) setOpen(false);
  }, [isPaused]);
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
        if (event.key === "Escape" && isOpen) close();
      }}
    >
      <button
        ref={button}
        type="button"
        className="pause-button"
        aria-expanded={isPaused ? undefined : isOpen}
        aria-controls={isOpen ? id : undefined}
        disabled={isBusy}
        onClick={() => (isPaused ? void resume() : setOpen(!isOpen))}
      >
        <ViewIcon name={isPaused ? "resume" : "pause"} />
        <span>{isPaused ? words.resume : words.pause}</span>
      </button>
      {isOpen && !isPaused ? (
        // biome-ignore lint/a11y/useSemanticElements: buttons that belong together, not fields of a form
        <div id={id} className="pause-lengths" role="group" aria-label={pauseFor}>
          <p className="quiet">{pauseFor}</p>
          {PAUSE_LENGTHS.map(({ name, seconds }, index) => (
            <button
              key={name}
              ref={index === 0 ? first : null}
              type="button"
              className="button small"
              disabled={isBusy}
              onClick={() => void pause(seconds).then((wasDone) => wasDone && button.current?.focus())}
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
