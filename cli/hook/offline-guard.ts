import { parse } from "smol-toml";
import { type Env, type GatePaths, gatePaths, homeFolder } from "../../ipc/base/paths.ts";
import { readRegularFile } from "../../ipc/base/regular-file.ts";
import type { AgentKind } from "../../ipc/contract/agent-kind.ts";
import type { ProposedCall } from "../../ipc/contract/wire.ts";
import { guardWithNames } from "../../main/decide/description/named-danger.ts";
import { ExecutorCatalog, loadOwnExecutors } from "../../main/decide/executors/catalog.ts";
import { needsOf } from "../../main/decide/executors/needs.ts";
import type { GuardBlock } from "../../main/decide/guard/guard.ts";
import { configuredFiles } from "../../main/decide/places/configured-files.ts";
import { GateFiles } from "../../main/decide/places/gate-files.ts";

/** The gate's guard for when no gate can be asked: what is never allowed isn't allowed then either. */

/** The guard's finding for a call, or null where it denies nothing. There are no rules here. */
export function guardedOffline(call: ProposedCall, agent: AgentKind, env: Env): GuardBlock | null {
  const paths = pathsFor(env);
  const home = homeFolder(env);
  const executor = catalogFor(paths).find(call.executor, agent);
  const needs = needsOf(call, executor, home, env);
  return guardWithNames(call, executor, needs, { home, env, gateFiles: new GateFiles(paths, home) });
}

/** With the files that the configuration names, where the configuration can be read: no gate starts with one that can't. */
function pathsFor(env: Env): GatePaths {
  const paths = gatePaths(env);
  try {
    return { ...paths, ...configuredFiles(parse(readRegularFile(paths.configFile))) };
  } catch {
    return paths;
  }
}

/** With the user's manifests, where they can be read: they may describe a name as one that runs commands. */
function catalogFor(paths: GatePaths): ExecutorCatalog {
  try {
    return new ExecutorCatalog(loadOwnExecutors(paths.executorsDir));
  } catch {
    return new ExecutorCatalog(); // no gate starts with these manifests; what they describe counts as running code here
  }
}
