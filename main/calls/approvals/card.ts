import { visible } from "../../../ipc/base/visible-text.ts";
import type { Price } from "../../../ipc/contract/costs.ts";
import type { Card, Confined, Reversibility, Territory } from "../../../ipc/contract/decision.ts";
import type { Description } from "../../../ipc/contract/description.ts";
import type { Effect } from "../../../ipc/contract/hazards.ts";
import type { Language } from "../../../ipc/contract/language.ts";
import { confinedMark, outsideText } from "../../../ipc/words/box-words.ts";
import { effectText } from "../../../ipc/words/hazard-words.ts";
import { priceText } from "../../../ipc/words/price-words.ts";
import { lineText } from "../../../ipc/words/work-words.ts";

/** The card: three lines, two buttons, smaller as the same question comes back (docs/decisions/requirements-approvals.md, "Card"). */

/** What a card is made of; once made it never changes. All text is the gate's own, from the manifest and the arguments. */
export interface ApprovalRequest {
  readonly action_verb: string;
  /** The same as the question says it, where that is more. */
  readonly verbAsked?: string | undefined;
  readonly target_summary: string;
  readonly capability_class: string;
  readonly reversibility: Reversibility;
  /** What it leaves behind, where that is read from the call: said in place of the reversibility where no word of that says it. */
  readonly effect?: Effect | undefined;
  /** What its commands do, where that is read from them: said in place of an effect that isn't known. */
  readonly described?: Pick<Description, "kind" | "work" | "to"> | undefined;
  readonly territory_concession: Territory;
  readonly recurrence_count: number;
  readonly token: string;
  /** Said in lines of their own, after what is asked. */
  readonly links?: readonly PathLink[];
  /** Of the client that waits: after them. */
  readonly hints?: readonly string[];
  /** Of a server's tool that isn't the one that was allowed. */
  readonly warning?: string | null | undefined;
  /** Present where the call runs in a box. */
  readonly confined?: Confined | undefined;
  /** Present where it asks to run outside of it. */
  readonly outside?: Description["outside"];
  /** What it costs, where that is known. */
  readonly price?: Price | undefined;
}

/** A name that the call uses, and where it leads. */
export interface PathLink {
  readonly written: string;
  readonly leads_to: string;
}

/** More than these are counted. */
const LINKS_SAID = 3;

/** Below 3: full; 3 to 7: medium; from 8: short. */
const RECURRENCE_THRESHOLDS = [3, 8] as const;

interface Words {
  question: (verb: string) => string;
  reversibility: Record<Reversibility, string>;
  short: Record<Reversibility, string>;
  /** Of a call that runs code: how much of it could be taken back isn't known. */
  anything: string;
  anythingShort: string;
  /** Of a call that runs in a box. */
  confined: Readonly<Record<"alone" | "with_network" | "looking", string>>;
  class: string;
  territory: Record<Territory, string>;
  approve: string;
  reject: string;
  approved: string;
  rejected: string;
  link: (written: string, leadsTo: string) => string;
  moreLinks: (count: number) => string;
}

const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    question: (verb) => `May I ${verb}?`,
    reversibility: { reversible: "reversible", irreversible: "irreversible", partial: "partly reversible" },
    short: { reversible: "rev", irreversible: "irrev", partial: "part" },
    anything: effectText("anything", "en"),
    anythingShort: "any",
    confined: {
      alone: "confined to the project, no network",
      with_network: "confined to the project",
      looking: "confined to reading the project, no network",
    },
    class: "class",
    territory: { none: "", session: " [territory: session]", permanent: " [territory: permanent]" },
    approve: "Approve",
    reject: "Deny",
    approved: "Approved",
    rejected: "Denied",
    link: (written, leadsTo) => `${written} leads to ${leadsTo}`,
    moreLinks: (count) => `and ${count} more that ${count === 1 ? "leads" : "lead"} elsewhere than written`,
  },
  it: {
    question: (verb) => `Vuoi che ${verb}?`,
    reversibility: { reversible: "reversibile", irreversible: "irreversibile", partial: "reversibile in parte" },
    short: { reversible: "rev", irreversible: "irrev", partial: "parz" },
    anything: effectText("anything", "it"),
    anythingShort: "tutto",
    confined: {
      alone: "confinato al progetto, senza rete",
      with_network: "confinato al progetto",
      looking: "confinato alla lettura del progetto, senza rete",
    },
    class: "classe",
    territory: { none: "", session: " [territorio: sessione]", permanent: " [territorio: permanente]" },
    approve: "Approva",
    reject: "Rifiuta",
    approved: "Approvato",
    rejected: "Rifiutato",
    link: (written, leadsTo) => `${written} porta a ${leadsTo}`,
    moreLinks: (count) =>
      count === 1
        ? "e un altro che porta altrove da com'è scritto"
        : `e altri ${count} che portano altrove da come sono scritti`,
  },
};

