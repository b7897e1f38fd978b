import type { Confined } from "../../../ipc/decision.ts";

/** What a confined program may touch. Everything that isn't named is not there for it, or can't be written. Paths are absolute and real. */
export interface Declaration {
  /** The folder that it works on: it may write there, except where content is run later. */
  readonly project: string;
  /** In the project or below one of `reads` and `writes`; as the agent names it, if a link leads there. */
  readonly cwd: string;
  /** What else it may read: files and folders that are there. */
  readonly reads: readonly string[];
  /** What else it may write: a worktree's repository. */
  readonly writes: readonly string[];
  /** Whether it has a way to the gate's proxy, where each host is decided on by itself. */
  readonly network: boolean;
}

/** The system's programs and settings, which every box shows read-only where they are there: no declaration names them. */
export const ALWAYS_READABLE = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc"] as const;

/** The same as decisions say it. @param whole_agent it is the box that the whole agent runs in */
export function confinedTo({ project, network }: Declaration, whole_agent: boolean): Confined {
  return { project, network, ...(whole_agent ? { whole_agent } : {}) };
}
