import "./seen-mark.css";
import { shortenHome } from "../../ipc/base/visible-text.ts";
import type { Seen } from "../../ipc/contract/flow.ts";
import { seenName } from "../../ipc/words/hazard-words.ts";
import { useHome } from "../gate/use-home.tsx";
import { useLanguage, useWords } from "../words/language.ts";
import { seenWords } from "../words/seen.ts";
import { Moment } from "./RelativeTime.tsx";
import { VisibleText } from "./VisibleText.tsx";

export type SeenAs = "private" | "untrusted" | "out";

/** A letter in a circle: what a call meant for its session. */
export function SeenLetter({ mark }: { mark: SeenAs }) {
  const words = useWords(seenWords);
  return (
    <span className="seen-letter" role="img" aria-label={words.meaning[mark]} title={words.meaning[mark]}>
      {words.letter[mark]}
    </span>
  );
}

/** The same with what it was, which opens its call. */
export function SeenMark({ mark, by }: { mark: SeenAs; by: Seen }) {
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
