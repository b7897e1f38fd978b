import { spawnSync } from "node:child_process";
import { cpSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempFolder } from "../support/temp-folder.ts";

/** The hooks of `.githooks`, in a repository of their own with this one's settings. */

const CHECKOUT = join(import.meta.dirname, "../..");

const SENTENCE = "A pause that could not be written says so on the page";

interface Repository {
  folder: string;
  commit(subject: string): { status: number | null; said: string };
}

/** Nothing is staged in it, and its types hold. */
function repository(): Repository {
  const folder = tempFolder();
  const git = (...args: string[]) => {
    const identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "core.hooksPath=.githooks"];
    const { status, stdout, stderr } = spawnSync("git", [...identity, ...args], { cwd: folder, encoding: "utf8" });
    return { status, said: `${stdout}${stderr}` };
  };
  for (const name of [".githooks", "biome.json", ".gitignore"])
    cpSync(join(CHECKOUT, name), join(folder, name), { recursive: true });
  symlinkSync(join(CHECKOUT, "node_modules"), join(folder, "node_modules"));
  const compilerOptions = { strict: true, noEmit: true, types: [], skipLibCheck: true };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
  const scripts = { typecheck: "tsc -p tsconfig.json" };
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module", scripts }));
  writeFileSync(join(folder, "first.ts"), "export const count: number = 1;\n");
  git("init", "-q", "-b", "main");
  return {
    folder,
    commit(subject) {
      git("add", "--", "*.ts");
      return git("commit", "-q", "-m", subject);
    },
  };
}

describe("a commit's subject", () => {
  it("that says what happens now is taken", () => {
    const { commit } = repository();
    expect(commit(SENTENCE).status).toBe(0);
  });

  it("that is a release's version is taken", () => {
    expect(commitMessage("1.2.3\n")).toEqual({ status: 0, said: "" });
  });

  it("is the first line that is no comment", () => {
    expect(commitMessage(`# Words\n\n${SENTENCE}\n\nWhy\n`)).toEqual({ status: 0, said: "" });
    expect(commitMessage(`Tests\n\n${SENTENCE}\n`).said).toContain('the subject "Tests" has fewer than four words');
  });

  it.each([
    ["Words", "has fewer than four words"],
    ["Tests of grants", "has fewer than four words"],
    ["WIP", "says that the work isn't done"],
    ["wip: a pause says so on the page", "says that the work isn't done"],
    ["Merge branch 'main' into pauses", "is a merge's: rebase instead"],
  ])("%s is refused, with the reason", (subject, why) => {
    const { commit } = repository();
    const { status, said } = commit(subject);
    expect(status).toBe(1);
    expect(said).toContain(`commit refused: the subject "${subject}" ${why}`);
    expect(said).toContain("say as a sentence what happens now");
  });

  /** What the hook says of a whole message. */
  function commitMessage(text: string): { status: number | null; said: string } {
    const file = join(tempFolder(), "COMMIT_EDITMSG");
    writeFileSync(file, text);
    const { status, stdout, stderr } = spawnSync(join(CHECKOUT, ".githooks/commit-msg"), [file], { encoding: "utf8" });
    return { status, said: `${stdout}${stderr}` };
  }
});

describe("a commit's files", () => {
  it("are refused while one that is staged isn't as the linter wants it", () => {
    const { folder, commit } = repository();
    writeFileSync(join(folder, "second.ts"), "export const two = {a: 2}\n");
    const { status, said } = commit(SENTENCE);
    expect(status).not.toBe(0);
    expect(said).toContain("second.ts format");
  });

  it("are refused while a type doesn't hold", () => {
    const { folder, commit } = repository();
    writeFileSync(join(folder, "second.ts"), 'export const two: number = "2";\n');
    const { status, said } = commit(SENTENCE);
    expect(status).not.toBe(0);
    expect(said).toContain("second.ts");
    expect(said).toContain("TS2322");
  });

  it("aren't linted while they aren't staged", () => {
    const { folder, commit } = repository();
    writeFileSync(join(folder, "draft.js"), "export const two = {a: 2}\n");
    expect(commit(SENTENCE).status).toBe(0);
  });
});
