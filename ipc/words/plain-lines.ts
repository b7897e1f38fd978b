import { visible } from "../base/visible-text.ts";
import type { Language } from "../contract/language.ts";
import type { ApprovalView } from "../contract/operator-api.ts";
import { cardFacts, quietText } from "./card-facts.ts";

/** A card's lines where a person decides by them: the facts that the page says, and not the class of the capability, which is for programs. */

const CLASS: Readonly<Record<Language, string>> = { en: "class", it: "classe" };

/** `a.txt -> ~/ (~13 B)` without its size: only where the gate puts one, for a command may hold what looks like it. */
export function plainSummary(text: string): string {
  return text.replace(/ \(~[\d.,]+ [kMG]?B\)(?=(?: \(and \d+ more\))?(?: \[[^[\]]*\])?$)/, "");
}

/** As the card says it, for people: what is asked, then what it does, where it goes and what it leaves behind. */
export function plainLines(view: ApprovalView, language: Language): string[] {
  if (view.description === null) return linesOfEarlier(view, language);
  const { line, effect, price, confined } = cardFacts(view, language);
  const facts = [quietText({ line, effect }), price ?? "", confined.join(", ")].filter((text) => text !== "");
  const said = visible(facts.join(" | "));
  const [first = "", ...rest] = askedLines(view, language);
  if (said === "") return [first, ...rest];
  const { form } = view.card;
  if (form === "full") return [first, ...rest, said];
  return [form === "medium" ? `${first} (${said})` : `${first} [${said}]`, ...rest];
}

/** Of a request that an earlier version described: its card's own lines. A line that would be left empty goes. */
function linesOfEarlier(
  { card: { form, lines }, capability_class }: Pick<ApprovalView, "card" | "capability_class">,
  language: Language,
): string[] {
  const named = visible(capability_class);
  const said = `${CLASS[language]}: ${named}`;
  const cut = form === "short" ? [` | ${named}`] : [` | ${said}`, said];
  // The others are the call's own.
  const at = form === "full" ? lines.length - 1 : 0;
  return lines
    .map((line, index) => plainSummary(index === at ? cut.reduce(withoutLast, line) : line))
    .filter((line) => line.trim() !== "");
}

function withoutLast(text: string, part: string): string {
  const at = text.lastIndexOf(part);
  return at === -1 ? text : text.slice(0, at) + text.slice(at + part.length);
}

/** What is asked and about what, without what the card says of it in short: where that is said in lines of its own. */
export function askedLines(
  view: Pick<ApprovalView, "card" | "capability_class" | "action_verb" | "target_summary">,
  language: Language,
): string[] {
  const { form, lines } = view.card;
  const [first = "", ...rest] = lines;
  if (form === "full") {
    const isClass = lines.at(-1)?.includes(`${CLASS[language]}: `) === true;
    return (isClass ? lines.slice(0, -1) : lines).map(plainSummary).filter((line) => line.trim() !== "");
  }
  const begin =
    form === "medium"
      ? first.slice(0, first.indexOf("? (") + 1) || first
      : capitalised(visible(`${view.action_verb} ${view.target_summary}`), language);
  return [begin, ...rest].map(plainSummary);
}

function capitalised(text: string, language: Language): string {
  return text.charAt(0).toLocaleUpperCase(language) + text.slice(1);
}
