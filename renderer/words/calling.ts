import type { InEach } from "../../ipc/contract/language.ts";

export interface Happened {
  allowed: number;
  expired: number;
  denied: number;
}

const en = {
  product: "Metnos Gate",
  asks: (agent: string) => `${agent} asks`,
  /** Only what there was. */
  happened: ({ allowed, expired, denied }: Happened): string[] => [
    ...(allowed === 0 ? [] : [`${allowed} allowed by grants`]),
    ...(expired === 0 ? [] : [`${expired} expired`]),
    ...(denied === 0 ? [] : [`${denied} denied by the guard`]),
  ],
  whileAway: (parts: readonly string[]) => `While you were away: ${parts.join(", ")}.`,
  dismiss: "Dismiss",
};
const it: typeof en = {
  product: "Metnos Gate",
  asks: (agent) => `${agent} chiede`,
  happened: ({ allowed, expired, denied }) => [
    ...(allowed === 0 ? [] : [allowed === 1 ? "1 consentita da un permesso" : `${allowed} consentite dai permessi`]),
    ...(expired === 0 ? [] : [expired === 1 ? "1 scaduta" : `${expired} scadute`]),
    ...(denied === 0 ? [] : [denied === 1 ? "1 rifiutata dalla guardia" : `${denied} rifiutate dalla guardia`]),
  ],
  whileAway: (parts) => `Mentre non c'eri: ${parts.join(", ")}.`,
  dismiss: "Chiudi",
};
export const callingWords: InEach<typeof en> = { en, it };
