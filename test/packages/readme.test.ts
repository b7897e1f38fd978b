import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = resolve(import.meta.dirname, "../..");
const read = (file: string): string => readFileSync(join(ROOT, file), "utf8");

describe.each(globSync("packages/*", { cwd: ROOT }).sort())("the document of %s", (folder) => {
  const text = read(`${folder}/README.md`);
  const { name, exports } = JSON.parse(read(`${folder}/package.json`)) as {
    name: string;
    exports: Record<string, string>;
  };
  const doors = Object.keys(exports).map((door) => join(name, door));
  /** The first block of this language. */
  const block = (language: string) => new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, "m").exec(text)?.[1] ?? "";

  it("has an example that prints what it says", () => {
    const code = block("js");
    expect(code).toContain(`from "${name}"`);
    const args = ["--input-type=module", "--eval", code];
    expect(execFileSync(process.execPath, args, { cwd: ROOT, encoding: "utf8" })).toBe(block("text"));
  });

  it("names each door, and no other", () => {
    const named = [...text.matchAll(/["`](@metnos-gate\/[^"`]+)["`]/g)].map(([, door]) => door);
    expect([...new Set(named)].sort()).toEqual(doors.sort());
  });

  it("is right that nothing else can be imported", async () => {
    const inside = `import(${JSON.stringify(`${name}/package.json`)}).then(() => 0, (error) => console.log(error.code))`;
    const said = execFileSync(process.execPath, ["--eval", inside], { cwd: ROOT, encoding: "utf8" });
    expect(said.trim()).toBe("ERR_PACKAGE_PATH_NOT_EXPORTED");
  });
});
