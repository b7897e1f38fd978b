import { mkdirSync, mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type GatePaths, gatePaths } from "../ipc/base/paths.ts";
import { systemClock } from "../main/base/clocks/system-clock.ts";
import { removeFolder } from "../main/base/files/remove-folder.ts";
import { openDatabase } from "../main/base/sqlite/database.ts";
import { grantsSchema } from "../main/core/storage/grants-schema.ts";
import { GrantStore } from "../main/decide/grants/store.ts";
import { GateFiles } from "../main/decide/places/gate-files.ts";
import type { StageSettings } from "../main/decide/stages/examination.ts";
import { makeReadingProject } from "../test/support/reading-project.ts";

/** A home for calls that are decided on in this process: a project with a repository, and the grants' database. */
export interface SessionHome {
  /** Absolute and real. */
  home: string;
  /** The project. */
  cwd: string;
  paths: GatePaths;
  grants: GrantStore;
}

/** What such a call is examined with: no pause, and the judge's usual threshold. */
export function sessionSettings({ home, paths, grants }: SessionHome): StageSettings {
  return { home, grants, gateFiles: new GateFiles(paths, home), pause: null, judge_threshold: 0.3, now: Date.now };
}

/** Gives back what `decide` does with such a home, which is removed then. */
export function inSessionHome<T>(decide: (home: SessionHome) => T): T {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "metnos-session-")));
  const cwd = join(home, "project");
  mkdirSync(cwd);
  makeReadingProject(cwd);
  const paths = gatePaths({ HOME: home });
  mkdirSync(paths.state_dir, { recursive: true });
  const db = openDatabase(paths.grants_db, grantsSchema(home));
  try {
    return decide({ home, cwd, paths, grants: new GrantStore(db, home, systemClock) });
  } finally {
    db.close();
    removeFolder(home);
  }
}
