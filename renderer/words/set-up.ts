import type { InEach } from "../../ipc/contract/language.ts";

const en = {
  save: "Save",
  missing: "Fill in what is empty first",
  takeAway: "Take it away",
  saved: "Saved, and in force",
  bot: {
    token: "Your bot's token",
    note: "In Telegram write /newbot to @BotFather: it gives you one. It is kept in a file that only you can read, and not shown again.",
    another: "Another token",
  },
  judge: {
    title: "A model as judge",
    note: "It looks at critical calls and at what sends something away, and can say no for you, never yes. One on this machine, such as Ollama's, is asked without anything leaving it.",
    dialect: "Speaks",
    dialects: { openai: "OpenAI's (Ollama, llama.cpp, OpenRouter)", anthropic: "Anthropic's" },
    address: "Address",
    model: "Model",
    key: "Key, where it wants one",
    keyKept: "A key is kept for this server. Left empty, it stays.",
    online: "It may be on another machine: the names of arguments are sent there, without their values",
    test: "Test",
    answers: (ms: string, score: string) => `It answers, in ${ms} ms, with a score of ${score}.`,
    hooks: "Connect agents once more, so that their hooks wait for it, too. This lists those that need it:",
  },
};

const it: typeof en = {
  save: "Salva",
  missing: "Compila prima ciò che è vuoto",
  takeAway: "Toglilo",
  saved: "Salvato, e già in vigore",
  bot: {
    token: "Il token del tuo bot",
    note: "In Telegram scrivi /newbot a @BotFather: te ne dà uno. Resta in un file che solo tu puoi leggere, e non viene più mostrato.",
    another: "Un altro token",
  },
  judge: {
    title: "Un modello come giudice",
    note: "Guarda le chiamate critiche e ciò che invia qualcosa, e può dire no per te, mai sì. Uno su questa macchina, come quello di Ollama, si interroga senza che niente ne esca.",
    dialect: "Parla",
    dialects: { openai: "come OpenAI (Ollama, llama.cpp, OpenRouter)", anthropic: "come Anthropic" },
    address: "Indirizzo",
    model: "Modello",
    key: "Chiave, se ne vuole una",
    keyKept: "Per questo server c'è una chiave. Se lasci vuoto, resta.",
    online: "Può essere su un'altra macchina: lì arrivano i nomi degli argomenti, senza i valori",
    test: "Prova",
    answers: (ms, score) => `Risponde, in ${ms} ms, con un punteggio di ${score}.`,
    hooks: "Collega di nuovo gli agenti, perché i loro hook aspettino anche lui. Questo li elenca:",
  },
};

export const setUpWords: InEach<typeof en> = { en, it };
