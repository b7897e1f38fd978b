import { createHmac, hash, randomBytes } from "node:crypto";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import type { ApprovalView } from "../../../ipc/contract/operator-api.ts";
import { asksTitle, bundleText, isHazardous } from "../../../ipc/words/notice-text.ts";
import { errorCode } from "../../base/errors.ts";
import { operatorToken } from "../../base/files/operator-token.ts";
import { readSecret } from "../../base/files/secret-text.ts";
import type { Channel, ChannelNote, Gathered } from "../../core/channel.ts";
import type { ChannelHost } from "../delivery/channel-host.ts";
import { type ChannelMessages, openChannelMessages } from "../delivery/channel-messages.ts";
import { pause, waitAfter } from "../delivery/retry.ts";
import { Answers } from "./answers.ts";
import { type NtfyAction, NtfyError, type NtfyMessage, type NtfyServer, publish } from "./ntfy-api.ts";
import { NTFY_WORDS } from "./words.ts";

/** A gathered message is sent anew once so many times as many wait. */
const GROWS_BY = 2;
const SECRET = /^deny ([A-Za-z0-9_-]{22})$/;

/** Opens ntfy as a channel. The configuration names server and topic. @throws GateError where the databases can't be used */
export function openNtfy(host: ChannelHost): NtfyChannel {
  return new NtfyChannel(host);
}

/**
 * Says on the user's phone that something waits, with a title only. The one answer that comes back is a no to one request: it needs the
 * secret of that message, which is good for it once.
 */
export class NtfyChannel implements Channel {
  readonly name = "ntfy" as const;
  readonly #host: ChannelHost;
  readonly #server: NtfyServer;
  readonly #topic: string;
  readonly #answersTopic: string;
  readonly #messages: ChannelMessages;
  readonly #outbox: Outbox;
  readonly #answers: Answers;
  /** Those that wait, as far as they were shown here. */
  readonly #shown = new Set<string>();
  /** How many of an agent the last gathered message was about. */
  readonly #gathered = new Map<string, number>();
  readonly #problems: { sending: Error | null; reading: Error | null } = { sending: null, reading: null };

