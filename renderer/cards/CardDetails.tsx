import { type ReactNode, useMemo } from "react";
import type { ApprovalView } from "../../ipc/operator-api.ts";
import { RelativeTime } from "../parts/RelativeTime.tsx";
import { Target } from "../parts/Target.tsx";
import { VisibleText } from "../parts/VisibleText.tsx";
import { type CardWords, cardWords } from "../words/cards.ts";
import { useWords } from "../words/language.ts";
import { LongCall } from "./CallText.tsx";
import { WaitedText } from "./Countdown.tsx";
import { callRows } from "./call-text.ts";

/** The secondary line under the card's lines: the judge, the folder, how long it has waited. */
export function CardNotes({ view }: { view: ApprovalView }) {
  const words = useWords(cardWords);
  return (
    <p className="notes quiet figures">
      <VisibleText text={judged(view, words)} />
      {" · "}
      <WaitedText created_at={view.created_at} />
      {view.cwd === null ? null : (
        <>
          {` · ${words.inFolder} `}
          <Target text={view.cwd} width={44} />
        </>
      )}
    </p>
  );
}

/** `score 0.80, intent matches`; the gate's own sentence where it names no notes, as one of an earlier version does. */
function judged({ judge: { score, reason, notes } }: ApprovalView, words: CardWords): string {
  if (notes === undefined && reason !== "") return reason;
  return [words.scored(score.toFixed(2)), ...(notes ?? []).map((note) => words.notes[note])].join(", ");
}

/** All details of a card, the whole call last. */
export function CardDetails({ view, onEnd }: { view: ApprovalView; onEnd(): void }) {
  const words = useWords(cardWords);
  const rows = useMemo(() => callRows(view.args), [view.args]);
  return (
    <div className="details">
      <dl>
        <Fact name={words.agent}>
          <VisibleText text={view.subagent === null ? view.agent_name : `${view.agent_name} (${view.subagent})`} />
        </Fact>
        <Fact name={words.folder}>{view.cwd === null ? words.noFolder : <Target text={view.cwd} />}</Fact>
        <Fact name={words.asked}>
          <RelativeTime at={view.created_at} />
        </Fact>
        <Fact name={words.judge}>
          <VisibleText text={judged(view, words)} />
        </Fact>
        {view.intent === "" ? null : (
          <Fact name={words.says(view.agent_name)}>
            <q className="intent">
              <VisibleText text={view.intent} />
            </q>
          </Fact>
        )}
        <Fact name={words.needs}>
          {view.capabilities.map(({ capability, target }) => (
            <span key={`${capability} ${target}`} className="stored">
              {capability} {words.on} <Target text={target} />
            </span>
          ))}
        </Fact>
      </dl>
      <p className="quiet call-name">
        <VisibleText text={words.call(view.executor)} />
        {rows.length > 20 ? <span className="figures"> · {words.lines(rows.length)}</span> : null}
      </p>
      <LongCall rows={rows} label={words.call(view.executor)} onEnd={onEnd} />
    </div>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="fact">
      <dt>
        <VisibleText text={name} />
      </dt>
      <dd>{children}</dd>
    </div>
  );
}
