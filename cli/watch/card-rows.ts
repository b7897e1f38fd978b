import { shortenHome, visible } from "../../ipc/base/visible-text.ts";
import type { Language } from "../../ipc/contract/language.ts";
import type { ApprovalView } from "../../ipc/contract/operator-api.ts";
import { DOING_WORDS } from "../../ipc/words/capability-words.ts";
import { type CardFacts, cardFacts, quietText } from "../../ipc/words/card-facts.ts";
import { choiceText } from "../../ipc/words/choice-words.ts";
import { excludedFrom } from "../../ipc/words/choices.ts";
import { isHazardous } from "../../ipc/words/notice-text.ts";
import { askedLines, plainSummary } from "../../ipc/words/plain-lines.ts";
import { timeLeftText } from "../../ipc/words/time-left.ts";
import { parseExpiry } from "../durations.ts";
import { momentText } from "../times.ts";
import { entriesOf, kindsText } from "./bundle.ts";
import { callLines } from "./call-text.ts";
import { CARD_WORDS } from "./card-words.ts";
import { type Line, lineText } from "./line-edit.ts";
import { folded, packed, type Row, widthOf, wrapped } from "./rows.ts";
import { type Choosing, choicesOf, type WatchState } from "./state.ts";
import { callWords } from "./words.ts";

/** The parts of a card as rows. All text from outside goes through `visible` here. */

const CURSOR = "▏";
const OTHERS_INDENT = "  ";
/** More hazards than these are counted. */
const HAZARDS_SAID = 3;
/** More judges than these are counted. */
const JUDGES_SAID = 3;

/** The card's required lines, each on at most `most` rows; then, where there is room, the details. @param home what `~` means, or null */
export function headRows(
  card: ApprovalView,
  position: string,
  width: number,
  now: number,
  most: number,
  { language, home }: Pick<WatchState, "language" | "home">,
): Row[] {
  const lines = askedLines(card, language).map((line) => visible(line));
  // The card's own question comes after it: the call is the same one as before.
  const facts = cardFacts(card, language, home);
  const asked = facts.again === null ? [] : [`${facts.again.said}. ${facts.again.question}`];
  const [question = "", ...rest] = [...asked, ...lines];
  const right = [visible(card.agent_name), timeLeftText(Date.parse(card.expires_at) - now, language), position]
    .filter(Boolean)
    .join("  ·  ");
  const titles = folded(question, width, most).map((text): Row => ({ text, tone: "strong" }));
  const fits = titles.length === 1 && widthOf(`${titles[0]?.text ?? ""}  ${right}`) <= width;
  const rows: Row[] = fits
    ? titles.map((row) => ({ ...row, right }))
    : [{ text: "", tone: "quiet", right: folded(right, width, 1)[0] ?? "" }, ...titles];
  for (const line of rest) rows.push(...folded(line, width, most).map((text): Row => ({ text, tone: "plain" })));
  rows.push(...factRows(facts, width, most, language));
  return most === 1 ? rows : [...rows, ...backgroundRows(card, facts, width, most - 1, { language, home })];
}

/** A whole card, as a command prints it: its head, its facts, and all of the call. */
export function cardRows(card: ApprovalView, width: number, home: string | null, now: number): Row[] {
  const call = callLines(card, width, "en", home).map((text): Row => ({ text, tone: "plain" }));
  const head = headRows(card, card.token, width, now, Number.POSITIVE_INFINITY, { language: "en", home });
  return [...head, { text: "", tone: "plain" }, ...call];
}

/**
 * What is dangerous about it, the only red; else what it leaves behind. The worst first; in a small window the others are counted. Then
 * what it is confined to.
 */
