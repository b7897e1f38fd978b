import type { ApprovalView, OperatorEvent } from "../../../ipc/contract/operator-api.ts";
import { isHazardous } from "../../../ipc/words/notice-text.ts";
import { errorCode } from "../../base/errors.ts";
import type { Called } from "../../core/channel.ts";
import type { NoteRouteParts } from "./note-route.ts";
import { Due } from "./when-due.ts";

export interface RouterParts extends Pick<NoteRouteParts, "api" | "route" | "screen" | "clock" | "log"> {
  channel: Called;
  /** More requests of one agent than these, of those that aren't urgent, are gathered into one. */
  gatherAbove: number;
}

/** Of one agent so many are shown by themselves at the most, however urgent: agents can't fill a screen. */
export const MOST_ALONE = 8;

interface Request {
  view: ApprovalView;
  /** Since when it waits, by a clock that nobody sets, in milliseconds. */
  since: number;
  shown: "not_yet" | "alone" | "gathered";
}

/**
 * Says which of the waiting requests are due on one channel, and when several are shown as one. What was shown stays so until it ends,
 * whatever the hour is then; what ends before it is due is never shown. No request's time-out changes by it.
 */
export class Router {
  readonly #parts: RouterParts;
  readonly #due: Due;
  readonly #requests = new Map<string, Request>();
  /** Agents whose requests are shown as one, until none of them waits any more: the name by the id. */
  readonly #gathered = new Map<string, string>();
  /** Agents of which the user wants to see each, for as long. */
  readonly #apart = new Set<string>();
  /** Agents of which something has changed since it was last looked at. */
  readonly #changed = new Set<string>();
  #ends: (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined;
  /** What happened since it was looked last. */
  #events: OperatorEvent[] = [];
  #hasEnded = false;

  constructor(parts: RouterParts) {
    this.#parts = parts;
    this.#due = new Due(parts.route, parts.screen, parts.clock);
  }

  /** Begins with what waits already. */
  async start(): Promise<void> {
    const { api, screen } = this.#parts;
    // Outside of the gate's own call: nothing here can throw into it, or delay its answer. What happens together is looked at together.
    const received = (event: OperatorEvent) => {
      if (this.#events.push(event) === 1) setImmediate(() => this.look());
    };
    this.#ends = [api.subscribe(received, GATE_EVENTS), screen.subscribe(() => this.look())];
    try {
      const waiting = await api.call("approvals.list", { limit: 1000 });
      for (const view of waiting.toReversed()) this.#appeared(view);
      this.look();
    } catch (error) {
      this.#parts.log(`waiting requests can't be listed (${errorCode(error)})`);
    }
  }

  close(): void {
    this.#hasEnded = true;
    clearTimeout(this.#timer);
    for (const end of this.#ends) end();
  }

  /** Each of an agent's requests is shown by itself from now on. */
  showEach(agentId: string): void {
    if (!this.#gathered.delete(agentId)) return;
    this.#apart.add(agentId);
    for (const one of this.#requests.values())
      if (one.view.agent_id === agentId && one.shown === "gathered") one.shown = "not_yet";
    this.#changed.add(agentId);
    this.look();
  }

  /** Shows what is due by now. */
  look(): void {
    const events = this.#events;
    this.#events = [];
    for (const event of events) this.#safely(() => this.#received(event));
    const byAgent = Map.groupBy(this.#requests.values(), ({ view }) => view.agent_id);
    // Each by itself: what fails with one agent's requests must not hide another's.
    for (const agentId of new Set([...byAgent.keys(), ...this.#gathered.keys()]))
      this.#safely(() => this.#lookAt(agentId, byAgent.get(agentId) ?? []));
    this.#changed.clear();
    if (!this.#hasEnded) this.#lookAgain();
  }

  #received({ type, data }: OperatorEvent): void {
    if (type === "approval.waiting") this.#appeared(data);
    if (type === "approval.closed") this.#closed(data);
    const held = type === "approval.held" ? this.#requests.get(data.token) : undefined;
    if (held !== undefined && type === "approval.held") held.view = { ...held.view, expires_at: data.expires_at };
  }

  #appeared(view: ApprovalView): void {
    if (view.status !== "pending") return;
    const known = this.#requests.get(view.token);
    this.#changed.add(view.agent_id);
    if (known === undefined) {
      const { clock } = this.#parts;
      const age = Math.max(0, clock.now() - Date.parse(view.created_at));
      this.#requests.set(view.token, { view, since: clock.boot().ms - age, shown: "not_yet" });
      return;
    }
    known.view = view;
    // It says something else than before.
    if (known.shown === "alone") this.#parts.channel.ask(view);
  }

  #closed(view: ApprovalView): void {
    const { agent_id, token } = view;
    const ended = this.#requests.get(token);
    if (ended === undefined) return;
    this.#requests.delete(token);
    this.#changed.add(agent_id);
    if (ended.shown !== "not_yet") this.#parts.channel.ended(view);
    if (![...this.#requests.values()].some((one) => one.view.agent_id === agent_id)) this.#apart.delete(agent_id);
  }

  #lookAt(agentId: string, requests: readonly Request[]): void {
    const due = requests.filter((one) => one.shown !== "not_yet" || this.#isDue(one));
    const urgent = due.filter(({ view }) => isHazardous(view)).slice(0, MOST_ALONE);
    const others = due.filter((one) => !urgent.includes(one));
    const [first] = others;
    if (first !== undefined && others.length > this.#parts.gatherAbove && !this.#apart.has(agentId))
      this.#gathered.set(agentId, first.view.agent_name);
    const isGathered = this.#gathered.has(agentId);
    for (const one of isGathered ? urgent : due) this.#show(one);
    if (isGathered) this.#gather(agentId, others);
  }

  #show(one: Request): void {
    if (one.shown === "alone") return;
    one.shown = "alone";
    this.#parts.channel.ask(one.view);
  }

  #gather(agentId: string, requests: readonly Request[]): void {
    const agentName = this.#gathered.get(agentId) ?? agentId;
    if (requests.length === 0) this.#gathered.delete(agentId);
    else if (!this.#changed.has(agentId) && requests.every(({ shown }) => shown === "gathered")) return;
    for (const one of requests) one.shown = "gathered";
    this.#parts.channel.gather({ agent_id: agentId, agent_name: agentName, views: requests.map(({ view }) => view) });
  }

  #isDue(one: Request): boolean {
    // The gate says a moment later that its time is over.
    return Date.parse(one.view.expires_at) > this.#parts.clock.now() && this.#due.isDue(this.#waits(one));
  }

  #waits({ view, since }: Request) {
    return { waitedMs: this.#parts.clock.boot().ms - since, is_urgent: isHazardous(view) };
  }

  #lookAgain(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    let soonest = Number.POSITIVE_INFINITY;
    for (const one of this.#requests.values())
      if (one.shown === "not_yet") soonest = Math.min(soonest, this.#due.lookAgainIn(this.#waits(one)) ?? soonest);
    if (soonest === Number.POSITIVE_INFINITY) return;
    this.#timer = setTimeout(() => this.look(), soonest).unref();
  }

  #safely(act: () => void): void {
    if (this.#hasEnded) return;
    try {
      act();
    } catch (error) {
      this.#parts.log(`failed inside (${error instanceof Error ? error.name : "error"} ${errorCode(error)})`);
    }
  }
}

const GATE_EVENTS: readonly OperatorEvent["type"][] = ["approval.waiting", "approval.closed", "approval.held"];
