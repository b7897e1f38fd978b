import { ownCommand } from "../ipc/base/own-command.ts";
import { visible } from "../ipc/base/visible-text.ts";
import type { ApprovalView, OperatorApi, OperatorEvent } from "../ipc/contract/operator-api.ts";
import { callFacts } from "../ipc/words/card-facts.ts";
import { folded, widthOf } from "./watch/rows.ts";

/** What happens at the gate, a line each, for the person in whose terminal it runs. A log gets no values; this does. */

const EVENTS = [
  "approval.waiting",
  "approval.closed",
  "decision",
  "pairing.requested",
  "safety.paused",
  "safety.resumed",
] as const;

/** @param answer_in where requests are answered: `page, or watch`. Returns what ends it. */
export function liveLines(api: OperatorApi, print: (line: string) => void, answer_in: string): () => void {
  return api.subscribe((event) => {
    const line = lineOf(event, answer_in);
    if (line !== undefined) print(line);
  }, EVENTS);
}

/** One line of at most `width` columns: `00:28  text`. @param at Unix milliseconds */
export function stamped(text: string, at: number, width: number): string {
  const time = new Date(at).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  const room = Math.max(20, width - time.length - 2);
  return `${time}  ${widthOf(text) > room ? (folded(text, room, 1)[0] ?? "") : text}`;
}

function lineOf(event: OperatorEvent, answer_in: string): string | undefined {
  switch (event.type) {
    case "approval.waiting":
      return `${asked(event.data)}   (${answer_in})`;
    case "approval.closed":
      return ended(event.data);
    case "decision":
      return decided(event.data);
    case "pairing.requested": {
      const { name } = event.data;
      return `${visible(name)} asks to be paired: ${ownCommand(`agents pair ${name} --level Supervised`)}`;
    }
    case "safety.paused":
      return `paused: ${visible(event.data.reason ?? "by you")}; to resume: ${ownCommand("resume")}`;
    case "safety.resumed":
      return "resumed";
    default:
      return undefined;
  }
}

function asked(view: ApprovalView): string {
  const { hazards } = callFacts(view.description, "en");
  const what = visible(`${view.agent_name} asks: ${view.action_verb} ${view.target_summary}`);
  return hazards.length === 0 ? what : `${what}: ${visible(hazards.join("; "))}`;
}

const ENDS = {
  approved: "approved",
  rejected: "denied",
  expired: "nobody answered in time",
  cancelled: "withdrawn",
  pending: "waits",
} as const;

function ended({ status, agent_name, action_verb, target_summary }: ApprovalView): string {
  return visible(`${ENDS[status]}: ${action_verb} ${target_summary} of ${agent_name}`);
}

/** What was decided without asking; the others have lines as they are asked and answered. */
function decided({ agent_name, executor, decision }: Extract<OperatorEvent, { type: "decision" }>["data"]) {
  const { outcome, status, reason, capabilities } = decision;
  if (outcome === "approval_required" || status !== undefined) return undefined;
  const targets = [...new Set(capabilities.map(({ target }) => target))].slice(0, 3).join(", ");
  const what = targets === "" ? executor : `${executor} ${targets}`;
  return visible(outcome === "allowed" ? `${agent_name}: allowed ${what}` : `${agent_name}: denied ${what}: ${reason}`);
}
