import { shortened, visible } from "../../ipc/base/visible-text.ts";
import type { Language } from "../../ipc/contract/language.ts";
import type { ApprovalView } from "../../ipc/contract/operator-api.ts";
import { questionOf } from "../../ipc/words/notice-text.ts";

/** What the tab shows of what waits: its title and its icon. */

const PRODUCT = "Metnos Gate";
const MOST_COLUMNS = 40;

/**
 * `(3) May I run? – Metnos Gate`: how much waits, and what is asked first.
 * @param first of those that wait, the one whose time is over soonest
 * @param otherwise what stands for a question that isn't one of the gate's own, with the agent's name
 */
export function tabTitle(
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

export type Dot = "none" | "waiting" | "hazard";

const ARCH =
  '<path d="M6 28V12a10 10 0 0 1 20 0v16" fill="none" stroke="#1c5bb8" stroke-width="4" stroke-linecap="round"/>';
/** In the tab's corner, with an edge that is seen on light and dark tabs. */
const DOT: Readonly<Record<Dot, string>> = {
  none: '<circle cx="16" cy="19" r="4" fill="#1c5bb8"/>',
  waiting: '<circle cx="23" cy="23" r="8" fill="#1c5bb8" stroke="#fff" stroke-width="2"/>',
  hazard: '<circle cx="23" cy="23" r="8" fill="#b3261e" stroke="#fff" stroke-width="2"/>',
};

/** As data: nothing has to be asked for. */
export function tabIcon(dot: Dot): string {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">${ARCH}${DOT[dot]}</svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
