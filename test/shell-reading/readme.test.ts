import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";

const ROOT = resolve(import.meta.dirname, "../..");
const README = readFileSync(join(ROOT, "packages/shell-reading/README.md"), "utf8");

/** The first block of this language in the document. */
const block = (language: string): string =>
  new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, "m").exec(README)?.[1] ?? "";

it("the example prints what the document says, by the package's doors alone", () => {
  const code = block("js");
  expect(code).toContain('from "@metnos-gate/shell-reading"');
  const args = ["--input-type=module", "--eval", code];
  expect(execFileSync(process.execPath, args, { cwd: ROOT, encoding: "utf8" })).toBe(block("text"));
});

it("the document names each door, and no other", () => {
  const { name, exports } = JSON.parse(readFileSync(join(ROOT, "packages/shell-reading/package.json"), "utf8")) as {
    name: string;
    exports: Record<string, string>;
  };
  const named = [...README.matchAll(/^\| `([^`]+)` \|/gm)].map(([, door]) => door);
  expect(named.sort()).toEqual(
    Object.keys(exports)
      .map((door) => join(name, door))
      .sort(),
  );
});

it("what isn't a door can't be imported", async () => {
  const inside: string = "@metnos-gate/shell-reading/programs/git.ts";
  await expect(import(inside)).rejects.toThrow(/not (?:exported|defined)|exports/);
});
