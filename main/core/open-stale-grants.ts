import { ownCommand } from "../../ipc/base/own-command.ts";
import { shortened, shortenHome, visible } from "../../ipc/base/visible-text.ts";
import type { Language } from "../../ipc/contract/language.ts";
import type { Grant } from "../decide/grants/rows.ts";
import { StaleGrants } from "../decide/grants/stale.ts";
import type { StaleBatch } from "../decide/grants/stale-rows.ts";
import type { AuditRecord } from "../records/audit/record.ts";
import type { ChannelNote } from "./channel.ts";
import type { Opened } from "./stores.ts";

export function openStaleGrants({
  home,
  config,
  audit,
  notes,
  publish,
  storage,
  agents,
  grants,
  failed,
}: Opened): StaleGrants {
  return new StaleGrants({
    grants,
    afterDays: config.grants.stale_after_days,
    isLost: () => storage.watch.lossByNow() !== undefined,
    revoked(batch) {
      audit.append(staleRecord(batch, audit.time()));
      audit.flush();
      publish({ type: "grants.changed", data: {} });
      notes.say(staleNote(batch, { home, language: config.language, nameOf: (id) => agents.get(id)?.name ?? id }));
    },
    failed,
  });
}

// What is said of grants that were revoked as nobody used them: to the user, and in the trail.

const GRANTS_NAMED = 5;
const TARGET_WIDTH = 60;
/** Of a batch of any size. */
const IDS_RECORDED = 64;

interface Words {
  locale: string;
  title: (count: number, days: number) => string;
  allAgents: string;
  others: (count: number) => string;
  undo: (date: string, command: string) => string;
}

const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    locale: "en-GB",
    title: (count, days) =>
      count === 1
        ? `1 grant was revoked: unused for ${days} days`
        : `${count} grants were revoked: unused for ${days} days`,
    allAgents: "all of your agents",
    others: (count) => (count === 1 ? "and 1 more" : `and ${count} more`),
    undo: (date, command) => `Until ${date} you can give them back: on the page, or with ${command}`,
  },
  it: {
    locale: "it-IT",
    title: (count, days) =>
      count === 1
        ? `1 permesso è stato revocato: non usato per ${days} giorni`
        : `${count} permessi sono stati revocati: non usati per ${days} giorni`,
    allAgents: "tutti i tuoi agenti",
    others: (count) => (count === 1 ? "e un altro" : `e altri ${count}`),
    undo: (date, command) => `Puoi ridarli fino al giorno ${date}: dalla pagina, o con ${command}`,
  },
};

interface NoteSettings {
  home: string;
  language: Language;
  /** An agent's name, by its id. */
  nameOf(agentId: string): string;
}

function staleNote(
  { grants, until, unused_days }: StaleBatch<Grant>,
  { home, language, nameOf }: NoteSettings,
): ChannelNote {
  const words = WORDS[language];
  const named = grants.slice(0, GRANTS_NAMED).map(({ capability, target, agent }) => {
    const who = agent === null ? words.allAgents : nameOf(agent);
    return visible(`${capability} ${shortened(shortenHome(target, home), TARGET_WIDTH)} (${who})`);
  });
  const more = grants.length - named.length;
  const date = new Date(until).toLocaleDateString(words.locale, { day: "numeric", month: "long" });
  return {
    kind: "stale",
    is_urgent: false,
    title: words.title(grants.length, unused_days),
    lines: [...named, ...(more > 0 ? [words.others(more)] : []), words.undo(date, ownCommand("policy restore-stale"))],
  };
}

function staleRecord({ grants, unused_days }: StaleBatch<Grant>, ts: number): AuditRecord {
  const grantIds = grants.slice(0, IDS_RECORDED).map(({ id }) => id);
  return { event: "grants.stale", ts, count: grants.length, unused_days, grant_ids: grantIds };
}
