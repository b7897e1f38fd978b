import { shortened } from "../base/visible-text.ts";
import type { Stage } from "../contract/decision.ts";
import { fallbackSaid, type JudgeFallback } from "../contract/judge-fallbacks.ts";
import type { Measurement, ModelProblem, ModelStatus, RefusedCall } from "../contract/judges.ts";
import type { Language } from "../contract/language.ts";
import type { ApprovalView } from "../contract/operator-api.ts";
import type { Review } from "../contract/review.ts";
import { type Possible, possibleAfter } from "../contract/rules.ts";
import { doubtsOf, doubtText } from "./judge-doubts.ts";
import { RULE_WORDS } from "./rule-words.ts";

/**
 * The sentences about judges, the same on every surface, without a full stop. Plain values: the page loads it. What a judge wrote is in
 * them as it is: a surface makes its hidden characters visible.
 */

/** What of a judge's own sentence a line shows; it is asked for 25 words. */
const MAX_SENTENCE = 300;

interface Words {
  judgedBy: (name: string, seconds: number) => string;
  says: (stage: Review["stage"], name: string, sentence: string) => string;
  notAsked: (why: string) => string;
  overridden: (name: string) => string;
  rejected: (name: string, why: string) => string;
  not_run: (name: string) => string;
  passed: (name: string) => string;
  refusedBy: (name: string, why: string) => string;
  /** Of what a stage refused. */
  stages: Readonly<Partial<Record<Stage, string>>>;
  possible: Readonly<Record<Possible, string>>;
  overrideOff: string;
  agentGot: (text: string) => string;
  /** The judge's sentence, which was said, and this. */
  agentGotToo: (text: string) => string;
  /** In place of an English sentence of the gate. */
  fallbacks: Readonly<Record<JudgeFallback, string>>;
  problems: Readonly<Record<ModelProblem, string>>;
  calls: (count: number, limit: number | null) => string;
  cost: (amount: string, limit: string | null) => string;
  today: (parts: string) => string;
  notMeasured: string;
  measured: (data: string, about: string, precision: string, recall: string) => string;
  withoutAnswer: (count: number) => string;
  overrideMeans: string;
  overrideDone: string;
  locale: string;
}

const EN: Words = {
  judgedBy: (name, seconds) => `being judged by ${name}, ${seconds} s`,
  says: (stage, name, sentence) => `${stage === "judge" ? "Judge" : "Validator"} ${name}: ${sentence}`,
  notAsked: (why) => `The judge could not be asked: ${why}`,
  overridden: (name) => `You allowed it once in spite of ${name}`,
  rejected: (name, why) => `${name} refused it${why}`,
  not_run: (name) => `${name} would look at it`,
  passed: (name) => `${name} let it pass`,
  refusedBy: (name, why) => `Refused by ${name}${why}`,
  stages: {
    guard: "Refused by the guard",
    policy: "Refused by the policy",
    scope: "Refused by its tool's limits",
    judge: "Refused by the judge's rules",
  },
  possible: {
    by_hand: "Nothing overrides the guard: what you want done, do yourself in a terminal",
    level: "You can give the agent the level Supervised, which asks you before it changes anything",
    profile: "You can take back what you made stricter for this agent, under Policy or in policy_overrides.toml",
    scope: "You can widen what the tool is declared for, in its manifest",
    judge_rules: "The agent can send it again and say what it is for, or you lower threshold in [judge] of gate.toml",
  },
  overrideOff: "With override = true in [judge] of gate.toml you could allow such a call once",
  agentGot: (text) => `The agent got: ${text}`,
  agentGotToo: (text) => `The agent got the same, and: ${text}`,
  fallbacks: {
    "parse-fail": "its answer could not be read",
    "router-missing": "no model is set for it",
    "chat-failed": "its model didn't answer",
  },
  problems: {
    "no-model": "no model is set in [judge] of gate.toml",
    "key-missing": "its key isn't there",
    unreachable: "it can't be reached",
    "not-answering": "it didn't answer in time",
    refused: "its provider refused the request",
    malformed: "its answer could not be read",
    "breaker-open": "it failed three times and isn't asked for half a minute",
    "over-budget": "its budget for today is used up",
  },
  calls: (count, limit) =>
    limit === null ? `${count} ${count === 1 ? "call" : "calls"}` : `${count} of ${limit} calls`,
  cost: (amount, limit) => (limit === null ? `${amount} spent` : `${amount} of ${limit}`),
  today: (parts) => `${parts} today`,
  notMeasured: "not measured: how good it is as a judge is unknown",
  measured: (data, about, precision, recall) =>
    `measured on ${data} (${about}): precision ${precision}, recall ${recall}`,
  withoutAnswer: (count) => `${count} without an answer`,
  overrideMeans:
    "If you allow it, the agent has to send it again within 10 minutes; guard, policy and pause still count",
  overrideDone: "You allowed it once: it passes when the agent sends it again within 10 minutes",
  locale: "en",
};

