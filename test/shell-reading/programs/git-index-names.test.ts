import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Seeded } from "../../../fuzz/seeded.ts";
import { seedOfDay } from "../../../mutation/selection.ts";
import { GitIndex, namesOutside } from "../../../packages/shell-reading/programs/git-index.ts";
import { tempFolder } from "../../support/temp-folder.ts";
import { IS_WHOLE_RUN } from "../../support/whole-run.ts";

/** Indexes with mistakes of all kinds in them, each read by the real git: where git reads a name outside, so does the gate. */

const SEED = Number(process.env.SEED ?? seedOfDay(new Date()));
const COUNT = IS_WHOLE_RUN ? 12_000 : 250;

/** A repository with an index of this form; `files` so many that git writes them in blocks. */
function repository(folder: string, format: Format, version: number, files: number) {
  mkdirSync(join(folder, "d/e"), { recursive: true });
  git(folder, "init", "-q", `--object-format=${format}`);
  // Blocks of entries and what isn't tracked are extensions of their own.
  for (const setting of ["index.threads 3", "core.untrackedCache true"]) git(folder, "config", ...setting.split(" "));
  for (let at = 0; at < files; at++) writeFileSync(join(folder, at % 3 === 0 ? `g${at}` : `d/e/f${at}`), `${at}`);
  for (const name of ["xgitx", "d/xx", "d/xxxx", "d/xxxxx"]) writeFileSync(join(folder, name), "x");
  git(folder, "add", ".");
  git(folder, "update-index", "--index-version", `${version}`);
  git(folder, "status");
  return { folder, format, index: readFileSync(join(folder, ".git/index")) };
}

type Format = "sha1" | "sha256";
const SIZE: Readonly<Record<Format, number>> = { sha1: 20, sha256: 32 };

function git(cwd: string, ...words: string[]) {
  const env = { PATH: process.env.PATH, HOME: cwd, GIT_CONFIG_NOSYSTEM: "1" };
  return spawnSync("git", words, { cwd, env, encoding: "latin1", maxBuffer: 64 * 1024 * 1024 });
}

/** Put over names, or parts of them. */
const PIECES = ["../", "..", ".git", ".git/", "/", ".git\0", "..\0", "x", ".", "/../"];

/** One of these names is cut, lengthened or written over, or any number is another one. */
function changed(index: Buffer, random: Seeded): Buffer {
  let bytes = Buffer.from(index);
  for (let changes = 1 + random.below(3); changes > 0; changes--) {
    const at = 12 + random.below(bytes.length - 12);
    const length = random.below(80);
    switch (random.below(6)) {
      case 0:
        bytes[at] = random.below(256);
        break;
      case 1:
        bytes.writeUInt32BE(random.below(random.below(2) === 0 ? 8 : 2 ** 31), Math.min(at, bytes.length - 4));
        break;
      case 2: {
        const from = 12 + random.below(bytes.length - 12);
        bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(from, from + length), bytes.subarray(at)]);
        break;
      }
      case 3:
        bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)]);
        break;
      default: {
        const text = bytes.toString("latin1");
        // Where a name begins, or a part of one.
        const names = [...text.matchAll(/(?<=d\/|e\/)[efx]|[dg](?=\/|\d)|xgitx/g)].map((match) => match.index);
        bytes.write(PIECES[random.below(PIECES.length)] ?? "", names[random.below(names.length)] ?? at, "latin1");
      }
    }
  }
  return bytes;
}

const isOutside = (name: string): boolean =>
  name.startsWith("/") || name.split("/").some((part) => part === ".." || part === ".git");

it("where git reads a name outside of the work tree in an index, the gate says so", { timeout: 300_000 }, () => {
  const root = tempFolder();
  const random = new Seeded(SEED);
  const repositories = (["sha1", "sha256"] as const).flatMap((format) =>
    [2, 4].flatMap((version) =>
      [3, 300].map((files) => repository(join(root, `${format}-${version}-${files}`), format, version, files)),
    ),
  );
  for (const { index, format } of repositories) expect(namesOutside(index, format === "sha256")).toBe(false);
  let outside = 0;
  const missed: string[] = [];
  for (let count = 0; count < COUNT; count++) {
    const { folder, format, index } = random.pick(repositories);
    const bytes = changed(index, random);
    const end = bytes.length - SIZE[format];
    if (end < 12) continue;
    createHash(format).update(bytes.subarray(0, end)).digest().copy(bytes, end);
    writeFileSync(join(folder, ".git/index"), bytes);
    const { status, stdout } = git(folder, "-c", `index.threads=${random.pick([1, 2, 4])}`, "ls-files", "-z");
    if (status !== 0 || !stdout.split("\0").some(isOutside)) continue;
    outside++;
    const isSeen = namesOutside(bytes, format === "sha256");
    const isClear = format === "sha1" && GitIndex.read(bytes)?.leadsOut === false;
    if (!isSeen || isClear) missed.push(`seed ${SEED}, ${count}: ${format} ${bytes.toString("base64")}`);
  }
  console.log(`of ${COUNT} indexes git reads names outside in ${outside}`);
  expect(outside).toBeGreaterThan(COUNT / 50);
  expect(missed).toEqual([]);
});
