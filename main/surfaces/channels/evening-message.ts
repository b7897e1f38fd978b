import { join } from "node:path";
import { z } from "zod";
import type { GatePaths } from "../../../ipc/base/paths.ts";
import { readRegularFile } from "../../../ipc/base/regular-file.ts";
import { shortened, shortenHome, visible } from "../../../ipc/base/visible-text.ts";
import type { Outcome } from "../../../ipc/contract/decision.ts";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import type { Language } from "../../../ipc/contract/language.ts";
import type { ApprovalView, GrantView, OperatorApi } from "../../../ipc/contract/operator-api.ts";
import { othersText } from "../../../ipc/words/notice-text.ts";
import type { Clock } from "../../base/clocks/clock.ts";
import { localDay, localMidnight, localTime } from "../../base/clocks/local-time.ts";
import { errorCode } from "../../base/errors.ts";
import { writeDurably } from "../../base/files/durable-file.ts";
import type { ChannelNote } from "../../core/channel.ts";
import type { Core } from "../../core/core.ts";
import { CHANNEL_WORDS } from "../delivery/words.ts";

/** What happened today, said once in the evening: how often what was allowed, denied and expired, and which grants were used. */

export interface EveningParts {
  core: Pick<Core, "activity" | "config" | "clock" | "home" | "notes" | "paths">;
  api: Pick<OperatorApi, "call">;
  /** `21:00`, local time. */
  at: string;
  log(line: string): void;
}

const MINUTE_MS = 60_000;
/** However the clock is set: no two within this time, in milliseconds. */
const APART_MS = 12 * 3_600_000;
const DAYS_KEPT = 7;
const PAGE = 500;
const MOST_PAGES = 20;
const GRANTS_SHOWN = 10;
const LINE_LENGTH = 120;

const sentSchema = z.object({ days: z.array(z.string()), boot: z.object({ id: z.string(), ms: z.number() }) });
type Sent = z.infer<typeof sentSchema>;

/** On which days one was sent. */
export function eveningFile({ state_dir }: Pick<GatePaths, "state_dir">): string {
  return join(state_dir, "evening-digest.json");
}

export class EveningDigest {
  readonly #parts: EveningParts;
  readonly #file: string;
  #timer: NodeJS.Timeout | undefined;
  #saying: Promise<void> = Promise.resolve();

  constructor(parts: EveningParts) {
    this.#parts = parts;
    this.#file = eveningFile(parts.core.paths);
  }

  start(): void {
    void this.look();
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#saying;
  }

  /** Says it where it is time to, and looks again each minute. */
  look(): Promise<void> {
    const { clock } = this.#parts.core;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.look(), MINUTE_MS - (clock.now() % MINUTE_MS)).unref();
    this.#saying = this.#saying.then(() => this.#sayIfDue());
    return this.#saying;
  }

  async #sayIfDue(): Promise<void> {
    const { core, at, log } = this.#parts;
    const now = core.clock.now();
    if (localTime(now) < at) return;
    try {
      const sent = readSent(this.#file);
      if (!isDue(sent, localDay(now), core.clock)) return;
      const note = await this.#note(now);
      const days = [...(sent?.days ?? []), localDay(now)].slice(-DAYS_KEPT);
      // Before it is said: a gate that is killed now says it never, not twice.
      writeDurably(
        this.#file,
        JSON.stringify({ days, boot: core.clock.boot() } satisfies Sent),
        "the evening digest's day",
      );
      if (note !== null) core.notes.say(note);
    } catch (error) {
      const why = error instanceof GateError ? `${error.message}; ${error.hint}` : errorCode(error);
      log(`the evening digest can't be made (${why}); it is tried again`);
    }
  }

  async #note(now: number): Promise<ChannelNote | null> {
    const { core, api } = this.#parts;
    const { language } = core.config;
    const midnight = localMidnight(now);
    const { agents } = await api.call("agents.list", {});
    const names = new Map(agents.map(({ agent_id, name }) => [agent_id, name]));
    const calls = [...core.activity.outcomesToday()].map(([id, own]) => [names.get(id) ?? "?", own] as const);
    const answered = await answeredSince(api, new Date(midnight).toISOString());
    const grants = await usedSince(api, midnight);
    if (calls.length === 0 && answered.length === 0) return null;
    return eveningNote({ calls: new Map(calls), answered, grants }, language, core.home);
  }
}