const IT: Words = {
  judgedBy: (name, seconds) => `la giudica ${name}, ${seconds} s`,
  says: (stage, name, sentence) => `${stage === "judge" ? "Giudice" : "Validatore"} ${name}: ${sentence}`,
  notAsked: (why) => `Non è stato possibile chiedere al giudice: ${why}`,
  overridden: (name) => `L'hai consentita una volta nonostante ${name}`,
  rejected: (name, why) => `${name} l'ha respinta${why}`,
  not_run: (name) => `${name} la esaminerebbe`,
  passed: (name) => `${name} l'ha lasciata passare`,
  refusedBy: (name, why) => `Respinta da ${name}${why}`,
  stages: {
    guard: "Respinta dalla guardia",
    policy: "Respinta dalle regole",
    scope: "Respinta dai limiti del suo strumento",
    judge: "Respinta dalle regole del giudice",
  },
  possible: {
    by_hand: "Nulla scavalca la guardia: quello che vuoi, fallo tu in un terminale",
    level: "Puoi dare all'agente il livello Supervised, che ti chiede prima di ogni modifica",
    profile: "Puoi togliere ciò che hai reso più severo per questo agente, in Regole o in policy_overrides.toml",
    scope: "Puoi ampliare ciò per cui lo strumento è dichiarato, nel suo manifesto",
    judge_rules:
      "L'agente può inviarla di nuovo dicendo a che cosa serve, o tu abbassi threshold in [judge] di gate.toml",
  },
  overrideOff: "Con override = true in [judge] di gate.toml potresti consentire una chiamata così una volta",
  agentGot: (text) => `L'agente ha ricevuto: ${text}`,
  agentGotToo: (text) => `L'agente ha ricevuto lo stesso, e: ${text}`,
  fallbacks: {
    "parse-fail": "la sua risposta non si può leggere",
    "router-missing": "non ha un modello impostato",
    "chat-failed": "il suo modello non ha risposto",
  },
  problems: {
    "no-model": "nessun modello in [judge] di gate.toml",
    "key-missing": "manca la sua chiave",
    unreachable: "non si può raggiungere",
    "not-answering": "non ha risposto in tempo",
    refused: "il suo fornitore ha rifiutato la richiesta",
    malformed: "la sua risposta non si può leggere",
    "breaker-open": "non ha funzionato tre volte e per mezzo minuto non gli si chiede",
    "over-budget": "ha esaurito il budget di oggi",
  },
  calls: (count, limit) =>
    limit === null ? `${count} ${count === 1 ? "chiamata" : "chiamate"}` : `${count} di ${limit} chiamate`,
  cost: (amount, limit) => (limit === null ? `${amount} spesi` : `${amount} di ${limit}`),
  today: (parts) => `oggi ${parts}`,
  notMeasured: "non misurato: non si sa quanto sia buono come giudice",
  measured: (data, about, precision, recall) =>
    `misurato su ${data} (${about}): precisione ${precision}, richiamo ${recall}`,
  withoutAnswer: (count) => `${count} senza risposta`,
  overrideMeans:
    "Se la consenti, l'agente deve inviarla di nuovo entro 10 minuti; guardia, regole e pausa valgono comunque",
  overrideDone: "L'hai consentita una volta: passa quando l'agente la invia di nuovo entro 10 minuti",
  locale: "it",
};

const WORDS: Readonly<Record<Language, Words>> = { en: EN, it: IT };

/** `being judged by NAME, 3 s`. @param ms since the review began */
export function beingJudgedText(name: string, ms: number, language: Language): string {
  return WORDS[language].judgedBy(name, Math.max(0, Math.floor(ms / 1000)));
}

/** What one judge came to, with its sentence; it never says nothing. */
export function reviewText(
  review: Pick<Review, "stage" | "name" | "outcome" | "sentence">,
  language: Language,
): string {
  const words = WORDS[language];
  const { stage, name, outcome } = review;
  const sentence = sentenceOf(review.sentence);
  switch (outcome) {
    case "passed":
      return sentence === "" ? words.passed(name) : words.says(stage, name, sentence);
    case "fallback":
      return words.notAsked(fallbackText(sentence, language));
    case "rejected":
      return words.rejected(name, because(sentence));
    case "overridden":
      return words.overridden(name);
    case "not_run":
      return words.not_run(name);
  }
}

/** What a judge says of a call that waits. */
export interface JudgeSaid {
  text: string;
  /** The judge doubts it, or could not look at it. */
  isDoubt: boolean;
}

/** What the judges say of a call that waits, a line each; a judge without a word to say has none. */
export function judgesSaid(
  { reviews, judge }: Pick<ApprovalView, "reviews" | "judge">,
  language: Language,
): JudgeSaid[] {
  const said = reviews
    .filter(saysSomething)
    .map((review) => ({ text: reviewText(review, language), isDoubt: review.outcome !== "passed" }));
  // A model's own sentence has said it.
  if (reviews.some(({ stage }) => stage === "judge")) return said;
  const doubt = judge.degraded
    ? WORDS[language].notAsked(fallbackText(sentenceOf(judge.reason), language))
    : doubtText(judge, language);
  return doubt === null ? said : [{ text: doubt, isDoubt: true }, ...said];
}

