import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { tempFolder } from "../../support/temp-folder.ts";
import { WITHOUT_ROOTS_RIGHTS } from "../../support/without-roots-rights.ts";

const [COVERS, REMOVE, TEST_PLACE, BENCH_PLACES] = [
  "main/box/arguments/caches.ts",
  "main/base/files/remove-folder.ts",
  "cli/self-test/test-place.ts",
  "packages/hook-bench/bench-places.ts",
].map((path) => new URL(`../../../${path}`, import.meta.url).href);

/** Runs lines of JavaScript as a user who is kept out where permissions say so. */
function asPlainUser(text: string, folder: string): void {
  const words = [...WITHOUT_ROOTS_RIGHTS, process.execPath, "--input-type=module", "-e", text];
  execFileSync(words[0] ?? "", words.slice(1), {
    env: { ...process.env, TMPDIR: folder },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

it("a folder is removed by an ordinary user, too, with folders in it that nobody may read, empty or not", () => {
  const folder = tempFolder();
  const closed = join(folder, "home/closed/deeper");
  mkdirSync(closed, { recursive: true });
  writeFileSync(join(closed, "file"), "");
  asPlainUser(
    `import { chmodSync } from "node:fs"; import { removeFolder } from ${JSON.stringify(REMOVE)};
    for (const [path, mode] of [["deeper", 0o500], [".", 0]]) chmodSync(${JSON.stringify(join(folder, "home/closed"))} + "/" + path, mode);
    removeFolder(${JSON.stringify(join(folder, "home"))});`,
    folder,
  );
  expect(existsSync(join(folder, "home"))).toBe(false);
});

it.each([
  ["the home of a client's test", `(await import(${JSON.stringify(TEST_PLACE)})).TestPlace.create(process.env)`],
  [
    "the home of a hook's bench",
    `(await import(${JSON.stringify(BENCH_PLACES)})).benchPlaces((await import(${JSON.stringify(REMOVE)})).removeFolder)`,
  ],
])("%s is removed by an ordinary user, too, once a gate has made its box's covers there", (_what, place) => {
  const folder = tempFolder();
  asPlainUser(
    `import { makeCovers } from ${JSON.stringify(COVERS)}; const place = ${place};
    makeCovers(place.home + "/box"); place.remove();`,
    folder,
  );
  expect(readdirSync(folder)).toEqual([]);
});