function isDue(sent: Sent | null, today: string, clock: Clock): boolean {
  if (sent === null) return true;
  const { id, ms } = clock.boot();
  return !sent.days.includes(today) && (sent.boot.id !== id || ms - sent.boot.ms >= APART_MS);
}

/** Null where none was sent, or nothing can be known of it. */
function readSent(file: string): Sent | null {
  try {
    return sentSchema.parse(JSON.parse(readRegularFile(file)));
  } catch {
    return null; // at worst one is sent again
  }
}

async function answeredSince(api: EveningParts["api"], since: string): Promise<ApprovalView[]> {
  const all: ApprovalView[] = [];
  for (let page = 0; page < MOST_PAGES; page++) {
    const { approvals } = await api.call("approvals.history", { since, limit: PAGE, offset: page * PAGE });
    all.push(...approvals);
    if (approvals.length < PAGE) break;
  }
  return all;
}

async function usedSince(api: EveningParts["api"], since: number): Promise<GrantView[]> {
  const query = { order: "last_used_at" as const, descending: true, include_revoked: true, limit: 100 };
  const { grants } = await api.call("grants.search", query);
  return grants.filter(({ last_used_at }) => last_used_at !== null && Date.parse(last_used_at) >= since);
}

interface Day {
  /** What the gate decided itself, by the agent's name. */
  calls: ReadonlyMap<string, Readonly<Record<Outcome, number>>>;
  answered: readonly ApprovalView[];
  grants: readonly GrantView[];
}

interface Counts {
  allowed: number;
  denied: number;
  expired: number;
}

/** The note about a day. No value of a call is in it. */
function eveningNote({ calls, answered, grants }: Day, language: Language, home: string): ChannelNote {
  const words = CHANNEL_WORDS[language];
  const byAgent = Map.groupBy(answered, ({ agent_name }) => agent_name);
  const agents = [...new Set([...calls.keys(), ...byAgent.keys()])].map((name) => {
    const own = byAgent.get(name) ?? [];
    const decided = calls.get(name);
    const asked = countsOf(own);
    const all = {
      allowed: asked.allowed + (decided?.allowed ?? 0),
      denied: asked.denied + (decided?.denied ?? 0),
      expired: asked.expired,
    };
    return { name, own, all };
  });
  const total = agents.reduce((sum, { all }) => added(sum, all), { allowed: 0, denied: 0, expired: 0 });
  const lines = agents.flatMap(({ name, own, all }) => [
    shortened(visible(`${name}: ${words.counts(all)}`), LINE_LENGTH),
    ...[...Map.groupBy(own, (view) => capabilityOf(view) ?? words.nothing)].map(
      ([capability, some]) => `  ${capability}: ${words.counts(countsOf(some))}`,
    ),
  ]);
  const used = grants
    .slice(0, GRANTS_SHOWN)
    .map(({ capability, target }) => shortened(visible(`  ${capability}  ${shortenHome(target, home)}`), LINE_LENGTH));
  const more = grants.length > GRANTS_SHOWN ? [`  ${othersText(grants.length - GRANTS_SHOWN, language)}`] : [];
  const grantLines = grants.length === 0 ? [] : [words.grants_used, ...used, ...more];
  const title = words.today(words.counts(total));
  return { kind: "evening", is_urgent: false, title, lines: [...lines, ...grantLines] };
}

/** Of what has ended only its class is kept: `fs_write:~/project/*`. */
function capabilityOf({ capability_class }: ApprovalView): string | undefined {
  return /^[a-z]+_[a-z]+/.exec(capability_class)?.[0].replace("_", ":");
}

function countsOf(views: readonly ApprovalView[]): Counts {
  const of = (...statuses: string[]) => views.filter(({ status }) => statuses.includes(status)).length;
  return { allowed: of("approved"), denied: of("rejected"), expired: of("expired") };
}

function added(one: Counts, other: Counts): Counts {
  return {
    allowed: one.allowed + other.allowed,
    denied: one.denied + other.denied,
    expired: one.expired + other.expired,
  };
}
