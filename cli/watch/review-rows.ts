import { shortenHome, visible } from "../../ipc/base/visible-text.ts";
import type { RefusedCall } from "../../ipc/contract/judges.ts";
import { callFacts } from "../../ipc/words/card-facts.ts";
import { agentGotText, beingJudgedText, possibleText, refusedText } from "../../ipc/words/judge-words.ts";
import { spanText } from "../times.ts";
import { FRAME_WORDS } from "./frame-words.ts";
import { folded, type Row, widthOf } from "./rows.ts";
import type { WatchState } from "./state.ts";

/** Calls that judges look at, and what they refused, as rows. */

/** `claude-code  being judged by NAME, 3 s  run npm test`, the longest first, a row each; the others are counted. */
export function runningRows({ running, language }: WatchState, width: number, most: number, now: number): Row[] {
  if (running.length === 0 || most === 0) return [];
  const oldest = running.toSorted((a, b) => a.since.localeCompare(b.since));
  const shown = oldest.length > most ? oldest.slice(0, Math.max(1, most - 1)) : oldest;
  const hidden = oldest.length - shown.length;
  const more = hidden === 0 ? "" : FRAME_WORDS[language].more_judged(hidden);
  const has_row = more !== "" && most > 1;
  const rows = shown.map(({ agent_name, name, since, summary }): Row => {
    const beside = more === "" || has_row ? "" : ` (${more})`;
    const start = `${visible(agent_name)}  ${beingJudgedText(visible(name), now - Date.parse(since), language)}${beside}  `;
    const text = start + (folded(visible(summary), Math.max(8, width - widthOf(start)), 1)[0] ?? "");
    return { text: widthOf(text) > width ? (folded(text, width, 1)[0] ?? "") : text, tone: "quiet" };
  });
  return has_row ? [...rows, { text: folded(more, width, 1)[0] ?? "", tone: "quiet" }] : rows;
}

/** Below a card: that something was refused, too. */
export function refusedRow({ refusals, language }: WatchState, width: number): Row[] {
  const open = refusals.filter(({ overridden_at }) => overridden_at === null).length;
  if (open === 0) return [];
  return [{ text: folded(FRAME_WORDS[language].refused_calls(open), width, 1)[0] ?? "", tone: "quiet" }];
}

/** The head of a refusal: by whom and why, what the agent got, what the call does, and what is possible. */
export function refusalRows(
  refusal: RefusedCall,
  position: string,
  width: number,
  now: number,
  most: number,
  { language, home, mode }: Pick<WatchState, "language" | "home" | "mode">,
): Row[] {
  const words = FRAME_WORDS[language];
  const of = (text: string, tone: Row["tone"], rows = most): Row[] =>
    folded(visible(text), width, rows).map((part) => ({ text: part, tone }));
  const ago = spanText(now - Date.parse(refusal.refused_at));
  const right = [words.refused_ago(visible(refusal.agent_name), ago), position].filter(Boolean).join("  ·  ");
  const got = agentGotText(refusal, language);
  const summary = home === null ? refusal.summary : shortenHome(refusal.summary, home);
  const asked: Row[] =
    mode.kind === "override"
      ? [...of(words.allow_asked, "marked"), ...of(possibleText(refusal, language), "plain")]
      : refusal.can_override
        ? []
        : of(possibleText(refusal, language), "plain");
  return [
    { text: "", tone: "quiet", right: folded(right, width, 1)[0] ?? "" },
    ...of(refusedText(refusal, language), "strong", Math.max(2, most)),
    ...(got === null ? [] : of(got, "plain")),
    // The call below says it.
    ...(refusal.args === null ? of(summary, "plain", 1) : []),
    ...effectRows(refusal, language, of),
    ...asked,
  ];
}

/** As on a card: what is dangerous is the only red. */
function effectRows(
  { description }: RefusedCall,
  language: WatchState["language"],
  of: (text: string, tone: Row["tone"]) => Row[],
): Row[] {
  const { hazards, effect } = callFacts(description, language);
  if (effect !== null) return of(effect, "quiet");
  return hazards.slice(0, 3).flatMap((sentence) => of(sentence, "danger"));
}
