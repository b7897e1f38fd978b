import { StaleGrants } from "../decide/grants/stale.ts";
import { staleNote, staleRecord } from "./stale-note.ts";
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
    after_days: config.grants.stale_after_days,
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
