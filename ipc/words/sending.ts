import type { Language } from "../contract/language.ts";

/** In front of a host in a target: something is sent to it. A grant on it covers fetching from it as well. */
export const SEND = "send:";

const WORDS: Readonly<Record<Language, (host: string) => string>> = {
  en: (host) => `sending to ${host} and fetching from it`,
  it: (host) => `inviare a ${host} e scaricarne`,
};

/** What a grant on this target allows, where it covers sending; null where it doesn't. */
export function sendingText(target: string, language: Language): string | null {
  return target.startsWith(SEND) ? WORDS[language](target.slice(SEND.length)) : null;
}
