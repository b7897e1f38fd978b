import { isPlainText, shortened, shortenHome, visible } from "../../../ipc/base/visible-text.ts";
import type { StandsFor } from "../../../ipc/contract/description.ts";
import type { Language } from "../../../ipc/contract/language.ts";
import type { ApprovalView, Choice } from "../../../ipc/contract/operator-api.ts";
import { cardFacts } from "../../../ipc/words/card-facts.ts";
import { choiceText } from "../../../ipc/words/choice-words.ts";
import { requestText } from "../../../ipc/words/notice-text.ts";
import { isShownWhole } from "../../../ipc/words/shown-call.ts";
import { SURFACE_WORDS } from "../../../ipc/words/surface-words.ts";
import type { Button, Screen } from "./bot-api.ts";
import { TELEGRAM_WORDS } from "./words.ts";

/** What the message about one request says, and which answers it offers. Pure. */

export interface ScreenSettings {
  language: Language;
  /** `title`: that something waits, and nothing of the call. */
  show: "card" | "title";
  /** What is shown as `~`. */
  home: string;
}

/** Telegram takes 4096; what is longer than this is shown in part, and not approved there. */
export const MAX_CHARACTERS = 3500;
/** Whoever presses a button sees the end of the message: its beginning must not be far above. */
const MAX_LINES = 60;
const HEAD_CHARACTERS = 1200;
const TAIL_CHARACTERS = 800;
/** Of a line of the gate's own. */
const MAX_LINE = 400;
const MAX_CHOICES = 6;
/** In front of each line that isn't the gate's own. */
const QUOTED = "│ ";
const KEEP = { keepNewlines: true };

/** A request that waits. Approve is offered only where the whole call can be read in the message. */
export function requestScreen(view: ApprovalView, settings: ScreenSettings): Screen {
  const { language, show } = settings;
  const words = TELEGRAM_WORDS[language];
  if (show === "title") {
    const lines = [words.asks(agentName(view)), words.somethingWaits, words.atMachine];
    return { text: lines.join("\n"), buttons: [[denyButton(view, language)]] };
  }
  const own = ownLines(view, settings);
  const quoted = quotedLines(view, language);
  const end = ["", words.openUntil(timeOfDay(view.expires_at))];
  const whole = [...own, "", ...quoted, ...end];
  const reason = whyNotWhole(view, own, whole, language);
  if (reason === null)
    return { text: whole.join("\n"), buttons: [answerButtons(view, language), ...wider(view, settings)] };
  const lines = [...own.map((line) => shortened(line, MAX_LINE)), "", ...inPart(quoted, language)];
  const text = [...cut(lines), "", reason, words.hash(view.call_hash), words.atMachine].join("\n");
  return { text, buttons: [[denyButton(view, language)]] };
}

/** Exactly what this choice of the card would store; undefined where it can't be chosen here. */
export function storeScreen(view: ApprovalView, index: number, settings: ScreenSettings): Screen | undefined {
  const { language } = settings;
  const words = TELEGRAM_WORDS[language];
  const choice = view.choices[index];
  if (choice === undefined || choice.scope === "none") return undefined;
  const { title, lines } = requestText(view, language);
  const text = [
    title,
    ...lines.slice(0, 1),
    "",
    words.stored(agentName(view)),
    ...storedLines(choice, language),
    choice.scope === "session" ? words.sessionEnds : words.youRevoke,
    ...(choice.excludes === undefined ? [] : [choice.excludes]),
  ].join("\n");
  if (text.length > MAX_CHARACTERS || !isPlainText(text, KEEP)) return undefined;
  const { token } = view;
  return {
    text,
    buttons: [
      [{ text: words.store, data: `store:${token}:${index}` }],
      [{ text: words.back, data: `back:${token}` }, denyButton(view, language)],
    ],
  };
}

