import { shortenHome, visible } from "../../ipc/base/visible-text.ts";
import type { Language } from "../../ipc/contract/language.ts";
import type { ApprovalView } from "../../ipc/contract/operator-api.ts";
import { burstTokens, isApart } from "../../ipc/words/bursts.ts";
import { DOING_WORDS } from "../../ipc/words/capability-words.ts";
import { cardFacts, quietText } from "../../ipc/words/card-facts.ts";
import { plainSummary } from "../../ipc/words/plain-lines.ts";
import { isShownWhole } from "../../ipc/words/shown-call.ts";
import { callLines } from "./call-text.ts";
import { CARD_WORDS } from "./card-words.ts";
import { rule, wrapped } from "./rows.ts";

/** Many requests of one agent at once: one entry among what waits, with one answer for all of them. What is dangerous is never among them. */

export interface Bundle {
  /** No token looks like it. */
  key: string;
  agent: string;
  views: readonly ApprovalView[];
}

type Entry = { key: string; views: readonly [ApprovalView] } | Bundle;

interface Waiting {
  cards: readonly ApprovalView[];
  selected: string | null;
  /** Agents whose requests are looked at one by one. */
  apart: ReadonlySet<string>;
  /** Tokens whose answer is on its way, in one for all. */
  answeringAll: readonly string[];
}

/** What waits, in its order; a bundle at the place of its first request. A card that is looked at stays by itself. */
export function entriesOf({ cards, selected, apart, answeringAll }: Waiting): Entry[] {
  const open = cards.filter(({ token }) => !answeringAll.includes(token));
  const tokens = burstTokens(open.filter((view) => !isApart(view) && !apart.has(view.agent_name)));
  if (selected !== null) tokens.delete(selected);
  const together = open.filter(({ token }) => tokens.has(token));
  return open.flatMap((view): Entry[] => {
    if (!tokens.has(view.token)) return [{ key: view.token, views: [view] }];
    const views = together.filter(({ agent_name }) => agent_name === view.agent_name);
    return views[0] === view ? [{ key: `bundle ${view.agent_name}`, agent: view.agent_name, views }] : [];
  });
}

export function selectedBundle(state: Waiting): Bundle | undefined {
  if (state.selected?.startsWith("bundle ") !== true) return undefined;
  return entriesOf(state).find((one): one is Bundle => one.key === state.selected && "agent" in one);
}

/** What of a bundle is on the screen: another one, or one that has become another thing, has to be looked at again. */
export function contentOf(bundle: Bundle | undefined): string {
  const parts = bundle?.views.map(({ token, description, links, confined }) => [token, description, links, confined]);
  return JSON.stringify(parts ?? null);
}

/** True if the list of a bundle shows all that one yes for them covers. */
export function isAllShown({ views }: Bundle): boolean {
  return views.every((view) =>
    isShownWhole(view, {
      args: new Set(Object.keys(view.args ?? {})),
      changes: true,
      scripts: new Set(view.description?.stands_for),
    }),
  );
}

/** All of its requests, each whole, one below the other. */
export function bundleLines({ views }: Bundle, width: number, language: Language, home: string | null): string[] {
  return views.flatMap((view, at) => {
    const { line, effect, confined, outside, reason } = cardFacts(view, language, home);
    const what = `${view.action_verb} ${plainSummary(view.target_summary)}`;
    const facts = [quietText({ line, effect }), ...confined].filter((text) => text !== "").join(" · ");
    const folder = view.cwd === null || home === null ? view.cwd : shortenHome(view.cwd, home);
    const said = [
      what,
      ...(outside === null ? [] : [outside]),
      ...view.links,
      ...view.hints,
      ...(facts === "" ? [] : [facts]),
      ...(folder === null ? [] : [CARD_WORDS[language].inFolder(folder)]),
      ...(reason === "" ? [] : [CARD_WORDS[language].says(view.agent_name, reason)]),
    ];
    return [
      rule(`${at + 1}`, "", width),
      ...said.flatMap((text) => wrapped(visible(text), width)),
      ...callLines(view, width, language, home),
    ];
  });
}

/** `9 reading, 3 running`. */
export function kindsText(views: readonly ApprovalView[], language: Language): string {
  const kinds = Map.groupBy(views, ({ capabilities }) => capabilities[0]?.capability);
  return [...kinds]
    .sort(([, a], [, b]) => b.length - a.length)
    .map(([kind, own]) =>
      `${own.length} ${kind === undefined ? "" : kind === "network:http" ? CARD_WORDS[language].webRequests : DOING_WORDS[language][kind]}`.trim(),
    )
    .join(", ");
}
