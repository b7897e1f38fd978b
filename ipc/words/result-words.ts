import type { ActivityGap, CallResult, ResultCounts } from "../contract/activity.ts";
import type { InEach, Language } from "../contract/language.ts";

/** How calls came out, and where some may be missing, in words. Plain values: the page loads no schemas. */

interface Words {
  one: Readonly<Record<CallResult, string>>;
  /** Where that differs of several, or none. */
  many: Readonly<Partial<Record<CallResult, string>>>;
  gaps: Readonly<Record<ActivityGap["why"], (calls: string | null) => string>>;
}

const WORDS: InEach<Words> = {
  en: {
    one: {
      allowed: "allowed by itself",
      approved: "you approved",
      rejected: "you denied",
      denied: "denied",
      unanswered: "no answer",
      waiting: "waits for you",
    },
    many: { waiting: "wait for you" },
    gaps: {
      killed: () => "the gate ended unexpectedly: its last second of calls may be missing here",
      unwritten: (calls) => `${calls ?? "some"} calls are missing here: their lines couldn't be written`,
      bounded: (calls) => `${calls ?? "some"} older calls went, as there were too many`,
      forgotten: (calls) => `${calls ?? "some"} calls were forgotten, as you wanted`,
      not_kept: () => "nothing was kept then",
    },
  },
  it: {
    one: {
      allowed: "consentita da sola",
      approved: "hai approvato",
      rejected: "hai negato",
      denied: "negata",
      unanswered: "senza risposta",
      waiting: "aspetta te",
    },
    many: { allowed: "consentite da sole", denied: "negate", waiting: "aspettano te" },
    gaps: {
      killed: () => "il gate è terminato inaspettatamente: qui può mancare l'ultimo secondo di chiamate",
      unwritten: (calls) => `qui mancano ${calls ?? "alcune"} chiamate: le loro righe non si sono potute scrivere`,
      bounded: (calls) => `${calls ?? "alcune"} chiamate più vecchie sono state tolte, perché erano troppe`,
      forgotten: (calls) => `${calls ?? "alcune"} chiamate sono state dimenticate, come volevi`,
      not_kept: () => "allora non si conservava nulla",
    },
  },
};

/** `you approved` */
export function resultText(result: CallResult, language: Language): string {
  return WORDS[language].one[result];
}

/** Which are said even where there is none. */
const ALWAYS: readonly CallResult[] = ["allowed", "approved", "rejected", "denied"];
const ORDER: readonly CallResult[] = [...ALWAYS, "unanswered", "waiting"];

/** `203 allowed by itself, 9 you approved, 1 you denied, 1 denied`: they add up. */
export function resultsText(calls: ResultCounts, language: Language): string {
  const { one, many } = WORDS[language];
  const word = (result: CallResult) => (calls[result] === 1 ? one[result] : (many[result] ?? one[result]));
  return ORDER.filter((result) => ALWAYS.includes(result) || calls[result] > 0)
    .map((result) => `${calls[result].toLocaleString(language)} ${word(result)}`)
    .join(", ");
}

/** The sum of several. */
export function allResults(all: readonly ResultCounts[]): ResultCounts {
  const sum = { allowed: 0, approved: 0, rejected: 0, denied: 0, unanswered: 0, waiting: 0 };
  for (const calls of all) for (const result of ORDER) sum[result] += calls[result];
  return sum;
}

/** Why calls may be missing, in a sentence without its times. */
export function gapText({ why, calls }: ActivityGap, language: Language): string {
  return WORDS[language].gaps[why](calls === null ? null : calls.toLocaleString(language));
}
