import { useRef } from "react";
import { useNow } from "../parts/clock.ts";
import { clockText, exactTime } from "../parts/RelativeTime.tsx";
import { cardWords } from "../words/cards.ts";
import { useLanguage } from "../words/language.ts";
import { presence } from "./presence.ts";

interface Deadline {
  token: string;
  created_at: string;
  expires_at: string;
}

/** The time left, in milliseconds. It is held while the user is at the card, as long as the gate really extends it. */
function useRemaining({ token, expires_at }: Deadline): { remaining: number; is_held: boolean } {
  const now = useNow("second");
  const frozen = useRef<number | null>(null);
  const real = Math.max(0, Date.parse(expires_at) - now);
  const is_held = presence.isAt(token, now);
  if (!is_held) frozen.current = null;
  else frozen.current ??= real;
  return { remaining: Math.min(real, frozen.current ?? real), is_held };
}

export function CountdownText(deadline: Deadline) {
  const language = useLanguage();
  const words = cardWords[language];
  const { remaining, is_held } = useRemaining(deadline);
  const title = `${exactTime(deadline.expires_at, language)}${is_held ? ` (${words.held})` : ""}`;
  return (
    <time dateTime={deadline.expires_at} title={title} className={is_held ? "held" : undefined}>
      <span className="unseen">{words.expiresIn(clockText(remaining))}</span>
      <span aria-hidden="true">{clockText(remaining)}</span>
    </time>
  );
}

/** The thin line between what is asked and the rest. */
export function CountdownLine(deadline: Deadline) {
  const { remaining, is_held } = useRemaining(deadline);
  const whole = Math.max(1, Date.parse(deadline.expires_at) - Date.parse(deadline.created_at));
  const part = Math.min(1, remaining / whole);
  return (
    <div className={is_held ? "countdown held" : "countdown"} aria-hidden="true">
      <div className="left" style={{ inlineSize: `${(part * 100).toFixed(1)}%` }} />
    </div>
  );
}

export function WaitedText({ created_at }: { created_at: string }) {
  const language = useLanguage();
  const now = useNow("second");
  return (
    <time dateTime={created_at} title={exactTime(created_at, language)}>
      {cardWords[language].waited(clockText(now - Date.parse(created_at)))}
    </time>
  );
}
