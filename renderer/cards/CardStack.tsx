import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { useLinkState, useQuery } from "../gate/use-gate.tsx";
import { Failure } from "../parts/Failure.tsx";
import { EndMark } from "./CallText.tsx";
import { Card } from "./Card.tsx";
import { DigestCard } from "./DigestCard.tsx";
import { bundled, type Shown } from "./digest.ts";
import { EndedLine } from "./EndedLine.tsx";
import { PairingCard } from "./PairingCard.tsx";
import { presence } from "./presence.ts";
import { restartAll } from "./use-press-filter.ts";
import { ResolveProvider, useWaiting } from "./use-waiting.ts";
import "./cards.css";

/** Of many cards this many are made at first, and as many again each time the end becomes visible. */
const AT_ONCE = 12;

interface CardStackProps {
  /** Instead of an empty stack. */
  nothing: ReactNode;
  /** A request's token. */
  pointed_at?: string;
  /** Shown where that one isn't among them. */
  gone?: ReactNode;
}

/** All that waits for the user: pairing requests, then the approval requests, soonest deadline first. */
export function CardStack({ nothing, pointed_at = "", gone = null }: CardStackProps) {
  const waiting = useWaiting();
  const link = useLinkState();
  const { data: agents } = useQuery("agents.list", {});
  const [apart, setApart] = useState<ReadonlySet<string>>(new Set());
  const [most, setMost] = useState(AT_ONCE);
  const stack = useRef<HTMLDivElement>(null);
  const requests = agents?.requests ?? [];
  const shown = useMemo(() => folded(bundled(waiting.asked, apart)), [waiting.asked, apart]);
  const pointed_index = shown.findIndex(({ key }) => key === pointed_at);
  const in_sight = shown.slice(0, Math.max(most, pointed_index + 1));
  const is_gone =
    pointed_at !== "" && waiting.is_loaded && !waiting.asked.some(({ view }) => view.token === pointed_at);
  const is_empty = waiting.is_loaded && shown.length === 0 && agents !== undefined && requests.length === 0;

  useFirstDenyFocused(
    stack,
    // Again when the gate is back: while it was away nothing here could have the focus.
    [link, ...requests.map(({ name }) => name), ...in_sight.filter(isOpen).map(({ key }) => key)].join(" "),
  );
  usePointedAt(stack, pointed_at, pointed_index >= 0);

  return (
    <ResolveProvider value={waiting.resolve}>
      <div ref={stack} className="stack">
        {is_gone ? gone : null}
        {requests.map((request) => (
          <PairingCard key={request.name} request={request} />
        ))}
        {in_sight.map(({ key, one, count }) => {
          if (one.kind === "digest") {
            const { agent, views } = one;
            const lookAtEach = () => setApart((before) => new Set([...before, agent]));
            return <DigestCard key={key} agent={agent} views={views} onLookAtEach={lookAtEach} />;
          }
          const { view, ended } = one.asked;
          if (ended !== null) return <EndedLine key={key} asked={one.asked} count={count} />;
          return <Card key={key} view={view} is_pointed_at={key === pointed_at} />;
        })}
        {in_sight.length < shown.length ? (
          <EndMark key={most} onSeen={() => setMost((before) => before + AT_ONCE)} />
        ) : null}
      </div>
      {is_empty ? nothing : null}
      <Failure error={waiting.error ?? undefined} />
    </ResolveProvider>
  );
}

interface Row {
  key: string;
  one: Shown;
  /** How many ended in the same way, one after the other: shown in one line. */
  count: number;
}

function isOpen({ one }: Row): boolean {
  return one.kind === "digest" || one.asked.ended === null;
}

/** More lines of the same kind than this become one. */
const SAME_LINES = 3;

function folded(shown: readonly Shown[]): Row[] {
  const rows: Row[] = [];
  for (let index = 0; index < shown.length; ) {
    const one = shown[index];
    if (one === undefined) break;
    let next = index + 1;
    while (endingOf(one) !== null && shown[next] !== undefined && endingOf(shown[next]) === endingOf(one)) next++;
    const run = next - index > SAME_LINES ? next - index : 1;
    const key = one.kind === "digest" ? `digest ${one.agent}` : one.asked.view.token;
    rows.push({ key, one, count: run });
    index += run;
  }
  return rows;
}

/** How a card ended, as one text; null while it waits. */
function endingOf(one: Shown | undefined): string | null {
  if (one?.kind !== "card" || one.asked.ended === null) return null;
  const { agent_name, status, territory_concession } = one.asked.view;
  return `${agent_name} ${status} ${territory_concession} ${one.asked.ended.is_own}`;
}

/** The safe answer of the first card has the focus, where nothing else has it. That is no activity of the user: all cards settle again. */
function useFirstDenyFocused(stack: React.RefObject<HTMLElement | null>, cards: string): void {
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
function usePointedAt(stack: React.RefObject<HTMLElement | null>, token: string, is_there: boolean): void {
  useEffect(() => {
    if (token === "" || !is_there) return;
    const card = stack.current?.querySelector(`[data-token="${CSS.escape(token)}"]`);
    card?.scrollIntoView({ block: "nearest" });
    restartAll();
    card?.querySelector<HTMLElement>("[data-deny]")?.focus({ preventScroll: true });
  }, [stack, token, is_there]);
}
