import type { Card } from "../../../ipc/contract/decision.ts";
import type { Language } from "../../../ipc/contract/language.ts";
import type { ApprovalView, RefusalChoice } from "../../../ipc/contract/operator-api.ts";
import { verbAsked } from "../../../ipc/words/box-words.ts";
import { type Hint, hintText } from "../../../ipc/words/hint-words.ts";
import { toolWarning } from "../../../ipc/words/mcp-words.ts";
import { beginningOf, MAX_SHOWN_WORDS } from "../../../ipc/words/user-words.ts";
import { requirementOf } from "../../targets/target.ts";
import { linkLines, renderApprovalCard } from "./card.ts";
import { shownChoice } from "./choices.ts";
import { refusedNeeds } from "./session-refusals.ts";
import type { AskedNeed, StoredRequest } from "./stored-request.ts";
import { shownProposal } from "./wider-answer.ts";

/** The ways to say no for the session. */
function refusalChoices(asked: readonly AskedNeed[]): RefusalChoice[] {
  const call: RefusalChoice = { refuse: "call", targets: [] };
  return asked.length === 0 ? [call] : [call, { refuse: "target", targets: refusedNeeds(asked).map(requirementOf) }];
}

interface ViewSettings {
  language: Language;
  /** Unix milliseconds. */
  now: number;
  /** What the user asked for, where that is known. */
  words: string | null;
  /** Its client continues without its terminal. */
  isAlone: boolean;
}

/** A request as every surface shows it. */
export function approvalView(request: StoredRequest, { language, now, words, isAlone }: ViewSettings): ApprovalView {
  const { extra, share_key: _, granted: _granted, grant_expires_at: _expires, ...fields } = request;
  const known: Hint[] = [...(extra.hints ?? []), ...(isAlone ? (["no_terminal"] as const) : [])];
  const hints = fields.status === "pending" ? known.map((hint) => hintText(hint, language)) : [];
  const actionVerb = extra.verb?.[language] ?? fields.action_verb;
  return {
    token: fields.token,
    channel: fields.channel,
    sender_id: fields.sender_id,
    capability_class: fields.capability_class,
    action_verb: actionVerb,
    target_summary: fields.target_summary,
    created_at: fields.created_at,
    expires_at: fields.expires_at,
    status: fields.status,
    decision_at: fields.decision_at,
    decision_by_channel: fields.decision_by_channel,
    decision_by_sender: fields.decision_by_sender,
    decision_surface: fields.decision_surface,
    agent_id: fields.agent_id,
    agent_name: fields.agent_name,
    session: fields.session,
    call_hash: fields.call_hash,
    executor: extra.executor,
    intent: extra.intent,
    user_words: fields.status === "pending" && words !== null ? beginningOf(words, MAX_SHOWN_WORDS) : null,
    subagent: extra.subagent ?? null,
    cwd: extra.cwd,
    reversibility: extra.reversibility,
    recurrence_count: extra.recurrence_count,
    territory_concession: fields.territory_concession,
    capabilities: extra.capabilities,
    links: linkLines(extra.links ?? [], language),
    hints,
    choices: extra.choices.map((choice) => shownChoice(choice, language)),
    refusals: fields.status === "pending" ? refusalChoices(extra.asked ?? []) : [],
    proposal: fields.status === "pending" && extra.proposal !== undefined ? shownProposal(extra.proposal, now) : null,
    confined: extra.confined ?? null,
    description: extra.description ?? null,
    mcp: extra.mcp === undefined ? null : { ...extra.mcp.asked, looks: extra.mcp.looks },
    judge: extra.judge,
    reviews: extra.reviews ?? [],
    price: extra.price ?? null,
    repeated: extra.repeated ?? null,
    args: extra.args,
    message: fields.message,
    withdrawn: fields.status === "cancelled" ? (extra.withdrawn ?? null) : null,
    card: cardOf(request, { action_verb: actionVerb, hints, language }),
  };
}

function cardOf(
  { extra, ...fields }: StoredRequest,
  { action_verb, hints, language }: { action_verb: string; hints: readonly string[]; language: Language },
): Card {
  const asked = {
    token: fields.token,
    action_verb,
    verbAsked: verbAsked({ executor: extra.executor, action_verb, description: extra.description ?? null }),
    target_summary: fields.target_summary,
    capability_class: fields.capability_class,
    reversibility: extra.reversibility,
    effect: extra.description?.effect,
    described: extra.description,
    recurrence_count: extra.recurrence_count,
    territory_concession: fields.territory_concession,
    links: extra.links ?? [],
    hints,
    warning: extra.mcp === undefined ? null : toolWarning(extra.mcp.asked, language),
    confined: extra.confined,
    outside: extra.description?.outside,
    price: extra.price,
  };
  return renderApprovalCard(asked, language);
}
