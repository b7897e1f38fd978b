import { createHash } from "node:crypto";
import type { Language } from "../../../ipc/contract/language.ts";

/** What somebody sees who comes to the page without a session: why, and the command for a link. It loads nothing, and runs nothing. */

export type WhyRefused = "no_session" | "bad_link";

interface Words {
  title: Record<WhyRefused, string>;
  reason: Record<WhyRefused, string>;
  next: string;
  after: (minutes: number) => string;
}

const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    title: { no_session: "This page needs a link", bad_link: "This link doesn't work any more" },
    reason: {
      no_session: "This browser has no session with the gate, or its session has ended.",
      bad_link: "It was used already, is too old, or isn't whole. Each link works once, for one browser.",
    },
    next: "For a new one, run in a terminal:",
    after: (minutes) => `Then open what it prints, within ${minutes} minutes.`,
  },
  it: {
    title: { no_session: "Questa pagina ha bisogno di un link", bad_link: "Questo link non vale più" },
    reason: {
      no_session: "Questo browser non ha una sessione con il gate, oppure la sua sessione è finita.",
      bad_link: "È già stato usato, è troppo vecchio, o non è intero. Ogni link vale una volta, per un solo browser.",
    },
    next: "Per averne uno nuovo, esegui in un terminale:",
    after: (minutes) => `Poi apri quello che stampa, entro ${minutes} minuti.`,
  },
};

/** The page's type and colours (renderer/style/tokens.css), which can't be asked for without a session. */
const STYLE = `
:root { color-scheme: light dark; }
body {
  margin: 0; padding: 24px; min-height: calc(100vh - 48px); display: grid; place-items: center;
  background: light-dark(#ffffff, #1d1e21); color: light-dark(#1b1c1e, #ececea);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", "Cantarell", "Noto Sans", sans-serif;
}
main { max-width: 460px; }
.product { margin: 0 0 12px; font-size: 13px; font-weight: 600; color: light-dark(#595d65, #a6aab2); }
h1 { margin: 0 0 8px; font-size: 20px; line-height: 1.3; }
p { margin: 0 0 12px; }
code {
  display: block; margin: 0 0 12px; padding: 8px 12px; border-radius: 6px; overflow-wrap: anywhere; user-select: all;
  background: light-dark(#f3f3f1, #151618);
  font: 15px/1.5 ui-monospace, "SF Mono", "Cascadia Mono", "DejaVu Sans Mono", "Noto Sans Mono", monospace;
}
`;

/** For the policy of this page alone. */
export const REFUSAL_STYLE_HASH = `'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`;

/**
 * @param command for a new link
 * @param minutes how long it works
 */
export function refusalPage(why: WhyRefused, language: Language, command: string, minutes: number): string {
  const { title, reason, next, after } = WORDS[language];
  return `<!doctype html>
<html lang="${language}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Metnos Gate</title><style>${STYLE}</style></head>
<body><main>
<p class="product">Metnos Gate</p>
<h1>${title[why]}</h1>
<p>${reason[why]}</p>
<p>${next}</p>
<code>${escaped(command)}</code>
<p>${after(minutes)}</p>
</main></body>
</html>
`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
