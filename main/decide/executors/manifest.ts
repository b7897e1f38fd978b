import { z } from "zod";
import { agentKindSchema } from "../../../ipc/contract/agent-kind.ts";
import { capabilitySchema, reversibilitySchema } from "../../../ipc/contract/decision.ts";
import { HAZARDS } from "../../../ipc/contract/hazards.ts";
import type { InEach } from "../../../ipc/contract/language.ts";
import { CAPABILITY_REGISTRY, changesNothing, type TargetKind } from "../../targets/capabilities.ts";
import { ownPriceSchema } from "../costs/config.ts";

/** What a tool is: written by us or by the user, never by an agent. */

/** How a path is touched: only names are listed, or it is deleted. Left out, its content is read or written. */
const accessSchema = z.enum(["list", "delete"]);

/** Where a call's target is found. */
export const targetSourceSchema = z.discriminatedUnion("from", [
  /** A path argument, or a list of them. Without it (and with `or_cwd`) the working directory. */
  z.object({
    from: z.literal("path"),
    arg: z.string(),
    is_tree: z.boolean().optional(),
    or_cwd: z.boolean().optional(),
    access: accessSchema.optional(),
  }),
  /** A glob argument below a path argument: reaches everything below the glob's fixed part. */
  z.object({ from: z.literal("glob"), arg: z.string(), path_arg: z.string(), access: accessSchema.optional() }),
  /** A patch argument (programs/patch-text.ts): each file that it writes, deletes or moves; code where that isn't known for sure. */
  z.object({ from: z.literal("patch"), arg: z.string() }),
  /** A URL argument: its host. */
  z.object({
    from: z.literal("url"),
    arg: z.string(),
    /** Each call sends something there: no grant on fetching covers it. */
    sends: z.literal(true).optional(),
  }),
  /** Every URL in the free text of these arguments: its host. Without any, an unknown one. */
  z.object({ from: z.literal("urls"), args: z.array(z.string()).min(1) }),
  /** An argument that is the exact target, or a list of them. */
  z.object({ from: z.literal("exact"), arg: z.string() }),
  /** Each of these arguments that is there: a command line or a list of words. Else the executor itself. */
  z.object({
    from: z.literal("command"),
    args: z.array(z.string()).min(1),
    /** A shell runs it as it is: what it really needs is then read from it (programs/). Nobody else's word for it. */
    is_shell: z.literal(true).optional(),
    /** It is a shell that isn't interactive, whichever it is: each of them takes a comment for one. */
    has_comments: z.literal(true).optional(),
  }),
  /** Always the same. */
  z.object({ from: z.literal("fixed"), value: z.string() }),
  z.object({ from: z.literal("none") }),
]);
export type TargetSource = z.infer<typeof targetSourceSchema>;

/** Where the target of a path or a host may be found: from another source it would be compared as a text, past the guard on paths. */
const SOURCES: Readonly<Partial<Record<TargetKind, readonly TargetSource["from"][]>>> = {
  path_glob: ["path", "glob", "patch", "command"],
  host: ["url", "urls", "fixed"],
};

const needSchema = z
  .strictObject({ capability: capabilitySchema, target: targetSourceSchema })
  .superRefine(({ capability, target }, context) => {
    const sources = SOURCES[CAPABILITY_REGISTRY[capability].target_kind];
    if (sources === undefined || sources.includes(target.from)) return;
    const message = `the target of ${capability} must be from ${sources.join(", ")}, not ${target.from}`;
    context.addIssue({ code: "custom", path: ["target", "from"], message });
  });

/** What a call of it does, as a question says it. A user's own executor need not have a language that was added later. */
export type Verb = Partial<InEach<string>> & { en: string };
const verbSchema = z.string().max(60);

const fieldsSchema = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9_.:/-]{1,200}$/),
  aliases: z.array(z.string()).default([]),
  /** The kinds of agents that have it; left out: all. Of built-in ones the catalog knows it. */
  agents: z.array(agentKindSchema).min(1).optional(),
  needs: z.array(needSchema),
  /** JSON Schema of the arguments. */
  args_schema: z.record(z.string(), z.unknown()),
  /** Arguments that are content (a text to write, a mail's body), not paths or commands. */
  content_args: z.array(z.string()).default([]),
  verb: z.strictObject({ en: verbSchema, it: verbSchema } satisfies InEach<z.ZodType>) as z.ZodType<Verb>,
  reversibility: reversibilitySchema.default("irreversible"),
  /** Changes the world: the judge gives no bonus. */
  critical: z.boolean(),
  /** No judge looks at it, neither the model nor a validator; guard and policy always do. Only where it changes nothing. */
  skip_judge: z.boolean().default(false),
  /** What a call costs; a price in gate.toml wins over it. */
  price: ownPriceSchema.optional(),
  /** What is dangerous about each of its calls, whatever their arguments say: its sentence is on their cards. */
  hazard: z.enum(HAZARDS).optional(),
  /** What it starts can be typed into later, by calls that the gate is not asked about. */
  keeps_input: z.literal(true).optional(),
  /** What it returns is the user's own: its session has read something private (docs/flow.md). */
  reads_private: z.literal(true).optional(),
  /** What it is given is done later, by whoever is there then (docs/flow.md). */
  runs_later: z.literal(true).optional(),
  /** The perimeter the executor must stay in; without one, the policy alone decides. */
  scope: z.strictObject({ paths: z.array(z.string()).optional(), hosts: z.array(z.string()).optional() }).default({}),
});

export const manifestSchema = fieldsSchema.superRefine(({ skip_judge, critical, needs }, context) => {
  if (!skip_judge) return;
  const changing = needs.find(({ capability }) => !changesNothing(capability))?.capability;
  if (!critical && changing === undefined) return;
  const why = critical ? "it is critical" : `it needs ${changing}`;
  context.addIssue({ code: "custom", path: ["skip_judge"], message: `only of what changes nothing, and ${why}` });
});
export type ExecutorManifest = z.output<typeof manifestSchema>;
export type ManifestSource = z.input<typeof manifestSchema>;
export type BuiltInManifest = ManifestSource & { verb: InEach<string> };
