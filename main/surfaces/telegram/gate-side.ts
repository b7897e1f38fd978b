import type { Language } from "../../../ipc/contract/language.ts";
import type { ApprovalView, OperatorApi, OperatorResult, Principal } from "../../../ipc/contract/operator-api.ts";
import type { Clock } from "../../base/clocks/clock.ts";

/** What the bot needs of the gate. */
export interface GateSide {
  /** The operator's contract, as the surface Telegram. */
  api: Pick<OperatorApi, "call">;
  language(): Language;
  home: string;
  clock: Clock;
  /** As the registry has it; undefined where it hasn't. */
  requestOf(token: string): ApprovalView | undefined;
  /** Gives a button's answer to the registry as this principal, whoever that is: its checks decide. */
  dispatch(data: string, by: Principal): OperatorResult<"approvals.callback">;
  /** Writes a line into the audit trail. */
  record(event: string, fields: Record<string, unknown>): void;
  /** The channel's state, or its link, is another one. */
  changed(): void;
  showEach(agentId: string): void;
  log(line: string): void;
}
