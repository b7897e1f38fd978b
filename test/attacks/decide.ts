import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import type { Capability, Decision, Level } from "../../ipc/contract/decision.ts";
import type { ProposedCall } from "../../ipc/contract/wire.ts";
import { systemClock } from "../../main/base/clocks/system-clock.ts";
import { openDatabase } from "../../main/base/sqlite/database.ts";
import { configSchema } from "../../main/config/config.ts";
import { grantsSchema } from "../../main/core/storage/grants-schema.ts";
import { ExecutorCatalog } from "../../main/decide/executors/catalog.ts";
import { type ManifestSource, manifestSchema } from "../../main/decide/executors/manifest.ts";
import { GrantStore } from "../../main/decide/grants/store.ts";
import { decisionOf, examineCall } from "../../main/decide/pipeline.ts";
import { GateFiles } from "../../main/decide/places/gate-files.ts";
import type { Got, Setting, ToolCall } from "./row.ts";
import type { World } from "./world.ts";

/** The real pipeline on a call in a world: the one place that knows the core's parts. */

const LEVELS: Readonly<Record<Setting, Level>> = {
  readonly: "ReadOnly",
  supervised: "Supervised",
  granted: "Supervised",
  full: "Full",
};

const PRINCIPAL = { channel: "local", sender_id: "me" } as const;

/** The user's manifest for a tool of an MCP server that writes files. */
const OWN_EXECUTORS: readonly ManifestSource[] = [
  {
    name: "mcp__files__put",
    needs: [{ capability: "fs:write", target: { from: "path", arg: "path" } }],
    args_schema: { type: "object" },
    content_args: ["content"],
    verb: { en: "write", it: "scriva" },
    critical: true,
  },
];

const CATALOG = new ExecutorCatalog(OWN_EXECUTORS.map((source) => manifestSchema.parse(source)));

export interface Decided {
  got: Got;
  stage: Decision["stage"];
  reason: string;
}

export interface Decider {
  decide(call: ProposedCall, setting: Setting, grants: readonly string[]): Decided;
  /** At Full with grants as well: none of them may lift what is asked there. */
  decideAtFull(call: ProposedCall, grants: readonly string[]): Decided;
  close(): void;
}

/** What the guard keeps for the gate in this world; a guard that knows the gate's program gets `programPaths`. */
function gateFilesOf({ paths, home, programPaths }: World): GateFiles {
  return new GateFiles(paths, home, programPaths);
}

export function deciderFor(world: World): Decider {
  const { home } = world;
  const gateFiles = gateFilesOf(world);
  const databases: ReturnType<typeof openDatabase>[] = [];
  const stores = new Map<string, GrantStore>();

  function storeWith(grants: readonly string[]): GrantStore {
    const key = grants.join("\n");
    const before = stores.get(key);
    if (before !== undefined) return before;
    const folder = mkdtempSync(join(process.env.HOME ?? home, "g-"));
    const database = openDatabase(join(folder, "grants.db"), grantsSchema(home));
    databases.push(database);
    const store = new GrantStore(database, home, systemClock);
    for (const grant of grants) {
      const [capability = "", target = ""] = grant.replaceAll("{home}", home).split(" ");
      store.recordGrant({ ...PRINCIPAL, capability: capability as Capability, target });
    }
    stores.set(key, store);
    return store;
  }

  function decideAt(call: ProposedCall, level: Level, grants: readonly string[]): Decided {
    const settings = {
      home,
      grants: storeWith(grants),
      pause: null,
      gateFiles,
      env: world.gateEnv,
      judge_threshold: configSchema.parse({}).judge.threshold,
      now: Date.now,
    };
    const examined = examineCall(call, { agent: null, level, principal: PRINCIPAL }, CATALOG, settings);
    const { outcome, stage, reason } = decisionOf(examined);
    return { got: outcome === "approval_required" ? "asked" : outcome, stage, reason };
  }

  return {
    decide: (call, setting, grants) => decideAt(call, LEVELS[setting], setting === "granted" ? grants : []),
    decideAtFull: (call, grants) => decideAt(call, "Full", grants),
    close: () => {
      for (const database of databases) database.close();
    },
  };
}

/** The call as an agent in `cwd` (below the home folder) would send it; `{home}` is the home folder. */
export function proposed(world: World, { executor, args }: ToolCall, cwd = "proj"): ProposedCall {
  return { intent: "", executor, args: withHome(args, world.home), context: { cwd: join(world.home, cwd) } };
}

function withHome(args: ToolCall["args"], home: string): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [
      name,
      typeof value === "string" ? value.replaceAll("{home}", home) : value,
    ]),
  );
}
