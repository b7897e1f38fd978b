import { shortenHome, visible } from "../../ipc/base/visible-text.ts";
import { endOfLength, LENGTHS, type Length, lengthTerms } from "../../ipc/contract/answer-lengths.ts";
import type { Reach, Requirement } from "../../ipc/contract/decision.ts";
import type { Language } from "../../ipc/contract/language.ts";
import { toolNamed } from "../../ipc/contract/mcp-names.ts";
import type { Answer, ApprovalView, Choice } from "../../ipc/contract/operator-api.ts";
import { excludedFrom } from "../../ipc/words/choices.ts";
import { sendingText } from "../../ipc/words/sending.ts";
import { shortDate } from "../parts/short-date.ts";
import type { AnswerWords } from "../words/answers.ts";
import { mcpWords } from "../words/mcp.ts";

/** What an answer that is remembered would store. Pure: the clock comes with each step. */

export interface Remembering {
  /** Which of the reaches. */
  index: number;
  /** What would be stored, where the reach stores one grant; it can be edited. */
  target: string;
  length: Length;
}

/** One way to say what may be done from now on, and how long that can be said for. */
export interface Wider {
  reach: Reach;
  grants: readonly Requirement[];
  lengths: readonly Length[];
}

export function rememberedChoices(view: ApprovalView): Choice[] {
  return view.choices.filter(({ scope }) => scope !== "none");
}

/** The choices by what they store: each scope is one of the lengths. */
export function widerOf(view: ApprovalView): Wider[] {
  const found = new Map<string, { reach: Reach; grants: readonly Requirement[]; scopes: Set<string> }>();
  for (const { scope, reach, grants } of rememberedChoices(view)) {
    if (reach === null) continue;
    const key = JSON.stringify([reach, grants]);
    const wider = found.get(key) ?? { reach, grants, scopes: new Set() };
    wider.scopes.add(scope);
    found.set(key, wider);
  }
  return [...found.values()].map(({ reach, grants, scopes }) => ({
    reach,
    grants,
    lengths: LENGTHS.filter((length) => scopes.has(lengthTerms(length, 0).scope)),
  }));
}

/** What it proposes to store as the user would write it: the gate reads `~` as their home folder, too. */
export function withShortHome(view: ApprovalView, home: string | null): ApprovalView {
  if (home === null) return view;
  const short = (choice: Choice): Choice => ({
    ...choice,
    grants: choice.grants.map((grant) => ({ ...grant, target: shortenHome(grant.target, home) })),
  });
  return { ...view, choices: view.choices.map(short) };
}

/** What the gate proposes, for today; else the narrowest, for the shortest that it can be said for. */
export function firstRemembering(view: ApprovalView): Remembering {
  const all = widerOf(view);
  const { proposal } = view;
  const proposed = proposal === null ? -1 : all.findIndex(({ reach }) => reach === proposal.reach);
  if (proposed !== -1) return { index: proposed, target: proposedTarget(all[proposed]) ?? "", length: "today" };
  const [first] = all;
  return { index: 0, target: proposedTarget(first) ?? "", length: first?.lengths[0] ?? "session" };
}

/** Another reach has its own target; the length stays, where it can be said for that. */
export function chosen(before: Remembering, all: readonly Wider[], index: number): Remembering {
  const wider = all[index];
  const length = wider?.lengths.includes(before.length) ? before.length : (wider?.lengths[0] ?? before.length);
  return { index, target: proposedTarget(wider) ?? "", length };
}

/** Null where several grants would be stored: no one target can represent them. */
export function proposedTarget(wider: Pick<Wider, "grants"> | undefined): string | null {
  const [grant, ...more] = wider?.grants ?? [];
  return grant === undefined || more.length > 0 ? null : grant.target;
}

/** Exactly what would be stored. */
export function storedGrants(view: ApprovalView, { index, target }: Remembering): readonly Requirement[] {
  const wider = widerOf(view)[index];
  if (wider === undefined) return [];
  return proposedTarget(wider) === null ? wider.grants : wider.grants.map((grant) => ({ ...grant, target }));
}

/** What the answer would not cover though its folder holds it; null where it reaches below no folder. */
export function excluded(view: ApprovalView, remembering: Remembering): string | null {
  const targets = storedGrants(view, remembering).map(({ target }) => target);
  return excludedFrom(view.choices, targets);
}

/** Null while the target is empty. `now` in Unix milliseconds: the end is counted from it. */
export function answerFor(view: ApprovalView, remembering: Remembering, now: number): Answer | null {
  const wider = widerOf(view)[remembering.index];
  if (wider === undefined) return null;
  const proposed = proposedTarget(wider);
  if (proposed !== null && remembering.target.trim() === "") return null;
  return {
    token: view.token,
    decision: "approved",
    reach: wider.reach,
    ...lengthTerms(remembering.length, now),
    ...(proposed === null ? {} : { target: remembering.target }),
  };
}

/** "Reading below ~/p/src, for claude-code, until 23:59 today": what the answer comes to. */
export function resultText(
  view: ApprovalView,
  remembering: Remembering,
  now: number,
  words: AnswerWords,
  language: Language,
): string {
  const list = new Intl.ListFormat(language, { type: "conjunction" });
  const wider = widerOf(view)[remembering.index];
  const what =
    confinedWork(view, wider, remembering, words) ??
    list.format(storedGrants(view, remembering).map((grant) => grantText(grant, words, language)));
  const until = untilText(remembering.length, now, words, language);
  const text = words.result(what, visible(view.agent_name), until);
  return text.charAt(0).toLocaleUpperCase(language) + text.slice(1);
}

/** What an answer for the project of a confined call comes to: commands run there without asking. */
function confinedWork(
  { confined }: ApprovalView,
  wider: Wider | undefined,
  { target }: Remembering,
  words: AnswerWords,
): string | null {
  if (confined === null || wider?.reach !== "project" || confined.kind === "needs") return null;
  const [first] = wider.grants;
  const place = (proposedTarget(wider) === null ? (first?.target ?? "") : target).replace(/\/\*\*$/, "");
  if (place === "" || place.includes("*")) return null;
  return confined.kind === "looking" ? words.looks(visible(place)) : words.works(visible(place), confined.network);
}

function grantText({ capability, target }: Requirement, words: AnswerWords, language: Language): string {
  const tool = capability === "channel:out" ? toolNamed(target) : null;
  if (tool !== null) {
    const { using, usingAll } = mcpWords[language];
    return tool.tool === "*" ? usingAll(visible(tool.server)) : using(visible(tool.server), visible(tool.tool));
  }
  const doing = words.doing[capability] ?? capability;
  const shown = visible(target);
  if (target === "*") return doing;
  const sending = capability === "network:http" ? sendingText(shown, language) : null;
  if (sending !== null) return sending;
  if (capability === "network:http" && target.startsWith("*.")) return `${doing} ${words.hostsBelow(shown.slice(2))}`;
  if (target.endsWith("/**")) return `${doing} ${words.below(shown.slice(0, -3))}`;
  if (target.endsWith("/*")) return `${doing} ${words.directlyIn(shown.slice(0, -2))}`;
  return `${doing} ${shown}`;
}

function untilText(length: Length, now: number, { until }: AnswerWords, language: Language): string {
  const end = endOfLength(length, now);
  if (end === null) return length === "session" ? until.session : until.revoked;
  const time = new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(end);
  if (length === "month") return until.date(shortDate(end, language));
  return length === "today" ? until.today(time) : until.clock(time);
}
