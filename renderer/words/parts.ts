const en = {
  close: "Close",
  cancel: "Cancel",
  now: "just now",
  never: "never",
  copy: "Copy",
  copied: "Copied",
  failed: (message: string, hint: string) => (hint === "" ? message : `${message}. ${hint}`),
};
const it: typeof en = {
  close: "Chiudi",
  cancel: "Annulla",
  now: "adesso",
  never: "mai",
  copy: "Copia",
  copied: "Copiato",
  failed: (message, hint) => (hint === "" ? message : `${message}. ${hint}`),
};
export const partsWords = { en, it };
