import { debugLog } from "../../../ipc/base/debug-log.ts";
import type { Alarm } from "../../../ipc/contract/alarms.ts";
import type { Language } from "../../../ipc/contract/language.ts";
import type {
  Answer,
  ApprovalView,
  OperatorApi,
  OperatorEvent,
  PairingRequest,
} from "../../../ipc/contract/operator-api.ts";
import type { Pause } from "../../../ipc/contract/safety.ts";
import { PRESS_DELAY_MS } from "../../../ipc/words/press-delay.ts";
import { errorCode } from "../../base/errors.ts";
import type { Called, ChannelNote, Gathered } from "../../core/channel.ts";
import {
  alarmNotice,
  approvalNotice,
  digestNotice,
  type NoticeSettings,
  noteNotice,
  pairingNotice,
  pauseNotice,
} from "./notice.ts";
import type { Notice, NoticeAction, NotificationSink, SinkEvent } from "./sink.ts";

/** What Review opens, in the window or page of the surface. */
export type ReviewTarget =
  | { kind: "approval"; token: string }
  | { kind: "agent"; agent_name: string }
  | { kind: "pairing" }
  | { kind: "safety" }
  | { kind: "alarm" }
  | { kind: "note" };

const debug = debugLog("notifications");

export interface NotifierOptions {
  api: OperatorApi;
  sink: NotificationSink;
  language: Language;
  /** Opens the popup or the page. Left out: Review isn't offered, and the text says where to answer. */
  review?: ((what: ReviewTarget) => void) | undefined;
  log: (line: string) => void;
  /** A monotonic clock, in milliseconds. */
  now?: (() => number) | undefined;
  /** How often it is looked whether an agent that waits to be paired is still there, in milliseconds. */
  pairingCheckMs?: number | undefined;
}

/** A notification of many that was dismissed is shown again as they grow, after this time. */
const DISMISSED_MS = 10_000;
/** A server that closes a notification because it was pressed does so within this time. */
const PRESS_CLOSES_MS = 300;
/** There is no event for an agent that disconnects while it waits to be paired: checked this often while one is shown. */
const PAIRING_CHECK_MS = 5000;

/** The request has ended: it was answered elsewhere, or expired. */
const ENDED_CODES = new Set(["already_resolved", "expired", "unknown_token"]);

/** One notification to show, whether or not there is a server now. */
interface Item {
  target: ReviewTarget;
  render(settings: NoticeSettings): Notice;
  handle: string | undefined;
  notice: Notice | undefined;
  /** Null while its latest text isn't on the screen yet. */
  shownAt: number | null;
  earlyAt: number | null;
  isAnswering: boolean;
  /** When the user dismissed it: the request still waits on other surfaces. */
  dismissedAt: number | null;
}

/**
 * Notifications as one more surface on the operator's contract: shows the waiting requests that a router says are due, and sends answers
 * through the same `resolve` as every other. Nothing here throws into the gate or delays a decision.
 */
export class Notifier implements Called {
  readonly #options: NotifierOptions;
  readonly #now: () => number;
  /** The agent's name of each request that is shown by itself. */
  readonly #asking = new Map<string, string>();
  readonly #items = new Map<string, Item>();
  /** The text of each alarm's notification, by its key: an unchanged one isn't shown again. */
  readonly #alarmTexts = new Map<string, string>();
  #settings: NoticeSettings | undefined;
  #unsubscribe: () => void = () => undefined;
  #pairingTimer: NodeJS.Timeout | undefined;
  #knownNames = new Set<string>();
  #hasEnded = false;

  constructor(options: NotifierOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Shows each pairing, pause and alarm: those that are there already, then each new one. */
  async start(): Promise<void> {
    const { api, sink } = this.#options;
    // Outside of the gate's own call: nothing here can throw into it, or delay its answer.
    this.#unsubscribe = api.subscribe((event) => {
      setImmediate(() => this.#safely(() => this.#onGateEvent(event)));
    }, GATE_EVENTS);
    sink.start((event) => this.#safely(() => this.#onSinkEvent(event)));
    try {
      await this.#checkPairing();
      const { pause } = await api.call("safety.status", {});
      this.#safely(() => this.#paused(pause));
      const { alarms } = await api.call("status", {});
      this.#safely(() => this.#alarmed(alarms));
    } catch (error) {
      this.#log(`the gate's state can't be read (${errorCode(error)})`);
    }
  }

  /** Closes every notification. The requests continue to wait. */
  async close(): Promise<void> {
    this.#hasEnded = true;
    this.#unsubscribe();
    clearInterval(this.#pairingTimer);
    this.#items.clear();
    await this.#options.sink.end();
  }

  ask(view: ApprovalView): void {
    this.#safely(() => {
      const { token } = view;
      this.#asking.set(token, view.agent_name);
      this.#put(`approval:${token}`, { kind: "approval", token }, (settings) => approvalNotice(view, settings));
    });
  }

