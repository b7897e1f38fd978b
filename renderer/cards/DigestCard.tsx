import { type KeyboardEvent, type ReactNode, useId, useMemo, useRef, useState } from "react";
import { shortened } from "../../ipc/base/visible-text.ts";
import type { Answer, ApprovalView } from "../../ipc/contract/operator-api.ts";
import { confinedMark } from "../../ipc/words/box-words.ts";
import { cardFacts } from "../../ipc/words/card-facts.ts";
import { answerWith } from "../../ipc/words/choices.ts";
import { type ShownCall, shownCall } from "../../ipc/words/shown-call.ts";
import { useHome } from "../gate/use-home.tsx";
import { AgentPauseButton } from "../parts/AgentPauseButton.tsx";
import { Button } from "../parts/Button.tsx";
import { VisibleText } from "../parts/VisibleText.tsx";
import { type CardWords, cardWords } from "../words/cards.ts";
import { useLanguage, useWords } from "../words/language.ts";
import { AnswersRow, useLock } from "./AnswerPanel.tsx";
import { Warnings } from "./CardNotes.tsx";
import { TimeLeft } from "./Countdown.tsx";
import { commonChoice, groupsOf, isWholeInRow } from "./digest.ts";
import { Hero } from "./Hero.tsx";
import { Key } from "./Key.tsx";
import { PathText } from "./PathText.tsx";
import { EndsProvider, readOn, type Seen, useReading, useReadingOn, useRowsRead } from "./read-to-end.tsx";
import { StoredTitle } from "./StoredTitle.tsx";
import { useAnswering } from "./use-answering.ts";
import { usePresence } from "./use-presence.ts";
import { type FilteredPresses, usePressFilter } from "./use-press-filter.ts";
import { widerLabel } from "./wider-answer.ts";
import "./cards.css";

interface DigestCardProps {
  agent: string;
  views: readonly ApprovalView[];
  onLookAtEach(): void;
}

/** So many are readable at once; the others are listed by a press. */
const FIRST_SHOWN = 5;

/** Many requests of one agent at once. Approved are those that were shown whole, and only after all of them were. */
export function DigestCard({ agent, views, onLookAtEach }: DigestCardProps) {
  const words = useWords(cardWords);
  const titleId = useId();
  const card = useRef<HTMLElement>(null);
  const { answer, errors } = useAnswering();
  const [isListed, setListed] = useState(false);
  const { seen, ends } = useReading();
  const tokens = views.map(({ token }) => token);
  const contents = useMemo(() => views.map(contentOf), [views]);
  const guarded = usePressFilter(card, JSON.stringify([isListed, seen === "whole", contents]));
  const hands = usePresence(tokens, false);

  const { groups, items, approvable, wider } = useBundle(views);
  const long = views.length - approvable.length;
  const content = JSON.stringify(contents);
  const shownItems = isListed ? items : items.slice(0, FIRST_SHOWN);
  const [soonest] = views;
  if (soonest === undefined) return null;

  const all = (answered: readonly ApprovalView[], decision: Answer["decision"]) =>
    void answer(...answered.map(({ token }) => ({ token, decision })));
  const onKeyDown = (event: KeyboardEvent) => {
    hands.onKeyDown();
    if (event.key !== "Escape" || !isListed) return;
    event.stopPropagation();
    setListed(false);
  };

  return (
    <article
      ref={card}
      className="card full bundle"
      aria-labelledby={titleId}
      {...hands}
      {...guarded.presses}
      onKeyDown={onKeyDown}
    >
      <BundleHead {...{ agent, soonest, groups, titleId, guarded }} count={views.length} />
      <div className="card-body">
        {/* Another one in the list must be shown, too, and what one of them has become. */}
        <EndsProvider key={content} ends={ends}>
          <BundleList items={shownItems} count={items.length} isMixed={groups.length > 1} isListed={isListed} />
        </EndsProvider>
        {items.length <= FIRST_SHOWN ? null : (
          <MoreRow
            more={items.length - FIRST_SHOWN}
            isListed={isListed}
            seen={seen}
            onToggle={() => setListed(!isListed)}
          />
        )}
        <BundleAnswers
          wider={long > 0 ? null : wider}
          count={approvable.length}
          seen={seen}
          guarded={guarded}
          onDenyAll={() => all(views, "rejected")}
          onLookAtEach={onLookAtEach}
          onApprove={() => all(approvable, "approved")}
          onAllow={({ view: offering, choice }) =>
            void answer(
              ...views.map((view) =>
                view === offering ? answerWith(view, choice) : { token: view.token, decision: "approved" as const },
              ),
            )
          }
        />
        <Hint>{long === 0 ? null : words.digest.long(long)}</Hint>
        <Hint>
          {guarded.wasTooSoon ? words.tooSoon : errors.length > 0 ? words.digest.failed(errors.length) : null}
        </Hint>
      </div>
    </article>
  );
}

