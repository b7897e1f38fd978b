import { mkdirSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { pathTarget } from "@metnos-gate/shell-reading";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { REACHES } from "../../../ipc/contract/decision.ts";
import type { Choice } from "../../../ipc/contract/operator-api.ts";
import { askedPathsOf, choicesFor, grantsFor, realsOfChoices } from "../../../main/calls/approvals/choices.ts";
import { type ResolvedRequirement, requirementOf } from "../../../main/targets/target.ts";
import { freshGrants, ROBERTO } from "../../support/gate-stores.ts";
import { refusalOf } from "../../support/refusals.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const HOME = "/home/roberto";
const file = (path: string, home = HOME): ResolvedRequirement => ({
  capability: "fs:write",
  target: pathTarget(path, home, undefined, false),
});
const shown = (needs: ResolvedRequirement[], home = HOME) =>
  choicesFor(needs, { home }).map(({ scope, reach, grants }) => [
    scope,
    reach,
    grants.map(({ target }) => target).join(" "),
  ]);

describe("what the operator can answer", () => {
  it("a file: once; it, its folder, its folder and below, each for the session or permanently", () => {
    expect(shown([file("~/work/[id] (1).tsx")])).toEqual([
      ["none", null, ""],
      ["session", "file", `${HOME}/work/[[]id[]] (1).tsx`],
      ["permanent", "file", `${HOME}/work/[[]id[]] (1).tsx`],
      ["session", "folder", `${HOME}/work/*`],
      ["permanent", "folder", `${HOME}/work/*`],
      ["session", "tree", `${HOME}/work/**`],
      ["permanent", "tree", `${HOME}/work/**`],
    ]);
  });

  it("a file right below the root: never the whole disk", () => {
    expect(shown([file("/x")]).map(([, , target]) => target)).toEqual(["", "/x", "/x"]);
  });

  it("once only: capabilities marked always, unknown targets, and no needs at all", () => {
    const once = [["none", null, ""]];
    expect(shown([{ capability: "code:exec", target: { kind: "exact", value: "ls" } }])).toEqual(once);
    expect(shown([{ capability: "mail:send", target: { kind: "exact", value: "a@b.example" } }])).toEqual(once);
    expect(shown([file("relative")])).toEqual(once);
    expect(shown([file("~/a"), { capability: "code:exec", target: { kind: "exact", value: "ls" } }])).toEqual(once);
    expect(shown([])).toEqual(once);
    expect(shown([{ capability: "fs:read", target: pathTarget("/", HOME, undefined, true) }])).toEqual(once);
  });

  it("a host, an exact name, the one target for all: exactly that", () => {
    expect(shown([{ capability: "network:http", target: { kind: "host", host: "example.com" } }])[2]).toEqual([
      "permanent",
      "host",
      "example.com",
    ]);
    expect(shown([{ capability: "mail:read", target: { kind: "exact", value: "inbox" } }])[2]).toEqual([
      "permanent",
      "exact",
      "inbox",
    ]);
    expect(shown([{ capability: "llm:online", target: { kind: "none" } }])[2]).toEqual(["permanent", "any", "*"]);
  });

  it("several needs: each as narrowly as it was asked, or each with its folder", () => {
    expect(shown([file("~/a"), file("~/b/c")])).toEqual([
      ["none", null, ""],
      ["session", "exact", `${HOME}/a ${HOME}/b/c`],
      ["permanent", "exact", `${HOME}/a ${HOME}/b/c`],
      ["session", "tree", `${HOME}/**`],
      ["permanent", "tree", `${HOME}/**`],
    ]);
    expect(shown([file("~/a/b"), file("~/c/d")]).map(([, , grants]) => grants)).toContain(`${HOME}/a/** ${HOME}/c/**`);
  });

  it("what any choice would store covers the call that it was offered for, whatever the file is called", () => {
    const { grants, home } = freshGrants();
    mkdirSync(join(home, "real"));
    symlinkSync("real", join(home, "link"));
    const name = fc
      .array(fc.constantFrom(..."()[]{}!+@|*?^$.,-~#\"' ab"), { minLength: 1, maxLength: 6 })
      .map((all) => all.join(""))
      .filter((text) => text !== "." && text !== "..");
    fc.assert(
      fc.property(fc.constantFrom("", "link/", "real/"), name, name, fc.boolean(), (top, folder, leaf, isTree) => {
        const need: ResolvedRequirement = {
          capability: "fs:write",
          target: pathTarget(`${home}/${top}${folder}/${leaf}`, home, undefined, isTree),
        };
        const remembered = choicesFor([need], { home }).filter(({ scope }) => scope === "permanent");
        expect(remembered.length).toBe(isTree ? 1 : 3);
        for (const { grants: stored } of remembered) {
          const ids = stored.map((grant) => grants.recordGrant({ ...ROBERTO, ...grant }).id);
          const isFound = grants.find(ROBERTO, "fs:write", need.target) !== undefined;
          expect([need.target, stored, isFound]).toEqual([need.target, stored, true]);
          for (const id of ids) grants.revokeGrant(id);
        }
      }),
      { numRuns: 150 },
    );
  });
});

describe("what an answer grants", () => {
  it("of several proposals the one that is named, whole; one that the card hasn't is refused", () => {
    const needs = [file("~/work/a/x"), file("~/notes/y")];
    const choices = choicesFor(needs, { home: HOME });
    const asked = needs.map(requirementOf);
    const offer = { choices, capabilities: asked, paths: {} };
    const granted = grantsFor(offer, { scope: "session", reach: "tree" }, HOME);
    expect(granted.map(({ target }) => target)).toEqual([`${HOME}/work/a/**`, `${HOME}/notes/**`]);
    const exactly = grantsFor(offer, { scope: "session" }, HOME);
    expect(exactly.map(({ target }) => target)).toEqual([`${HOME}/work/a/x`, `${HOME}/notes/y`]);
    for (const reach of REACHES.filter((name) => name !== "exact" && name !== "tree"))
      expect(refusalOf(() => grantsFor(offer, { scope: "session", reach }, HOME)).code).toBe("unknown_choice");
    const sessionOnly = choices.filter(({ scope, reach }) => scope !== "permanent" || reach !== "tree");
    expect(
      refusalOf(() => grantsFor({ ...offer, choices: sessionOnly }, { scope: "permanent", reach: "tree" }, HOME)).code,
    ).toBe("unknown_choice");
  });

  it("a choice of one grant for several needs takes its own target by its reach", () => {
    const needs = [file("~/work/a"), file("~/work/b")];
    const choices = choicesFor(needs, { home: HOME });
    const asked = needs.map(requirementOf);
    const offer = { choices, capabilities: asked, paths: {} };
    for (const target of ["~/work/**", "~/**"])
      expect(
        grantsFor(offer, { scope: "permanent", target, reach: "tree" }, HOME).map((grant) => grant.target),
      ).toEqual([target.replace("~", HOME)]);
  });

  it("of two choices of one reach the one whose target is named, in whatever form, else the first", () => {
    const needs: ResolvedRequirement[] = [file("~/work/a/x"), { ...file("~/work/a/y"), capability: "fs:read" }];
    const asked = needs.map(requirementOf);
    const below = (capability: "fs:read" | "fs:write", folder: string) => ({
      capability,
      target: `${HOME}/${folder}/**`,
    });
    const choices: Choice[] = [
      { scope: "permanent", reach: "tree", grants: [below("fs:write", "work/a"), below("fs:read", "work/a")] },
      { scope: "permanent", reach: "tree", grants: [below("fs:read", "work")] },
    ];
    const offer = { choices, capabilities: asked, paths: {} };
    const granted = (target?: string) =>
      grantsFor(offer, { scope: "permanent", target, reach: "tree" }, HOME).map(({ capability }) => capability);
    expect(granted()).toEqual(["fs:write", "fs:read"]);
    expect(granted("~/work/**")).toEqual(["fs:read"]);
    expect(refusalOf(() => granted("~/work/a/*")).code).toBe("target_mismatch");
  });

  it("no card has two choices of one scope and reach", () => {
    const need = fc.constantFrom<ResolvedRequirement>(
      file("~/work/a"),
      file("~/work/b"),
      file("~/notes/c"),
      { ...file("~/work/a"), capability: "fs:read" },
      { capability: "fs:read", target: pathTarget("~/work", HOME, undefined, true) },
      { capability: "network:http", target: { kind: "host", host: "example.com" } },
      { capability: "mail:read", target: { kind: "exact", value: "inbox" } },
      { capability: "llm:online", target: { kind: "none" } },
    );
    fc.assert(
      fc.property(fc.array(need, { minLength: 1, maxLength: 4 }), (needs) => {
        const names = choicesFor(needs, { home: HOME }).map(({ scope, reach }) => `${scope} ${reach}`);
        expect(names).toEqual([...new Set(names)]);
      }),
    );
  });

  it("the first proposal of its scope, or the operator's own target in its place", () => {
    const choices = choicesFor([file("~/work/a")], { home: HOME });
    const asked = [requirementOf(file("~/work/a"))];
    const offer = { choices, capabilities: asked, paths: {} };
    expect(grantsFor(offer, { scope: "session" }, HOME)).toEqual([
      {
        capability: "fs:write",
        target: `${HOME}/work/a`,
        target_real: `${HOME}/work/a`,
        target_base: `${HOME}/work/a`,
      },
    ]);
    expect(grantsFor(offer, { scope: "permanent", target: "~/work/**" }, HOME)).toEqual([
      {
        capability: "fs:write",
        target: `${HOME}/work/**`,
        target_real: `${HOME}/work/**`,
        target_base: `${HOME}/work`,
      },
    ]);
  });

  it("no target that does not cover what was asked for", () => {
    const choices = choicesFor([file("~/work/a")], { home: HOME });
    const asked = [requirementOf(file("~/work/a"))];
    const offer = { choices, capabilities: asked, paths: {} };
    for (const target of ["~/other/**", "~/work/b", "~/work/a/*"]) {
      expect(refusalOf(() => grantsFor(offer, { scope: "permanent", target }, HOME)).code).toBe("target_mismatch");
    }
    expect(refusalOf(() => grantsFor(offer, { scope: "permanent", target: "/**" }, HOME)).code).toBe("invalid_target");
  });

  it("no target that leads elsewhere than what was asked, though it is written the same: a link was moved meanwhile", () => {
    const home = tempFolder();
    for (const name of ["before", "after"]) mkdirSync(join(home, name));
    symlinkSync("before", join(home, "link"));
    const need = file("~/link/a", home);
    const choices = choicesFor([need], { home });
    const given = (target?: string) =>
      grantsFor(
        { choices, capabilities: [requirementOf(need)], paths: askedPathsOf([need]) },
        { scope: "permanent", target },
        home,
      );
    const before = `${home}/before/a`;
    expect(given()).toEqual([{ capability: "fs:write", target: before, target_real: before, target_base: before }]);
    expect(given("~/link/*")).toEqual([
      {
        capability: "fs:write",
        target: `${home}/link/*`,
        target_real: `${home}/before/*`,
        target_base: `${home}/link`,
      },
    ]);
    rmSync(join(home, "link"));
    symlinkSync("after", join(home, "link"));
    for (const target of ["~/link/**", "~/link/*"]) expect(refusalOf(() => given(target)).code).toBe("target_moved");
    expect(given()).toMatchObject([{ target: `${home}/before/a` }]);
    expect(given("~/**")).toMatchObject([{ target: `${home}/**` }]);
  });

  it("for a link only where it leads is offered, never its own name or the folder that it is in", () => {
    const home = tempFolder();
    for (const name of ["in", "out"]) mkdirSync(join(home, name));
    symlinkSync(join(home, "out/a"), join(home, "in/a"));
    const targets = shown([file("~/in/a", home)], home).map(([, , target]) => target);
    expect([...new Set(targets)]).toEqual(["", `${home}/out/a`, `${home}/out/*`, `${home}/out/**`]);
    expect(
      refusalOf(() =>
        grantsFor(
          {
            choices: choicesFor([file("~/in/a", home)], { home }),
            capabilities: [requirementOf(file("~/in/a", home))],
            paths: askedPathsOf([file("~/in/a", home)]),
          },
          { scope: "permanent", target: "~/in/**" },
          home,
        ),
      ).code,
    ).toBe("target_moved");
  });

  it("a home folder that is itself reached by a link keeps its usual name", () => {
    const folder = tempFolder();
    mkdirSync(join(folder, "var/me/work"), { recursive: true });
    symlinkSync("var/me", join(folder, "home"));
    const home = join(folder, "home");
    const need = file("~/work/a", home);
    const choices = choicesFor([need], { home });
    expect([requirementOf(need).target, choices.at(-1)?.grants[0]?.target]).toEqual([
      `${home}/work/a`,
      `${home}/work/**`,
    ]);
    expect(
      grantsFor(
        { choices, capabilities: [requirementOf(need)], paths: askedPathsOf([need]) },
        { scope: "session" },
        home,
      ),
    ).toEqual([
      {
        capability: "fs:write",
        target: `${home}/work/a`,
        target_real: `${folder}/var/me/work/a`,
        target_base: `${home}/work/a`,
      },
    ]);
    symlinkSync("/srv", join(folder, "var/me/work/out"));
    expect(requirementOf(file("~/work/out/x", home)).target).toBe("/srv/x");
    symlinkSync("a", join(folder, "var/me/work/b"));
    expect(requirementOf(file("~/work/b", home)).target).toBe(`${home}/work/a`);
  });

  it("what is asked about by name each time can only be approved once, alone and beside what could be granted", () => {
    const secret: ResolvedRequirement = { ...file("~/work/.env"), ask_each_time: "it holds secrets" };
    for (const needs of [[secret], [file("~/work/a"), secret]]) expect(shown(needs)).toEqual([["none", null, ""]]);
  });

  it("nothing where it can only be once, and no one target for several needs", () => {
    expect(
      refusalOf(() =>
        grantsFor(
          { choices: choicesFor([], { home: HOME }), capabilities: [], paths: {} },
          { scope: "permanent" },
          HOME,
        ),
      ).code,
    ).toBe("only_once");
    const two = [file("~/a"), file("~/b")];
    expect(
      refusalOf(() =>
        grantsFor(
          { choices: choicesFor(two, { home: HOME }), capabilities: two.map(requirementOf), paths: {} },
          { scope: "permanent", target: "~/**" },
          HOME,
        ),
      ).code,
    ).toBe("target_mismatch");
  });
});

it("a choice whose path leads to the whole disk by now fails no request: it has no recorded place", () => {
  const folder = tempFolder();
  symlinkSync("/", join(folder, "out"));
  const grants = [{ capability: "fs:write" as const, target: `${folder}/out/**` }];
  const choices: Choice[] = [
    { scope: "session", reach: "tree", grants },
    { scope: "session", reach: "file", grants: [{ capability: "fs:write", target: `${folder}/a.txt` }] },
  ];
  expect(realsOfChoices(choices, folder)).toEqual({ [`${folder}/a.txt`]: `${realpathSync(folder)}/a.txt` });
});
