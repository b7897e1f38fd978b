import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

// docs/glossary.md says which words are used. These are the ones that were given up, because each of them had several meanings.

const ROOT = join(import.meta.dirname, "..");

/** In prose, comments, messages and names of tests. */
const RETIRED_WORDS: readonly [pattern: RegExp, instead: string][] = [
  [/\btold\b/i, "known, reported, informed, resolved"],
  [/\bstands?\b(?! for\b|-in)|\bstanding\b|\bstood\b/i, "is, is at, remains"],
  [/\bcom(?:es?|ing) by\b/i, "gets, obtains, encounters"],
  [/\b(?:the|a|no|another|each|every) human\b|\bhumans\b/i, "the user, the operator"],
  [/\bthe floor\b/i, "the baseline patterns"],
  [/\bown house\b|\bthe house\b/i, "the gate's own files, the project"],
  [/\bgo(?:es)? on\b/i, "continues"],
  [/\bhears?\b|\bheard\b/i, "receives, listens"],
  [/\bseed 00\d\b|\bthe seed's\b|\bdesign §/i, "a document in docs/decisions/"],
];

/** Names of what they named has another name now. */
const RETIRED_NAMES =
  /\b(?:placesFor|PlaceError|OwnHouse|own_house|forbiddenPlace|Standing|standingAt|Ways|runText|runSimple|runScript|runStatements|is_certain|is_guess|Surroundings?|PathForm|mayBePath|FloorTexts|isOnlyTold|TELLING_VARIABLES|is_own_view|Untold|Stillness|PlaceIndex|GrantsByPlace|Visitors|AnswerGuard|standsAt|CoreHooks|SETTLE_MS|HEARD|DurationBuckets|isSteeredFromOutside|canTellPeers|Newcomers|Departures|LeftBehind|OperatorError|settle_covered|listGrantsOwed)\b/;

/** This file, the list of words itself; the licence; what is generated. */
const EXCEPTED = new Set(["test/words.test.ts", "LICENSE", "package-lock.json"]);

const FILES = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
  cwd: ROOT,
  encoding: "utf8",
})
  .split("\n")
  .filter((file) => /\.(?:ts|tsx|js|md|yml|css|html|toml)$/.test(file) && !EXCEPTED.has(file));

function found(pattern: RegExp): string[] {
  return FILES.flatMap((file) =>
    readFileSync(join(ROOT, file), "utf8")
      .split("\n")
      .flatMap((line, index) => (pattern.test(line) ? [`${file}:${index + 1}: ${line.trim().slice(0, 120)}`] : [])),
  );
}

describe("a word that was given up", () => {
  it.each(RETIRED_WORDS)("%s is nowhere: %s", (pattern) => {
    expect(FILES.length).toBeGreaterThan(500);
    expect(found(pattern)).toEqual([]);
  });

  it("is no name in the code either", () => {
    expect(found(RETIRED_NAMES)).toEqual([]);
  });
});

it("methods, accessors and functions are in camelCase: snake_case is for fields of records and of the wire", () => {
  const declared =
    /^\s*(?:export )?(?:static |async |get |set |override )*(?:function\*? )?#?[a-z]+(?:_[a-z0-9]+)+(?:<[^>]*>)?\([^)]*\)(?:: [^{]+)? \{$/;
  const sources = FILES.filter((file) =>
    /^(?:ipc|main|packages|cli|preload|renderer|bench|fuzz|reliability|judge-eval)\/.*\.tsx?$/.test(file),
  );
  const named = sources.flatMap((file) =>
    readFileSync(join(ROOT, file), "utf8")
      .split("\n")
      .flatMap((line, index) => (declared.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [])),
  );
  expect(sources.length).toBeGreaterThan(200);
  expect(named.filter((line) => !/get (?:ttl_seconds|judge_threshold)\(/.test(line))).toEqual([]);
});
