import { ownCommand } from "../../../ipc/base/own-command.ts";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import type { UndoResult } from "../../../ipc/contract/undo.ts";
import { type Handlers, type OperatorContext, recordAct } from "./handlers.ts";

type UndoMethod = "undo.list" | "undo.files" | "undo.contents" | "undo.take_back" | "undo.put_again" | "undo.forget";

/** What agents did to files, taken back (docs/undo.md). No agent has any of these. */
export function undoMethods(context: OperatorContext): Handlers<UndoMethod> {
  const { core } = context;
  const required = () => {
    if (core.undo !== undefined) return core.undo;
    throw new GateError("not_available", "nothing is kept that could be taken back", `see: ${ownCommand("doctor")}`);
  };
  const record = (event: string, calls: number, results: readonly UndoResult[]) => {
    const outcomes = results.flatMap(({ files }) => files.map(({ outcome }) => outcome));
    const count = (wanted: string) => outcomes.filter((outcome) => outcome === wanted).length;
    recordAct(context, event, { calls, files: count("restored"), failed: count("failed") });
    return results.map((result) => ({ ...result, files: [...result.files] }));
  };
  return {
    "undo.list": ({ limit, ...selection }) => required().list(limit, selection),
    "undo.files": (selection) => required().files(selection),
    "undo.contents": async ({ project, path, ...selection }) => {
      const [before = null, agent = null, now = null] = await required().contents(selection, project, path);
      return { before, agent, now };
    },
    "undo.take_back": async ({ choices, ...selection }) => {
      const { calls } = await required().files(selection);
      return record("undo.taken_back", calls.length, await required().takeBack(selection, choices, "undo"));
    },
    "undo.put_again": async ({ undo, choices }) => {
      const selection = { call: undo ?? (await required().lastUndo()) };
      return record("undo.put_again", 1, await required().takeBack(selection, choices, "redo"));
    },
    "undo.forget": async ({ project }) => {
      const forgotten = await required().forget(project);
      recordAct(context, "undo.forgotten", { projects: forgotten });
      return { forgotten };
    },
  };
}
