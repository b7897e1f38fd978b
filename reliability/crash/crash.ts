import { mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Seeded } from "../../fuzz/seeded.ts";
import type { GatePaths } from "../../ipc/base/paths.ts";
import { removeFolder } from "../../main/base/files/remove-folder.ts";
import { CrashHome } from "./home.ts";
import { count, type Violation } from "./ledger.ts";
import { drawMoment, type Moment } from "./moment.ts";
import type { ReceiptSteps } from "./receipts.ts";

/** Gates are killed at seeded random moments under load, and the state that their successors report is checked. */

/** A home is given up after so many rounds, or with so many requests: each start reads and lists all of it. */
const ROUNDS_PER_HOME = 40;
const MAX_REQUESTS = 700;

export interface CrashOptions {
  rounds: number;
  seed: number;
  launcher?: string | undefined;
  /** Folder for the homes, and for the compiled code of all gates; left out: one that is removed at the end. */
  root?: string;
  /** When each gate is killed; left out: at random. */
  moment?: (random: Seeded) => Moment;
  /** Called once a gate was killed, before the next one starts: to damage its files, for a test of the check itself. */
  tamper?: (paths: GatePaths, round: number) => void;
  progress?: (round: number, report: CrashReport) => void;
}

export interface CrashReport {
  rounds: number;
  seed: number;
  /** Rounds by how the gate was killed. */
  moments: Map<Moment["kind"], number>;
  violations: (Violation & { round: number })[];
  /** Acts that were acknowledged, calls whose decision was checked: each by its kind. */
  acknowledged: Map<string, number>;
  checked: Map<string, number>;
  decisionsReceived: number;
  requests: number;
  startsMs: number[];
  receipts: number;
  checkpointsCompared: number;
  /** How far receipts had come at each kill. */
  receiptSteps: ReceiptSteps[];
}

/** Runs the rounds one after the other. What is found is in the report; throws only where the driver itself fails. */
export async function crash(options: CrashOptions): Promise<CrashReport> {
  if (options.root !== undefined) return await crashIn(options.root, options);
  const root = realpathSync(mkdtempSync(join(tmpdir(), "metnos-crash-")));
  try {
    return await crashIn(root, options);
  } finally {
    removeFolder(root);
  }
}

async function crashIn(
  root: string,
  { rounds, seed, launcher, moment: draw = drawMoment, tamper, progress }: CrashOptions,
): Promise<CrashReport> {
  const report: CrashReport = {
    rounds: 0,
    seed,
    moments: new Map(),
    violations: [],
    acknowledged: new Map(),
    checked: new Map(),
    decisionsReceived: 0,
    requests: 0,
    startsMs: [],
    receipts: 0,
    checkpointsCompared: 0,
    receiptSteps: [],
  };
  while (report.rounds < rounds) {
    const home = new CrashHome({ root, launcher });
    try {
      await home.prepare(new Seeded(seed));
      const last = Math.min(rounds, report.rounds + ROUNDS_PER_HOME);
      while (report.rounds < last && home.ledger.requests.size < MAX_REQUESTS) {
        const round = ++report.rounds;
        const random = new Seeded(seed + round);
        const moment = draw(random);
        count(report.moments, moment.kind);
        await home.round(random, moment);
        collect(report, home, round);
        tamper?.(home.paths, round);
        progress?.(round, report);
      }
      await home.finish();
      collect(report, home, report.rounds);
      addTotals(report, home);
    } finally {
      await home.remove();
    }
  }
  return report;
}

function collect(report: CrashReport, { ledger }: CrashHome, round: number): void {
  report.violations.push(...ledger.violations.splice(0).map((violation) => ({ ...violation, round })));
}

function addTotals(report: CrashReport, { ledger, startsMs, steps }: CrashHome): void {
  add(report.acknowledged, ledger.acknowledged);
  add(report.checked, ledger.checked);
  report.decisionsReceived += ledger.receivedCount;
  report.requests += ledger.requests.size;
  report.startsMs.push(...startsMs);
  report.receipts += ledger.receipts;
  report.checkpointsCompared += ledger.checkpointsCompared;
  report.receiptSteps.push(...steps);
}

function add(sums: Map<string, number>, counts: ReadonlyMap<string, number>): void {
  for (const [key, number] of counts) sums.set(key, (sums.get(key) ?? 0) + number);
}
