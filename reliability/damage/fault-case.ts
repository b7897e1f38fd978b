import { dirname, join } from "node:path";
import { type FailingDisk, makeFailingDisk } from "../failing-disk.ts";
import { isCounted, lifeOf, namesOf, onlyLater, RunningLife } from "./damage-case.ts";
import type { FaultOutcome } from "./fault-outcomes.ts";
import { DISK_FAULTS, type DiskFault, Ext4Disk, FILE_FAULTS, type FileFault, faultsOf } from "./faults.ts";
import { type Column, FILES, type GateFile } from "./files.ts";
import { hasCrashed, type Life } from "./observation.ts";
import type { PreparedHomes } from "./prepared-homes.ts";

/** A disk that fails while a gate runs, for one file or as a whole: acts, a kill, a repaired disk, and another start. */

export type FaultCase = { file: GateFile; kind: FileFault } | { file: undefined; kind: DiskFault };

/** What is beside a database fails with it; a socket is no file that is written. */
const WITHOUT_FAULTS: ReadonlySet<Column> = new Set(["database-wal", "database-shm", "socket", "other"]);

export const FAULT_CASES: readonly FaultCase[] = [
  ...FILES.filter(({ column }) => !WITHOUT_FAULTS.has(column)).flatMap((file) =>
    (Object.keys(FILE_FAULTS) as FileFault[]).map((kind) => ({ file, kind })),
  ),
  ...DISK_FAULTS.map((kind) => ({ file: undefined, kind })),
];

export function faultNameOf({ file, kind }: FaultCase): string {
  return `${file === undefined ? "the whole disk" : file.name}, ${kind}, while running`;
}

export interface FaultObservation {
  /** On the failing disk, and after its repair. */
  failing: Life;
  after: Life;
  lost: string[];
  /** How many of the gate's files could not be written. */
  hits: number;
}

export type FaultResult = { skipped: string } | { outcome: FaultOutcome; observation: FaultObservation };

/** What can be made to fail: a whole disk, or files. */
interface Failing {
  env: NodeJS.ProcessEnv;
  home: string;
  fail(): void;
  heal(): void;
  hits(): number;
  remove(): void;
}

export async function runFault(fault: FaultCase, homes: PreparedHomes): Promise<FaultResult> {
  let failing: Failing;
  try {
    failing = fault.file === undefined ? wholeDisk(fault.kind, homes) : oneFile(fault.file, fault.kind, homes);
  } catch (error) {
    return { skipped: error instanceof Error ? error.message.trim().replaceAll("\n", "; ") : String(error) };
  }
  const { home } = failing;
  const runAs = { ...homes.runAs, env: failing.env };
  const known = structuredClone(homes.known);
  const file = fault.file ?? monthOfTrail();
  const names = faultNames(fault, home);
  try {
    const running = await RunningLife.begin(home, runAs, known);
    const before = structuredClone(known);
    failing.fail();
    const life = await running.goOnUntilKilled((alarm) => isAlarmOf(alarm, names));
    failing.heal();
    const after = await lifeOf(home, runAs, known, file);
    const later = onlyLater(after.missing, before);
    const lost = later.filter((item) => !isCounted(item, [life, after]));
    // What is counted must be said while the gate that lost it runs.
    if (later.length > lost.length && life.verify_problems.length === 0) lost.push("verify said ok");
    const observation = { failing: life, after, lost, hits: failing.hits() };
    return { outcome: faultOutcomeOf(observation, names), observation };
  } finally {
    failing.remove();
  }
}

function monthOfTrail(): GateFile {
  const file = FILES.find(({ column }) => column === "month of the trail");
  if (file === undefined) throw new Error("no trail");
  return file;
}

function faultNames({ file, kind }: FaultCase, home: string): string[] {
  if (file === undefined) return [kind === "ext4 aborted" ? "trail_unwritable" : "the disk is full"];
  const more: Partial<Record<Column, string[]>> = {
    "kept-pauses": ["a restart would forget it"],
    "agent's token": [dirname(file.path(home))],
  };
  const ofFull = kind === "no room" ? ["the disk is full"] : [];
  return [...namesOf(file, home), ...(more[file.column] ?? []), ...ofFull];
}

/** A judge's says where its address is written: it is about no file. */
function isAlarmOf(text: string, names: readonly string[]): boolean {
  return (
    text.startsWith("alarm ") &&
    !text.startsWith("alarm judge_unavailable ") &&
    names.some((name) => text.includes(name))
  );
}

export function faultOutcomeOf(
  { failing, after, lost, hits }: FaultObservation,
  names: readonly string[],
): FaultOutcome {
  if ([failing, after].some(({ state }) => state === "hangs")) return "hang";
  if ([failing, after].some((life) => hasCrashed(life) || life.ended_by_itself)) return "crash";
  if (failing.raw.length + after.raw.length > 0) return "raw";
  if (after.state !== "serving") return "no start";
  if (lost.length > 0) return "lost";
  if (failing.messages.some((text) => isAlarmOf(text, names)))
    return failing.verify_problems.length > 0 ? "alarm and verify" : "alarm";
  const said = failing.messages.filter((text) => !text.startsWith("alarm "));
  if (said.some((text) => names.some((name) => text.includes(name)))) return "refused";
  return hits === 0 ? "not written" : "harmless";
}

let diskNumber = 0;

function wholeDisk(kind: DiskFault, homes: PreparedHomes): Failing {
  const disk = Ext4Disk.mount(join(homes.root, `disk-${diskNumber++}`));
  const { home, material } = homes.caseHome(disk.folder);
  disk.sync();
  return {
    env: {},
    home,
    fail: () => disk.fail(kind),
    heal: () => disk.heal(),
    hits: () => 1,
    remove() {
      disk.remove();
      homes.forget({ home, material });
    },
  };
}

function oneFile(file: GateFile, kind: FileFault, homes: PreparedHomes): Failing {
  const disk: FailingDisk = makeFailingDisk(homes.makeFolder(`library-${diskNumber++}`));
  const made = homes.caseHome();
  return {
    env: disk.env,
    home: made.home,
    fail: () => disk.fail(...faultsOf(file, made.home, kind)),
    heal: () => disk.fail(),
    hits: () => disk.hits().length,
    remove: () => homes.forget(made),
  };
}