/** What is shown of a request: it can become another thing while it waits. */
function contentOf({ token, description, links, confined }: ApprovalView): string {
  return JSON.stringify([token, description, links, confined]);
}

function useBundle(views: readonly ApprovalView[]) {
  return useMemo(() => {
    const groups = groupsOf(views);
    const items = groups.flatMap((group) => group.views).map((view) => ({ view, shown: shownCall(view) }));
    const approvable = items.filter(isWholeInRow).map(({ view }) => view);
    return { groups, items, approvable, wider: commonChoice(views) };
  }, [views]);
}

function Hint({ children }: { children: ReactNode }) {
  return (
    <p className="quiet hint" role="status">
      {children}
    </p>
  );
}

type Groups = ReturnType<typeof groupsOf>;
type Item = { view: ApprovalView; shown: ShownCall };

function BundleHead({
  agent,
  soonest,
  count,
  groups,
  titleId,
  guarded,
}: {
  agent: string;
  soonest: ApprovalView;
  count: number;
  groups: Groups;
  titleId: string;
  guarded: FilteredPresses;
}) {
  const words = useWords(cardWords);
  return (
    <header className="head">
      <div className="asked">
        <h2 id={titleId} className="question">
          <VisibleText text={words.digest.question(agent, count)} />
        </h2>
        <span className="quiet">
          <VisibleText text={inCommon(groups, words)} />
        </span>
      </div>
      <div className="who">
        <TimeLeft token={soonest.token} expires_at={soonest.expires_at} />
        <AgentPauseButton name={agent} isPaused={false} filter={guarded.answers} />
      </div>
    </header>
  );
}

interface MoreRowProps {
  more: number;
  isListed: boolean;
  seen: Seen;
  onToggle(): void;
}

function MoreRow({ more, isListed, seen, onToggle }: MoreRowProps) {
  const words = useWords(cardWords);
  return (
    <div className="row notes-row">
      <Button look="plain" size="small" data-key="e" aria-keyshortcuts="e" aria-expanded={isListed} onClick={onToggle}>
        {isListed ? words.showLess : words.digest.more(more)}
        <Key>E</Key>
      </Button>
      {seen === "whole" ? null : <p className="quiet">{words.readOn[seen]}</p>}
    </div>
  );
}

interface BundleListProps {
  items: readonly Item[];
  /** Of all of them, those that aren't shown yet among them. */
  count: number;
  isMixed: boolean;
  isListed: boolean;
}

function BundleList({ items, count, isMixed, isListed }: BundleListProps) {
  const words = useWords(cardWords);
  const box = useRef<HTMLElement>(null);
  const rows = () => [...(box.current?.querySelectorAll("ol > li") ?? [])].entries();
  const { seen, rowsSeen } = useRowsRead(box, count, rows);
  useReadingOn(box, () => readOn(box.current, [...rows()], count, rowsSeen));
  return (
    <figure
      ref={box}
      data-unread={seen !== "whole"}
      className={isListed ? "bundle-list scrolls" : "bundle-list"}
      aria-label={words.digest.list}
      tabIndex={isListed ? 0 : undefined}
    >
      <ol>
        <EndsProvider ends={null}>
          {items.map(({ view, shown }) => (
            <BundleItem key={view.token} view={view} shown={shown} isMixed={isMixed} />
          ))}
        </EndsProvider>
      </ol>
    </figure>
  );
}