function factRows(
  { hazards, line, effect, confined, price }: Pick<CardFacts, "hazards" | "line" | "effect" | "confined" | "price">,
  width: number,
  most: number,
  language: Language,
): Row[] {
  const facts = [quietText({ line, effect }), price ?? ""].filter((text) => text !== "").join(" · ");
  const quiet = [...folded(visible(facts), width, most), ...folded(visible(confined.join(", ")), width, 1)]
    .filter((text) => text !== "")
    .map((text): Row => ({ text, tone: "quiet" }));
  const said = hazards.slice(0, most === 1 ? 1 : HAZARDS_SAID).map((sentence) => visible(sentence));
  const more = hazards.length - said.length;
  if (more > 0) said.push(`${said.pop() ?? ""} (${callWords[language].more(more)})`);
  const dangers = said.flatMap((text) => folded(text, width, most)).map((text): Row => ({ text, tone: "danger" }));
  return [...dangers, ...quiet];
}

function backgroundRows(
  card: ApprovalView,
  { reason, allowing, wantedBy, asked, judged }: CardFacts,
  width: number,
  most: number,
  { language, home }: Pick<WatchState, "language" | "home">,
): Row[] {
  const words = CARD_WORDS[language];
  const folder = card.cwd === null || home === null ? card.cwd : shortenHome(card.cwd, home);
  const inFolder = folder === null ? words.folderUnknown : words.inFolder(visible(folder));
  const judgedMore = judged.length - JUDGES_SAID;
  const texts = [
    // A command's line has said it.
    ...(folder !== null && card.card.lines.some((line) => line.endsWith(`(in ${folder})`))
      ? []
      : folded(inFolder, width, 1)),
    ...(asked === null ? [] : folded(visible(`${asked.label} ${asked.text}`), width, most)),
    ...judged.slice(0, JUDGES_SAID).flatMap(({ text }) => folded(visible(text), width, most)),
    ...(judgedMore > 0 ? [callWords[language].more(judgedMore)] : []),
    ...(wantedBy === null ? [] : folded(visible(wantedBy), width, most)),
    ...(allowing === null ? [] : folded(allowing, width, most)),
    ...(reason === "" ? [] : folded(words.says(visible(card.agent_name), visible(reason)), width, most)),
  ];
  return texts.map((text) => ({ text, tone: "quiet" }));
}

/** Each choice with exactly what it would store under it, as many of them as fit around the chosen one. */
export function choiceRows(
  card: ApprovalView,
  mode: Choosing,
  width: number,
  room: number,
  now: number,
  language: Language,
) {
  const words = CARD_WORDS[language];
  const blocks = choicesOf(card, mode).map((choice, index): Row[] => {
    const isChosen = index === mode.index;
    const isOwn = isChosen && choice.grants.length === 1;
    const edit = isOwn && mode.target !== choice.grants[0]?.target ? words.targetEdited : "";
    const stored = choice.grants.flatMap(({ capability, target }) => {
      const isEdited = isOwn && mode.editing?.field === "target";
      const shown =
        isEdited && mode.editing !== null ? lineShown(mode.editing.line) : visible(isOwn ? mode.target : target);
      return wrapped(words.storedOn(DOING_WORDS[language][capability], shown), width - 4);
    });
    const targets = isOwn ? [editedTarget(mode)] : choice.grants.map(({ target }) => target);
    const excluded = excludedFrom(card.choices, targets);
    const note = excluded === null ? [] : folded(visible(excluded), width - 4, 3);
    return [
      {
        text: `${isChosen ? "›" : " "} ${folded(choiceText(choice, language) + edit, width - 2, 1)[0]}`,
        tone: isChosen ? "marked" : "plain",
      },
      ...stored.map((text): Row => ({ text: `    ${text}`, tone: isChosen ? "plain" : "quiet" })),
      ...note.map((text): Row => ({ text: `    ${text}`, tone: "quiet" })),
    ];
  });
  const expiry = folded(`  ${words.until(expiryText(mode, now, language))}`, width, 2).map(
    (text): Row => ({ text, tone: "plain" }),
  );
  const free = room - expiry.length;
  const chosen = blocks[mode.index] ?? [];
  let [from, to, used] = [mode.index, mode.index + 1, chosen.length];
  const hint = () => (to - from < blocks.length ? 1 : 0);
  for (let grew = true; grew; ) {
    grew = false;
    for (const [index, side] of [
      [to, "below"],
      [from - 1, "above"],
    ] as const) {
      const block = blocks[index];
      if (block === undefined) continue;
      const isLast = to - from + 1 === blocks.length;
      if (used + block.length + (isLast ? 0 : 1) > free) continue;
      used += block.length;
      if (side === "below") to++;
      else from--;
      grew = true;
    }
  }
  const hidden = blocks.length - (to - from);
  const more: Row[] = hint() === 0 ? [] : [{ text: `  ${words.moreChoices(hidden)}`, tone: "quiet" }];
  return { rows: [...blocks.slice(from, to).flat(), ...more, ...expiry], fits: chosen.length + more.length <= free };
}

