import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { LEVELS } from "../../../ipc/contract/decision.ts";
import type { ResolvedRequirement } from "../../../main/targets/target.ts";
import { freshGrants, ROBERTO } from "../../support/gate-stores.ts";
import { decided } from "../../support/guarded-calls.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const BY_NAME = [
  ".env",
  ".env.local",
  ".env.production",
  "deploy/.ENV",
  ".env.example.bak",
  ".envrc",
  ".npmrc",
  ".pypirc",
  ".bash_history",
  ".zsh_history",
  ".python_history",
  ".node_repl_history",
  ".psql_history",
  ".mysql_history",
  ".sqlite_history",
  ".lesshst",
  ".local/share/fish/fish_history",
  ".claude/.credentials.json",
  ".codex/auth.json",
  "/run/secrets/db_password",
  "/var/run/secrets/kubernetes.io/serviceaccount/token",
  "/run/credentials/db.service/password",
];
const NOT = ".env.example .env.sample .env.template env a.env .environment history .npmrc.md auth.json".split(" ");

function put(folder: string, ...paths: string[]): void {
  for (const path of paths) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), "");
  }
}

const namedIn = (needs: readonly ResolvedRequirement[]) =>
  needs
    .filter(({ ask_each_time }) => ask_each_time !== undefined)
    .map(({ target }) => (target.kind === "path" ? target.lexical : ""));

describe("a file that often holds secrets", () => {
  it.each(BY_NAME)("is asked about at every level, and only once: %s", (path) => {
    const { grants, home } = freshGrants();
    const filePath = path.startsWith("/") ? path : join(home, path);
    for (const target of [filePath, `${dirname(filePath)}/*`, `${home}/**`])
      grants.recordGrant({ ...ROBERTO, capability: "fs:read", target });
    for (const level of LEVELS) {
      const { outcome, scopes, reason } = decided({ home, grants, level }, "Read", { file_path: filePath });
      expect([level, outcome, scopes]).toEqual([level, "approval_required", ["none"]]);
      expect(reason).toContain("each time");
    }
  });

  it.each(NOT)("is not every file: %s", (path) => {
    const { grants, home } = freshGrants();
    grants.recordGrant({ ...ROBERTO, capability: "fs:read", target: `${home}/**` });
    const { outcome } = decided({ home, grants, level: "Supervised" }, "Read", { file_path: join(home, path) });
    expect(outcome).toBe("allowed");
  });

  it("is not written under a grant either, nor by a level that may write", () => {
    const { grants, home } = freshGrants();
    grants.recordGrant({ ...ROBERTO, capability: "fs:write", target: `${home}/**` });
    const args = { file_path: `${home}/.env`, content: "" };
    for (const level of ["Supervised", "Full"] as const)
      expect([level, decided({ home, grants, level }, "Write", args).outcome]).toEqual([level, "approval_required"]);
    expect(decided({ home, grants, level: "ReadOnly" }, "Write", args).outcome).toBe("denied");
  });

  it("is known by where a link leads, and by the link's name", () => {
    const home = tempFolder();
    put(home, ".env", "plain");
    symlinkSync(".env", `${home}/notes`);
    symlinkSync("plain", `${home}/.envrc`);
    for (const filePath of [`${home}/notes`, `${home}/.envrc`])
      expect(decided({ home }, "Read", { file_path: filePath }).outcome).toBe("approval_required");
  });

  it("may be listed by its name", () => {
    const home = tempFolder();
    put(home, "project/.env");
    const world = { home, cwd: `${home}/project` };
    expect(decided(world, "Glob", { pattern: "**/.env*" }).outcome).toBe("allowed");
    expect(decided(world, "LS", {}).outcome).toBe("allowed");
    expect(decided(world, "LS", { path: ".env" }).outcome).toBe("allowed");
    expect(decided(world, "Bash", { command: "ls -l .env" }).outcome).toBe("allowed");
  });
});

describe("a read of everything below a folder", () => {
  it("asks about each such file in it by its name, and about no folder", () => {
    const { grants, home } = freshGrants();
    put(home, "p/a.ts", "p/.env", "p/.env.example", "p/deploy/.env.prod", "p/.env.d/x", "p/a/b/c/.npmrc");
    grants.recordGrant({ ...ROBERTO, capability: "fs:read", target: `${home}/p/**` });
    const { outcome, needs, scopes } = decided({ home, grants, level: "Supervised", cwd: `${home}/p` }, "Grep", {
      pattern: "x",
    });
    expect(namedIn(needs)).toEqual([`${home}/p/.env`, `${home}/p/deploy/.env.prod`, `${home}/p/a/b/c/.npmrc`]);
    expect([outcome, scopes]).toEqual(["approval_required", ["none"]]);
  });

  it("is under the folder's grant where there are none", () => {
    const { grants, home } = freshGrants();
    put(home, "p/a.ts", "p/.env.example", "p/node_modules/x/.env", "p/.git/.env");
    grants.recordGrant({ ...ROBERTO, capability: "fs:read", target: `${home}/p/**` });
    const world = { home, grants, level: "Supervised" as const, cwd: `${home}/p` };
    expect(decided(world, "Grep", { pattern: "x" }).outcome).toBe("allowed");
  });

  it("a pattern that matches no hidden names reads none of them", () => {
    const home = tempFolder();
    put(home, "p/a.txt", "p/.env", "p/b/.npmrc");
    const world = { home, cwd: home };
    expect(decided(world, "Bash", { command: "cat p/*.txt" })).toMatchObject({ outcome: "allowed" });
    expect(namedIn(decided(world, "Bash", { command: "grep -r x p" }).needs)).toEqual([
      `${home}/p/.env`,
      `${home}/p/b/.npmrc`,
    ]);
  });

  it("names them below the folder as the call names it, and where they really are", () => {
    const home = tempFolder();
    put(home, "p/.env");
    symlinkSync("p", `${home}/link`);
    const { needs } = decided({ home }, "Grep", { pattern: "x", path: `${home}/link` });
    expect(needs.at(-1)?.target).toEqual({
      kind: "path",
      lexical: `${home}/link/.env`,
      real: `${home}/p/.env`,
      is_tree: false,
    });
  });

  it("a repository's own folder is asked about as a whole, by whatever name", () => {
    const home = tempFolder();
    put(home, "p/.git/HEAD", "p/.git/objects/x", "p/mirror/HEAD", "p/mirror/objects/x", "p/docs/objects/x");
    const isAsked = (path: string) =>
      decided({ home }, "Grep", { pattern: "x", path: `${home}/p/${path}` }).needs[0]?.ask_each_time;
    expect([".git", "mirror", "docs"].map(isAsked)).toEqual([
      "what Git holds under no name",
      "what Git holds under no name",
      undefined,
    ]);
  });

  it("does not follow links, names at most 20, and searches eight levels deep", () => {
    const home = tempFolder();
    put(home, "elsewhere/.env", "deep/1/2/3/4/5/6/7/.env", "deep/1/2/3/4/5/6/7/8/.env");
    mkdirSync(`${home}/linked`);
    symlinkSync("../elsewhere", `${home}/linked/e`);
    for (let index = 0; index < 30; index++) put(home, `many/.env.${index}`);
    const count = (path: string) => namedIn(decided({ home }, "Grep", { pattern: "x", path: `${home}/${path}` }).needs);
    expect(count("linked")).toEqual([]);
    expect(count("deep")).toEqual([`${home}/deep/1/2/3/4/5/6/7/.env`]);
    expect(count("many").length).toBe(20);
  });
});
