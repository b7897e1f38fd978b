import type { InEach } from "../../ipc/contract/language.ts";

const en = {
  title: "Waiting for you",
  nothing: "Nothing is waiting.",
  openWindow: "Open the window",
};
const it: typeof en = {
  title: "Ti aspettano",
  nothing: "Nessuno aspetta.",
  openWindow: "Apri la finestra",
};
export const popupWords: InEach<typeof en> = { en, it };
