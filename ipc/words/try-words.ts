import type { InEach, Language } from "../contract/language.ts";
import type { PolicyTry, TriedCall, TryUnknown } from "../contract/policy-try.ts";

/** What a policy that is tried would have changed, in words. Plain values: the page loads no schemas. */

type Counts = Pick<PolicyTry, "calls" | "asked" | "denied" | "looser" | "unknown" | "may_be_looser" | "why_unknown">;

interface Words {
  none: string;
  /** `changes`: counted, in words. */
  of(calls: string, changes: string): string;
  asked(count: string): string;
  denied(count: string): string;
  looser(count: string, isLeast: boolean): string;
  unknown(count: string): string;
  mayBeLooser(count: string): string;
  why: Readonly<Record<TryUnknown, string>>;
  notDenied: string;
}

const WORDS: InEach<Words> = {
  en: {
    none: "no call that is kept matches: nothing can be said",
    of: (calls, changes) => `of ${calls} ${calls === "1" ? "call" : "calls"}: ${changes}`,
    asked: (count) => `${count} more asked`,
    denied: (count) => `${count} denied`,
    looser: (count, isLeast) => `${isLeast ? "at least " : ""}${count} looser`,
    unknown: (count) => `${count} unknown`,
    mayBeLooser: (count) =>
      `${count} of the unknown may be let through more, so nobody can say that nothing gets looser`,
    why: {
      no_facts: "kept without what this needs, as by an earlier version",
      confinement: "whether it runs confined depends on what may be read",
      judges: "denied by a judge, which may have been asked otherwise",
      earlier_calls: "denied or asked about for what calls before did, some of which would end otherwise",
      other: "denied for something else once the policy had let it pass, or the policy changed at that moment",
    },
    notDenied: "not denied",
  },
  it: {
    none: "nessuna chiamata conservata corrisponde: non si può dire nulla",
    of: (calls, changes) => `di ${calls} ${calls === "1" ? "chiamata" : "chiamate"}: ${changes}`,
    asked: (count) => `${count} chieste in più`,
    denied: (count) => `${count} negate`,
    looser: (count, isLeast) => `${isLeast ? "almeno " : ""}${count} più permissive`,
    unknown: (count) => `${count} sconosciute`,
    mayBeLooser: (count) =>
      `${count} delle sconosciute potrebbero passare più facilmente: non si può dire che nulla diventi più permissivo`,
    why: {
      no_facts: "conservate senza ciò che serve qui, come da una versione precedente",
      confinement: "se vengono confinate dipende da ciò che si può leggere",
      judges: "negate da un giudice, che forse sarebbe stato interpellato diversamente",
      earlier_calls:
        "negate o chieste per ciò che avevano fatto chiamate precedenti, alcune delle quali finirebbero diversamente",
      other: "negate per altro dopo che la policy le aveva lasciate passare, o la policy è cambiata in quel momento",
    },
    notDenied: "non negata",
  },
};

/**
 * `of 3,112 calls: 41 more asked, 3 denied, 0 looser`, then why others are unknown, a line each. Where some may be let through more it never
 * says that none is.
 */
export function tryLines(counts: Counts, language: Language): string[] {
  const words = WORDS[language];
  if (counts.calls === 0) return [words.none];
  const { looser, unknown, may_be_looser, why_unknown } = counts;
  const number = (count: number) => count.toLocaleString(language);
  const changes = [
    words.asked(number(counts.asked)),
    words.denied(number(counts.denied)),
    ...(looser > 0 || may_be_looser === 0 ? [words.looser(number(looser), may_be_looser > 0)] : []),
    ...(unknown > 0 ? [words.unknown(number(unknown))] : []),
  ];
  const why = Object.entries(why_unknown).map(
    ([one, count]) => `${words.unknown(number(count))}: ${words.why[one as TryUnknown]}`,
  );
  const loose = may_be_looser > 0 ? [words.mayBeLooser(number(may_be_looser))] : [];
  return [words.of(number(counts.calls), changes.join(", ")), ...why, ...loose];
}

/** Why it isn't known of one call; "" where it is. */
export function tryUnknownText({ unknown }: Pick<TriedCall, "unknown">, language: Language): string {
  return unknown === undefined ? "" : WORDS[language].why[unknown];
}

/** Of a call that the policy denied, and wouldn't deny any more, whatever comes of it then. */
export const notDeniedText = (language: Language): string => WORDS[language].notDenied;