/** What is said once a button was pressed: `Approved: write a.txt -> ~/`. */
export function confirmation(
  decision: "approved" | "rejected",
  request: { action_verb: string; target_summary: string },
  language: Language,
): string {
  return visible(`${WORDS[language][decision]}: ${request.action_verb} ${request.target_summary}`);
}

export function shapeForRecurrence(count: number): Card["form"] {
  if (count >= RECURRENCE_THRESHOLDS[1]) return "short";
  return count >= RECURRENCE_THRESHOLDS[0] ? "medium" : "full";
}

/** One line for each name that leads elsewhere than it says, up to a few of them. Hidden characters are made visible. */
export function linkLines(links: readonly PathLink[], language: Language): string[] {
  const words = WORDS[language];
  const said = links.slice(0, LINKS_SAID).map(({ written, leads_to }) => words.link(written, leads_to));
  const more = links.length - said.length;
  return [...said, ...(more > 0 ? [words.moreLinks(more)] : [])].map((line) => visible(line));
}

/** The card in the form that its recurrence asks for. Hidden characters in it are made visible. */
export function renderApprovalCard(request: ApprovalRequest, language: Language = "en"): Card {
  const words = WORDS[language];
  const form = shapeForRecurrence(request.recurrence_count);
  const marker = words.territory[request.territory_concession];
  const question = words.question(request.verbAsked ?? request.action_verb);
  const { undoing, undoingShort } = undoingOf(request, language);
  const price = request.price === undefined ? "" : ` | ${priceText(request.price, language)}`;
  const meta = `${undoing}${price} | ${words.class}: ${request.capability_class}${marker}`;
  const links = [
    ...(request.outside === undefined ? [] : [outsideText(request.outside.reason, language)]),
    ...(request.warning == null ? [] : [request.warning]),
    ...linkLines(request.links ?? [], language),
    ...(request.hints ?? []),
  ];
  const lines = {
    full: () => [question, request.target_summary, ...links, meta],
    medium: () => [`${question} (${meta})`, request.target_summary, ...links],
    short: () => [
      `${capitalised(request.action_verb)} ${request.target_summary} [${undoingShort}${price} | ${request.capability_class}${marker}]`,
      ...links,
    ],
  }[form]();
  return {
    form,
    lines: lines.map((line) => visible(line)),
    buttons: [
      { text: words.approve, data: `approve:${request.token}` },
      { text: words.reject, data: `reject:${request.token}` },
    ],
  };
}

/** What could be taken back, and what the call is confined to. */
function undoingOf({ effect, reversibility, confined, described }: ApprovalRequest, language: Language) {
  const words = WORDS[language];
  const does = described === undefined ? "" : lineText(described, language);
  const isUnknown = effect === "anything" && reversibility === "partial";
  if (confined === undefined)
    return {
      undoing: isUnknown ? does || words.anything : words.reversibility[reversibility],
      undoingShort: isUnknown ? words.anythingShort : words.short[reversibility],
    };
  const reach = confined.network ? "with_network" : "alone";
  const box = words.confined[confined.kind === "looking" ? "looking" : reach];
  const mark = confinedMark(language);
  return {
    undoing: isUnknown
      ? [does, box].filter((text) => text !== "").join(", ")
      : `${words.reversibility[reversibility]}, ${box}`,
    undoingShort: isUnknown ? mark : `${words.short[reversibility]}, ${mark}`,
  };
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
