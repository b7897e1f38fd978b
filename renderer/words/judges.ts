import type { InEach } from "../../ipc/contract/language.ts";

const en = {
  running: "Being judged now",
  andMore: (count: number) => `and ${count} more`,
  refusals: "Refused",
  refusalsNote: "Nothing waits for you here: the agent has its answer. A refusal goes away by itself after an hour.",
  dismiss: "Dismiss",
  allow: "Allow once anyway",
  status: "The judges now",
  nowRules: "The model's budget is used up: until midnight the rules alone judge.",
  noModel: "No model is set in [judge] of gate.toml: each answer is the fallback, and you are still asked.",
  model: (name: string, model: string, host: string) => `${name}: ${model} at ${host}`,
  online: "another machine",
  usedBy: (threshold: string) => `the judge asks it; a score below ${threshold} is denied`,
  cannot: (why: string) => `It can't be asked: ${why}`,
  validators: "Validators, in their order",
  atLeast: (score: string) => `passes from a score of ${score}`,
  confidentAtLeast: (confidence: string) => `and a confidence of ${confidence}`,
  elsewhere: "Validators, limits and more models are set in gate.toml.",
};

const it: typeof en = {
  running: "In giudizio ora",
  andMore: (count) => (count === 1 ? "e un'altra" : `e altre ${count}`),
  refusals: "Respinte",
  refusalsNote: "Qui niente ti aspetta: l'agente ha già la sua risposta. Dopo un'ora una voce sparisce da sola.",
  dismiss: "Chiudi",
  allow: "Consenti comunque una volta",
  status: "I giudici ora",
  nowRules: "Il modello ha esaurito il budget: fino a mezzanotte giudicano solo le regole.",
  noModel: "Nessun modello in [judge] di gate.toml: ogni risposta è quella di ripiego, e ti viene ancora chiesto.",
  model: (name, model, host) => `${name}: ${model} su ${host}`,
  online: "un'altra macchina",
  usedBy: (threshold) => `lo interroga il giudice; un punteggio sotto ${threshold} viene negato`,
  cannot: (why) => `Non si può interrogare: ${why}`,
  validators: "Validatori, nel loro ordine",
  atLeast: (score) => `passa da un punteggio di ${score}`,
  confidentAtLeast: (confidence) => `e una fiducia di ${confidence}`,
  elsewhere: "Validatori, limiti e altri modelli si impostano in gate.toml.",
};

export const judgeWords: InEach<typeof en> = { en, it };
