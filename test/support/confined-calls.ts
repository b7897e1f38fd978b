import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ProposedCall } from "../../ipc/contract/wire.ts";
import { ExecutorCatalog } from "../../main/decide/executors/catalog.ts";
import { confinementOfCall, decisionOf, examineCall, traceOf } from "../../main/decide/pipeline.ts";
import type { StageSettings, Subject } from "../../main/decide/stages/examination.ts";
import { PAIRED } from "./examinations.ts";
import { ROBERTO } from "./gate-stores.ts";
import { makeReadingProject } from "./reading-project.ts";
import { StandInBox } from "./stand-in-box.ts";
import { tempFolder } from "./temp-folder.ts";

/** A home with a project in it, and what becomes of command lines there. */
export interface ConfinedWorld {
  home: string;
  /** The project's root. */
  project: string;
  box: StandInBox;
  settings: StageSettings;
  subject: Subject;
}

/** @param home a folder of the test's own, real */
export function confinedWorld(home = tempFolder()): ConfinedWorld {
  const project = join(home, "work/project");
  mkdirSync(project, { recursive: true });
  makeReadingProject(project);
  writeFileSync(join(project, ".env"), "TOKEN=x\n");
  writeFileSync(join(home, "notes.txt"), "notes\n");
  const box = new StandInBox();
  const settings: StageSettings = {
    home,
    grants: null,
    pause: null,
    judge_threshold: 0.3,
    now: () => 1_714_225_863_214,
    box,
  };
  const subject: Subject = {
    agent: PAIRED,
    level: "Supervised",
    session: "s1",
    principal: ROBERTO,
    can_confine: true,
  };
  return { home, project, box, settings, subject };
}

export function shellCall(command: unknown, cwd: string | undefined, more: Record<string, unknown> = {}): ProposedCall {
  return {
    intent: "",
    executor: "shell_exec",
    args: { command, ...more },
    ...(cwd === undefined ? {} : { context: { cwd } }),
  };
}

const CATALOG = new ExecutorCatalog();

/** Why a call isn't confined, and about what; or what it is confined to. */
export function confinementIn(world: ConfinedWorld, call: ProposedCall, subject: Partial<Subject> = {}) {
  return confinementOfCall(call, { ...world.subject, ...subject }, CATALOG, world.settings);
}

/** What all stages together make of it. */
export function decidedIn(
  { settings, subject }: Pick<ConfinedWorld, "settings" | "subject">,
  call: ProposedCall,
  change: { settings?: Partial<StageSettings>; subject?: Partial<Subject> } = {},
) {
  const by = { ...subject, ...change.subject };
  const examined = examineCall(call, by, CATALOG, { ...settings, ...change.settings }, true);
  const { decision_id: _, ...decision } = decisionOf(examined);
  return { decision, trace: traceOf(examined), x: examined.x };
}
