import { useRef } from "react";
import { timeLeftText } from "../../ipc/words/time-left.ts";
import { useNow } from "../parts/clock.ts";
import { exactTime } from "../parts/RelativeTime.tsx";
import { cardWords } from "../words/cards.ts";
import { useLanguage } from "../words/language.ts";
import { presence } from "./presence.ts";

interface Deadline {
  token: string;
  expires_at: string;
}

/** The time left, in milliseconds. It is held while the user is at the card, as long as the gate really extends it. */
function useRemaining({ token, expires_at }: Deadline): { remaining: number; isHeld: boolean } {
  const now = useNow("second");
  const frozen = useRef<number | null>(null);
  const real = Math.max(0, Date.parse(expires_at) - now);
  const isHeld = presence.isAt(token, now);
  if (!isHeld) frozen.current = null;
  else frozen.current ??= real;
  return { remaining: Math.min(real, frozen.current ?? real), isHeld };
}

/** `9 min left`; seconds only in the last minute. */
export function TimeLeft(deadline: Deadline) {
  const language = useLanguage();
  const words = cardWords[language];
  const { remaining, isHeld } = useRemaining(deadline);
  const title = `${exactTime(deadline.expires_at, language)}${isHeld ? ` (${words.held})` : ""}`;
  return (
    <time dateTime={deadline.expires_at} title={title} className={isHeld ? "held" : undefined}>
      {timeLeftText(remaining, language)}
    </time>
  );
}
