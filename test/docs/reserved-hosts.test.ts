import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const CHECKOUT = join(import.meta.dirname, "../..");

/** Where examples are: nobody's real host is asked, named in an attack, or copied from there into a configuration. */
const EXAMPLES = ["*.md", "docs/**/*.md", "test/**/*.ts", "packages/hook-bench/**/*.json", "bench/**/*.ts"];

const HOST = /(?<![\w.\\-])(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+(?:com|org|net|io|dev|ai|co)(?![\w-]|\.\w)/gi;

/** Reserved by RFC 2606; registrable-domain.ts is about what may be registered below another. */
const RESERVED = /(?:^|\.)example\.(?:com|org|net|co)$/i;

/** Real ones, since what the product does is about this very host, or since a document refers to it. */
const REAL = [
  [
    "links of documents",
    /^(?:github\.com|keepachangelog\.com|semver\.org|arxiv\.org|huggingface\.co|ollama\.com|metnos\.org)$/,
  ],
  [
    "models' and channels' addresses",
    /^(?:api\.(?:anthropic|openai|telegram)\.(?:com|org)|(?:ours\.)?openai\.azure\.com|openrouter\.ai)$/,
  ],
  ["what GitHub's command asks", /^(?:api|gist)\.github\.com$/],
  ["where npm's packages are from", /^registry\.npmjs\.org$/],
  ["addresses that are secrets", /^hooks\.slack\.com$/],
  ["hosts that many share", /(?:^|\.)(?:github\.io|s3\.amazonaws\.com|(?:ssl|n)ip\.io)$/],
  ["a folder of the system's, and a format's name", /^(?:kubernetes\.io|www\.apple\.com)$/],
  ["those that only end like another", /^(?:bad|evil)example\.(?:com|org)$/],
  ["registries of packages", /^(?:crates\.io|upload\.pypi\.org)$/],
  [
    "those that only look like another",
    /^(?:(?:registry\.example\.org\.)?cdn-pkg\.io|githud\.com|(?:api\.)?exarnple\.net|xn--[\w-]+\.com)$/,
  ],
  ["what is left behind letters that are spelled otherwise", /^(?:\w*mple|6dple|thub)\.com$/],
] as const;

it("documents and tests name reserved hosts only", () => {
  const found = globSync(EXAMPLES, { cwd: CHECKOUT }).flatMap((file) =>
    [...readFileSync(join(CHECKOUT, file), "utf8").matchAll(HOST)]
      .map(([host]) => host.toLowerCase())
      .filter((host) => !RESERVED.test(host) && !REAL.some(([, real]) => real.test(host)))
      .map((host) => `${file}: ${host}`),
  );
  expect(found).toEqual([]);
});