  gather({ agent_id, agent_name, views }: Gathered): void {
    this.#safely(() => {
      const key = `agent:${agent_id}`;
      if (views.length === 0) return this.#remove(key);
      for (const { token } of views) {
        this.#asking.delete(token);
        this.#remove(`approval:${token}`);
      }
      // Once dismissed, it isn't shown again for the same burst, but is for a later one.
      const item = this.#items.get(key);
      if (item?.dismissedAt != null && this.#now() - item.dismissedAt >= DISMISSED_MS) item.dismissedAt = null;
      this.#put(key, { kind: "agent", agent_name }, (settings) => digestNotice(agent_name, views, settings));
    });
  }

  ended({ token }: ApprovalView): void {
    this.#safely(() => {
      this.#asking.delete(token);
      this.#remove(`approval:${token}`);
    });
  }

  /** A pause and an alarm are shown here for as long as they hold. */
  note(note: ChannelNote): void {
    if (note.kind === "pause" || note.kind === "alarm") return;
    this.#safely(() => this.#put(`note:${note.kind}`, { kind: "note" }, (settings) => noteNotice(note, settings)));
  }

  #onGateEvent(event: OperatorEvent): void {
    if (event.type === "safety.paused" || event.type === "safety.resumed") this.#paused(event.data);
    if (event.type === "alarms.changed") this.#alarmed(event.data);
    if (event.type === "pairing.requested" || event.type === "agents.changed") void this.#checkPairing();
  }

  /** A pause that the user didn't begin is shown, until it has ended. */
  #paused({ by, reason }: Pause): void {
    if (by !== "safety" || reason === null) return this.#remove("pause");
    this.#put("pause", { kind: "safety" }, (settings) => pauseNotice(reason, settings));
  }

  /** One for each alarm, once: a dismissed one is shown again only if the alarm was over and is raised again. */
  #alarmed(alarms: readonly Alarm[]): void {
    const said = alarms.filter(({ code, subject }) => code !== "channel_failing" || subject !== "desktop");
    const raised = new Map(said.map((alarm) => [`alarm:${alarm.code} ${alarm.subject}`, alarm]));
    for (const key of this.#items.keys()) if (key.startsWith("alarm:") && !raised.has(key)) this.#remove(key);
    for (const [key, alarm] of raised) {
      if (this.#alarmTexts.get(key) === alarm.message && this.#items.has(key)) continue;
      this.#alarmTexts.set(key, alarm.message);
      this.#put(key, { kind: "alarm" }, (settings) => alarmNotice(alarm, settings));
    }
  }

  async #checkPairing(): Promise<void> {
    let requests: PairingRequest[];
    try {
      ({ requests } = await this.#options.api.call("agents.list", {}));
    } catch (error) {
      return this.#log(`agents that wait to be paired can't be listed (${errorCode(error)})`);
    }
    if (this.#hasEnded) return;
    const names = new Set(requests.map(({ name }) => name));
    const hasNew = [...names].some((name) => !this.#knownNames.has(name));
    const isSame = !hasNew && names.size === this.#knownNames.size;
    this.#knownNames = names;
    clearInterval(this.#pairingTimer);
    if (requests.length === 0) return this.#remove("pairing");
    this.#pairingTimer = setInterval(() => void this.#checkPairing(), this.#options.pairingCheckMs ?? PAIRING_CHECK_MS);
    this.#pairingTimer.unref();
    if (isSame) return;
    const item = this.#items.get("pairing");
    if (item !== undefined && hasNew) item.dismissedAt = null;
    this.#put("pairing", { kind: "pairing" }, (settings) => pairingNotice(requests, settings));
  }

  /** Shows a notification, or updates the one that is shown. */
  #put(key: string, target: ReviewTarget, render: Item["render"]): void {
    const item = this.#items.get(key) ?? {
      target,
      render,
      handle: undefined,
      notice: undefined,
      shownAt: null,
      earlyAt: null,
      isAnswering: false,
      dismissedAt: null,
    };
    item.render = render;
    this.#items.set(key, item);
    this.#draw(item);
  }

  #draw(item: Item): void {
    const { sink } = this.#options;
    if (item.dismissedAt !== null) return;
    if (this.#settings === undefined) return sink.wake();
    item.notice = item.render(this.#settings);
    item.shownAt = null;
    item.earlyAt = null;
    if (debug.isOn) debug.write(`${item.notice.kind} ${item.handle === undefined ? "shown" : "replaced"}`);
    if (item.handle === undefined) item.handle = sink.show(item.notice);
    else sink.replace(item.handle, item.notice);
  }

  #remove(key: string): void {
    const item = this.#items.get(key);
    this.#items.delete(key);
    if (item?.handle !== undefined) this.#options.sink.close(item.handle);
  }

  #onSinkEvent(event: SinkEvent): void {
    if (this.#hasEnded) return;
    if (debug.isOn) debug.write(`the notification server: ${event.type}`);
    if (event.type === "ready" || event.type === "lost") {
      const { language, review } = this.#options;
      this.#settings =
        event.type === "ready" ? { ...event.abilities, language, canReview: review !== undefined } : undefined;
      for (const item of this.#items.values()) {
        item.handle = undefined;
        item.shownAt = null;
      }
      for (const item of this.#items.values()) this.#draw(item);
      return;
    }
    const item = [...this.#items.values()].find(({ handle }) => handle === event.handle);
    if (item === undefined) return;
    if (event.type === "shown") item.shownAt = this.#now();
    if (event.type === "failed") item.handle = undefined;
    if (event.type === "dismissed") this.#dismissed(item);
    if (event.type === "action") this.#pressed(item, event.action);
  }

  #dismissed(item: Item): void {
    item.handle = undefined;
    item.shownAt = null;
    const wasEarly = item.earlyAt !== null && this.#now() - item.earlyAt < PRESS_CLOSES_MS;
    if (wasEarly) this.#draw(item);
    else if (!item.isAnswering) item.dismissedAt = this.#now();
  }

  #pressed(item: Item, action: NoticeAction): void {
    const isOffered =
      item.notice?.defaultAction === action || item.notice?.buttons.some((button) => button.action === action);
    if (!isOffered || item.isAnswering) return;
    if (item.shownAt === null || this.#now() - item.shownAt < PRESS_DELAY_MS) {
      item.earlyAt = this.#now();
      return;
    }
    if (action === "review") return this.#options.review?.(item.target);
    if (item.target.kind !== "approval") return;
    const decision = action === "approve" ? "approved" : "rejected";
    void this.#answer(item, { token: item.target.token, decision });
  }

  async #answer(item: Item, answer: Answer): Promise<void> {
    item.isAnswering = true;
    const agent = this.#asking.get(answer.token) ?? "an agent";
    try {
      await this.#options.api.call("approvals.resolve", answer);
    } catch (error) {
      const code = errorCode(error);
      if (ENDED_CODES.has(code)) {
        this.#log(`${answer.decision} came too late for a request of ${agent} (${code}); it does not count`);
        this.#asking.delete(answer.token);
        this.#remove(`approval:${answer.token}`);
        return;
      }
      this.#log(`the answer to a request of ${agent} was not taken (${code}); it still waits`);
      if (this.#items.get(`approval:${answer.token}`) !== item) return;
      this.#draw(item);
      item.earlyAt = this.#now(); // the press may still close it
    } finally {
      item.isAnswering = false;
    }
  }

  #safely(act: () => void): void {
    if (this.#hasEnded) return;
    try {
      act();
    } catch (error) {
      this.#log(`failed inside (${error instanceof Error ? error.name : "error"} ${errorCode(error)})`);
    }
  }

  #log(text: string): void {
    if (!this.#hasEnded) this.#options.log(`notifications: ${text}`);
  }
}

const GATE_EVENTS: readonly OperatorEvent["type"][] = [
  "pairing.requested",
  "agents.changed",
  "safety.paused",
  "safety.resumed",
  "alarms.changed",
];