/** What would be stored with the line that is being edited. */
function editedTarget({ editing, target }: Choosing): string {
  return editing?.field === "target" ? lineText(editing.line) : target;
}

function expiryText(mode: Choosing, now: number, language: Language): string {
  const words = CARD_WORDS[language];
  const byItself = mode.scope === "session" ? words.sessionEnds : words.youRevoke;
  if (mode.editing?.field === "expires") return `${lineShown(mode.editing.line)}   (${words.ends(byItself)})`;
  if (mode.expires === "") return byItself;
  const end = parsedExpiry(mode.expires, now);
  return end === undefined
    ? `${visible(mode.expires)}   ${words.notAnEnd}`
    : `${visible(mode.expires)} = ${momentText(end, now, language)}`;
}

function parsedExpiry(text: string, now: number): string | undefined {
  try {
    return parseExpiry(text, now);
  } catch {
    return undefined; // neither a span nor a date
  }
}

/** The line being edited, its last rows where it is long. */
export function messageRows(line: Line, width: number, language: Language): Row[] {
  const rows = wrapped(`${CARD_WORDS[language].why_not} ${lineShown(line)}`, width);
  return rows.slice(-3).map((text) => ({ text, tone: "plain" }));
}

function lineShown({ before, after }: Line): string {
  return visible(before) + CURSOR + visible(after);
}

/** The other waiting requests: what is dangerous first, a row each; many of one agent in one row. */
export function otherRows(state: WatchState, width: number, most: number, now: number): Row[] {
  const { language } = state;
  const words = CARD_WORDS[language];
  const entries = entriesOf(state).flatMap(({ key, views }) => (key === state.selected ? [] : [views]));
  if (entries.length === 0) return [];
  const shown = entries.length > most ? entries.slice(0, Math.max(0, most - 1)) : entries;
  const rows = shown.map((views): Row => {
    const [first] = views;
    if (first === undefined) return { text: "", tone: "quiet" };
    const left = timeLeftText(Date.parse(first.expires_at) - now, language);
    const start = `${OTHERS_INDENT}${left}  ${visible(first.agent_name)}  `;
    const what =
      views.length === 1
        ? visible(`${first.action_verb} ${plainSummary(first.target_summary)}`)
        : words.bundle(views.length, kindsText(views, language));
    const text = start + (folded(what, Math.max(8, width - widthOf(start)), 1)[0] ?? "");
    const tone = isHazardous(first) ? "danger" : "quiet";
    // A long agent name in a narrow window leaves no room for eight more.
    return { text: widthOf(text) > width ? (folded(text, width, 1)[0] ?? "") : text, tone };
  });
  const countOf = (all: readonly (readonly ApprovalView[])[]) => all.reduce((sum, views) => sum + views.length, 0);
  const hidden = countOf(entries) - countOf(shown);
  if (hidden === 0) return rows;
  const more = shown.length > 0 ? words.moreWaiting(hidden) : words.othersWaiting(hidden);
  return [...rows, { text: folded(OTHERS_INDENT + more, width, 1)[0] ?? "", tone: "quiet" }];
}

export function wordRows(words: readonly string[], width: number): Row[] {
  return packed(words, "   ", width).map((text) => ({ text, tone: "quiet" }));
}
