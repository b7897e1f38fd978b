import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Files that take longest, in the order of that: where they come last, one worker is busy with them while the others have nothing left. None
 * of real clients: two files of the same one at once would each find the other's processes.
 */
const LONGEST = [
  "test/box/hostile/hostile.test.ts",
  "test/shell-reading/records/looking.test.ts",
  "test/reliability/crash.test.ts",
  "test/records/audit/random-edits.test.ts",
  "test/mutation/mutants.test.ts",
  "test/shell-reading/records/records.test.ts",
  "test/box/narrow/coding-steps.test.ts",
  "test/box/narrow/hostile-later.test.ts",
  "test/box/narrow/held-lines.test.ts",
  "test/shells/shells.test.ts",
  "test/box/ordinary-life.test.ts",
];

/** Among the files of each project the longest ones first. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLast = ({ project }: TestSpecification) => project.name === "unit";
    const rank = ({ moduleId }: TestSpecification) => {
      const index = LONGEST.indexOf(relative(this.ctx.config.root, moduleId));
      return index === -1 ? LONGEST.length : index;
    };
    const projects = [...new Set(sorted.map(({ project }) => project.name))];
    const place = (spec: TestSpecification) =>
      // The last project's longest ones have all of the others' time.
      isLast(spec) && rank(spec) < LONGEST.length ? -1 : projects.indexOf(spec.project.name);
    return sorted.sort((one, other) => place(one) - place(other) || rank(one) - rank(other));
  }
}
