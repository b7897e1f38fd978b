import { homeFolder, type Places, placesFor } from "../../ipc/places.ts";
import type { ProposedCall } from "../../ipc/wire.ts";
import { ExecutorCatalog, loadOwnExecutors } from "../../main/gate/executors/catalog.ts";
import { needsOf } from "../../main/gate/executors/needs.ts";
import { GateFiles } from "../../main/gate/guard/gate-files.ts";
import { type GuardBlock, guard } from "../../main/gate/guard/guard.ts";

/** The gate's own guard for when no gate can be asked: what is never allowed isn't allowed then either. */

type Env = Readonly<Record<string, string | undefined>>;

/** What the guard says of a call, or null where it denies nothing. There are no rules here. */
export function guardedOffline(call: ProposedCall, env: Env): GuardBlock | null {
  const places = placesFor(env);
  const home = homeFolder(env);
  const executor = catalogFor(places).find(call.executor, "claude-code");
  const needs = needsOf(call, executor, home, env);
  return guard(call, executor, needs, { home, env, gate_files: new GateFiles(places, home) });
}

/** With the human's manifests, where they can be read: they may say of a name that it runs commands. */
function catalogFor(places: Places): ExecutorCatalog {
  try {
    return new ExecutorCatalog(loadOwnExecutors(places.executors_dir));
  } catch {
    return new ExecutorCatalog(); // no gate starts with these manifests; what they describe counts as running code here
  }
}
