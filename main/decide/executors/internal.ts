import { named, object, text } from "./json-schema.ts";
import type { BuiltInManifest } from "./manifest.ts";

/** What the gate itself decides on in an agent's name. No message can hold such a name (`proposedCallSchema`): no agent calls them. */

/** A host that a confined program wants to reach. `description`: the command line that runs confined. */
export const BOX_CONNECT = "@box_connect";

export const INTERNAL_EXECUTORS: Readonly<Record<string, BuiltInManifest>> = {
  [BOX_CONNECT]: {
    name: "box_connect",
    needs: [{ capability: "network:http", target: { from: "url", arg: "url" } }],
    args_schema: object({ url: named, description: text, method: named }),
    content_args: ["description"],
    verb: { en: "connect to", it: "si connetta a" },
    critical: true,
  },
};
