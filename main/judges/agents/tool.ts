import type { Workspace } from "./workspace.ts";

/** A tool of a judge agent: it looks at the worker's files, in the box. */
export interface JudgeTool {
  readonly name: string;
  /** For the model: what it does, and its arguments. */
  readonly description: string;
  /**
   * What it found, as text.
   * @throws ToolRefused where the model can ask in another way; Error with one sentence where nothing can be found out; the signal's
   * reason where it was aborted
   */
  run(args: unknown, workspace: Workspace, signal: AbortSignal): Promise<string>;
}

/** A question that isn't answered; the message says to the model why. */
export class ToolRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ToolRefused";
  }
}

/** What a model gets of one result; characters. */
export const MAX_RESULT = 16 * 1024;
/** What a tool gives of it: what is masked then may be shorter. */
const MAX_FOUND = 4 * MAX_RESULT;

/** The beginning and the end of a text that is too long: a program says last how it went. */
export function cut(text: string, length: number = MAX_FOUND): string {
  if (text.length <= length) return text;
  const begin = Math.floor(length / 4);
  const end = length - begin;
  return `${text.slice(0, begin)}\n[${text.length - length} characters left out]\n${text.slice(-end)}`;
}
