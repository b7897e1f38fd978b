import { type KeyboardEvent, useId, useMemo, useRef, useState } from "react";
import type { ApprovalView } from "../../ipc/operator-api.ts";
import { Button } from "../parts/Button.tsx";
import { VisibleText } from "../parts/VisibleText.tsx";
import { type CardWords, cardWords } from "../words/cards.ts";
import { useWords } from "../words/language.ts";
import { EndMark, ShortCall } from "./CallText.tsx";
import { CountdownLine, CountdownText } from "./Countdown.tsx";
import { callRows, isShort, unsaidArgs } from "./call-text.ts";
import { groupsOf } from "./digest.ts";
import { usePresence } from "./use-presence.ts";
import { usePressFilter } from "./use-press-filter.ts";
import { useResolve } from "./use-waiting.ts";
import "./cards.css";

interface DigestCardProps {
  agent: string;
  views: readonly ApprovalView[];
  onLookAtEach(): void;
}

/** Many requests of one agent at once. Approved are those that were shown whole, and only after all of them were. */
export function DigestCard({ agent, views, onLookAtEach }: DigestCardProps) {
  const words = useWords(cardWords);
  const title_id = useId();
  const card = useRef<HTMLElement>(null);
  const resolve = useResolve();
  const [is_listed, setListed] = useState(false);
  const [read, setRead] = useState<ReadonlySet<string>>(new Set());
  const [failures, setFailures] = useState(0);
  const [is_sending, setSending] = useState(false);
  const tokens = views.map(({ token }) => token);
  const guarded = usePressFilter(card, `${is_listed} ${views.length}`);
  const hands = usePresence(tokens, false);

  const long = useMemo(() => views.filter((view) => !isWhole(view)), [views]);
  const approvable = views.filter((view) => !long.includes(view));
  const is_read = tokens.every((token) => read.has(token));
  const irreversible = views.filter(({ reversibility }) => reversibility === "irreversible").length;
  const [soonest] = views;
  if (soonest === undefined) return null;

  /** Never rejects: what failed is shown on the card. */
  const answer = async (answered: readonly ApprovalView[], decision: "approved" | "rejected") => {
    if (is_sending) return; // a button that is disabled loses the focus
    setSending(true);
    const errors = await Promise.all(answered.map(({ token }) => resolve({ token, decision })));
    setFailures(errors.filter((error) => error !== null).length);
    setSending(false);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    hands.onKeyDown();
    if (event.key !== "Escape" || !is_listed) return;
    event.stopPropagation();
    setListed(false);
  };

  return (
    <article
      ref={card}
      className="card full digest"
      aria-labelledby={title_id}
      {...hands}
      {...guarded.presses}
      onKeyDown={onKeyDown}
    >
      <header className="head">
        <h2 id={title_id} className="question">
          <VisibleText text={words.digest.question(agent, views.length)} />
        </h2>
        <p className="who">
          <CountdownText token={soonest.token} created_at={soonest.created_at} expires_at={soonest.expires_at} />
        </p>
      </header>
      <p className="object">
        <VisibleText text={summary(views, words)} />
      </p>
      {irreversible === 0 ? null : (
        <p className="meta">
          <strong className="irreversible">{words.digest.irreversible(irreversible)}</strong>
        </p>
      )}
      <CountdownLine token={soonest.token} created_at={soonest.created_at} expires_at={soonest.expires_at} />
      <div className="row notes-row">
        <p className="quiet">{is_read ? null : is_listed ? words.digest.readOn : words.digest.readFirst}</p>
        <Button look="plain" size="small" aria-expanded={is_listed} onClick={() => setListed(!is_listed)}>
          {is_listed ? words.showLess : words.digest.showAll(views.length)}
        </Button>
      </div>
      {is_listed ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
        <figure className="digest-list" aria-label={words.digest.list} tabIndex={0}>
          <ol>
            {views.map((view) => (
              <DigestItem key={view.token} view={view} />
            ))}
          </ol>
          {/* Another one in the list must be shown, too. */}
          <EndMark key={tokens.join(" ")} onSeen={() => setRead(new Set(tokens))} />
        </figure>
      ) : null}
      <div className="row answers" data-answers="">
        <span className="row">
          <Button data-deny="" onClick={guarded.answers(() => void answer(views, "rejected"))}>
            {words.digest.denyAll}
          </Button>
          <Button onClick={onLookAtEach}>{words.digest.lookAtEach}</Button>
        </span>
        <Button
          disabled={!is_read || approvable.length === 0}
          onClick={guarded.answers(() => void answer(approvable, "approved"))}
        >
          {words.digest.approveAll(approvable.length)}
        </Button>
      </div>
      {long.length === 0 ? null : <p className="quiet hint">{words.digest.long(long.length)}</p>}
      <p className="quiet hint" role="status">
        {guarded.was_too_soon ? words.tooSoon : failures > 0 ? words.digest.failed(failures) : null}
      </p>
    </article>
  );
}

/** Whether the list shows the whole of it. */
function isWhole(view: ApprovalView): boolean {
  return isShort(callRows(unsaidArgs(view)), "full");
}

function DigestItem({ view }: { view: ApprovalView }) {
  const words = useWords(cardWords);
  const rows = useMemo(() => callRows(unsaidArgs(view)), [view]);
  return (
    <li>
      <p className="object">
        <VisibleText text={`${view.action_verb} ${view.target_summary}`} />
        {view.reversibility === "irreversible" ? (
          <strong className="irreversible"> {words.digest.irreversibleOne}</strong>
        ) : null}
      </p>
      {view.links.map((line) => (
        <p key={line} className="object">
          <VisibleText text={line} />
        </p>
      ))}
      {rows.length === 0 || !isShort(rows, "full") ? null : <ShortCall rows={rows} />}
    </li>
  );
}

/** `12 requests: 9 fs:read below ~/project, 3 network:http` */
function summary(views: readonly ApprovalView[], words: CardWords): string {
  const groups = groupsOf(views).map(({ capability, count, location }) =>
    location?.includes("/") ? words.digest.below(count, capability, location) : words.digest.plain(count, capability),
  );
  return words.digest.summary(views.length, groups.join(", "));
}
