import type { InEach } from "../../ipc/contract/language.ts";

const en = {
  title: "Confined commands",
  available:
    "A command whose effects aren't clear runs where it reaches nothing but its project, instead of being asked about as running code.",
  unavailable: "No command is confined on this machine: each one that runs code is asked about.",
  systemSays: "The system says:",
  agents: "Agents",
  tested: "tested",
  noAgents: "No agent is connected yet.",
  set_aside: "Set aside",
  setAsideNext:
    "Confined commands made these files, whose content would have run later outside. They were moved; move back what you want.",
  nowAt: "now at",
  more: (count: number) => `${count} more`,
  box: "Box",
};

const it: typeof en = {
  title: "Comandi confinati",
  available:
    "Un comando dagli effetti non chiari viene eseguito dove raggiunge soltanto il suo progetto, invece di essere chiesto come codice.",
  unavailable: "Su questa macchina nessun comando è confinato: ognuno che esegue codice viene chiesto.",
  systemSays: "Il sistema dice:",
  agents: "Agenti",
  tested: "provato",
  noAgents: "Nessun agente è ancora collegato.",
  set_aside: "Messi da parte",
  setAsideNext:
    "Comandi confinati hanno creato questi file, che sarebbero stati eseguiti poi, fuori dal confinamento. Sono stati spostati; rimetti a posto ciò che vuoi.",
  nowAt: "ora in",
  more: (count: number) => (count === 1 ? "un altro" : `altri ${count}`),
  box: "Confinamento",
};

export const boxWords: InEach<typeof en> = { en, it };
