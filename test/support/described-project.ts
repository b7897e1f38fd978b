import { mkdirSync, writeFileSync } from "node:fs";
import type { Description } from "../../ipc/contract/description.ts";
import { describe } from "../../main/decide/description/describe.ts";
import { examinationOf } from "./examinations.ts";
import { makeReadingProject } from "./reading-project.ts";

/** A home with a project in it: files that git holds, and files that it doesn't (`build/`, `notes.txt`, `.env`). Needs git. */
export interface DescribedProject {
  home: string;
  cwd: string;
  describe(executor: string, args: Record<string, unknown>): Description;
}

export function describedProject(home: string): DescribedProject {
  const cwd = `${home}/project`;
  mkdirSync(cwd);
  makeReadingProject(cwd);
  mkdirSync(`${cwd}/build/sub`, { recursive: true });
  for (const name of ["build/a.js", "build/sub/b.js", "notes.txt", ".env"]) writeFileSync(`${cwd}/${name}`, "x\n");
  return {
    home,
    cwd,
    describe: (executor, args) => describe(examinationOf({ executor, args, context: { cwd }, settings: { home } })),
  };
}
