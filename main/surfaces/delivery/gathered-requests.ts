import { shortened, shortenHome, visible } from "../../../ipc/base/visible-text.ts";
import type { Capability, Requirement } from "../../../ipc/contract/decision.ts";
import type { Language } from "../../../ipc/contract/language.ts";
import type { Answer, ApprovalView, Choice } from "../../../ipc/contract/operator-api.ts";
import { DOING_WORDS } from "../../../ipc/words/capability-words.ts";
import { answerWith } from "../../../ipc/words/choices.ts";
import { bundleText, isHazardous, type NoticeText, othersText } from "../../../ipc/words/notice-text.ts";
import { sendingText } from "../../../ipc/words/sending.ts";
import { coverageTest } from "../../calls/index.ts";
import type { Gathered } from "../../core/channel.ts";
import { CHANNEL_WORDS } from "./words.ts";

/** Many requests of one agent in one message: what it says, and how they can be answered together. Pure. */

export interface GatheredSettings {
  language: Language;
  /** The home folder: shown as `~`. */
  home: string;
}

/** What they have in common takes so many lines at the most. */
const GROUPS_SHOWN = 4;
const OBJECTS_SHOWN = 5;
const LINE_LENGTH = 96;
/** So many choices are looked at, to find the one that covers most. */
const MOST_TRIED = 60;

/** How many of what kind, where, the most frequent first; then the first objects. */
export function gatheredText({ agent_name, views }: Gathered, { language, home }: GatheredSettings): NoticeText {
  const groups = [...Map.groupBy(views, (view) => groupText(view, language, home))].sort(
    ([, one], [, other]) => other.length - one.length,
  );
  const counts = groups.slice(0, GROUPS_SHOWN).map(([text, own]) => `${own.length} × ${text}`);
  const left = groups.slice(GROUPS_SHOWN).reduce((sum, [, own]) => sum + own.length, 0);
  const { title, lines } = bundleText(agent_name, views, language, OBJECTS_SHOWN);
  // What a call names is marked: it could read like a line of the gate's own.
  const named = lines.map((line, index) => (index < Math.min(views.length, OBJECTS_SHOWN) ? `│ ${line}` : line));
  return { title, lines: [...counts, ...(left > 0 ? [othersText(left, language)] : []), ...named] };
}

/** `reading in ~/project/src`. */
function groupText({ capabilities, capability_class }: ApprovalView, language: Language, home: string): string {
  const [need] = capabilities;
  const { nothing, at } = CHANNEL_WORDS[language];
  if (need === undefined) return nothing;
  // As the gate names the place: `fs_read:~/project/src/*`. Of a command or a message it has none.
  const place = /^[a-z_]+:([^,]+)/.exec(capability_class)?.[1]?.replace(/(?:\/\*{1,2})+$/, "");
  const doing = DOING_WORDS[language][need.capability];
  return place === undefined ? doing : shortened(at(doing, visible(shortenHome(place, home))), LINE_LENGTH);
}

/** One answer by which the gate then lets others of them through, too. */
export interface CommonAnswer {
  /** `Allow reading below ~/project/src` */
  label: string;
  /** Exactly what it stores, a grant a line, and for how long. */
  stores: string[];
  /** To one of them, by one of its card's own choices. */
  answer: Answer;
  /** How many of them it lets through, that one included: two at least. */
  covers: number;
}

/** The choice for this session that covers most of them, and of equal ones the narrowest. Null where none covers two. */
export function commonAnswer(
  views: readonly ApprovalView[],
  { language, home }: GatheredSettings,
): CommonAnswer | null {
  // The one that is answered is let through, too: it may need nothing beyond what is offered.
  const answerable = views.filter(
    (view) =>
      !isHazardous(view) &&
      view.confined === null &&
      view.capabilities.length > 0 &&
      view.choices.some(({ scope }) => scope === "session"),
  );
  const found = new CommonChoices(home);
  let best: { view: ApprovalView; choice: Choice; covers: number } | undefined;
  for (const view of answerable)
    for (const choice of view.choices.filter(({ scope }) => scope === "session")) {
      const isCovered = found.begin(view, choice);
      if (isCovered === undefined) continue;
      const covers = answerable.filter(isCovered).length;
      const isNarrower = () => best?.covers === covers && widthOf(choice) < widthOf(best.choice);
      if (best === undefined || covers > best.covers || isNarrower()) best = { view, choice, covers };
    }
  if (best === undefined || best.covers < 2) return null;
  const { view, choice, covers } = best;
  const { sessionEnds } = CHANNEL_WORDS[language];
  return {
    label: allowText(choice.grants, { language, home }),
    stores: [
      ...choice.grants.map(({ capability, target }) => `${capability}  ${visible(target)}`),
      `${visible(view.agent_name)}, ${sessionEnds}`,
      ...(choice.excludes === undefined ? [] : [choice.excludes]),
    ],
    answer: answerWith(view, choice),
    covers,
  };
}

/** No to each of them. */
export function denials(views: readonly ApprovalView[]): Answer[] {
  return views.map(({ token }) => ({ token, decision: "rejected" }));
}

type IsCovered = (view: ApprovalView) => boolean;

/** Choices that were looked at, each once, and only so many: an agent that asks for much must not take the gate's time. */
class CommonChoices {
  readonly #home: string;
  /** Null: it has been counted, or can't be granted. */
  readonly #tests = new Map<string, IsCovered | null>();

  constructor(home: string) {
    this.#home = home;
  }

  /** What it covers; undefined where that is known already, or it doesn't cover its own request. */
  begin(view: ApprovalView, { grants }: Choice): IsCovered | undefined {
    const key = `${view.session} ${JSON.stringify(grants)}`;
    let test = this.#tests.get(key);
    if (test === undefined) {
      if (this.#tests.size >= MOST_TRIED) return undefined;
      test = this.#testOf(view.session, grants);
      this.#tests.set(key, test);
    }
    if (test === null || !test(view)) return undefined;
    this.#tests.set(key, null);
    return test;
  }

  #testOf(session: string, grants: readonly Requirement[]): IsCovered | null {
    const tests = grants.map((grant) => coverageTest(grant, this.#home));
    if (tests.includes(null)) return null;
    return (view) =>
      view.session === session && view.capabilities.every((need) => tests.some((covers) => covers?.(need)));
  }
}

/** The more a choice grants, the larger: a pattern by how little it names. */
function widthOf({ grants }: Choice): number {
  return grants.reduce((width, { target }) => {
    const named = target.replace(/\*+$/, "");
    return width + (named === target ? 1 : 10_000 - named.length + (target.endsWith("**") ? 1 : 0));
  }, 0);
}

function allowText(grants: readonly Requirement[], { language, home }: GatheredSettings): string {
  const { allow } = CHANNEL_WORDS[language];
  const parts = grants.map(({ capability, target }) => grantText(capability, target, { language, home }));
  return shortened(visible(`${allow} ${parts.join(", ")}`), LINE_LENGTH);
}

function grantText(capability: Capability, target: string, { language, home }: GatheredSettings): string {
  const { below, directlyIn } = CHANNEL_WORDS[language];
  const doing = DOING_WORDS[language][capability];
  const shown = shortenHome(target, home);
  if (target === "*") return doing;
  const sending = capability === "network:http" ? sendingText(target, language) : null;
  if (sending !== null) return sending;
  if (shown.endsWith("/**")) return `${doing} ${below(shown.slice(0, -3))}`;
  return shown.endsWith("/*") ? `${doing} ${directlyIn(shown.slice(0, -2))}` : `${doing} ${shown}`;
}
