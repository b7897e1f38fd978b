import type { ApprovalView } from "../../ipc/contract/operator-api.ts";
import type { GateUnderTest } from "../support/running-gate.ts";

export type CardAnswer = readonly ["approved" | "rejected", string?];

/** Answers the next cards, one after the other, over the operator's socket, and returns them. */
export async function answerCards(gate: GateUnderTest, answers: readonly CardAnswer[]): Promise<ApprovalView[]> {
  const operator = await gate.operatorClient();
  const seen: ApprovalView[] = [];
  for (const [decision, message] of answers) {
    let waiting: ApprovalView | undefined;
    while (waiting === undefined) {
      // Before the list is asked for: a card that comes meanwhile isn't in it.
      const another = gate.event(({ type }) => type === "approval.waiting");
      [waiting] = await operator.call("approvals.list", {});
      if (waiting === undefined) await another;
    }
    seen.push(waiting);
    const { token } = waiting;
    await operator.call("approvals.resolve", { token, decision, ...(message === undefined ? {} : { message }) });
  }
  return seen;
}
