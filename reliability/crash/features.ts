import type { ApprovalStatus } from "../../ipc/contract/decision.ts";
import { Fact } from "./fact.ts";

/** What agents were informed of that isn't an answer or a grant, and must be true after a kill as well: costs, budgets, verdicts, pins, judges' budgets. */

/** A file that an agent has changed. */
export interface EditedFile {
  path: string;
  before: string;
  agent: string;
  /** Of the call's decision, once it is known that it can be taken back. */
  kept?: string;
}

export class Features {
  /** Priced calls that were allowed, and those without an answer. */
  readonly priced = { allowed: 0, unanswered: 0, day: "" };
  /** Calls with a small budget: how many were allowed since when (`performance.now()`). */
  readonly mails = { allowed: 0, since: 0 };
  /** Subjects of violations that an agent knows of, and of which safety.db could be written then. */
  readonly violations = new Set<string>();
  /** Of each MCP tool the version that the user allowed last; 0: none. */
  readonly tools = new Map<string, Fact<number>>();
  /** Requests that are answered by the agent that asks, or on the phone. */
  readonly requests = new Map<string, Fact<ApprovalStatus>>();
  /** Denials that were sent to the ntfy server: they count whenever a gate reads them. */
  readonly deniedByPhone = new Set<string>();
  /** Files that an agent has changed, and nobody has taken back yet. */
  readonly edited: EditedFile[] = [];
  /** Undos, by their ids: those that were answered have a receipt each; those that are listed may have one. */
  readonly undone = new Set<string>();
  readonly listedUndos = new Set<string>();
  /** Agents whose requests these are. */
  readonly agentIds = new Set<string>();

  tool(name: string): Fact<number> {
    const fact = this.tools.get(name) ?? new Fact(0);
    this.tools.set(name, fact);
    return fact;
  }

  request(token: string): Fact<ApprovalStatus> {
    const known = this.requests.get(token);
    if (known !== undefined) return known;
    const fact = new Fact<ApprovalStatus>("pending");
    // A pause, the end of its connection and time end it at any moment.
    for (const status of ["cancelled", "expired"] as const) fact.begin(status);
    this.requests.set(token, fact);
    return fact;
  }
}
