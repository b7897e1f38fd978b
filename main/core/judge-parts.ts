import { hiddenFromBoxes } from "../gate/guard/gate-files.ts";
import type { SessionDecisions } from "../gate/reviews/session-decisions.ts";
import type { JudgeParts } from "../judges/configured-judges.ts";
import type { Opened } from "./stores.ts";

export function judgeParts(
  { env, home, paths, clock, catalog, alarms, approvals, storage, failed }: Opened,
  decisions: SessionDecisions,
): JudgeParts {
  const gate_folders = hiddenFromBoxes(paths);
  const { db } = storage.opened.activity;
  return { env, home, paths, clock, catalog, alarms, approvals, decisions, db, gate_folders, failed };
}