interface BundleAnswersProps {
  wider: ReturnType<typeof commonChoice>;
  count: number;
  seen: Seen;
  guarded: FilteredPresses;
  onDenyAll(): void;
  onLookAtEach(): void;
  onApprove(): void;
  onAllow(wider: NonNullable<ReturnType<typeof commonChoice>>): void;
}

function BundleAnswers({
  wider,
  count,
  seen,
  guarded,
  onDenyAll,
  onLookAtEach,
  onApprove,
  onAllow,
}: BundleAnswersProps) {
  const words = useWords(cardWords);
  const locked = useLock(seen);
  const home = useHome();
  return (
    <AnswersRow
      no={
        <>
          <Button data-deny="" data-key="d" aria-keyshortcuts="d" onClick={guarded.answers(onDenyAll)}>
            {words.digest.denyAll}
            <Key>D</Key>
          </Button>
          <Button onClick={onLookAtEach}>{words.digest.lookAtEach}</Button>
        </>
      }
      yes={
        <>
          <Button
            data-key="a"
            aria-keyshortcuts="a"
            {...locked}
            disabled={locked.disabled === true || count === 0}
            onClick={guarded.answers(onApprove)}
          >
            {words.digest.approveAll(count)}
            <Key>A</Key>
          </Button>
          {wider === null ? null : (
            <StoredTitle choice={wider.choice}>
              {(title) => (
                <Button
                  data-key="s"
                  aria-keyshortcuts="s"
                  title={title}
                  {...locked}
                  onClick={guarded.answers(() => onAllow(wider))}
                >
                  <VisibleText text={widerLabel(wider.choice, words.thisSession, words, { ...wider.view, home })} />
                  <Key>S</Key>
                </Button>
              )}
            </StoredTitle>
          )}
        </>
      }
    />
  );
}

function BundleItem({ view, shown, isMixed }: Item & { isMixed: boolean }) {
  const words = useWords(cardWords);
  const language = useLanguage();
  const path = shown.object?.kind === "path" ? shown.object.text : view.description?.changes[0]?.path;
  const whole = isWholeInRow({ view, shown });
  const quiet = [isMixed ? view.action_verb : "", view.confined === null ? "" : confinedMark(language)]
    .filter((text) => text !== "")
    .join(", ");
  const isSaid = path !== undefined && shown.object !== null && Object.keys(shown.beside).length === 0;
  return (
    <li>
      {isMixed || path !== undefined || !whole || view.confined !== null ? (
        <p className="object">
          {quiet === "" ? null : (
            <span className="quiet">
              <VisibleText text={quiet} />{" "}
            </span>
          )}
          {path === undefined ? null : <PathText path={path} cwd={view.cwd} />}
          {whole || path !== undefined ? null : <VisibleText text={shortened(view.target_summary, 80)} />}
          {whole ? null : <span className="quiet"> · {words.digest.longer}</span>}
        </p>
      ) : null}
      <Warnings view={view} outside={cardFacts(view, language).outside} />
      {isSaid || !whole ? null : <Hero view={view} shown={shown} />}
    </li>
  );
}

function doingText(doing: Groups[number]["doing"], words: CardWords): string {
  if (doing === "none") return words.doingThis;
  return doing === "confined" ? words.runningConfined : words.doing(doing);
}

/** `9 reading below ~/project, 3 connecting to example.org`; `all reading below ~/project`. */
function inCommon(groups: Groups, words: CardWords): string {
  return groups
    .map(({ doing: kind, views, location }) => {
      const doing = doingText(kind, words);
      const count = groups.length === 1 ? words.digest.all : String(views.length);
      if (location === null) return `${count} ${kind === "network:http" ? words.digest.hosts : doing}`;
      return `${count} ${doing} ${location.includes("/") ? words.below(location) : location}`;
    })
    .join(", ");
}
