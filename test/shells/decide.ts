import { join } from "node:path";
import { gatePaths, localPrincipal } from "../../ipc/base/paths.ts";
import { systemClock } from "../../main/base/clocks/system-clock.ts";
import { openDatabase } from "../../main/base/sqlite/database.ts";
import { grantsSchema } from "../../main/core/storage/grants-schema.ts";
import { ExecutorCatalog } from "../../main/decide/executors/catalog.ts";
import { GrantStore } from "../../main/decide/grants/store.ts";
import { examineCall } from "../../main/decide/pipeline.ts";
import { GateFiles } from "../../main/decide/places/gate-files.ts";
import type { ResolvedRequirement } from "../../main/targets/target.ts";

/** The only file of these tests that knows the gate from the inside: what it decides on a command line. */

/** One part of what an allowed line may touch. */
export interface AllowedNeed {
  capability: string;
  /** The path as it is written, made absolute, and where its links lead. Empty where it isn't a path. */
  paths: readonly string[];
  /** Everything below the paths as well. */
  is_tree: boolean;
  /** The target is unknown to the gate, and it allows it nevertheless (Full). */
  isUnknown: boolean;
  shown: string;
}

export interface Allowed {
  /** The first of SETTINGS that allowed it without asking. */
  setting: string;
  needs: readonly AllowedNeed[];
}

export interface Decider {
  /** Null: no setting allows the line without asking. */
  decide(line: string, cwd: string): Allowed | null;
  close(): void;
}

/** The settings that a line is decided at; with `grants` these are the ones that an approval's choices offer for a project. */
const SETTINGS = [
  { name: "ReadOnly", level: "ReadOnly", grants: false },
  { name: "Supervised", level: "Supervised", grants: false },
  { name: "Supervised with grants on the project", level: "Supervised", grants: true },
  { name: "Full", level: "Full", grants: false },
] as const;

/** A decider whose database is in `stateFolder`; the project's grants are on `project` and below. */
export function openDecider(home: string, project: string, stateFolder: string): Decider {
  const principal = localPrincipal();
  const db = openDatabase(join(stateFolder, "grants.db"), grantsSchema(home));
  const emptyDb = openDatabase(join(stateFolder, "no-grants.db"), grantsSchema(home));
  const granted = new GrantStore(db, home, systemClock);
  for (const capability of ["fs:read", "fs:write"] as const) {
    granted.recordGrant({ ...principal, capability, target: `${project}/**` });
  }
  const without = new GrantStore(emptyDb, home, systemClock);
  const shared = {
    home,
    gateFiles: new GateFiles(gatePaths({ HOME: home }), home),
    pause: null,
    judge_threshold: 0.3,
    now: Date.now,
  };
  const catalog = new ExecutorCatalog();
  return {
    decide(line, cwd) {
      const call = { intent: "", executor: "Bash", args: { command: line }, context: { cwd, session: "shells" } };
      for (const { name, level, grants } of SETTINGS) {
        const subject = { agent: null, level, session: "shells", principal };
        const settings = { ...shared, grants: grants ? granted : without };
        const { x, denial } = examineCall(call, subject, catalog, settings);
        if (denial === null && x.outcome === "allowed") return { setting: name, needs: x.needs.map(allowedNeed) };
      }
      return null;
    },
    close() {
      db.close();
      emptyDb.close();
    },
  };
}

function allowedNeed({ capability, target }: ResolvedRequirement): AllowedNeed {
  const plain = { capability, paths: [], is_tree: false, isUnknown: false };
  switch (target.kind) {
    case "path": {
      const { lexical, real, is_tree } = target;
      const paths = real === null || real === lexical ? [lexical] : [lexical, real];
      return { ...plain, paths, is_tree, shown: is_tree ? `${lexical}/**` : lexical };
    }
    case "host":
      return { ...plain, shown: target.host };
    case "exact":
      return { ...plain, shown: target.value };
    case "unknown":
      return { ...plain, isUnknown: true, shown: `? ${target.shown}` };
    case "none":
      return { ...plain, shown: "" };
  }
}
