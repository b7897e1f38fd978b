import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { IS_UNBOUNDED_RUN, ofDay } from "../support/whole-run.ts";

/**
 * The tests with real clients take minutes. `npm run test:clients` runs all of them, and notes the sources with which they passed; while
 * these are the same, `npm test` tries each client once, and some of the other files each day.
 */

/** What clients meet: the adapters, the hook, what answers it, and the tests themselves. */
const SOURCES = [
  "cli/agents",
  "cli/hook",
  "cli/acp",
  "cli/self-test",
  "ipc",
  "main/hooks",
  "main/base/pipes",
  "test/clients",
];
const NOTE = "test/clients/tried-sources.json";

/** Each client has a call denied and another one run. */
const ALWAYS = "test/clients/self-test.test.ts";
/** After so many days each file was among those of a day. */
const DAYS = 5;

/** One text for the contents of all sources below `root`, whatever their dates. */
export function digestOfSources(root: string): string {
  const hash = createHash("sha256");
  for (const path of SOURCES.flatMap((folder) => filesBelow(root, folder)).sort())
    if (path !== NOTE)
      hash
        .update(`${path}\0`)
        .update(readFileSync(join(root, path)))
        .update("\0");
  return hash.digest("hex");
}

/** Where the digest of the sources is kept with which all of the tests passed. */
export const noteFile = (root: string): string => join(root, NOTE);

/** The test files with real clients that a run has, below `root`; with `says`, why they aren't all. */
export function clientTests(root: string, says: (why: string) => void): readonly string[] {
  const all = filesBelow(root, "test/clients").filter((path) => path.endsWith(".test.ts"));
  if (IS_UNBOUNDED_RUN || !isTried(root)) return all;
  const others = ofDay(all.filter((path) => path !== ALWAYS).sort(), DAYS);
  says(`real clients: ${ALWAYS} and ${others.length} others of ${all.length}, as all passed with these sources`);
  return [ALWAYS, ...others];
}

function isTried(root: string): boolean {
  const file = noteFile(root);
  return existsSync(file) && JSON.parse(readFileSync(file, "utf8")).sources === digestOfSources(root);
}

function filesBelow(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
}