/** The grants of a choice, one in a line, as they are stored. */
function storedLines({ grants }: Choice, language: Language): string[] {
  const { storedOn } = TELEGRAM_WORDS[language];
  return grants.map(({ capability, target }) => `${QUOTED}${storedOn(capability, visible(target))}`);
}

/** A request that has ended, and how: the registry's own state. Nothing of the call that isn't kept. */
export function endedScreen(view: ApprovalView, { language, show }: ScreenSettings): Screen {
  const words = TELEGRAM_WORDS[language];
  const { status } = view;
  if (status === "pending") return { text: words.unreadable, buttons: [] };
  const how = status === "approved" || status === "rejected" ? howAnswered(view, language) : "";
  const what = visible(`${agentName(view)}: ${view.action_verb} ${view.target_summary}`);
  const text =
    show === "title" ? words.endedBare[status](how) : words.ended[status](shortened(what, MAX_LINE * 2), how);
  return { text, buttons: [] };
}

function howAnswered(view: ApprovalView, language: Language): string {
  const words = TELEGRAM_WORDS[language];
  const { territory_concession: territory, decision_surface: surface } = view;
  const scope = territory === "session" ? words.for_session : territory === "permanent" ? words.permanently : "";
  return `${scope}${surface === null ? "" : ` ${SURFACE_WORDS[language][surface]}`}`;
}

/** The lines that the gate wrote. */
function ownLines(view: ApprovalView, { language, home }: ScreenSettings): string[] {
  const words = TELEGRAM_WORDS[language];
  const { title, lines } = requestText(view, language);
  const { hazards: dangers, again, price, judged } = cardFacts(view, language);
  const hazards = dangers.map((sentence) => visible(sentence));
  const needs = view.capabilities.length > 1 ? view.capabilities : [];
  const folder = view.cwd === null ? null : words.inFolder(visible(shortenHome(view.cwd, home)));
  const further = [
    ...hazards,
    ...(again === null ? [] : [again.said]),
    ...(price === null ? [] : [price]),
    ...needs.map(({ capability, target }) => words.needs(capability, visible(target))),
    ...judged.map(({ text }) => visible(text)),
    ...(folder === null || lines.some((line) => line.endsWith(`(${folder})`)) ? [] : [folder]),
  ];
  const said = new Set(lines.flatMap((line) => [line, ...line.split(" | ")]));
  // There are no colours in a message.
  const marked = (line: string) => (hazards.includes(line) ? `⚠ ${line}` : line);
  return [title, ...lines, ...new Set(further.filter((line) => !said.has(line) && !title.endsWith(line)))].map(marked);
}

/** What the user asked for as the agent's client says, the agent's own words and every argument, each line marked: none of them can be taken for the gate's. */
function quotedLines(view: ApprovalView, language: Language): string[] {
  const words = TELEGRAM_WORDS[language];
  const { asked } = cardFacts(view, language);
  const userWords = asked === null ? [] : [asked.label, ...quoted(asked.text)];
  const intent = view.intent === "" ? [] : [words.says(agentName(view)), ...quoted(view.intent)];
  const given = Object.entries(view.args ?? {}).flatMap(([key, value]) => {
    const text = argumentText(value);
    return text.includes("\n") ? [...quoted(`${visible(key)}:`), ...quoted(text)] : quoted(`${visible(key)}: ${text}`);
  });
  const call = [words.arguments, ...(given.length === 0 ? [words.noArguments] : given)];
  return [...userWords, ...intent, ...call, ...furtherTexts(view).flatMap(quoted)];
}

/** What a yes covers beside the arguments: what would be lost in a file, and the texts that names stand for. */
function furtherTexts({ description }: ApprovalView): string[] {
  const { changes = [], stands_for = [] } = description ?? {};
  const lost = changes.flatMap(({ path, status, hunks }) => {
    const lines = hunks.flatMap(({ lines: all }) => all.filter(({ kind }) => kind === "removed"));
    if (status === "new" || status === "edits" || lines.length === 0) return [];
    return [`${path}:`, ...lines.map(({ text }) => `- ${text}`)];
  });
  return [...lost, ...stands_for.flatMap(({ name, file, lines }) => [`${name} = ${file}:`, ...lines])];
}

