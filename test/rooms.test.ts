import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { importsBelow, packageDoors } from "../dev/imports.ts";
import { BESIDE, doorsOf, ROOMS, roomOf } from "../dev/room-table.ts";
import { arrowsOf, circlesOf, folderRoom, importsAmong } from "../dev/rooms.ts";

// dev/room-table.ts: which room a file is in, which rooms it may import, by which files it is entered, and how large a room may get.

const ROOT = resolve(import.meta.dirname, "..");
const PRODUCT = ["ipc", "main", "packages", "cli", "renderer", "preload"];
const FILES = importsBelow([...PRODUCT, ...Object.keys(BESIDE)]);
/** Each door of a package, by its file, and how it is imported. */
const DOORS = new Map([...packageDoors()].map(([specifier, file]) => [file, specifier]));
const isProduct = (path: string) => PRODUCT.includes(path.split("/")[0] ?? "");

const isDeciding = (path: string) => /^(?:main\/(?:decide|targets)|packages\/shell-reading)\//.test(path);
const textOf = (path: string) => readFileSync(join(ROOT, path), "utf8");
/** What a file takes from node:fs, without its types. */
const namesOfFs = (text: string) =>
  [...text.matchAll(/^import (?:\{([^}]*)\}|(.*?)) from "(?:node:)?fs";/gm)].flatMap(([, names, whole = ""]) =>
    names === undefined
      ? [whole]
      : names
          .split(",")
          .map((name) => name.trim())
          .filter((name) => name !== "" && !name.startsWith("type ")),
  );

/** Each import of the product from one room into another. */
const ARROWS = [...FILES].flatMap(([path, imports]) => {
  const from = roomOf(path);
  if (from === undefined) return [];
  return imports.flatMap(({ target, isLate }) => {
    const to = roomOf(target);
    return to === undefined || to === from ? [] : [{ path, target, isLate, from, to }];
  });
});

