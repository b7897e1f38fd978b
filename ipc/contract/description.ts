import { z } from "zod";
import { requirementSchema } from "./decision.ts";
import { seenSchema } from "./flow.ts";
import { CALL_KINDS, EFFECTS, HAZARDS, LINE_RISKS, WORK } from "./hazards.ts";

/**
 * What a call is, as the gate reads it: the same for every surface, which makes its own words (`hazard-words.ts`). It holds values of
 * the call and of files, and is kept only while the request waits. Offsets are in UTF-16 code units, half open, in the text of the
 * argument that is named; of a list of words, in these words joined with blanks.
 */

const spanSchema = z.object({ arg: z.string(), start: z.number().int(), end: z.number().int() });
export type CallSpan = z.infer<typeof spanSchema>;

const hazardSchema = z.object({
  id: z.enum(HAZARDS),
  /** Where it is in the call; null where no word of it says so. */
  span: spanSchema.nullable(),
  /** What its sentence names. */
  host: z.string().optional(),
  path: z.string().optional(),
  /** The file that says it, where the call only names it: as the user would call it. */
  file: z.string().optional(),
  /** What its session read before, and what it took in, and when (ISO-8601); "" for this very call. */
  read: seenSchema.optional(),
  came: seenSchema.optional(),
  folders: z.number().int().optional(),
  files: z.number().int().optional(),
  /** There are more files than were counted. */
  is_more: z.literal(true).optional(),
});
export type Hazard = z.infer<typeof hazardSchema>;

const TOKEN_KINDS = ["program", "option", "string", "variable", "operator", "redirect", "comment"] as const;

const tokensSchema = z.array(z.object({ kind: z.enum(TOKEN_KINDS), start: z.number().int(), end: z.number().int() }));

/** A command line: its words by kind, for colour, and its parts in order with what each touches. */
const commandSchema = z.object({
  arg: z.string(),
  text: z.string(),
  tokens: tokensSchema,
  parts: z.array(
    z.object({
      start: z.number().int(),
      end: z.number().int(),
      needs: z.array(requirementSchema),
      /** Why this part may do more than its needs say, or null. */
      unclear: z.string().nullable(),
    }),
  ),
});
export type DescribedCommand = z.infer<typeof commandSchema>;

/** What a call would change in a file, against the file that is there. */
export const changeSchema = z.object({
  path: z.string(),
  /** `unknown`: the file could not be compared (too long, no text, behind a link): only what the call says is in the lines. */
  status: z.enum(["new", "replaces", "edits", "deletes", "unknown"]),
  /** Lines of the file that is there, where it could be read. */
  old_lines: z.number().int().nullable(),
  added: z.number().int(),
  removed: z.number().int(),
  hunks: z.array(
    z.object({
      /** Counted from 1; null where the lines' position in the file isn't known. */
      old_start: z.number().int().nullable(),
      new_start: z.number().int().nullable(),
      lines: z.array(
        z.object({
          kind: z.enum(["same", "added", "removed"]),
          text: z.string(),
          /** Of an added line: what is worth a second look in it. */
          risk: z.enum(LINE_RISKS).optional(),
        }),
      ),
    }),
  ),
  /** Lines that would follow, left out as the difference is too long to be shown; the call's arguments hold them all. */
  left_out: z.number().int(),
});
export type DescribedChange = z.infer<typeof changeSchema>;

/** What a name in the call stands for: the text that would run. */
const standsForSchema = z.object({
  span: spanSchema.nullable(),
  /** As it is called: `npm test`, `./build.sh`. */
  name: z.string(),
  /** Absolute. */
  file: z.string(),
  /** SHA-256 (hex) of the file: an approval holds only while it is the same. Null where the file isn't there or can't be read. */
  sha256: z.string().nullable(),
  /** The first of them. */
  lines: z.array(z.string()),
  /** All of what would run, in lines; more than `lines` holds where it is long. */
  total_lines: z.number().int(),
  /** Of the lines, joined with line breaks: the words by kind, and what is dangerous. */
  tokens: tokensSchema.optional(),
  marks: z.array(spanSchema.omit({ arg: true })).optional(),
  /** Files that it calls, or is, of which the gate read nothing, or not all. */
  unread: z.array(z.string()).optional(),
  /** The file is another one than the card first showed: it was asked about again. */
  has_changed: z.literal(true).optional(),
});
export type StandsFor = z.infer<typeof standsForSchema>;

/** Where something goes, or comes from. What the call says of it: nothing is asked of any host. */
const destinationSchema = z.object({
  kind: z.enum(["remote", "host", "package"]),
  /** As the call names it: `origin`, `lodash`; null where it gives the address itself. */
  name: z.string().nullable(),
  /** As it is reached, a port with it; of a package its registry. Null where that can't be read. */
  host: z.string().nullable(),
  /** Where in `host` the domain begins and ends that somebody has registered; null of an address, and where that isn't known. */
  domain: z.tuple([z.number().int(), z.number().int()]).nullable(),
  /** What follows the host; "" where nothing does. */
  path: z.string(),
  /** The file that says it, where the call only names it: as the user would call it. */
  file: z.string().optional(),
  /** This project hasn't used it yet, as far as the gate has seen. It clears nothing where it has. */
  is_first: z.literal(true).optional(),
});
export type Destination = z.infer<typeof destinationSchema>;

/** What a command does, in the kind of sentence that each surface says it in (`work-words.ts`). */
const workSchema = z.object({
  id: z.enum(WORK),
  /** A script's, target's, container's or program's own name, a language. */
  name: z.string().optional(),
  /** A file that it is about. */
  file: z.string().optional(),
  /** Lines of a text that is run. */
  lines: z.number().int().optional(),
});
export type Work = z.infer<typeof workSchema>;

/** A call of a tool that a server offers. */
const mcpSchema = z.object({
  server: z.string(),
  tool: z.string(),
  /** What the server says about its tool, where it does. */
  claims: z.array(z.enum(["read-only", "destructive", "idempotent", "open-world"])),
});

export const descriptionSchema = z.object({
  kind: z.enum(CALL_KINDS),
  effect: z.enum(EFFECTS),
  hazards: z.array(hazardSchema),
  /** What its commands do, in their order; left out where that is no command, or nothing more than its effect says. */
  work: z.array(workSchema).optional(),
  /** Where it goes: remotes, hosts, packages; left out where it goes nowhere that is known. */
  to: z.array(destinationSchema).optional(),
  commands: z.array(commandSchema),
  changes: z.array(changeSchema),
  stands_for: z.array(standsForSchema),
  mcp: mcpSchema.nullable(),
  /** Of a request to the web: its method, host and path with query. */
  request: z.object({ method: z.string(), host: z.string(), path: z.string() }).nullable(),
  /** Present where the call asks to run outside the box: with the agent's reason, or null where it gives none. */
  outside: z.object({ reason: z.string().nullable() }).optional(),
  /** The project that the call works in: the Git root above its working directory; null outside of one. */
  project: z.string().nullable(),
});
export type Description = z.infer<typeof descriptionSchema>;
