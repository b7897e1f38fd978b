import { type Denial, denied, type Proposed, passed } from "./examination.ts";

/** Is this agent paired, and not revoked? */
export function pairing(x: Proposed): Denial | null {
  const { agent } = x.subject;
  if (agent === null) return passed(x, "pairing", "no agent involved");
  if (agent.revoked_at !== null) {
    return denied(x, "pairing", "this agent's pairing was revoked", {
      rule: "pairing.revoked",
      instead: "ask the user to pair it again",
    });
  }
  return passed(x, "pairing", `${agent.name} is paired`);
}