describe("the rooms", () => {
  it("hold every file of the product, and none is empty", () => {
    expect([...FILES.keys()].filter((path) => isProduct(path) && roomOf(path) === undefined)).toEqual([]);
    const used = new Set([...FILES.keys()].map((path) => roomOf(path)?.path));
    expect(ROOMS.map(({ path }) => path).filter((path) => !used.has(path))).toEqual([]);
    expect(ARROWS.length).toBeGreaterThan(2400);
  });

  it("no arrow points up: a room imports from rooms of lower floors, and from nothing beside the product", () => {
    const up = ARROWS.filter(({ from, to }) => to.floor >= from.floor);
    expect(up.map(({ path, target }) => `${path} -> ${target}`)).toEqual([]);
    const outside = [...FILES]
      .filter(([path]) => isProduct(path))
      .flatMap(([path, imports]) =>
        imports
          .filter(({ target }) => FILES.has(target) && !isProduct(target))
          .map(({ target }) => `${path} -> ${target}`),
      );
    expect(outside).toEqual([]);
  });

  it("no files import each other in a circle, types and late imports included", () => {
    const paths = [...FILES.keys()].filter((path) => !path.startsWith("test/"));
    const targetsOf = (path: string) =>
      (FILES.get(path) ?? []).map(({ target }) => target).filter((target) => FILES.has(target) && target !== path);
    expect(circlesOf(paths, targetsOf)).toEqual([]);
  });

  it("nor do folders of main/, ipc/ and packages/: each is below or above the other", () => {
    const arrows = arrowsOf(importsAmong(["main", "ipc", "packages"]), folderRoom);
    expect(arrows.size).toBeGreaterThan(60);
    expect(circlesOf([...arrows.keys()], (folder) => arrows.get(folder)?.keys() ?? [])).toEqual([]);
  });

  it("what decides and what reads a command line look at files, and write none", () => {
    const READS = [
      ...["accessSync", "closeSync", "constants", "existsSync", "fstatSync", "lstatSync", "openSync", "opendirSync"],
      ...["readFileSync", "readSync", "readdirSync", "readlinkSync", "realpathSync", "statSync", "statfsSync"],
    ];
    const deciding = [...FILES.keys()].filter(isDeciding);
    const named = deciding.flatMap((path) => namesOfFs(textOf(path)).map((name) => [name, path] as const));
    expect(named.filter(([name]) => !READS.includes(name))).toEqual([]);
    // Only where the flags beside it say that it is for reading.
    expect(named.filter(([name]) => name === "openSync").map(([, path]) => path)).toEqual([
      "packages/shell-reading/files/regular-bytes.ts",
      "packages/shell-reading/targets/file-beginning.ts",
      "packages/shell-reading/targets/path.ts",
    ]);
    for (const path of ["files/regular-bytes", "targets/file-beginning", "targets/path"])
      expect(textOf(`packages/shell-reading/${path}.ts`)).not.toMatch(/O_(?:WRONLY|RDWR|CREAT)|openSync\([^)]*["']/);
    const others = deciding.flatMap((path) =>
      (FILES.get(path) ?? [])
        .map(({ target }) => target)
        .filter((target) => /^(?:node:)?fs\/|better-sqlite3/.test(target)),
    );
    expect(others).toEqual([]);
  });

  it("what decides reaches SQLite through main/base alone, and only where something is remembered", () => {
    const users = [...FILES].filter(([path]) => isDeciding(path));
    const keeping = users.filter(([, imports]) => imports.some(({ target }) => target.startsWith("main/base/sqlite/")));
    // Their rows are what decisions are made of, and change with a decision (a use, a token, a violation): moving the statements elsewhere
    // would put an arrow up or a callback in the place of a call.
    expect(keeping.map(([path]) => path)).toEqual([
      ...["session-marks", "written-files"].map((name) => `main/decide/flow/${name}.ts`),
      ...["cache", "observed-time", "rows", "search", "stale-rows", "store"].map(
        (name) => `main/decide/grants/${name}.ts`,
      ),
      "main/decide/mcp/tool-store.ts",
      "main/decide/places/used-destinations.ts",
      "main/decide/policy/cells.ts",
      ...["budgets"].map((name) => `main/decide/rate/${name}.ts`),
      ...["pause", "safety", "schema", "violations"].map((name) => `main/decide/safety/${name}.ts`),
    ]);
  });

  it.each(ROOMS.filter(({ doors }) => doors !== "all"))("$path is entered by its doors", (room) => {
    const entered = new Set(ARROWS.filter(({ to }) => to === room).map(({ target }) => target.replace(/\.tsx?$/, "")));
    // Opening another one is a deliberate change; one that nobody enters by any more is closed.
    expect([...entered].sort()).toEqual(doorsOf(room).sort());
  });

  it("of a room with an index.ts the gate's own rooms name nothing else, but what they load late", () => {
    const isOfGate = ({ path }: { path: string }) => path.startsWith("main/") && path !== "main/desktop";
    const withIndex = ROOMS.filter(({ path }) => FILES.has(`${path}/index.ts`));
    expect(withIndex.length).toBeGreaterThan(4);
    const beside = ARROWS.filter(
      ({ target, isLate, from, to }) =>
        isOfGate(from) && withIndex.includes(to) && !isLate && target !== `${to.path}/index.ts`,
    );
    expect([...new Set(beside.map(({ target }) => target))]).toEqual([
      // With the tables of the other databases, which `doctor` looks at without a gate.
      "main/calls/approvals/schema.ts",
    ]);
    const all = [...FILES.keys()].filter((path) => path.endsWith("/index.ts") || DOORS.has(path));
    expect(all.filter((path) => /export \*/.test(textOf(path)))).toEqual([]);
  });

  it("a package is imported by its name, through its doors alone, and by nothing but its tests otherwise", () => {
    expect(DOORS.size).toBeGreaterThan(3);
    const others = [...FILES].filter(([path]) => !path.startsWith("packages/") && !path.startsWith("test/"));
    const inside = others.flatMap(([path, imports]) =>
      imports
        .filter(({ target }) => target.startsWith("packages/") && !(DOORS.has(target) && isByName(path, target)))
        .map(({ target }) => `${path} -> ${target}`),
    );
    // It asks the reader for its own limit.
    expect(inside).toEqual(["fuzz/shell-reader.ts -> packages/shell-reading/shell/scope.ts"]);
  });

  it("a package imports nothing of the rest, and what else it needs is in its package.json", () => {
    for (const folder of globSync("packages/*", { cwd: ROOT })) {
      const { dependencies = {} } = JSON.parse(textOf(`${folder}/package.json`)) as { dependencies?: object };
      const needed = [...FILES]
        .filter(([path]) => path.startsWith(`${folder}/`))
        .flatMap(([, imports]) => imports.map(({ target }) => target))
        .filter((target) => !target.startsWith(`${folder}/`) && !target.startsWith("node:"));
      expect([...new Set(needed)].sort()).toEqual(Object.keys(dependencies).sort());
    }
  });

  it("each name of a package's door is used outside of it", () => {
    const users = [...FILES.keys()].filter((path) => !path.startsWith("packages/") && !path.startsWith("test/"));
    for (const [file, specifier] of DOORS) {
      const used = new Set(users.flatMap((path) => namesImported(textOf(path), specifier)));
      expect([file, namesExported(textOf(file)).filter((name) => !used.has(name))]).toEqual([file, []]);
    }
  });

  it.each([...ROOMS.map(({ path, lines }) => [path, lines] as const), ...Object.entries(BESIDE)])(
    "%s has at most %i lines",
    (path, most) => {
      expect(linesBelow(path)).toBeLessThanOrEqual(most);
    },
  );

  it("lower the limit of one that got smaller: none may grow by a tenth unseen", () => {
    const wide = [...ROOMS.map(({ path, lines }) => [path, lines] as const), ...Object.entries(BESIDE)].filter(
      ([path, most]) => most > linesBelow(path) * 1.1 + 100,
    );
    expect(wide).toEqual([]);
  });

  it("are drawn in CONTRIBUTING, each with its sentence", () => {
    const lines = readFileSync(join(ROOT, "CONTRIBUTING.md"), "utf8").split("\n");
    const missing = ROOMS.filter(
      ({ path, holds }) => !lines.some((line) => line.includes(` ${path} `) && line.endsWith(` ${holds}`)),
    );
    expect(missing.map(({ path }) => path)).toEqual([]);
  });
});

const isByName = (path: string, door: string) => textOf(path).includes(`"${DOORS.get(door)}"`);

const namesIn = (list: string) =>
  list
    .split(",")
    .map((name) =>
      name
        .trim()
        .replace(/^type /, "")
        .replace(/ as .*$/, ""),
    )
    .filter((name) => name !== "");

const namesImported = (text: string, specifier: string) =>
  [...text.matchAll(/^import (?:type )?\{([^}]*)\} from "([^"]+)";/gm)].flatMap(([, names = "", from]) =>
    from === specifier ? namesIn(names) : [],
  );

/** Of a door that only hands on, or that is a file of its own. */
const namesExported = (text: string) => [
  ...[...text.matchAll(/^export (?:type )?\{([^}]*)\} from/gm)].flatMap(([, names = ""]) => namesIn(names)),
  ...[...text.matchAll(/^export (?:const|function|class|interface|type) (\w+)/gm)].map(([, name = ""]) => name),
];

/** Of TypeScript, CSS and C, new files included. */
function linesBelow(path: string): number {
  return execFileSync("git", ["ls-files", "-co", "--exclude-standard", "--", path], { cwd: ROOT, encoding: "utf8" })
    .split("\n")
    .filter((name) => /\.(?:[mc]?tsx?|css|js|c)$/.test(name))
    .reduce((sum, name) => sum + textOf(name).split("\n").length - 1, 0);
}
