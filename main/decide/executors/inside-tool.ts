import { object } from "./json-schema.ts";
import type { ManifestSource } from "./manifest.ts";

/** A tool that touches nothing outside the agent: no capability, allowed once the guard has looked. */
export const inside = (name: string, verb: string, verbo: string, content_args: string[] = []): ManifestSource => ({
  name,
  needs: [],
  args_schema: object({}),
  content_args,
  verb: { en: verb, it: verbo },
  reversibility: "reversible",
  critical: false,
  skip_judge: true,
});
