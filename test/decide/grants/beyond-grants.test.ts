import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { proposalsFor } from "../../../main/calls/approvals/choices.ts";
import { decided, examinationOf } from "../../support/examinations.ts";
import { freshGrants, ROBERTO } from "../../support/gate-stores.ts";
import { tempFolder } from "../../support/temp-folder.ts";

/** What is more than a grant was given for, though it is on the same target. */

function world() {
  const home = tempFolder();
  const project = join(home, "project");
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", project, "-c", "user.name=x", "-c", "user.email=x@example.com", ...args], {
      env: { PATH: process.env.PATH, HOME: home, GIT_CONFIG_NOSYSTEM: "1" },
    });
  const add = (name: string, text = "x\n") => {
    mkdirSync(dirname(join(project, name)), { recursive: true });
    writeFileSync(join(project, name), text);
  };
  for (const name of [
    "a.txt",
    "held/a",
    "held/deep/b",
    "changed/a",
    "sub/.env.production",
    "sub/b",
    "dist/a.js",
    "build/a.js",
  ])
    add(name);
  git("init", "-q");
  git("add", "a.txt", "held", "changed");
  git("commit", "-qm", "x");
  add("changed/a", "other\n");
  add(".gitignore", "dist/\n");
  mkdirSync(join(project, "empty"));
  const { grants } = freshGrants();
  for (const capability of ["fs:read", "fs:write"] as const)
    grants.recordGrant({ ...ROBERTO, capability, target: `${project}/**` });
  grants.recordGrant({ ...ROBERTO, capability: "network:http", target: "example.com" });
  const situation = (executor: string, args: Record<string, unknown>, level: "Supervised" | "Full" = "Supervised") => ({
    executor,
    args,
    level,
    context: { cwd: project },
    settings: { home, grants },
  });
  const outcome = (...args: Parameters<typeof situation>) => decided(situation(...args)).outcome;
  const line = (command: string) => outcome("shell_exec", { command });
  return { home, project, situation, outcome, line, grants };
}

describe("a grant on a host is for fetching from it", () => {
  it.each([
    "curl -d @a.txt https://example.com/z",
    "curl -d x https://example.com/z",
    "curl --data-raw x https://example.com/z",
    "curl --json '{}' https://example.com/z",
    "curl -F f=@a.txt https://example.com/z",
    "curl -T a.txt https://example.com/z",
    "curl -X DELETE https://example.com/z",
    "curl -X PUT https://example.com/z",
    "curl -H 'Host: other.example' https://example.com/z",
    "curl -H @a.txt https://example.com/z",
    "curl -b a.txt https://example.com/z",
    "curl -H 'X: y\nHost: other.example' https://example.com/z",
    "curl -A 'x\r\nHost: other.example' https://example.com/z",
  ])("and doesn't cover what sends: %s", (command) => {
    expect(world().line(command)).toBe("approval_required");
  });

  it.each([
    "curl -s https://example.com/z",
    "curl -X GET https://example.com/z",
    "curl -I -H 'Accept: */*' https://example.com",
  ])("and covers what only fetches: %s", (command) => {
    expect(world().line(command)).toBe("allowed");
  });

  it("and doesn't cover http_post, as it does http_get; level Full needs no grant for either", () => {
    const { outcome } = world();
    const args = { url: "https://example.com/z" };
    expect([outcome("http_get", args), outcome("http_post", args)]).toEqual(["allowed", "approval_required"]);
    expect(outcome("http_post", args, "Full")).toBe(outcome("http_get", args, "Full"));
  });

  it("and what sends is remembered as sending, which covers fetching, on that host alone", () => {
    const { home, situation, outcome, line, grants } = world();
    const [need] = examinationOf(situation("http_post", { url: "http://localhost:3000/z" })).needs;
    const [proposal] = need === undefined ? [] : proposalsFor(need, { home });
    expect(proposal).toEqual({ reach: "host", target: "send:localhost" });
    grants.recordGrant({ ...ROBERTO, capability: "network:http", target: proposal?.target ?? "" });
    expect(outcome("http_post", { url: "http://localhost:3000/z" })).toBe("allowed");
    expect([line("curl -d x http://localhost:3000/"), line("curl -s http://localhost:3000/")]).toEqual([
      "allowed",
      "allowed",
    ]);
    expect(line("curl -d x https://example.com/z")).toBe("approval_required");
  });
});

describe("a grant on writing in a folder", () => {
  it.each(["sub", "changed", "build", "."])("doesn't cover deleting all of %s, which nothing else holds", (name) => {
    const { outcome, project } = world();
    expect(outcome("fs_delete", { path: join(project, name) })).toBe("approval_required");
  });

  it("says how many files would go", () => {
    const { situation, project } = world();
    expect(decided(situation("fs_delete", { path: join(project, "sub") })).reason).toContain(
      "a whole folder that is deleted, with 2 files, each time",
    );
  });

  it.each(["held", "dist", "empty", "sub/b", "not-there"])(
    "covers deleting %s: Git or a build has it, or it is no tree",
    (name) => {
      const { outcome, project } = world();
      expect(outcome("fs_delete", { path: join(project, name) })).toBe("allowed");
    },
  );

  it("counts alike for a line of the shell, and a move deletes nothing", () => {
    const { line } = world();
    expect([line("rm -r sub"), line("rm -r held"), line("rm -rf dist"), line("mv changed changed2")]).toEqual([
      "approval_required",
      "allowed",
      "allowed",
      "allowed",
    ]);
  });
});
