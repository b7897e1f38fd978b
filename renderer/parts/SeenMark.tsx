import "./seen-mark.css";
import { shortenHome } from "../../ipc/base/visible-text.ts";
import type { MarkedSession } from "../../ipc/contract/operator-api.ts";
import { seenName } from "../../ipc/words/hazard-words.ts";
import { useHome } from "../gate/use-home.tsx";
import { useLanguage, useWords } from "../words/language.ts";
import { seenWords } from "../words/seen.ts";
import { Moment } from "./RelativeTime.tsx";
import { VisibleText } from "./VisibleText.tsx";

export type Seen = "private" | "untrusted" | "out";

/** A letter in a circle: what a call meant for its session. */
export function SeenLetter({ mark }: { mark: Seen }) {
  const words = useWords(seenWords);
  return (
    <span className="seen-letter" role="img" aria-label={words.meaning[mark]} title={words.meaning[mark]}>
      {words.letter[mark]}
    </span>
  );
}

/** The same with what it was, which opens its call. */
export function SeenMark({ mark, by }: { mark: Seen; by: NonNullable<MarkedSession["private"]> }) {
  const language = useLanguage();
  const home = useHome();
  const what = seenName(home === null ? by.what : shortenHome(by.what, home), language);
  return (
    <span className="seen-mark">
      <SeenLetter mark={mark} />
      <a className="mono" href={`#/activity/${by.decision_id}`}>
        <VisibleText text={what} />
      </a>
      <span className="quiet">
        <Moment at={by.at} />
      </span>
    </span>
  );
}
