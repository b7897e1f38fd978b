import type { InEach } from "../../../ipc/contract/language.ts";
import { type JsonSchema, named, object, text } from "./json-schema.ts";
import type { BuiltInManifest } from "./manifest.ts";

/** What tools that agents have alike are described by: what each of them differs in comes last, and wins. */

type Arguments = Record<string, JsonSchema>;
type More = Partial<BuiltInManifest>;

/** No judge looks at it: it changes nothing, here or elsewhere. */
export const CHANGES_NOTHING = { reversibility: "reversible", critical: false, skip_judge: true } as const;
/** Changes nothing here, but what it asks leaves the machine, or costs. */
export const ASKS_OUTSIDE = { reversibility: "reversible", critical: false } as const;

const CHANGES_FILES = { reversibility: "partial", critical: true } as const;
export const EDIT: InEach<string> = { en: "edit", it: "modifichi" };

/** Runs a line in a shell that isn't interactive. */
export const runs = (name: string, optional: Arguments, more: More = {}): BuiltInManifest => ({
  name,
  needs: [
    { capability: "code:exec", target: { from: "command", args: ["command"], is_shell: true, has_comments: true } },
  ],
  args_schema: object({ command: named }, optional),
  verb: { en: "run", it: "esegua" },
  critical: true,
  ...more,
});

/** Reads the file that the argument names. */
export const reads = (name: string, arg: string, optional: Arguments = {}, more: More = {}): BuiltInManifest => ({
  name,
  needs: [{ capability: "fs:read", target: { from: "path", arg } }],
  args_schema: object({ [arg]: named }, optional),
  verb: { en: "read", it: "legga" },
  ...CHANGES_NOTHING,
  ...more,
});

/** Lists the folder that the argument names, or the working directory. */
export const lists = (name: string, arg: string, optional: Arguments = {}): BuiltInManifest => ({
  name,
  needs: [{ capability: "fs:read", target: { from: "path", arg, or_cwd: true, access: "list" } }],
  args_schema: object({}, { [arg]: named, ...optional }),
  verb: { en: "list", it: "elenchi" },
  ...CHANGES_NOTHING,
});

/** Names the files of a pattern below a folder. */
export const finds = (name: string, pathArg: string): BuiltInManifest => ({
  name,
  needs: [{ capability: "fs:read", target: { from: "glob", arg: "pattern", path_arg: pathArg, access: "list" } }],
  args_schema: object({ pattern: named }, { [pathArg]: named }),
  verb: { en: "look for files", it: "cerchi file" },
  ...CHANGES_NOTHING,
});

/** Reads all files below a folder for a pattern. */
export const searches = (name: string, arg: string, optional: Arguments, more: More = {}): BuiltInManifest => ({
  name,
  needs: [{ capability: "fs:read", target: { from: "path", arg, is_tree: true, or_cwd: true } }],
  args_schema: object({ pattern: text }, { [arg]: named, ...optional }),
  content_args: ["pattern"],
  verb: { en: "search", it: "cerchi" },
  ...CHANGES_NOTHING,
  ...more,
});

/** Writes the file that the argument names. @param content what it writes, each of which must be there */
export const writes = (
  name: string,
  arg: string,
  content: Arguments,
  optional: Arguments = {},
  more: More = {},
): BuiltInManifest => ({
  name,
  needs: [{ capability: "fs:write", target: { from: "path", arg } }],
  args_schema: object({ [arg]: named, ...content }, optional),
  content_args: Object.keys(content),
  verb: { en: "write", it: "scriva" },
  ...CHANGES_FILES,
  ...more,
});

/** Changes the files that a patch names. */
export const patches = (name: string, arg: string, verbo: string): BuiltInManifest => ({
  name,
  needs: [{ capability: "fs:write", target: { from: "patch", arg } }],
  args_schema: object({ [arg]: named }),
  content_args: [arg],
  verb: { en: "change files", it: verbo },
  ...CHANGES_FILES,
});

/** Fetches the URL that the argument `url` holds. */
export const fetches = (name: string, optional: Arguments = {}, contentArgs: string[] = []): BuiltInManifest => ({
  name,
  needs: [{ capability: "network:http", target: { from: "url", arg: "url" } }],
  args_schema: object({ url: named }, optional),
  content_args: contentArgs,
  verb: { en: "fetch", it: "scarichi" },
  ...ASKS_OUTSIDE,
});

/** The search runs at the agent's provider; the query is what leaves. One name represents it. */
export const searchesWeb = (name: string, optional: Arguments = {}): BuiltInManifest => ({
  name,
  needs: [{ capability: "network:http", target: { from: "fixed", value: "web-search" } }],
  args_schema: object({ query: text }, optional),
  content_args: ["query"],
  verb: { en: "search the web", it: "cerchi sul web" },
  ...ASKS_OUTSIDE,
});

/** What the subagent does passes the gate call by call; starting one costs online model calls. */
export const startsAgent = (
  name: string,
  optional: Arguments,
  contentArgs: string[],
  more: More = {},
): BuiltInManifest => ({
  name,
  needs: [{ capability: "llm:online", target: { from: "none" } }],
  args_schema: object({}, optional),
  content_args: contentArgs,
  verb: { en: "start a subagent", it: "avvii un sottoagente" },
  ...ASKS_OUTSIDE,
  ...more,
});

/** Touches nothing outside the agent: no capability, allowed once the guard has looked. */
export const inside = (name: string, verb: string, verbo: string, contentArgs: string[] = []): BuiltInManifest => ({
  name,
  needs: [],
  args_schema: object({}),
  content_args: contentArgs,
  verb: { en: verb, it: verbo },
  ...CHANGES_NOTHING,
});
