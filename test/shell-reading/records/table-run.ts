import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { Seeded } from "../../../fuzz/seeded.ts";
import type { ResolvedRequirement } from "../../../main/targets/target.ts";
import type { LineNeeds } from "../../../packages/shell-reading/clear/line-needs.ts";
import type { Program } from "../../../packages/shell-reading/programs/program.ts";
import { excessOf } from "./excess.ts";
import { linesOf, NEW, pairsOf } from "./spellings.ts";
import { environment, runTraced, type Shell, type ToRun } from "./traced.ts";
import { buildRecordWorld, type RecordWorld } from "./world.ts";

/** Asks the gate for each line of the table, runs those that are clear, and compares. */

type NeedsOfLine = (line: string, home: string, cwd: string) => LineNeeds;

export interface ClearRecordLine extends ToRun {
  needs: readonly ResolvedRequirement[];
  /** The new name in it. */
  fresh: string;
}

export interface TableReport {
  lines: number;
  clear: number;
  ran: number;
  excess: string[];
}

/** Lines of one sandbox: few enough that a trace is small, many enough that starting it costs nothing. */
const BATCH = 200;
const AT_ONCE = 2;

export const isClearable = ({ guard_only }: Program): boolean => guard_only !== true;

/** A program's own names, and those of git's subcommands as two words. */
export function namesOf(program: Program, isSubcommand: boolean): string[] {
  return program.names.map((name) => (isSubcommand ? `git ${name}` : name));
}

export class TableRun {
  readonly world: RecordWorld;
  readonly #root: string;
  #batches = 0;

  /** Everything is in `root`, an empty folder under its real path. */
  constructor(root: string) {
    this.#root = root;
    this.world = buildRecordWorld(root);
  }

  /** Every line of these programs, with pairs of options by the seed, and those among them that are clear. */
  clearLines(
    programs: readonly Program[],
    subcommands: readonly Program[],
    needsOfLine: NeedsOfLine,
    seed = 1,
  ): { lines: number; clear: ClearRecordLine[] } {
    const random = new Seeded(seed);
    const named = [
      ...programs.flatMap((program) => namesOf(program, false).map((name) => ({ program, name }))),
      ...subcommands.flatMap((program) => namesOf(program, true).map((name) => ({ program, name }))),
    ];
    const texts = named.flatMap(({ program, name }) => [...linesOf(program, name), ...pairsOf(program, name, random)]);
    const clear = texts.flatMap((text, index): ClearRecordLine[] => {
      const fresh = `fresh${index}`;
      const line = text.replaceAll(NEW, fresh);
      const { needs, unclear } = needsOfLine(line, this.world.home, this.world.project);
      if (unclear !== null) return [];
      const changes = needs.some(({ capability }) => capability === "fs:write");
      return [{ line, needs, fresh, changes }];
    });
    return { lines: texts.length, clear };
  }

  async run(clear: readonly ClearRecordLine[], shell: Shell): Promise<Omit<TableReport, "lines" | "clear">> {
    const report = { ran: 0, excess: [] as string[] };
    const batches = Array.from({ length: Math.ceil(clear.length / BATCH) }, (_, at) =>
      clear.slice(at * BATCH, (at + 1) * BATCH),
    );
    const work = async () => {
      for (let batch = batches.shift(); batch !== undefined; batch = batches.shift()) {
        const runs = await runTraced(batch, shell, this.world, join(this.#root, `batch-${this.#batches++}`));
        for (const [index, run] of runs.entries()) {
          const { needs, fresh } = batch[index] as ClearRecordLine;
          report.ran++;
          const excess = excessOf(run, needs, fresh, this.world);
          const said = needs.map(({ capability, target }) => `${capability} ${shownTarget(target)}`).join(", ");
          if (excess.length > 0)
            report.excess.push(
              `${run.line} is clear for [${said}], but: ${excess.join(", ")}`.replaceAll(this.world.home, "~"),
            );
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return report;
  }

  /** Programs that lines are clear of and this machine doesn't have. */
  absent(clear: readonly ClearRecordLine[]): string[] {
    const names = [...new Set(clear.map(({ line }) => line.split(" ")[0] ?? ""))];
    return names.filter((name) => {
      const args = ["-c", `command -v "$1"`, "dash", name];
      return spawnSync("dash", args, { env: environment(this.world) }).status !== 0;
    });
  }
}

function shownTarget(target: ResolvedRequirement["target"]): string {
  if (target.kind === "path") return target.is_tree ? `${target.lexical}/**` : target.lexical;
  return target.kind === "host" ? target.host : target.kind;
}
