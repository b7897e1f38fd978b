import { z } from "zod";

/** Confined execution (docs/box.md) as every surface knows it. */

/** Why a call that runs code is not confined, and asked about instead. Each surface has its own words for it. */
export const UNCONFINED_REASONS = [
  /** `[box] enabled = false`. */
  "disabled",
  /** No box can be made on this machine: `box.status` says why. */
  "unavailable",
  /** The agent didn't say that it runs what it is given, or its client didn't pass the test. */
  "agent-cannot",
  /** ReadOnly, or not paired. */
  "level",
  /** The agent asks to run it outside the box (`metnos-gate outside -- CMD`). */
  "asked-for",
  /** The working directory is in no project: no Git repository, no granted folder. */
  "no-project",
  /** The project holds more than is looked through before and after each confined command. */
  "project-too-large",
  /** A program that needs what no box has: another machine, the machine's services, root, other processes. */
  "outside-by-nature",
  /** It has to continue after the command has ended. */
  "background",
  /** It would destroy work inside the project that nothing else holds. */
  "destroys-work",
  /** It is known to touch what the box doesn't let through: a file elsewhere, a place whose content runs later. */
  "leaves-the-box",
  /** Longer than a confined command line may be, or with a byte that can't be passed on. */
  "unusable-line",
  /** It isn't a command line. */
  "no-command",
  /** It is clear what it needs: it runs as it is, by the rules for that. */
  "clear",
] as const;
const unconfinedReasonSchema = z.enum(UNCONFINED_REASONS);
export type UnconfinedReason = z.infer<typeof unconfinedReasonSchema>;

/** Why no box can be made on this machine. */
export const BOX_PROBLEMS = [
  "disabled",
  /** The system has none that this version uses: macOS, Windows. */
  "unsupported-system",
  "bubblewrap-missing",
  "bash-missing",
  /** The kernel refuses unprivileged user namespaces, as AppArmor does on Ubuntu 24.04. */
  "user-namespaces-restricted",
  /** Inside a container that doesn't let it. */
  "container",
  /** Bubblewrap runs, and the probe found that it doesn't confine, or doesn't run what it should. */
  "probe-failed",
  /** The gate's folder for it can't be made or used. */
  "folder-unusable",
] as const;

/** Why nothing in a box reaches a host. */
const HOSTS_PROBLEMS = [
  /** The desktop app can't be used as Node, and there is no other one. */
  "no-node",
] as const;

/** Whether one agent is confined. */
const boxAgentSchema = z.object({
  name: z.string(),
  /** `confined`: its commands run in the box. `untested`: its client was never tested, or another version was. `failed`: it didn't run what it was given. */
  state: z.enum(["confined", "untested", "failed", "read-only"]),
  /** The client that was tested and its version, such as `claude 2.1.330`; null where none was, or the agent says it by itself. */
  client: z.string().nullable(),
  tested_at: z.string().nullable(),
});
export type BoxAgent = z.infer<typeof boxAgentSchema>;

export const boxStatusSchema = z.object({
  is_available: z.boolean(),
  problem: z.enum(BOX_PROBLEMS).nullable(),
  /** What the system said, in one sentence; empty where all is well. */
  detail: z.string(),
  /** What to do about it, with lines to copy where there are some; null where nothing can be done. */
  fix: z.string().nullable(),
  /** Why confined commands can reach no host, where there is a box; null where they can. */
  hosts_problem: z.enum(HOSTS_PROBLEMS).nullable(),
  /** What makes the boxes, such as `bubblewrap 0.8.0`, or null. */
  maker: z.string().nullable(),
  agents: z.array(boxAgentSchema),
  /** Commands that run confined now. */
  running: z.number().int(),
  /** Files and folders that were set aside after a run, newest first. */
  set_aside: z.array(
    z.object({
      /** Where it was, absolute. */
      path: z.string(),
      /** Where it is now, absolute. */
      kept_at: z.string(),
      at: z.string(),
      agent_name: z.string(),
    }),
  ),
});
export type BoxStatus = z.infer<typeof boxStatusSchema>;

/** What would become of a command line, for `box explain`. */
export const boxExplanationSchema = z.object({
  /** Null where it would run confined. */
  reason: unconfinedReasonSchema.nullable(),
  /** What the reason is about, such as a program's name or a path; empty where there is nothing to name. */
  about: z.string(),
  /** What it would run with; null where it would not be confined. */
  declaration: z
    .object({
      /** Left out: the project can be written. */
      kind: z.enum(["looking", "needs"]).optional(),
      project: z.string(),
      reads: z.array(z.string()),
      writes: z.array(z.string()),
      network: z.boolean(),
    })
    .nullable(),
});
export type BoxExplanation = z.infer<typeof boxExplanationSchema>;
