import { z } from "zod";

/** What agents did to the files of projects, and taking it back. */

/** A call, a session's calls, all since a moment; none of them: the last call. Of one agent, or of all. */
export const undoSelectionSchema = z.object({
  /** Its decision's id, or the first eight characters or more of it. */
  call: z.string().min(8).max(64).optional(),
  session: z.string().max(256).optional(),
  since: z.string().max(64).optional(),
  /** Its name. Has to be there where several agents have a session of the same name. */
  agent: z.string().max(128).optional(),
  /** Only of these, by their whole ids: what was shown is taken back, whatever was called since. */
  calls: z.array(z.string().max(64)).max(20_000).optional(),
});
export type UndoSelection = z.infer<typeof undoSelectionSchema>;

export const undoneCallSchema = z.object({
  /** Of the decision on the call, or of an undo. */
  id: z.string(),
  /** Null: the operator took something back. */
  agent: z.string().nullable(),
  session: z.string(),
  executor: z.string(),
  at: z.string(),
  project: z.string(),
  /**
   * `kept`: it can be taken back. `unended`: nobody said that it ended, so each file has to be chosen. `not-kept`: nothing of it can, see
   * `missing`. `undone`: it was taken back.
   */
  state: z.enum(["kept", "running", "unended", "not-kept", "undone"]),
  missing: z.string().nullable(),
  /** Of an undo: what it took back. */
  of: z.array(z.string()).optional(),
});
export type UndoneCall = z.infer<typeof undoneCallSchema>;

const fileKind = z.enum(["file", "link", "folder", "unkept"]).nullable();

export const undoneFileSchema = z.object({
  project: z.string(),
  /** From the project, as it can be shown. */
  path: z.string(),
  /** The same with one character for each byte: this names it. */
  bytes: z.string(),
  /**
   * `ready`: it is as the agent left it. `done`: as it was before. Without a choice nothing happens to `changed` (somebody else changed it
   * since) and `unsure` (the call may not have done it). `unkept`: its content isn't there.
   */
  state: z.enum(["ready", "done", "changed", "unsure", "unkept"]),
  /** What runs later, and what is a repository's own, has to be chosen. */
  part: z.enum(["file", "runs-later", "git"]),
  before: fileKind,
  agent: fileKind,
  now: fileKind,
});
export type UndoneFile = z.infer<typeof undoneFileSchema>;

export const undoResultSchema = z.object({
  id: z.string(),
  /** What was selected in this project. */
  calls: z.array(z.string()),
  files: z.array(undoneFileSchema.extend({ outcome: z.enum(["restored", "kept", "failed", "left"]) })),
});
export type UndoResult = z.infer<typeof undoResultSchema>;

export const undoChoiceSchema = z.object({
  project: z.string(),
  /** `bytes` of the file. */
  path: z.string(),
  choice: z.enum(["before", "agent", "now"]),
  /** As it was shown: a file that is in another state by now stays as it is. */
  state: undoneFileSchema.shape.state.optional(),
});
export type UndoChoice = z.infer<typeof undoChoiceSchema>;

/** What an agent gets to know: the files' names below the project, some of them. */
export const undoneNoteSchema = z.object({
  taken_back: z.array(z.string()),
  put_again: z.array(z.string()),
  more: z.number().int(),
});
export type UndoneNote = z.infer<typeof undoneNoteSchema>;