  constructor(host: ChannelHost) {
    const { core, env } = host;
    const { server = "", topic = "", token_env, token_file } = core.config.ntfy;
    this.#host = host;
    this.#server = {
      url: server.replace(/\/+$/, ""),
      token: () => readSecret({ env_name: token_env, file: token_file }, env, "token"),
    };
    this.#topic = topic;
    this.#answersTopic = answersTopic(operatorToken(core.paths.operatorToken), this.#server.url, topic);
    this.#messages = openChannelMessages(core, "ntfy");
    this.#outbox = new Outbox({ state: (error) => this.#state("sending", error) });
    this.#answers = new Answers({
      server: this.#server,
      topic: this.#answersTopic,
      now: core.clock.now,
      received: (text) => this.#answered(text),
      ignored: (count) => core.audit.append({ event: "ntfy.ignored", ts: core.audit.time(), messages: count }),
      state: (error) => this.#state("reading", error),
    });
    void this.#endedMeanwhile();
  }

  status(): ReturnType<Channel["status"]> {
    const { sending, reading } = this.#problems;
    if (sending !== null) return { state: "failing", text: sending.message };
    if (reading !== null) return { state: "failing", text: `answers can't be read: ${reading.message}` };
    return { state: "on", text: "on" };
  }

  async test(note: ChannelNote): Promise<void> {
    try {
      await publish(this.#server, this.#noteMessage(note), new AbortController().signal);
      this.#state("sending", null);
    } catch (error) {
      if (error instanceof Error) this.#state("sending", error);
      const message = error instanceof Error ? error.message : "it can't be sent";
      throw new GateError("channel_failed", `ntfy: ${message}`, "see docs/channels.md");
    }
  }

  ask(view: ApprovalView): void {
    const { token } = view;
    if (this.#shown.has(token)) return;
    this.#shown.add(token);
    // Sent before the gate was started anew.
    if (this.#messages.open().some((one) => one.token === token)) return this.#answers.begin();
    const title = asksTitle(view.agent_name, this.#language);
    this.#outbox.add({
      isWanted: () => this.#shown.has(token),
      send: async (signal) => {
        const secret = randomBytes(16).toString("base64url");
        // Before it is sent: an answer may be there at once.
        this.#messages.put({ chat: this.#topic, message: token, agent_id: null }, [token], hashOf(secret));
        this.#answers.begin();
        try {
          await publish(this.#server, this.#message(title, isHazardous(view), [this.#denial(secret)]), signal);
        } catch (error) {
          // As the gate is closing nobody knows whether it was taken: it isn't sent twice.
          if (!signal.aborted) this.#forget(token);
          throw error;
        }
      },
    });
  }

  gather({ agent_id, agent_name, views }: Gathered): void {
    const before = this.#gathered.get(agent_id);
    if (views.length === 0) {
      this.#gathered.delete(agent_id);
      return this.#forget(gatheredName(agent_id));
    }
    for (const { token } of views) this.#shown.add(token);
    if (before !== undefined && views.length < before * GROWS_BY) return;
    this.#gathered.set(agent_id, views.length);
    // Sent before the gate was started anew.
    const sent = before === undefined ? this.#messages.open().filter((one) => one.agent_id === agent_id).length : 0;
    if (sent > 0 && views.length < sent * GROWS_BY) return;
    const { title } = bundleText(agent_name, views, this.#language, 0);
    this.#outbox.add({
      isWanted: () => this.#gathered.has(agent_id),
      send: async (signal) => {
        const shown = { chat: this.#topic, message: gatheredName(agent_id), agent_id };
        this.#messages.put(
          shown,
          views.map(({ token }) => token),
        );
        await publish(this.#server, this.#message(title, views.some(isHazardous), []), signal);
      },
    });
  }

  /** ntfy can't take a message back: what is pressed on it from now on doesn't count. */
  ended({ token }: ApprovalView): void {
    this.#shown.delete(token);
    this.#forget(token);
  }

  note(note: ChannelNote): void {
    const message = this.#noteMessage(note);
    this.#outbox.add({ isWanted: () => true, send: (signal) => publish(this.#server, message, signal) });
  }

  async close(): Promise<void> {
    await Promise.all([this.#outbox.close(), this.#answers.close()]);
  }

  /** A message of the answers' topic: true where it is a secret of this gate's. */
  #answered(text: string): boolean {
    const secret = SECRET.exec(text)?.[1];
    const message = secret === undefined ? undefined : this.#messages.withSecret(hashOf(secret));
    if (message === undefined) return false;
    const { token, ended_at } = message;
    // Too late, or once more: it doesn't count.
    if (ended_at !== null) return true;
    this.#forget(token);
    this.#host.api.call("approvals.resolve", { token, decision: "rejected" }).catch((error: unknown) => {
      this.#host.log(`a denial did not count (${errorCode(error)})`);
    });
    return true;
  }

  /** Its secret is good for nothing any more. */
  #forget(message: string): void {
    try {
      this.#messages.end(this.#topic, message);
      if (!this.#messages.open().some(({ secret_hash }) => secret_hash !== null)) this.#answers.end();
    } catch (error) {
      this.#host.core.failed("forgetting a message of ntfy", error);
    }
  }

  /** What was answered while no gate ran, or expired. */
  async #endedMeanwhile(): Promise<void> {
    try {
      const waiting = await this.#host.api.call("approvals.list", { limit: 1000 });
      const tokens = new Set(waiting.map(({ token }) => token));
      const byMessage = Map.groupBy(this.#messages.open(), ({ message }) => message);
      for (const [message, rows] of byMessage)
        if (!rows.some(({ token }) => tokens.has(token))) this.#messages.end(this.#topic, message);
    } catch (error) {
      this.#host.core.failed("reading the messages of ntfy", error);
    }
  }

  #message(title: string, isUrgent: boolean, actions: readonly NtfyAction[]): NtfyMessage {
    const { answerAtMachine, open } = NTFY_WORDS[this.#language];
    const { page_url } = this.#host;
    const view = page_url === undefined ? [] : [{ action: "view" as const, label: open, url: page_url }];
    return {
      topic: this.#topic,
      title,
      message: answerAtMachine,
      priority: isUrgent ? 4 : 3,
      ...(page_url === undefined ? {} : { click: page_url }),
      actions: [...view, ...actions],
    };
  }

  #denial(secret: string): NtfyAction {
    const { deny: label } = NTFY_WORDS[this.#language];
    const url = `${this.#server.url}/${this.#answersTopic}`;
    return { action: "http", label, url, method: "POST", body: `deny ${secret}`, clear: true };
  }

  #noteMessage({ kind, title, lines, is_urgent }: ChannelNote): NtfyMessage {
    // Others name folders and files.
    const isPlain = kind === "test" || kind === "checkpoint";
    const message = isPlain ? lines.join("\n") : NTFY_WORDS[this.#language].seeAtMachine;
    return { topic: this.#topic, title, message, priority: is_urgent ? 4 : 3 };
  }

  #state(what: "sending" | "reading", error: Error | null): void {
    const before = this.status();
    this.#problems[what] = error;
    const after = this.status();
    if (before.text === after.text) return;
    this.#host.log(after.text);
    this.#host.changed();
  }

  get #language() {
    return this.#host.core.config.language;
  }
}

