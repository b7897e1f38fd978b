import type { InEach } from "../../ipc/contract/language.ts";

const en = {
  close: "Close",
  cancel: "Cancel",
  now: "just now",
  never: "never",
  more: "Days, your answers, export",
  answered: "Only what I answered",
  from: "From",
  to: "To",
  saveAs: (form: string) => `Save as ${form}`,
  copyAs: (form: string) => `Copy as ${form}`,
  saved: "Saved",
  copy: "Copy",
  copied: "Copied",
  failed: (message: string, hint: string) => (hint === "" ? message : `${message}. ${hint}`),
};
const it: typeof en = {
  close: "Chiudi",
  cancel: "Annulla",
  now: "adesso",
  never: "mai",
  more: "Giorni, le tue risposte, esporta",
  answered: "Solo ciò a cui ho risposto",
  from: "Dal",
  to: "Al",
  saveAs: (form) => `Salva come ${form}`,
  copyAs: (form) => `Copia come ${form}`,
  saved: "Salvato",
  copy: "Copia",
  copied: "Copiato",
  failed: (message, hint) => (hint === "" ? message : `${message}. ${hint}`),
};
export const partsWords: InEach<typeof en> = { en, it };
