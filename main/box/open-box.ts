import { randomBytes } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { GateError } from "../../ipc/gate-error.ts";
import type { ConfinedRun } from "../gate/confinement/box.ts";
import { commonArguments } from "./arguments/bubblewrap.ts";
import { limitCommands } from "./arguments/limits.ts";
import { findMachine, type Machine } from "./arguments/machine.ts";
import { systemCallFilter } from "./arguments/system-calls.ts";
import { type BoxFolder, openBoxFolder } from "./box-folder.ts";
import type { BoxServiceParts, Problem } from "./box-service.ts";
import type { BoxNetwork, RunNetwork } from "./network/box-network.ts";
import { probeBox } from "./probe.ts";
import { AfterRuns } from "./project/after-runs.ts";
import { Places, TooLarge } from "./project/places.ts";
import { earlierRunsEnd } from "./runs/earlier-runs.ts";
import { Launcher } from "./runs/launcher.ts";
import { RunPlan, type RunPlanParts } from "./runs/run-plan.ts";
import { Runs } from "./runs/runs.ts";
import { SlotPool } from "./runs/slots.ts";

/** Looking again takes as long as it did. */
const STAYS_TOO_LARGE_MS = 3_600_000;

/** A box that was found to confine, and what of this machine its runs need. */
export class OpenBox {
  readonly folder: BoxFolder;
  readonly runs: Runs;
  readonly has_network: boolean;
  readonly #prefix: string;
  readonly #launcher: Launcher;
  readonly #slots: SlotPool;
  readonly #network: BoxNetwork | undefined;
  readonly #plan: RunPlanParts;
  readonly #failed: BoxServiceParts["failed"];
  /** Projects, until when they count as too large. */
  readonly #too_large = new Map<string, number>();

  constructor(parts: BoxServiceParts, machine: Machine, made: Made) {
    const { clock, alarms, audit, failed } = parts;
    const { folder, prefix, launcher, slots, network } = made;
    const places = new Places();
    const after = new AfterRuns({ folder, places, clock, alarms, audit, failed });
    const stateOf = (agent_id: string) => parts.stateOf(agent_id);
    this.folder = folder;
    this.#prefix = prefix;
    this.#launcher = launcher;
    this.#slots = slots;
    this.#network = network;
    this.has_network = network !== undefined;
    this.#failed = failed;
    this.#plan = { machine, places, after, stateOf, openNetwork: (run) => wayOf(run, network) };
    this.runs = new Runs({ folder, slots, failed });
  }

  /** The words that start a run. @throws GateError `box_unavailable`, or the system's error */
  prepare(run: ConfinedRun): { argv: readonly string[] } {
    this.#launcher.check();
    return this.runs.prepare(run, this.#planOf(run));
  }

  isTooLarge(project: string): boolean {
    return performance.now() < (this.#too_large.get(project) ?? 0);
  }

  /** Of a gate that has ended: what its runs leave is looked at when they end. Resolves once they have. */
  async lookAfterEarlier(signal: AbortSignal): Promise<void> {
    const { after } = this.#plan;
    try {
      const earlier = after.takeOver();
      await earlierRunsEnd(this.folder.path, this.#prefix, signal);
      if (!signal.aborted) await after.ended(earlier);
    } catch (error) {
      this.#failed("looking after an earlier gate's commands", error);
    }
  }

  /** Nothing starts any more; what runs continues, confined. */
  close(): void {
    this.runs.close();
    this.#plan.after.close();
    this.#network?.close();
    this.#slots.close();
  }

  #planOf(run: ConfinedRun): RunPlan {
    try {
      return new RunPlan(this.#plan, run);
    } catch (error) {
      if (error instanceof TooLarge)
        this.#too_large.set(run.declaration.project, performance.now() + STAYS_TOO_LARGE_MS);
      throw error;
    }
  }
}

/** What is made on the disk for a box, and beside it. */
interface Made {
  folder: BoxFolder;
  /** Of this gate's pipes. */
  prefix: string;
  launcher: Launcher;
  slots: SlotPool;
  network: BoxNetwork | undefined;
}

type Opened = Problem & { version: string | null; open: OpenBox | undefined };

/** Makes a box and tries it. @throws the system's error where the gate's folder for it can't be used */
export async function openBox(parts: BoxServiceParts, closing: AbortSignal): Promise<Opened> {
  const { home, env, config, paths, gate_folders, failed } = parts;
  const folder = openBoxFolder(paths.state_dir);
  const machine = findMachine({ env, home, config, state_dir: paths.state_dir, gate_folders });
  const probed = await probeBox(machine);
  const none = { ...probed, open: undefined };
  // Of a gate that has ended nothing is written any more: the next one may be there already.
  if (closing.aborted || probed.problem !== null || machine.bubblewrap === null || machine.bash === null) return none;
  const prefix = randomBytes(4).toString("hex");
  const slots = new SlotPool(folder.path, prefix, (error) => failed("making pipes", error));
  await slots.begin();
  const network = await parts.network?.(folder.path);
  if (closing.aborted) {
    network?.close();
    slots.close();
    return none;
  }
  const launcher = new Launcher(folder);
  launcher.write({
    folder: folder.path,
    bubblewrap: machine.bubblewrap.path,
    bash: machine.bash,
    common: commonArguments(machine),
    limits: limitCommands(config),
    has_filter: writeFilter(folder),
  });
  return { ...probed, open: new OpenBox(parts, machine, { folder, prefix, launcher, slots, network }) };
}

/** Whether there is a filter of system calls for this processor. @throws the system's error */
function writeFilter(folder: BoxFolder): boolean {
  const filter = systemCallFilter();
  const file = join(folder.path, "system-calls");
  rmSync(file, { force: true });
  if (filter !== null) writeFileSync(file, filter, { mode: 0o600, flag: "wx" });
  return filter !== null;
}

function wayOf(run: ConfinedRun, network: BoxNetwork | undefined): RunNetwork {
  if (network !== undefined) return network.open(run);
  throw new GateError("box_unavailable", "a confined command has no way to hosts here", "run it outside the box");
}
