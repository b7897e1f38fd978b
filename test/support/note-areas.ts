import { relative } from "node:path";
import type { Reporter, TestModule, Vitest } from "vitest/node";
import { AREAS, IS_EACH_FILE, noteAreas, testsOf } from "./areas.ts";

/** Notes the areas of which a run had every test file, and all passed. */
export default class NoteAreas implements Reporter {
  #root = "";

  onInit({ config }: Vitest): void {
    this.#root = config.root;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    if (!IS_EACH_FILE) return;
    const ended = Map.groupBy(modules, ({ moduleId }) => relative(this.#root, moduleId));
    const hasPassed = (path: string) => ended.get(path)?.every((module) => module.ok()) ?? false;
    const passed = AREAS.filter((area) => testsOf(this.#root, area).every(hasPassed));
    const failed = AREAS.filter((area) =>
      testsOf(this.#root, area).some((path) => ended.has(path) && !hasPassed(path)),
    );
    noteAreas(this.#root, passed, failed);
  }
}
