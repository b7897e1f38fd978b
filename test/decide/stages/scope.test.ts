import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { scope } from "../../../main/decide/stages/scope.ts";
import { examinationOf, manifestOf, type Situation } from "../../support/examinations.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const deniedFor = (situation: Situation) => scope(examinationOf(situation))?.reason;

describe("what the call says it needs", () => {
  it.each(["fs:write", "code:exec", "mail:send"])("an executor that only reads is not for %s", (capability) => {
    const x = examinationOf({ executor: "fs_read", args: { path: "/srv/a" }, context: { capability } });
    const reason = `fs_read only reads, and this call says it needs ${capability}`;
    expect(scope(x)).toEqual({
      stage: "scope",
      reason,
      explain: {
        rule: "scope.undeclared-capability",
        matched: `declared capability ${capability}`,
        instead: "use an executor that is made for it",
      },
    });
    expect(x.trace).toEqual([
      { stage: "scope", outcome: "denied", detail: reason, rule: "scope.undeclared-capability" },
    ]);
  });

  it.each<[string, Situation]>([
    ["what changes nothing", { executor: "fs_read", args: { path: "/srv/a" }, context: { capability: "llm:online" } }],
    ["what it has anyway", { executor: "fs_read", args: { path: "/srv/a" }, context: { capability: "fs:read" } }],
    ["no capability at all", { executor: "fs_read", args: { path: "/srv/a" }, context: { capability: "fs:eat" } }],
    ["nothing", { executor: "fs_read", args: { path: "/srv/a" } }],
    [
      "more, to an executor that changes the world",
      { executor: "fs_write", args: { path: "/srv/a" }, context: { capability: "code:exec" } },
    ],
    ["more, to one that nothing describes", { executor: "mcp__a__b", context: { capability: "fs:write" } }],
  ])("it may say that it needs %s", (_what, situation) => {
    const x = examinationOf(situation);
    expect(scope(x)).toBeNull();
    expect(x.trace).toEqual([{ stage: "scope", outcome: "passed", detail: "inside the executor's perimeter" }]);
  });

  it("what its manifest names it may name, too, although the manifest calls it harmless", () => {
    const own = [manifestOf({ needs: [{ capability: "fs:write", target: { from: "path", arg: "path" } }] })];
    const call: Situation = { executor: "box", args: { path: "/srv/a" }, own };
    expect(deniedFor({ ...call, context: { capability: "fs:write" } })).toBeUndefined();
    expect(deniedFor({ ...call, context: { capability: "code:exec" } })).toBeDefined();
  });

  it("an executor that is critical by its manifest alone may need more, too", () => {
    const call = { executor: "box", args: { path: "/srv/a" }, context: { capability: "code:exec" } };
    expect(deniedFor({ ...call, own: [manifestOf({ critical: true })] })).toBeUndefined();
    expect(deniedFor({ ...call, own: [manifestOf({ critical: false })] })).toBe(
      "box only reads, and this call says it needs code:exec",
    );
  });
});