function argumentText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function quoted(text: string): string[] {
  return visible(text, KEEP)
    .split("\n")
    .map((line) => `${QUOTED}${line}`);
}

/** Why the whole call can't be read here; null where it can. */
function whyNotWhole(
  view: ApprovalView,
  own: readonly string[],
  whole: readonly string[],
  language: Language,
): string | null {
  const words = TELEGRAM_WORDS[language];
  if (view.args === null) return words.unreadable;
  const characters = whole.join("\n").length;
  if (characters > MAX_CHARACTERS || whole.length > MAX_LINES || own.some((line) => line.length > MAX_LINE))
    return words.tooLong(characters.toLocaleString(language));
  const { intent, target_summary, capability_class, action_verb, links, capabilities, cwd } = view;
  const texts = [
    ...own,
    ...[intent, target_summary, capability_class, action_verb, cwd ?? "", ...links],
    ...capabilities.map(({ target }) => target),
    ...Object.entries(view.args).flatMap(([key, value]) => [key, argumentText(value)]),
    ...furtherTexts(view),
  ];
  if (!texts.every((text) => isPlainText(text, KEEP))) return words.notPlain;
  const scripts = new Set<StandsFor>(view.description?.stands_for);
  const printed = { args: new Set(Object.keys(view.args)), changes: true, scripts };
  return isShownWhole(view, printed) ? null : words.notWhole;
}

/** The beginning and the end of what was said and given. */
function inPart(lines: readonly string[], language: Language): string[] {
  const characters = [...lines.join("\n")];
  const left = characters.length - HEAD_CHARACTERS - TAIL_CHARACTERS;
  if (left <= 0) return [...lines];
  const head = characters.slice(0, HEAD_CHARACTERS).join("");
  const tail = characters.slice(-TAIL_CHARACTERS).join("");
  const omitted = TELEGRAM_WORDS[language].left_out(left.toLocaleString(language));
  return [head, omitted, `${QUOTED}${tail.replace(/^│ /, "")}`];
}

/** Whatever the gate's own lines are, the message stays one that Telegram takes. */
function cut(lines: readonly string[]): string[] {
  const text = lines.join("\n");
  const rows = text.length > MAX_CHARACTERS - HEAD_CHARACTERS / 4 ? shortened(text, MAX_CHARACTERS / 2) : text;
  return rows.split("\n");
}

function answerButtons(view: ApprovalView, language: Language): Button[] {
  const [approve, reject] = view.card.buttons;
  const { again } = cardFacts(view, language);
  return [
    { text: again?.let_it ?? approve?.text ?? "", data: `approve:${view.token}` },
    { text: again?.stop ?? reject?.text ?? "", data: `reject:${view.token}` },
  ];
}

function denyButton(view: ApprovalView, language: Language): Button {
  return answerButtons(view, language)[1] ?? { text: "", data: `reject:${view.token}` };
}

/** One button for each choice that stores something: pressing it shows what, and stores nothing yet. */
function wider(view: ApprovalView, settings: ScreenSettings): Button[][] {
  const rows = view.choices.flatMap((choice, index) =>
    choice.scope === "none" || storeScreen(view, index, settings) === undefined
      ? []
      : [[{ text: `${choiceText(choice, settings.language)} …`, data: `wider:${view.token}:${index}` }]],
  );
  return rows.slice(0, MAX_CHOICES);
}

function agentName({ agent_name, subagent }: ApprovalView): string {
  return shortened(visible(subagent === null ? agent_name : `${agent_name} (${subagent})`), MAX_LINE / 4);
}

/** In the user's own time. */
function timeOfDay(date: string): string {
  const at = new Date(date);
  return `${String(at.getHours()).padStart(2, "0")}:${String(at.getMinutes()).padStart(2, "0")}`;
}
