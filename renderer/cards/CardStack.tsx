import {
  type ReactNode,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useMemo,
  useReducer,
  useRef,
  useState,
} from "react";
import { useLinkState, useQuery } from "../gate/use-gate.tsx";
import { Failure } from "../parts/Failure.tsx";
import { Card } from "./Card.tsx";
import { DigestCard } from "./DigestCard.tsx";
import { bundled, type Shown } from "./digest.ts";
import { EndedStrip } from "./EndedStrip.tsx";
import { EndMark } from "./EndMark.tsx";
import { PairingCard } from "./PairingCard.tsx";
import { presence } from "./presence.ts";
import { useCardKeys } from "./use-card-keys.ts";
import { restartAll } from "./use-press-filter.ts";
import { ResolveProvider, useWaiting } from "./use-waiting.ts";
import "./cards.css";

/** Of many cards this many are made at first, and as many again each time the end becomes visible. */
const AT_ONCE = 12;

interface CardStackProps {
  /** Instead of an empty stack. */
  nothing: ReactNode;
  /** A request's token. */
  pointedAt?: string;
  /** Shown where that one isn't among them. */
  gone?: ReactNode;
}

/** All that waits for the user: pairing requests, then the approval requests, soonest deadline first. */
export function CardStack({ nothing, pointedAt = "", gone = null }: CardStackProps) {
  const waiting = useWaiting();
  const link = useLinkState();
  const { data: agents } = useQuery("agents.list", {});
  const [apart, setApart] = useState<ReadonlySet<string>>(new Set());
  const [most, setMost] = useState(AT_ONCE);
  const stack = useRef<HTMLDivElement>(null);
  const requests = agents?.requests ?? [];
  const open = useMemo(() => waiting.asked.filter(({ ended }) => ended === null), [waiting.asked]);
  const ended = useMemo(() => waiting.asked.filter(({ ended }) => ended !== null), [waiting.asked]);
  const shown = useMemo(() => new Map(bundled(open, apart).map((one) => [keyOf(one), one])), [open, apart]);
  const keys = [...requests.map(({ name }) => pairingKey(name)), ...shown.keys()];
  const places = usePlaces(stack, keys, new Set(ended.map(({ view }) => view.token)), ownAnswers(ended));
  const pointedIndex = places.findIndex(({ key }) => key === pointedAt);
  const inSight = places.slice(0, Math.max(most, pointedIndex + 1));
  const isGone = pointedAt !== "" && waiting.isLoaded && !open.some(({ view }) => view.token === pointedAt);
  const isEmpty = waiting.isLoaded && keys.length === 0 && agents !== undefined;

  useFirstDenyFocused(
    stack,
    // Again when the gate is back: while it was away nothing here could have the focus.
    [link, ...inSight.filter(({ left }) => left === null).map(({ key }) => key)].join(" "),
  );
  usePointedAt(stack, pointedAt, pointedIndex >= 0);
  useCardKeys(stack);

  return (
    <ResolveProvider value={waiting.resolve}>
      <div ref={stack} className="stack">
        {isGone ? gone : null}
        {inSight.map(({ key, left }) => {
          if (left !== null) return <div key={key} className="left-place" style={{ blockSize: left }} />;
          const request = requests.find(({ name }) => pairingKey(name) === key);
          const one = shown.get(key);
          return (
            <div key={key} data-place={key}>
              {request === undefined ? null : <PairingCard request={request} />}
              {one?.kind === "digest" ? (
                <DigestCard
                  agent={one.agent}
                  views={one.views}
                  onLookAtEach={() => setApart((before) => new Set([...before, one.agent]))}
                />
              ) : null}
              {one?.kind === "card" ? <Card view={one.asked.view} isPointedAt={key === pointedAt} /> : null}
            </div>
          );
        })}
        {inSight.length < places.length ? (
          <EndMark key={most} onSeen={() => setMost((before) => before + AT_ONCE)} />
        ) : null}
      </div>
      {isEmpty ? nothing : null}
      <Failure error={waiting.error ?? undefined} />
      <EndedStrip ended={ended} />
    </ResolveProvider>
  );
}

function keyOf(one: Shown): string {
  return one.kind === "digest" ? `digest ${one.agent}` : one.asked.view.token;
}

