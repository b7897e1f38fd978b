import type { Capability } from "../contract/decision.ts";
import type { Language } from "../contract/language.ts";

/** What is done with a capability: `Allow reading ...`. Plain values: the page loads no schemas. */
export const DOING_WORDS: Readonly<Record<Language, Readonly<Record<Capability, string>>>> = {
  en: {
    "fs:read": "reading",
    "fs:write": "writing",
    "code:exec": "running",
    "network:http": "requests to",
    "llm:local": "the local model",
    "llm:online": "the online model",
    "mail:read": "reading mail",
    "mail:send": "sending mail",
    "channel:in": "receiving from",
    "channel:out": "sending to",
    "time:read": "reading the time",
    "parse:local": "parsing",
    "calendar:read": "reading the calendar",
  },
  it: {
    "fs:read": "leggere",
    "fs:write": "scrivere",
    "code:exec": "eseguire",
    "network:http": "richieste a",
    "llm:local": "il modello locale",
    "llm:online": "il modello online",
    "mail:read": "leggere la posta",
    "mail:send": "inviare posta",
    "channel:in": "ricevere da",
    "channel:out": "inviare a",
    "time:read": "leggere l'ora",
    "parse:local": "analizzare",
    "calendar:read": "leggere il calendario",
  },
};
