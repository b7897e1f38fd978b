import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

// Which files import which. dependency-cruiser reads the same (compared for main/, ipc/ and cli/: 4733 imports, no difference), but no
// TypeScript 7 without a second parser, takes fifty times as long, and can't follow only what is loaded at once.

const ROOT = resolve(import.meta.dirname, "..");

export interface Import {
  /** A path below the root, that of a door for a package of packages/; or a package's or Node module's name. */
  target: string;
  /** Gone once the types are stripped. */
  isType: boolean;
  /** `import(...)`: loaded when it is reached, not with the file. */
  isLate: boolean;
}

/** Each TypeScript file below `folders`, by its path below `root`, to what it imports. */
export function importsBelow(folders: readonly string[], root = ROOT): Map<string, Import[]> {
  const paths = folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)),
    )
    .filter((path) => /\.[mc]?tsx?$/.test(path) && !path.includes("node_modules"))
    .sort();
  const doors = packageDoors(root);
  return new Map(paths.map((path) => [path, importsIn(readFileSync(join(root, path), "utf8"), path, doors)]));
}

/** What each door of a package below packages/ is imported as, to its file's path below `root`. */
export function packageDoors(root = ROOT): Map<string, string> {
  return new Map(
    globSync("packages/*/package.json", { cwd: root }).flatMap((file) => {
      const { name, exports } = JSON.parse(readFileSync(join(root, file), "utf8")) as {
        name: string;
        exports: Record<string, string>;
      };
      return Object.entries(exports).map(([door, path]) => [join(name, door), join(dirname(file), path)] as const);
    }),
  );
}

function importsIn(text: string, path: string, doors: ReadonlyMap<string, string>): Import[] {
  const target = (specifier: string) =>
    specifier.startsWith(".")
      ? relative("/", resolve("/", dirname(path), specifier))
      : (doors.get(specifier) ?? specifier);
  return [
    ...[...text.matchAll(/^\s*(?:import|export)\b(\s+type\b)?(?:[^"';]*?\bfrom)?\s*["']([^"']+)["']/gm)].map(
      ([, type, specifier = ""]) => ({ target: target(specifier), isType: type !== undefined, isLate: false }),
    ),
    ...[...text.matchAll(/\b(import|require|createRequire\([^)]*\))\(\s*["'`]([^"'`]+)["'`]/g)].map(
      ([, by, specifier = ""]) => ({ target: target(specifier), isType: false, isLate: by === "import" }),
    ),
  ];
}
