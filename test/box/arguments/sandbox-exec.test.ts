import { describe, expect, it } from "vitest";
import { type MacPlaces, sandboxProfile } from "../../../main/box/arguments/sandbox-exec.ts";
import type { Declaration } from "../../../main/gate/confinement/declaration.ts";

const PROJECT = "/Users/ada/work/app";
const DECLARATION: Declaration = { project: PROJECT, cwd: PROJECT, reads: [], writes: [], network: false };
const PLACES: MacPlaces = {
  home: "/Users/ada",
  temporary: "/private/tmp/run-1",
  caches: "/Users/ada/.local/state/metnos/box/projects/1/caches",
  run_later: [],
  secrets: [],
  toolchains: [],
  proxy_socket: undefined,
};

const profile = (declaration: Partial<Declaration> = {}, places: Partial<MacPlaces> = {}): string =>
  sandboxProfile({ ...DECLARATION, ...declaration }, { ...PLACES, ...places });

/** The rules' heads with the paths that each names, in the profile's order. */
function rules(text: string): { what: string; paths: string[] }[] {
  return text.split(/\n(?=\()/).map((rule) => ({
    what: /^\(([^\n()]*)/.exec(rule)?.[1]?.trim() ?? "",
    paths: [...rule.matchAll(/\((?:subpath|literal|path-literal) "((?:[^"\\]|\\.)*)"\)/g)].map(([, path = ""]) => path),
  }));
}

const pathsOf = (text: string, what: string): string[] =>
  rules(text)
    .filter((rule) => rule.what === what)
    .flatMap(({ paths }) => paths);

describe("a profile for sandbox-exec (not run here)", () => {
  it("refuses what it doesn't name, first of all", () => {
    expect(profile().split("\n").slice(0, 2)).toEqual(["(version 1)", "(deny default)"]);
  });

  it("lets the project, the run's own folders and nothing else be written", () => {
    expect(pathsOf(profile(), "allow file-write*")).toEqual([PROJECT, PLACES.temporary, PLACES.caches]);
  });

  it("shows nothing of the home but what was declared", () => {
    const text = profile({ reads: ["/Users/ada/data"] }, { toolchains: ["/Users/ada/.nvm"] });
    const in_home = pathsOf(text, "allow file-read*").filter((path) => path.startsWith("/Users"));
    expect(new Set(in_home)).toEqual(new Set(["/Users/ada/.nvm", "/Users/ada/data", PROJECT, PLACES.caches]));
    expect(pathsOf(text, "allow file-read-metadata")).toContain("/Users/ada");
  });

  it("keeps what is run later, behind what may be written, and the folders on the way to it", () => {
    const text = profile({}, { run_later: [`${PROJECT}/.git/hooks`] });
    expect(pathsOf(text, "deny file-write*")).toEqual([`${PROJECT}/.git/hooks`]);
    expect(pathsOf(text, "deny file-write-unlink")).toEqual([`${PROJECT}/.git`]);
    expect(text.indexOf("(deny file-write*")).toBeGreaterThan(text.indexOf("(allow file-write*"));
  });

  it("covers secrets but the one that a grant names", () => {
    const secrets = [`${PROJECT}/.env`, `${PROJECT}/api/.env`];
    const text = profile({ reads: [`${PROJECT}/.env`] }, { secrets });
    expect(pathsOf(text, "deny file-read* file-write*")).toEqual([`${PROJECT}/api/.env`]);
  });

  it("opens the gate's proxy only where a network was declared", () => {
    const places = { proxy_socket: "/Users/ada/.local/state/metnos/box/proxy" };
    expect(profile({}, places)).not.toContain("unix-socket");
    expect(profile({ network: true }, places)).toContain(`(path-literal "${places.proxy_socket}")`);
    expect(profile({ network: true })).not.toContain("unix-socket");
  });

  it("takes a path with quotes and brackets as one", () => {
    const project = '/Users/ada/a") (allow default) (subpath "/';
    const text = profile({ project, cwd: project });
    expect(text).not.toMatch(/^\(allow default\)/m);
    expect(pathsOf(text, "allow file-write*")[0]).toBe('/Users/ada/a\\") (allow default) (subpath \\"/');
  });
});