/** Known to the gate alone, and the same after a restart: what was sent before can still be answered. */
function answersTopic(secret: string, server: string, topic: string): string {
  const digest = createHmac("sha256", secret).update(`ntfy answers ${server} ${topic}`).digest("base64url");
  return `metnos-${digest.slice(0, 22)}`;
}

function gatheredName(agentId: string): string {
  return `agent ${agentId}`;
}

function hashOf(secret: string): string {
  return hash("sha256", secret, "hex");
}

/** A message that is to be sent. */
interface Outgoing {
  /** Whether it still has to be sent: what has ended meanwhile needn't be. */
  isWanted(): boolean;
  /** @throws NtfyError, SecretError, the reason of `signal` */
  send(signal: AbortSignal): Promise<void>;
}

interface OutboxParts {
  /** The last message was taken: null; or why not. */
  state(error: Error | null): void;
}

/** Of more, the oldest go: what they were about is on the user's own screen. */
const MOST_WAITING = 100;

/** One after the other, in order, each again until it was taken or isn't wanted any more. */
export class Outbox {
  readonly #parts: OutboxParts;
  readonly #ending = new AbortController();
  #waiting: Outgoing[] = [];
  #sending: Promise<void> | undefined;

  constructor(parts: OutboxParts) {
    this.#parts = parts;
  }

  add(message: Outgoing): void {
    if (this.#ending.signal.aborted) return;
    this.#waiting = [...this.#waiting, message].slice(-MOST_WAITING);
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
    });
  }

  async close(): Promise<void> {
    this.#ending.abort();
    await this.#sending;
  }

  async #sendAll(): Promise<void> {
    const { signal } = this.#ending;
    let failures = 0;
    while (!signal.aborted) {
      const [next] = this.#waiting;
      if (next === undefined) return;
      if (!next.isWanted()) {
        this.#drop(next);
        continue;
      }
      try {
        await next.send(signal);
        failures = 0;
        this.#drop(next);
        this.#parts.state(null);
      } catch (error) {
        if (signal.aborted) return;
        this.#parts.state(error instanceof Error ? error : new NtfyError("unreachable"));
        // It would be refused again, as it is.
        if (error instanceof NtfyError && error.problem === "refused") this.#drop(next);
        else await pause(Math.max(wantedPause(error), waitAfter(++failures)), signal);
      }
    }
  }

  #drop(message: Outgoing): void {
    this.#waiting = this.#waiting.filter((one) => one !== message);
  }
}

function wantedPause(error: unknown): number {
  return error instanceof NtfyError ? (error.retry_after_ms ?? 0) : 0;
}
