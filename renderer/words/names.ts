import type { Level, Outcome } from "../../ipc/contract/decision.ts";
import type { InEach } from "../../ipc/contract/language.ts";

/** What more than one place calls by name. */

const en = {
  levels: { ReadOnly: "Read only", Supervised: "Supervised", Full: "Full" } satisfies Record<Level, string>,
  outcomes: { allowed: "allowed", approval_required: "question first", denied: "denied" } satisfies Record<
    Outcome,
    string
  >,
  decidedMany: { allowed: "allowed by itself", approval_required: "asked you", denied: "denied" } satisfies Record<
    Outcome,
    string
  >,
  /** One each: what can be distinguished without colour or shape. */
  letters: { allowed: "A", approval_required: "Q", denied: "D" } satisfies Record<Outcome, string>,
};
const it: typeof en = {
  levels: { ReadOnly: "Sola lettura", Supervised: "Supervisionato", Full: "Completo" },
  outcomes: { allowed: "consentito", approval_required: "richiesta prima", denied: "negato" },
  decidedMany: { allowed: "consentite da sole", approval_required: "chieste a te", denied: "negate" },
  letters: { allowed: "C", approval_required: "R", denied: "N" },
};
export const namesWords: InEach<typeof en> = { en, it };
