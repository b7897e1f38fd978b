import type { InEach } from "../../ipc/contract/language.ts";

const en = {
  running: "Being judged now",
  andMore: (count: number) => `and ${count} more`,
  refusals: "Refused",
  refusals_note: "Nothing waits for you here: the agent has its answer. A refusal goes away by itself after an hour.",
  dismiss: "Dismiss",
  allow: "Allow once anyway",
  status: "The judges now",
  now_rules: "The model's budget is used up: until midnight the rules alone judge.",
  no_model: "No model is set in [judge] of gate.toml: each answer is the fallback, and you are still asked.",
  model: (name: string, model: string, host: string) => `${name}: ${model} at ${host}`,
  online: "another machine",
  used_by: (threshold: string) => `the judge asks it; a score below ${threshold} is denied`,
  cannot: (why: string) => `It can't be asked: ${why}`,
  validators: "Validators, in their order",
  at_least: (score: string) => `passes from a score of ${score}`,
  confident_at_least: (confidence: string) => `and a confidence of ${confidence}`,
  elsewhere: "Judges, their models and limits are set in gate.toml.",
};

const it: typeof en = {
  running: "In giudizio ora",
  andMore: (count) => (count === 1 ? "e un'altra" : `e altre ${count}`),
  refusals: "Respinte",
  refusals_note: "Qui niente ti aspetta: l'agente ha già la sua risposta. Dopo un'ora una voce sparisce da sola.",
  dismiss: "Chiudi",
  allow: "Consenti comunque una volta",
  status: "I giudici ora",
  now_rules: "Il modello ha esaurito il budget: fino a mezzanotte giudicano solo le regole.",
  no_model: "Nessun modello in [judge] di gate.toml: ogni risposta è quella di ripiego, e ti viene ancora chiesto.",
  model: (name, model, host) => `${name}: ${model} su ${host}`,
  online: "un'altra macchina",
  used_by: (threshold) => `lo interroga il giudice; un punteggio sotto ${threshold} viene negato`,
  cannot: (why) => `Non si può interrogare: ${why}`,
  validators: "Validatori, nel loro ordine",
  at_least: (score) => `passa da un punteggio di ${score}`,
  confident_at_least: (confidence) => `e una fiducia di ${confidence}`,
  elsewhere: "Giudici, modelli e limiti si impostano in gate.toml.",
};

export const judgeWords: InEach<typeof en> = { en, it };
