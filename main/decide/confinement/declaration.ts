import type { Confined } from "../../../ipc/contract/decision.ts";

/**
 * Less than its project: `looking`, a line that only reads may read it; `needs`, a clear line has what it names, and nothing else.
 * In both nothing of the project can be touched but what is among `reads` and `writes`.
 */
export type NarrowBox = "looking" | "needs";

/** What a confined program may touch. Everything that isn't named is not there for it, or can't be written. Paths are absolute and real. */
export interface Declaration {
  /** Left out: the project as a whole. */
  readonly kind?: NarrowBox;
  /** The folder that it works on: it may write there, except where content is run later. */
  readonly project: string;
  /** In the project or below one of `reads` and `writes`; as the agent names it, if a link leads there. */
  readonly cwd: string;
  /** What else it may read: files and folders that are there. */
  readonly reads: readonly string[];
  /** What else it may write: a worktree's repository; of a clear line all that it writes, in its project. */
  readonly writes: readonly string[];
  /** Whether it has a way to the gate's proxy, where each host is decided on by itself. */
  readonly network: boolean;
  /** Folders in those that it may write, in which its client's shell finds programs by its PATH. */
  readonly searched?: readonly string[];
  /** Settings of its repository that git may change: nothing else runs in the project meanwhile, and the gate checks what they hold afterwards. */
  readonly changes_settings?: readonly string[];
  /** Of a clear line: its project holds too much to be looked through, so what it writes alone is. */
  readonly is_project_too_large?: true;
  /** What it reads and writes as its line names it, where a link leads there. */
  readonly links?: readonly string[];
  /** Files of which a clear line removes or replaces the very names: nothing that is there in their place could be removed. */
  readonly replaces?: readonly string[];
  /** Of a line that only looks or is clear: git isn't among its programs, or doesn't need its objects, which hold what no commit has. */
  readonly hides_objects?: true;
  /** The names of the programs that it runs, where they are known: a narrow box shows no others of the user's own. */
  readonly programs?: readonly string[];
}

/** The system's programs and settings, which every box shows read-only where they are there: no declaration names them. */
export const ALWAYS_READABLE = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc"] as const;

/** The project that is asked about as a whole; undefined where only what its line names is. */
export function projectAsked(confinement: { readonly declaration: Declaration } | null): string | undefined {
  return confinement === null || confinement.declaration.kind === "needs" ? undefined : confinement.declaration.project;
}

/** The same as decisions say it. @param wholeAgent it is the box that the whole agent runs in */
export function confinedTo({ kind, project, network }: Declaration, wholeAgent: boolean): Confined {
  return {
    project,
    network,
    ...(kind === undefined ? {} : { kind }),
    ...(wholeAgent ? { whole_agent: wholeAgent } : {}),
  };
}