/** A judge that let a call pass without a word says nothing. */
export function saysSomething({ outcome, sentence }: Pick<Review, "outcome" | "sentence">): boolean {
  return outcome !== "passed" || sentence.trim() !== "";
}

/** `Refused by NAME: sentence`, the sentence a judge's own or the rule's. */
export function refusedText(refused: Pick<RefusedCall, "review"> & ByStage, language: Language): string {
  const { refusedBy, stages } = WORDS[language];
  const { review, stage } = refused;
  if (review !== null) return refusedBy(review.name, because(sentenceOf(review.sentence)));
  return (stages[stage] ?? refusedBy(stage, "")) + because(ruleText(refused, language));
}

type ByStage = Pick<RefusedCall, "stage" | "rule" | "reason" | "notes">;

/** As the end of a sentence. By a rule that this version doesn't know: the gate's own sentence. */
function ruleText({ rule, reason, notes }: ByStage, language: Language): string {
  if (rule === undefined) return sentenceOf(reason);
  const text = RULE_WORDS[language][rule];
  const doubts = doubtsOf(notes, language);
  return `${text.charAt(0).toLowerCase()}${text.slice(1)}${doubts.length === 0 ? "" : ` (${doubts.join(", ")})`}`;
}

/** What the agent got to know that it can do; null where that is nothing. The judge's sentence in it isn't repeated. */
export function agentGotText(
  { instead, review }: Pick<RefusedCall, "instead" | "review">,
  language: Language,
): string | null {
  const { agentGot, agentGotToo } = WORDS[language];
  const said = review?.sentence.trim() ?? "";
  const at = said === "" ? -1 : instead.indexOf(said);
  const rest = at === -1 ? "" : sentenceOf(instead.slice(at + said.length).replace(/^["'”.;,:\s]+/, ""));
  if (rest !== "") return agentGotToo(rest);
  const text = sentenceOf(instead);
  return text === "" ? null : agentGot(text);
}

/** What a person can do about it, in one sentence: what `reviews.override` would do, that it was done, or what is possible in its place. */
export function possibleText(
  {
    review,
    rule,
    can_override,
    overridden_at,
  }: Pick<RefusedCall, "review" | "rule" | "can_override" | "overridden_at">,
  language: Language,
): string {
  const { overrideMeans, overrideDone, overrideOff, possible } = WORDS[language];
  if (overridden_at !== null) return overrideDone;
  if (can_override) return overrideMeans;
  const byRule = possibleAfter(rule);
  return review !== null || byRule === null ? overrideOff : possible[byRule];
}

/** Why a model can't be asked now. */
export function modelProblemText(problem: ModelProblem, language: Language): string {
  return WORDS[language].problems[problem];
}

/** `12 of 100 calls, 0.02 of 0.50 today`. What costs nothing and has no limit isn't named. */
export function modelUseText(
  model: Pick<ModelStatus, "calls_today" | "calls_per_day" | "cost_today" | "cost_per_day">,
  language: Language,
): string {
  const { calls, cost, today } = WORDS[language];
  const { calls_today, calls_per_day, cost_today, cost_per_day } = model;
  const hasCost = cost_today > 0 || cost_per_day !== null;
  const money = cost(costText(cost_today, language), cost_per_day === null ? null : costText(cost_per_day, language));
  return today([calls(calls_today, calls_per_day), ...(hasCost ? [money] : [])].join(", "));
}

/** Two digits, or as many as it takes to be more than nothing. In the currency of the configured prices. */
export function costText(amount: number, language: Language): string {
  const small = amount > 0 && amount < 0.01;
  const digits = small ? { maximumSignificantDigits: 2 } : { minimumFractionDigits: 2, maximumFractionDigits: 2 };
  return amount.toLocaleString(WORDS[language].locale, digits);
}

/** How good a model was found to be as a judge: `measured on ours (150 calls, 2026-11-22): precision 0.91, recall 0.84`; or that nobody knows. */
export function measuredText(measured: Measurement | null, language: Language): string {
  const words = WORDS[language];
  if (measured === null) return words.notMeasured;
  const { data, calls, of, fallbacks, measured_at, precision, recall } = measured;
  const share = (value: number | null) =>
    value === null ? "-" : value.toLocaleString(words.locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  const about = [
    words.calls(calls, calls === of ? null : of),
    ...(fallbacks === 0 ? [] : [words.withoutAnswer(fallbacks)]),
    measured_at.slice(0, 10),
  ];
  return words.measured(data, about.join(", "), share(precision), share(recall));
}

function sentenceOf(text: string): string {
  return shortened(text.trim(), MAX_SENTENCE);
}

function because(sentence: string): string {
  return sentence === "" ? "" : `: ${sentence}`;
}

function fallbackText(sentence: string, language: Language): string {
  const fallback = fallbackSaid(sentence);
  return fallback === undefined ? sentence : WORDS[language].fallbacks[fallback];
}
