import type { ReactNode } from "react";
import type { Pause } from "../../ipc/contract/safety.ts";
import { violationText } from "../../ipc/words/safety-words.ts";
import { Button } from "../parts/Button.tsx";
import { Failure } from "../parts/Failure.tsx";
import { Moment } from "../parts/RelativeTime.tsx";
import { VisibleText } from "../parts/VisibleText.tsx";
import { useLanguage, useWords } from "../words/language.ts";
import { safetyWords } from "../words/safety.ts";
import { windowWords } from "../words/window.ts";
import { usePause } from "./use-pause.ts";

interface PauseBannerProps {
  /** Leads to what paused it; left out where that is in sight. */
  onLook?: (() => void) | undefined;
}

/** Above everything while all is paused: who did it, why, since when, and the way out. */
export function PauseBanner({ onLook }: PauseBannerProps) {
  const words = useWords(windowWords);
  const { state, resume, isBusy, error } = usePause();
  if (state?.is_paused !== true) return null;
  return (
    <section className="pause-banner" role="status" aria-label={words.pausedTitle}>
      <div className="said">
        <h2>
          <PauseCause pause={state} />
        </h2>
        <p>
          {words.everythingPaused} <PauseTimes pause={state} />
        </p>
        <Failure error={error} />
      </div>
      <div className="ends">
        {onLook === undefined ? null : <Button onClick={onLook}>{words.look}</Button>}
        <Button disabled={isBusy} onClick={() => void resume()}>
          {words.resume}
        </Button>
      </div>
    </section>
  );
}

/** Who paused it, and why: the event where an agent caused it, the user's own reason where there is one. */
function PauseCause({ pause: { by, reason, cause } }: { pause: Pause }): ReactNode {
  const words = useWords(windowWords);
  const language = useLanguage();
  if (cause !== null) return <VisibleText text={`${violationText(cause, language)}.`} />;
  if (by === "safety")
    return (
      <>
        {words.pausedBy.safety}: <VisibleText text={reason ?? ""} />
      </>
    );
  const isOwn = reason !== null && reason !== OWN_REASON;
  return isOwn ? (
    <>
      {words.pausedBy.human}: <VisibleText text={reason} />
    </>
  ) : (
    `${words.pausedBy.human}.`
  );
}

/** The gate's words where the user gave no reason (main/surfaces/operator/operator.ts). */
const OWN_REASON = "you paused it";

function PauseTimes({ pause: { since, until, clears } }: { pause: Pause }) {
  const words = useWords(windowWords);
  const safety = useWords(safetyWords);
  return (
    <>
      {since === null ? null : (
        <>
          {words.since} <Moment at={since} />.{" "}
        </>
      )}
      {until === null ? (
        safety.clears[clears]
      ) : (
        <>
          {safety.ends_at} <Moment at={until} />.
        </>
      )}
    </>
  );
}
