import type { Language } from "../contract/language.ts";
import type { Surface } from "../contract/surface.ts";

/** Where the user answered, as it follows a verb: `approved in the terminal`. Plain values: the page loads no schemas. */
export const SURFACE_WORDS: Readonly<Record<Language, Readonly<Record<Surface, string>>>> = {
  en: {
    page: "on the page",
    app: "in the desktop app",
    terminal: "in the terminal",
    notification: "in a notification",
    telegram: "in Telegram",
    ntfy: "with ntfy",
  },
  it: {
    page: "nella pagina",
    app: "nell'app desktop",
    terminal: "nel terminale",
    notification: "in una notifica",
    telegram: "su Telegram",
    ntfy: "con ntfy",
  },
};
