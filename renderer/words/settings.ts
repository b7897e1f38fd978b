import type { InEach } from "../../ipc/contract/language.ts";
import type { Setting, SettingKey } from "../../ipc/contract/settings.ts";

type Theme = "system" | "light" | "dark";
type Named = { label: string; note: string };

const en = {
  title: "Settings",
  groups: { asking: "Asking", judging: "Judging", looks: "Looks", system: "System" },
  settings: {
    "approvals.ttl_seconds": {
      label: "A request waits for",
      note: "After that it expires, which is neither yes nor no.",
    },
    "notifications.enabled": { label: "Notifications", note: "Show one when an agent waits for you." },
    language: { label: "Language", note: "Of this window, the cards and the notifications." },
    "judge.kind": { label: "Judge", note: "Who scores whether a call fits what the agent said it does." },
    "judge.threshold": {
      label: "Judge's threshold",
      note: "Of the rules: a call that scores less is denied. At 0 none is.",
    },
    start_at_login: { label: "Start at login", note: "The gate is there before the first agent asks." },
  } satisfies Record<SettingKey, Named>,
  theme: { label: "Theme", note: "Kept in this window only." },
  themes: { system: "As the system", light: "Light", dark: "Dark" } satisfies Record<Theme, string>,
  languages: { en: "English", it: "Italiano" } satisfies InEach<string>,
  judges: {
    "rule-based-v1": "Plain rules (rule-based-v1)",
    "llm-v1": "A model (llm-v1)",
  } as Record<string, string>,
  source: {
    default: "default",
    chosen: "chosen here",
    "gate.toml": "from gate.toml",
    environment: "from the environment",
  } satisfies Record<Setting["source"], string>,
  why_not: {
    environment: "An environment variable sets it for this gate. Start the gate without it to choose here.",
    "gate.toml": "gate.toml sets it. Take the key out there to choose it here.",
    "judge.kind": "A model that is set up, below or in gate.toml, is the judge.",
    start_at_login: "This system has no systemd or launchd: use the desktop app.",
  },
  saved: "Saved",
  browser: {
    title: "This browser",
    notify: {
      label: "Notify me in this browser",
      note: "Where an agent waits and you look elsewhere. Kept in this browser only.",
    },
    blocked: "This browser blocks notifications of this page. Allow them in its settings for this address.",
    unknown: "This browser shows no notifications of a page.",
    sound: {
      label: "Play a tone",
      note: "One for a request, another one where it is dangerous. Kept in this browser only.",
    },
    sessions: {
      label: "Sign out everywhere",
      note: "Ends this page's session and those of your other browsers. You come back with a new link.",
    },
    signOut: "Sign out everywhere",
    signOutNow: "Sign out",
    signOutMeans: "Every browser needs a new link then, this one too.",
    stay: "Stay",
  },
};

const it: typeof en = {
  title: "Impostazioni",
  groups: { asking: "Richieste", judging: "Giudizio", looks: "Aspetto", system: "Sistema" },
  settings: {
    "approvals.ttl_seconds": { label: "Una richiesta aspetta", note: "Poi scade: non vale né sì né no." },
    "notifications.enabled": { label: "Notifiche", note: "Ne appare una quando un agente ti aspetta." },
    language: { label: "Lingua", note: "Di questa finestra, delle schede e delle notifiche." },
    "judge.kind": {
      label: "Giudice",
      note: "Chi valuta se una chiamata è coerente con ciò che l'agente dice di fare.",
    },
    "judge.threshold": {
      label: "Soglia del giudice",
      note: "Delle regole: una chiamata con meno punti viene negata. Con 0 nessuna lo è.",
    },
    start_at_login: { label: "Avvia all'accesso", note: "Il gate è pronto prima che il primo agente chieda." },
  },
  theme: { label: "Tema", note: "Vale solo per questa finestra." },
  themes: { system: "Come il sistema", light: "Chiaro", dark: "Scuro" },
  languages: { en: "English", it: "Italiano" },
  judges: { "rule-based-v1": "Regole semplici (rule-based-v1)", "llm-v1": "Un modello (llm-v1)" },
  source: {
    default: "predefinito",
    chosen: "scelto qui",
    "gate.toml": "da gate.toml",
    environment: "dall'ambiente",
  },
  why_not: {
    environment: "Una variabile d'ambiente lo stabilisce per questo gate. Avvialo senza per scegliere qui.",
    "gate.toml": "Lo stabilisce gate.toml. Togli la chiave da lì per scegliere qui.",
    "judge.kind": "Il giudice è un modello, quando ne imposti uno: qui sotto o in gate.toml.",
    start_at_login: "Questo sistema non ha né systemd né launchd: usa l'app desktop.",
  },
  saved: "Salvato",
  browser: {
    title: "Questo browser",
    notify: {
      label: "Avvisami in questo browser",
      note: "Quando un agente ti aspetta e stai guardando altro. Vale solo per questo browser.",
    },
    blocked:
      "Questo browser blocca gli avvisi di questa pagina. Consentili nelle sue impostazioni per questo indirizzo.",
    unknown: "Questo browser non mostra avvisi di una pagina.",
    sound: {
      label: "Riproduci un suono",
      note: "Uno per una richiesta, un altro se è pericolosa. Vale solo per questo browser.",
    },
    sessions: {
      label: "Esci ovunque",
      note: "Termina la sessione di questa pagina e quelle degli altri tuoi browser. Si torna con un nuovo link.",
    },
    signOut: "Esci ovunque",
    signOutNow: "Esci",
    signOutMeans: "Poi ogni browser, anche questo, ha bisogno di un nuovo link.",
    stay: "Resta",
  },
};

export const settingsWords: InEach<typeof en> = { en, it };
export type SettingsWords = typeof en;
