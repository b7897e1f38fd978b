import { useEffect, useReducer, useRef, useSyncExternalStore } from "react";
import { shortened, visible } from "../../ipc/base/visible-text.ts";
import type { Language } from "../../ipc/contract/language.ts";
import type { ApprovalView } from "../../ipc/contract/operator-api.ts";
import { isHazardous, pairingTitle, questionOf } from "../../ipc/words/notice-text.ts";
import { isSilent } from "../gate/link.ts";
import { useCall, useGateEvents, useLinkState, useQuery } from "../gate/use-gate.tsx";
import { goTo } from "../window/route.ts";
import { awayWords } from "../words/away.ts";
import { callingWords } from "../words/calling.ts";
import { useLanguage } from "../words/language.ts";
import { BrowserNotices } from "./browser-notices.ts";
import { isChosen, useChoice } from "./choices.ts";
import { play } from "./tones.ts";

/** Calls the user who looks elsewhere: by the tab's title and icon, the installed app's badge, notifications and a tone. Shows nothing itself. */
export function Calling() {
  const language = useLanguage();
  const link = useLinkState();
  const { data: status } = useQuery("status", {});
  const asked = useAsked((view) => {
    if (isChosen("sound")) play(isHazardous(view) ? "hazard" : "request");
  });
  const isAway = isSilent(link);
  const pairing = status?.pairing_requests.length ?? 0;
  const count = isAway ? 0 : Math.max(status?.approvals_pending ?? 0, asked.length) + pairing;
  const words = callingWords[language];
  const onlyPairing = asked.length === 0 && pairing > 0;
  const title = isAway
    ? `${awayWords[language][link].title} – ${words.product}`
    : onlyPairing
      ? `(${count}) ${pairingTitle(pairing, language)} – ${words.product}`
      : tabTitle(count, asked[0], words.asks, language);
  useTab(title, count === 0 ? "none" : asked.some(isHazardous) ? "hazard" : "waiting");
  useBadge(count);

  const isSeen = useIsSeen();
  const wantsNotices = useChoice("notify");
  const notices = useRef<BrowserNotices | null>(null);
  notices.current ??= new BrowserNotices(goTo);
  useEffect(() => {
    const { current } = notices;
    if (current === null) return;
    if (isAway || !wantsNotices || !mayNotify()) current.forget();
    else current.update(asked, isSeen, language);
  }, [asked, isSeen, isAway, wantsNotices, language]);
  return null;
}

function mayNotify(): boolean {
  return "Notification" in window && Notification.permission === "granted";
}

function useTab(title: string, dot: Parameters<typeof tabIcon>[0]): void {
  useEffect(() => {
    document.title = title;
  }, [title]);
  useEffect(() => {
    const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
    if (icon !== null) icon.href = tabIcon(dot);
  }, [dot]);
}

/** On the icon of the installed page. */
function useBadge(count: number): void {
  useEffect(() => {
    if (!("setAppBadge" in navigator)) return;
    const done = count === 0 ? navigator.clearAppBadge() : navigator.setAppBadge(count);
    done.catch(() => undefined); // not installed, or the system shows none
  }, [count]);
}

/** Whether the user looks at this page: its tab is shown, and its window has the focus. */
function useIsSeen(): boolean {
  return useSyncExternalStore(subscribe, () => document.visibilityState === "visible" && document.hasFocus());
}

function subscribe(listener: () => void): () => void {
  document.addEventListener("visibilitychange", listener);
  window.addEventListener("focus", listener);
  window.addEventListener("blur", listener);
  return () => {
    document.removeEventListener("visibilitychange", listener);
    window.removeEventListener("focus", listener);
    window.removeEventListener("blur", listener);
  };
}

/** Enough to say what waits; how much it is, the gate's status says. */
const MOST = 50;
/** After the page's own first drawing, in milliseconds. */
const AFTER_MS = 400;

type Step = (before: readonly ApprovalView[]) => readonly ApprovalView[];

/**
 * The requests that wait, soonest deadline first, in whichever view.
 * @param appeared is called for each that comes while the page is open
 */
function useAsked(appeared: (view: ApprovalView) => void): readonly ApprovalView[] {
  const call = useCall();
  const link = useLinkState();
  const [asked, step] = useReducer((before: readonly ApprovalView[], change: Step) => change(before), []);
  useGateEvents((event) => {
    if (event.type === "approval.waiting") {
      appeared(event.data);
      step((before) => [...without(before, event.data.token), event.data]);
    } else if (event.type === "approval.closed") step((before) => without(before, event.data.token));
  });
  useEffect(() => {
    if (link !== "answering") return step(() => []); // what was known may no longer be true
    const timer = setTimeout(() => {
      void call("approvals.list", { limit: MOST, order: "deadline" }).then(
        (views) => step(() => views),
        () => undefined, // gone again: asked anew when it is back
      );
    }, AFTER_MS);
    return () => clearTimeout(timer);
  }, [call, link]);
  return asked;
}

function without(views: readonly ApprovalView[], token: string): readonly ApprovalView[] {
  return views.filter((view) => view.token !== token);
}

// What the tab shows of what waits: its title and its icon.

const PRODUCT = "Metnos Gate";
const MOST_COLUMNS = 40;

/**
 * `(3) May I run? – Metnos Gate`: how much waits, and what is asked first.
 * @param first of those that wait, the one whose time is over soonest
 * @param otherwise what stands for a question that isn't one of the gate's own, with the agent's name
 */
function tabTitle(
  count: number,
  first: ApprovalView | undefined,
  otherwise: (agent: string) => string,
  language: Language,
): string {
  if (count === 0) return PRODUCT;
  const asked =
    first === undefined
      ? ""
      : (questionOf(first, language) ?? otherwise(shortened(visible(first.agent_name), MOST_COLUMNS)));
  return asked === "" ? `(${count}) ${PRODUCT}` : `(${count}) ${visible(asked)} – ${PRODUCT}`;
}

type Dot = "none" | "waiting" | "hazard";

const ARCH =
  '<path d="M6 28V12a10 10 0 0 1 20 0v16" fill="none" stroke="#1c5bb8" stroke-width="4" stroke-linecap="round"/>';
/** In the tab's corner, with an edge that is seen on light and dark tabs. */
const DOT: Readonly<Record<Dot, string>> = {
  none: '<circle cx="16" cy="19" r="4" fill="#1c5bb8"/>',
  waiting: '<circle cx="23" cy="23" r="8" fill="#1c5bb8" stroke="#fff" stroke-width="2"/>',
  hazard: '<circle cx="23" cy="23" r="8" fill="#b3261e" stroke="#fff" stroke-width="2"/>',
};

/** As data: nothing has to be asked for. */
function tabIcon(dot: Dot): string {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">${ARCH}${DOT[dot]}</svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
