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
  /** Each has its line in the trail, and its receipt, before the next one begins. */
  const recorded = async (act: "taken_back" | "put_again", done: AsyncGenerator<UndoResult>) => {
    const results: UndoResult[] = [];
    for await (const result of done) {
      const { id: undo, calls, files: all } = result;
      const count = (wanted: string) => all.filter(({ outcome }) => outcome === wanted).length;
      const [files, failed] = [count("restored"), count("failed")];
      results.push(result);
      if (files + failed === 0) continue;
      recordAct(context, `undo.${act}`, { undo, calls: calls.length, files, failed });
      core.receipts.noteUndo({ undo, act, at: core.clock.now(), surface: context.by.surface, calls, files, failed });
    }
    return results;
  };
  return {
    "undo.list": ({ limit, ...selection }) => required().list(limit, selection),
    "undo.files": (selection) => required().files(selection),
    "undo.contents": async ({ project, path, ...selection }) => {
      const [before = null, agent = null, now = null] = await required().contents(selection, project, path);
      return { before, agent, now };
    },
    "undo.take_back": ({ choices, ...selection }) =>
      recorded("taken_back", required().takeBack(selection, choices, "undo")),
    "undo.put_again": async ({ undo, choices }) => {
      const selection = { call: undo ?? (await required().lastUndo()) };
      return recorded("put_again", required().takeBack(selection, choices, "redo"));
    },
    "undo.forget": async ({ project }) => {
      const forgotten = await required().forget(project);
      recordAct(context, "undo.forgotten", { projects: forgotten });
      return { forgotten };
    },
  };
}
