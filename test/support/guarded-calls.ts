import { pathTarget } from "@metnos-gate/shell-reading";
import { gatePaths } from "../../ipc/base/paths.ts";
import type { Level, Outcome } from "../../ipc/contract/decision.ts";
import { choicesFor } from "../../main/calls/approvals/choices.ts";
import { ExecutorCatalog } from "../../main/decide/executors/catalog.ts";
import type { GrantStore } from "../../main/decide/grants/store.ts";
import { guard } from "../../main/decide/guard/guard.ts";
import { decisionOf, examineCall } from "../../main/decide/pipeline.ts";
import type { GuardEnv } from "../../main/decide/places/call-environment.ts";
import { withFurtherNeeds } from "../../main/decide/places/further-needs.ts";
import { GateFiles } from "../../main/decide/places/gate-files.ts";
import type { ResolvedRequirement } from "../../main/targets/target.ts";

/** Where the gate's program is in these tests: not where the tests themselves are. */
const PROGRAM = "/opt/gate-of-the-tests";

const CATALOG = new ExecutorCatalog();

export interface World {
  home: string;
  cwd?: string;
  env?: GuardEnv;
  level?: Level;
  grants?: GrantStore;
  program?: string;
}

export interface Decided {
  outcome: Outcome;
  stage: string;
  reason: string;
  needs: ResolvedRequirement[];
  /** The scopes of the answers that the operator is offered. */
  scopes: string[];
}

/** The whole pipeline's decision of a call, before the operator is asked. At Full, unless given otherwise. */
export function decided(world: World, executor: string, args: Record<string, unknown>): Decided {
  const { home, cwd, env, level = "Full", grants = null, program = PROGRAM } = world;
  const call = { intent: "", executor, args, ...(cwd === undefined ? {} : { context: { cwd } }) };
  const subject = { agent: null, level, principal: { channel: "local", sender_id: "roberto" } };
  const gateFiles = new GateFiles(gatePaths({ HOME: home }), home, [program]);
  const settings = { home, env, grants, gateFiles, pause: null, judge_threshold: 0, now: Date.now };
  const examined = examineCall(call, subject, CATALOG, settings);
  const { outcome, stage, reason } = decisionOf(examined);
  const { needs = [] } = examined.x;
  return { outcome, stage, reason, needs: [...needs], scopes: choicesFor(needs, { home }).map(({ scope }) => scope) };
}

/** A need on a path, as a tool or a command line has it. */
export function onPath(
  capability: "fs:read" | "fs:write",
  path: string,
  more: { is_tree?: boolean; access?: "list" | "delete"; copied_from?: string } = {},
): ResolvedRequirement {
  const { is_tree = false, ...rest } = more;
  return { capability, target: pathTarget(path, "/nowhere", undefined, is_tree), ...rest };
}

/** The outcome of these needs, whichever call has them: `denied` by the guard, `asked` each time as running code, or `free` to be granted. */
export function fateOf(
  needs: readonly ResolvedRequirement[],
  { home, cwd, env, program = PROGRAM }: World,
): "denied" | "asked" | "free" {
  const all = withFurtherNeeds(needs, { home, cwd, env });
  const call = { intent: "", executor: "fs_write", args: {}, ...(cwd === undefined ? {} : { context: { cwd } }) };
  const gateFiles = new GateFiles(gatePaths({ HOME: home }), home, [program]);
  if (guard(call, CATALOG.find("fs_write", "generic"), all, { home, env, gateFiles }) !== null) return "denied";
  return all.some(({ capability }) => capability === "code:exec") ? "asked" : "free";
}
