import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { digestOfSources, noteFile } from "./tried-sources.ts";

/** Once all tests with real clients have passed. */
const root = resolve(import.meta.dirname, "../..");
writeFileSync(noteFile(root), `${JSON.stringify({ sources: digestOfSources(root) }, null, 2)}\n`);
