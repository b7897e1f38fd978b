import type { ApprovalView } from "../contract/operator-api.ts";

/**
 * The requests that a surface shows, in their order, and how that changes by what happens: for the page and for the terminal. Pure:
 * the clock comes with each step.
 */

export interface Asked {
  view: ApprovalView;
  /** Null while it waits. Then a line that says what happened, for a while. */
  ended: { at: number; isOwn: boolean; isRefused?: true } | null;
}

export interface WaitingState {
  isLoaded: boolean;
  asked: readonly Asked[];
}

export const NOTHING_YET: WaitingState = { isLoaded: false, asked: [] };

/** How long a card's last line stays. */
export const ENDED_MS = 8000;

/** Everything that waits, as the gate lists it. Of those that were `known` when it was asked, the others have ended unseen. */
export function loaded(
  state: WaitingState,
  views: readonly ApprovalView[],
  now: number,
  known: ReadonlySet<string> = new Set(),
): WaitingState {
  const listed = new Map(views.map((view) => [view.token, view]));
  const here = state.asked.map((one): Asked => {
    const view = listed.get(one.view.token);
    listed.delete(one.view.token);
    if (one.ended !== null) return one;
    if (view !== undefined) return { ...one, view };
    return known.has(one.view.token) ? { ...one, ended: { at: now, isOwn: false } } : one;
  });
  return { isLoaded: true, asked: sorted([...here, ...[...listed.values()].map((view) => ({ view, ended: null }))]) };
}

/**
 * A new request, or one that says something else than before, in its place. While the user is at a card nothing takes its place: the
 * new one waits below.
 */
export function appeared(state: WaitingState, view: ApprovalView, isBusy: boolean): WaitingState {
  const at = state.asked.findIndex((one) => one.view.token === view.token && one.ended === null);
  if (at !== -1) return { ...state, asked: state.asked.with(at, { view, ended: null }) };
  const others = state.asked.filter((one) => one.view.token !== view.token);
  const asked = [...others, { view, ended: null }];
  return { ...state, asked: isBusy ? asked : sorted(asked) };
}

/**
 * How it ended, reported once: a second report changes nothing, but for one of which only the absence was known. `isRefused`: denied from
 * here for the session.
 */
export function closed(
  state: WaitingState,
  view: ApprovalView,
  isOwn: boolean,
  now: number,
  isRefused = false,
): WaitingState {
  return {
    ...state,
    asked: state.asked.map((one) => {
      if (one.view.token !== view.token || one.view.status !== "pending") return one;
      return { view, ended: { at: one.ended?.at ?? now, isOwn, ...(isRefused ? { isRefused } : {}) } };
    }),
  };
}

/** A later deadline. The order stays until the user has left the cards. */
export function held(state: WaitingState, token: string, expiresAt: string): WaitingState {
  return {
    ...state,
    asked: state.asked.map((one) =>
      one.view.token === token ? { ...one, view: { ...one.view, expires_at: expiresAt } } : one,
    ),
  };
}

/** Lines that were there long enough go away, and what waits is put in order; never under the user's hands. */
export function tidied(state: WaitingState, isBusy: boolean, now: number): WaitingState {
  if (isBusy) return state;
  const asked = sorted(state.asked.filter(({ ended }) => ended === null || now - ended.at < ENDED_MS));
  const isSame = asked.length === state.asked.length && asked.every((one, index) => one === state.asked[index]);
  return isSame ? state : { ...state, asked };
}

/** Soonest deadline first; of equals the one that was asked first. */
function sorted(asked: readonly Asked[]): Asked[] {
  return asked.toSorted(
    (a, b) => a.view.expires_at.localeCompare(b.view.expires_at) || a.view.created_at.localeCompare(b.view.created_at),
  );
}
