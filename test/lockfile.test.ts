import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { z } from "zod";

// What is installed is what was reviewed: `npm ci` compares each package with its hash in package-lock.json.

const ROOT = resolve(import.meta.dirname, "..");
const REGISTRY = "https://registry.npmjs.org/";

const packageSchema = z.object({
  version: z.string().optional(),
  resolved: z.string().optional(),
  integrity: z.string().optional(),
  link: z.boolean().optional(),
  dependencies: z.record(z.string(), z.string()).optional(),
});
const lockSchema = z.object({ lockfileVersion: z.literal(3), packages: z.record(z.string(), packageSchema) });
const ownSchema = z.object({
  name: z.string(),
  version: z.string(),
  dependencies: z.record(z.string(), z.string()).optional(),
});
const manifestSchema = z.object({
  dependencies: z.record(z.string(), z.string()),
  devDependencies: z.record(z.string(), z.string()),
});

const read = (file: string): unknown => JSON.parse(readFileSync(join(ROOT, file), "utf8"));
const { packages } = lockSchema.parse(read("package-lock.json"));
const { dependencies, devDependencies } = manifestSchema.parse(read("package.json"));

/** The project's own, which lie in packages/: npm links them. */
const isOwn = (path: string) => /^(?:packages|node_modules\/@metnos-gate)\/[^/]+$/.test(path);

/** What is wrong with a package's entry; undefined where nothing is. */
function problemOf({ version, resolved, integrity, link }: z.infer<typeof packageSchema>): string | undefined {
  if (link === true || version === undefined) return "is no package of a registry";
  if (resolved !== undefined && !resolved.startsWith(REGISTRY)) return `comes from ${resolved}`;
  // SHA-512: 64 bytes in base64.
  return /^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? "") ? undefined : "has no SHA-512 hash";
}

it("every package of the lockfile comes from npm's own registry, by its SHA-512 hash", () => {
  const installed = Object.entries(packages).filter(([path]) => path !== "" && !isOwn(path));
  expect(installed.length).toBeGreaterThan(300);
  const problems = installed.flatMap(([path, entry]) => problemOf(entry)?.replace(/^/, `${path} `) ?? []);
  expect(problems).toEqual([]);
});

it("a package from elsewhere, from a folder or without its hash is seen", () => {
  const integrity = `sha512-${"A".repeat(86)}==`;
  expect(problemOf({ version: "1.0.0", integrity })).toBeUndefined();
  expect(problemOf({ version: "1.0.0", integrity, resolved: `${REGISTRY}a/-/a-1.0.0.tgz` })).toBeUndefined();
  expect(problemOf({ version: "1.0.0", integrity, resolved: "https://registry.npmjs.org.example.com/a.tgz" })).toMatch(
    /comes from/,
  );
  expect(problemOf({ version: "1.0.0", integrity, resolved: "git+ssh://git@git.example.org/a/a.git" })).toMatch(
    /comes from/,
  );
  expect(problemOf({ link: true, resolved: "../a" })).toMatch(/no package/);
  expect(problemOf({ version: "1.0.0" })).toMatch(/no SHA-512/);
  expect(problemOf({ version: "1.0.0", integrity: "sha1-AAAA" })).toMatch(/no SHA-512/);
});

it("the project's own packages are links to packages/, and hold what their package.json says", () => {
  const own = Object.entries(packages).filter(([path]) => isOwn(path));
  const folders = own.filter(([path]) => path.startsWith("packages/")).map(([path]) => path);
  expect(folders).toEqual(globSync("packages/*", { cwd: ROOT }).sort());
  for (const folder of folders) {
    const { name, version, dependencies: needed } = ownSchema.parse(read(join(folder, "package.json")));
    expect(packages[`node_modules/${name}`]).toEqual({ resolved: folder, link: true });
    expect(packages[folder]).toMatchObject({ version, ...(needed === undefined ? {} : { dependencies: needed }) });
    expect(devDependencies[name]).toBe(version);
    // What is published holds its code, and brings along what that needs.
    expect(dependencies).toMatchObject(needed ?? {});
  }
});

it("node-ipc, and whatever else package.json names, is pinned to one exact version, the lockfile's", () => {
  const named = { ...dependencies, ...devDependencies };
  expect(named["node-ipc"]).toMatch(/^\d+\.\d+\.\d+$/);
  for (const [name, version] of Object.entries(named)) {
    expect([name, version]).toEqual([name, expect.stringMatching(/^\d+\.\d+\.\d+(?:-[\w.]+)?$/)]);
    const { link, resolved, version: locked } = packages[`node_modules/${name}`] ?? {};
    expect([name, link === true ? packages[resolved ?? ""]?.version : locked]).toEqual([name, version]);
  }
});