function pairingKey(name: string): string {
  return `pairing ${name}`;
}

/** Another value after each answer from here. */
function ownAnswers(ended: readonly { ended: { at: number; isOwn: boolean } | null }[]): number {
  return Math.max(0, ...ended.map(({ ended }) => (ended?.isOwn ? ended.at : 0)));
}

/** The safe answer of the first card has the focus, where nothing else has it. That is no activity of the user: all cards settle again. */
function useFirstDenyFocused(stack: RefObject<HTMLElement | null>, cards: string): void {
  useEffect(() => {
    const typed = () => presence.typed(performance.now());
    window.addEventListener("keydown", typed);
    return () => window.removeEventListener("keydown", typed);
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: checked whenever other cards are shown
  useEffect(() => {
    if (presence.isInterrupted(performance.now())) return;
    const focused = document.activeElement;
    if (focused !== null && focused !== document.body) return;
    const deny = stack.current?.querySelector<HTMLElement>("[data-deny]");
    if (deny === null || deny === undefined) return;
    restartAll();
    deny.focus({ preventScroll: true });
  }, [stack, cards]);
}

/** Scrolls to the card that the address names, with the focus on its Deny. */
function usePointedAt(stack: RefObject<HTMLElement | null>, token: string, isThere: boolean): void {
  useEffect(() => {
    if (token === "" || !isThere) return;
    const card = stack.current?.querySelector(`[data-token="${CSS.escape(token)}"]`);
    card?.scrollIntoView({ block: "nearest" });
    restartAll();
    card?.querySelector<HTMLElement>("[data-deny]")?.focus({ preventScroll: true });
  }, [stack, token, isThere]);
}

/**
 * The places of the cards in `stack`, whose elements carry their key as `data-place`.
 * @param answered how many were answered from here: another number closes the places that are empty
 * @param ended the keys of cards that have ended lately
 */
function usePlaces(
  stack: RefObject<HTMLElement | null>,
  keys: readonly string[],
  ended: ReadonlySet<string>,
  answered: number,
): readonly Place[] {
  const places = useRef<readonly Place[]>([]);
  const heights = useRef(new Map<string, number>());
  const closedAt = useRef(answered);
  const [, lookAgain] = useReducer((count: number) => count + 1, 0);

  const closes = closedAt.current !== answered || document.visibilityState === "hidden";
  const left = new Map([...ended].map((key) => [key, heights.current.get(key) ?? 0]));
  const now = placed(places.current, { keys, ended: left, closes });

  useLayoutEffect(() => {
    places.current = now;
    closedAt.current = answered;
    heights.current = new Map(
      [...(stack.current?.querySelectorAll<HTMLElement>("[data-place]") ?? [])].map((element) => [
        element.dataset.place ?? "",
        element.getBoundingClientRect().height,
      ]),
    );
  });
  useEffect(() => {
    document.addEventListener("visibilitychange", lookAgain);
    return () => document.removeEventListener("visibilitychange", lookAgain);
  }, []);
  return now;
}

interface Place {
  key: string;
  /** How high the empty place is that its card has left, in pixels; null while the card is there. */
  left: number | null;
}

interface Change {
  /** The cards that are there, in the order that new ones come in. */
  keys: readonly string[];
  /** Cards that have ended, and how high each was. What is gone but has not ended was put into another card: it leaves nothing. */
  ended: ReadonlyMap<string, number>;
  /** The user has just answered here, or doesn't see the page: empty places are closed. */
  closes: boolean;
}

/** Where the cards are: a card that has ended leaves its place empty, so that no other one moves under the user's eyes. */
function placed(before: readonly Place[], { keys, ended, closes }: Change): Place[] {
  const there = new Set(keys);
  const known = new Set(before.map(({ key }) => key));
  const kept = before.flatMap((place): Place[] => {
    if (there.has(place.key)) return [{ key: place.key, left: null }];
    if (closes) return [];
    const height = place.left ?? ended.get(place.key) ?? 0;
    return height > 0 ? [{ key: place.key, left: height }] : [];
  });
  const added = keys.filter((key) => !known.has(key)).map((key): Place => ({ key, left: null }));
  const all = [...kept, ...added];
  // Below the last card nothing can move.
  return all.slice(0, all.findLastIndex(({ left }) => left === null) + 1);
}