describe("the paths that an executor is declared for", () => {
  const PATHS = "the call leaves the paths that box is declared for";

  function declaredFor(paths: string[], isTree = false) {
    const home = tempFolder();
    mkdirSync(join(home, "work/in"), { recursive: true });
    const own = [
      manifestOf({
        needs: [{ capability: "fs:read", target: { from: "path", arg: "path", is_tree: isTree } }],
        scope: { paths },
      }),
    ];
    return { home, reason: (path: string) => deniedFor({ executor: "box", args: { path }, own, settings: { home } }) };
  }

  it("what is inside passes, what is outside is denied", () => {
    const { home, reason } = declaredFor(["~/work/**", "~/notes.txt"]);
    for (const path of ["~/work/a.txt", "~/work/in/deep/a.txt", "~/notes.txt", `${home}/x/../work/a.txt`])
      expect([path, reason(path)]).toEqual([path, undefined]);
    for (const path of ["~/other.txt", "~/workshop/a.txt", "~/work/../other.txt", "/srv/a", "~/notes.txt/x"])
      expect([path, reason(path)]).toEqual([path, PATHS]);
  });

  it("the denial says what it is about", () => {
    const own = [manifestOf({ scope: { paths: ["/srv/in/**"] } })];
    const x = examinationOf({ executor: "box", args: { path: "/srv/out" }, own });
    expect(scope(x)).toEqual({
      stage: "scope",
      reason: PATHS,
      explain: {
        rule: "scope.outside-perimeter",
        matched: "the executor's declared paths",
        instead: "stay inside the declared perimeter, or ask the user to widen it",
      },
    });
    expect(x.trace).toEqual([{ stage: "scope", outcome: "denied", detail: PATHS, rule: "scope.outside-perimeter" }]);
  });

  it("a whole tree must be inside as a whole", () => {
    const { reason } = declaredFor(["~/work/**"], true);
    expect(reason("~/work/in")).toBeUndefined();
    expect(reason("~")).toBe(PATHS);
    expect(declaredFor(["~/work/*"], true).reason("~/work/in")).toBe(PATHS);
  });

  it("a link out of it is outside, a link into it from elsewhere too", () => {
    const { home, reason } = declaredFor(["~/work/**"]);
    mkdirSync(join(home, "other"));
    symlinkSync("../other", join(home, "work/out"));
    symlinkSync("work", join(home, "short"));
    expect(reason("~/work/out/a.txt")).toBe(PATHS);
    expect(reason("~/short/a.txt")).toBe(PATHS);
  });

  it("where a path leads can't be known: outside", () => {
    const { home, reason } = declaredFor(["~/work/**", "/proc/**"]);
    symlinkSync("loop", join(home, "work/loop"));
    expect(reason("~/work/loop/a.txt")).toBe(PATHS);
    expect(reason("/proc/self/status")).toBe(PATHS);
    expect(reason("/proc/version")).toBeUndefined();
    expect(reason("a.txt")).toBe("the call leaves the targets that box is declared for");
  });

  it("each of several paths counts", () => {
    const own = [manifestOf({ scope: { paths: ["/srv/in/**"] } })];
    const reason = (path: string[]) => deniedFor({ executor: "box", args: { path }, own });
    expect(reason(["/srv/in/a", "/srv/in/b"])).toBeUndefined();
    expect(reason(["/srv/in/a", "/srv/out/b"])).toBe(PATHS);
    expect(reason(["/srv/out/a", "/srv/in/b"])).toBe(PATHS);
  });

  it("an empty list is a perimeter with nothing in it; none is no perimeter", () => {
    const args = { path: "/srv/a" };
    expect(deniedFor({ executor: "box", args, own: [manifestOf({ scope: { paths: [] } })] })).toBe(PATHS);
    expect(deniedFor({ executor: "box", args, own: [manifestOf()] })).toBeUndefined();
    expect(deniedFor({ executor: "fs_read", args: { path: "/etc/shadow" } })).toBeUndefined();
  });
});

describe("the hosts that an executor is declared for", () => {
  const HOSTS = "the call leaves the hosts that box is declared for";
  const reason = (hosts: string[], url: unknown) =>
    deniedFor({
      executor: "box",
      args: { url },
      own: [
        manifestOf({ needs: [{ capability: "network:http", target: { from: "url", arg: "url" } }], scope: { hosts } }),
      ],
    });

  it.each([
    [["api.example.com"], "https://api.example.com/x"],
    [["API.Example.com"], "https://api.example.com:8443/x"],
    [["*.example.com"], "https://api.example.com/"],
    [["other.example", "api.example.com"], "http://api.example.com/"],
  ])("inside %j: %s", (hosts, url) => {
    expect(reason(hosts, url)).toBeUndefined();
  });

  it.each([
    [["api.example.com"], "https://example.com/"],
    [["api.example.com"], "https://api.example.com.evil.example/"],
    [["api.example.com"], "https://api.example.com@evil.example/"],
    [["*.example.com"], "https://badexample.com/"],
    [["not a host"], "https://not/"],
    [[], "https://api.example.com/"],
  ])("outside %j: %s", (hosts, url) => {
    expect(reason(hosts, url)).toBe(HOSTS);
  });

  it("each of several hosts counts, and one that can't be known is outside", () => {
    expect(reason(["a.example"], ["https://a.example/", "https://a.example/2"])).toBeUndefined();
    expect(reason(["a.example"], ["https://a.example/", "https://b.example/"])).toBe(HOSTS);
    expect(reason(["a.example"], "no address")).toBe("the call leaves the targets that box is declared for");
  });
});
