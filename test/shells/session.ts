import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Excess, excessOf } from "./check.ts";
import { type Allowed, type Decider, openDecider } from "./decide.ts";
import { buildWorld, type World, WorldCopy } from "./project.ts";
import { type Run, runLine, type Shell } from "./run.ts";

/** Decides on lines, runs those that are allowed, and compares the two. */

export interface Line {
  text: string;
  /** Below the project; left out: the project itself. */
  cwd?: string | undefined;
}

export interface Violation {
  line: Line;
  shell: Shell;
  setting: string;
  needs: string;
  excess: Excess[];
  output: string;
}

export interface Report {
  lines: number;
  /** How many were allowed without asking, and so run in each of the shells. */
  allowed: number;
  /** The same by the setting that allowed it. */
  allowedBy: Record<string, number>;
  runs: Partial<Record<Shell, number>>;
  timedOut: number;
  violations: Violation[];
}

/** Known by access times, which other programs change as well. */
const isByAccessTime = ({ kind }: Excess): boolean => kind === "read" || kind === "listed";

/** As many as the machine has to have processors: one run keeps one of them busy. */
const AT_ONCE = 2;

export class ShellSession {
  readonly world: World;
  readonly #decider: Decider;
  readonly #copies: WorldCopy[] = [];

  /** Everything is in `root`, an empty folder under its real path. */
  constructor(root: string) {
    this.world = buildWorld(root);
    const state = join(root, "state");
    mkdirSync(state);
    this.#decider = openDecider(this.world.home, this.world.project, state);
    for (let index = 0; index < AT_ONCE; index++) this.#copies.push(new WorldCopy(this.world, `copy-${index}`));
  }

  /** `shells` are those that a line is run in; `onLine` is called after each line. */
  async run(
    lines: readonly Line[],
    shells: (index: number) => readonly Shell[],
    onLine?: (report: Report) => void,
  ): Promise<Report> {
    const report: Report = { lines: 0, allowed: 0, allowedBy: {}, runs: {}, timedOut: 0, violations: [] };
    let next = 0;
    const work = async (copy: WorldCopy) => {
      for (let index = next++; index < lines.length; index = next++) {
        const line = lines[index];
        if (line === undefined) return;
        const allowed = this.decide(line);
        report.lines++;
        if (allowed !== null) {
          report.allowed++;
          report.allowedBy[allowed.setting] = (report.allowedBy[allowed.setting] ?? 0) + 1;
          for (const shell of shells(index)) {
            const { run, violation } = await this.#check(line, shell, allowed, copy);
            report.runs[shell] = (report.runs[shell] ?? 0) + 1;
            if (run.isTimedOut) report.timedOut++;
            if (violation !== null) report.violations.push(violation);
          }
        }
        onLine?.(report);
      }
    };
    await Promise.all(this.#copies.map(work));
    return report;
  }

  decide({ text, cwd = "" }: Line): Allowed | null {
    // No program can be given it.
    if (text.includes("\0")) return null;
    return this.#decider.decide(text, join(this.world.project, cwd));
  }

  /** What a line does beyond everything below the project, whatever the gate thinks of it. */
  async harmOf(line: Line, shell: Shell): Promise<Excess[]> {
    const { project } = this.world;
    const below = { paths: [project], is_tree: true, isUnknown: false, shown: project };
    const needs = ["fs:read", "fs:write"].map((capability) => ({ capability, ...below }));
    const [copy] = this.#copies;
    if (copy === undefined) throw new Error("there is no copy of the world");
    const run = await runLine(line.text, join(project, line.cwd ?? ""), shell, copy);
    return excessOf(run, { setting: "everything below the project", needs }, line.text, this.world);
  }

  async #check(line: Line, shell: Shell, allowed: Allowed, copy: WorldCopy) {
    const run: Run = await runLine(line.text, join(this.world.project, line.cwd ?? ""), shell, copy);
    let excess = excessOf(run, allowed, line.text, this.world);
    // Another program may read a file, and the system may note it late: what the line itself does, it does each time.
    for (let times = 0; times < 3 && excess.length > 0 && excess.every(isByAccessTime); times++) {
      const again = await runLine(line.text, join(this.world.project, line.cwd ?? ""), shell, copy);
      const found = excessOf(again, allowed, line.text, this.world);
      excess = excess.filter((one) => found.some(({ kind, what }) => kind === one.kind && what === one.what));
    }
    if (excess.length === 0) return { run, violation: null };
    const needs = allowed.needs.map(({ capability, shown }) => `${capability} ${shown}`).join(", ");
    const violation: Violation = { line, shell, setting: allowed.setting, needs, excess, output: run.output };
    return { run, violation };
  }

  /** The violation of a shorter line that shows the same kind of excess in the same shell, as far as few runs find one. */
  async shrink(violation: Violation, maxRuns = 40): Promise<Violation> {
    const [copy] = this.#copies;
    const kind = violation.excess[0]?.kind;
    if (copy === undefined) return violation;
    let best = violation;
    let left = maxRuns;
    for (let size = Math.ceil(pieces(best.line.text).length / 2); size >= 1 && left > 0; ) {
      const shorter = await this.#firstShorter(best, size, kind, copy, () => left-- > 0);
      if (shorter !== null) best = shorter;
      else size = size === 1 ? 0 : Math.ceil(size / 2);
    }
    return best;
  }

  async #firstShorter(
    { line, shell }: Violation,
    size: number,
    kind: Excess["kind"] | undefined,
    copy: WorldCopy,
    mayRun: () => boolean,
  ): Promise<Violation | null> {
    const parts = pieces(line.text);
    for (let at = 0; at < parts.length; at += size) {
      const shorter = { ...line, text: [...parts.slice(0, at), ...parts.slice(at + size)].join("") };
      const allowed = this.decide(shorter);
      if (allowed === null) continue;
      if (!mayRun()) return null;
      const { violation } = await this.#check(shorter, shell, allowed, copy);
      if (violation?.excess.some((one) => one.kind === kind)) return violation;
    }
    return null;
  }

  close(): void {
    this.#decider.close();
  }
}

function pieces(text: string): string[] {
  return text.match(/\w+|\s+|[^\w\s]/g) ?? [];
}
