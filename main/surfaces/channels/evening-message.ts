import { join } from "node:path";
import { z } from "zod";
import type { GatePaths } from "../../../ipc/base/paths.ts";
import { readRegularFile } from "../../../ipc/base/regular-file.ts";
import { shortened, shortenHome, visible } from "../../../ipc/base/visible-text.ts";
import type { ActivityToday } from "../../../ipc/contract/activity.ts";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import type { Language } from "../../../ipc/contract/language.ts";
import type { GrantView, OperatorApi } from "../../../ipc/contract/operator-api.ts";
import { othersText } from "../../../ipc/words/notice-text.ts";
import { allResults, resultsText } from "../../../ipc/words/result-words.ts";
import type { Clock } from "../../base/clocks/clock.ts";
import { localDay, localMidnight, localTime } from "../../base/clocks/local-time.ts";
import { errorCode } from "../../base/errors.ts";
import { writeDurably } from "../../base/files/durable-file.ts";
import type { ChannelNote } from "../../core/channel.ts";
import type { Core } from "../../core/core.ts";
import { callsToday } from "../../records/activity/list-calls.ts";
import { CHANNEL_WORDS } from "../delivery/words.ts";

/** What happened today, said once in the evening: what each agent did in each project and how it came out, and which grants were used. */

export interface EveningParts {
  core: Pick<Core, "lines" | "config" | "clock" | "home" | "notes" | "paths">;
  api: Pick<OperatorApi, "call">;
  /** `21:00`, local time. */
  at: string;
  log(line: string): void;
}

const MINUTE_MS = 60_000;
/** However the clock is set: no two within this time, in milliseconds. */
const APART_MS = 12 * 3_600_000;
const DAYS_KEPT = 7;
const ROWS_SHOWN = 20;
const GRANTS_SHOWN = 10;
const LINE_LENGTH = 200;

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
    const today = await callsToday(core.lines);
    if (today.rows.length === 0) return null;
    return eveningNote(today, await usedSince(api, midnight), language, core.home);
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

async function usedSince(api: EveningParts["api"], since: number): Promise<GrantView[]> {
  const query = { order: "last_used_at" as const, descending: true, include_revoked: true, limit: 100 };
  const { grants } = await api.call("grants.search", query);
  return grants.filter(({ last_used_at }) => last_used_at !== null && Date.parse(last_used_at) >= since);
}

/** The note about a day. Of a call only its project's folder is in it. */
function eveningNote(
  { rows, gaps }: ActivityToday,
  grants: readonly GrantView[],
  language: Language,
  home: string,
): ChannelNote {
  const words = CHANNEL_WORDS[language];
  const lines = rows.slice(0, ROWS_SHOWN).map(({ agent_name, project, total, asked, calls, files, hosts }) => {
    const place = project === null ? agent_name : `${agent_name}, ${shortenHome(project, home)}`;
    const places = words.places(files.count, hosts.count);
    return shortened(
      visible(`${place}: ${words.calls(total, asked)}; ${resultsText(calls, language)}${places}`),
      LINE_LENGTH,
    );
  });
  const others = rows.length > ROWS_SHOWN ? [othersText(rows.length - ROWS_SHOWN, language)] : [];
  const incomplete = gaps.length > 0 ? [words.incomplete] : [];
  const used = grants
    .slice(0, GRANTS_SHOWN)
    .map(({ capability, target }) => shortened(visible(`  ${capability}  ${shortenHome(target, home)}`), LINE_LENGTH));
  const more = grants.length > GRANTS_SHOWN ? [`  ${othersText(grants.length - GRANTS_SHOWN, language)}`] : [];
  const grantLines = grants.length === 0 ? [] : [words.grants_used, ...used, ...more];
  const title = words.today(resultsText(allResults(rows.map(({ calls }) => calls)), language));
  return { kind: "evening", is_urgent: false, title, lines: [...lines, ...others, ...incomplete, ...grantLines] };
}
