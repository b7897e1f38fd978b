import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { publishedManifest } from "./published-manifest.ts";

/**
 * Makes the tarball as it is published, of what was built.
 * @param checkout absolute path
 * @param folder where it goes
 * @returns its path
 * @throws Error with what npm said
 */
export function packPublished(checkout: string, folder: string): string {
  const temporary = mkdtempSync(join(tmpdir(), "metnos-pack-"));
  try {
    const [whole, published] = [join(temporary, "whole"), join(temporary, "published")];
    for (const made of [whole, published]) mkdirSync(made);
    const packed = pack(checkout, whole);
    execFileSync("tar", ["-xzf", packed, "--strip-components=1", "-C", published]);
    const manifest = join(published, "package.json");
    writeFileSync(manifest, publishedManifest(readFileSync(manifest, "utf8")));
    return pack(published, folder);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

function pack(source: string, folder: string): string {
  const args = ["pack", "--ignore-scripts", "--json", "--pack-destination", folder];
  const { status, stdout, stderr } = spawnSync("npm", args, { cwd: source, encoding: "utf8" });
  if (status !== 0) throw new Error(`npm pack failed:\n${stderr}`);
  const { name, version } = JSON.parse(readFileSync(join(source, "package.json"), "utf8")) as Record<string, string>;
  if (!stdout.includes(`${name}-${version}.tgz`)) throw new Error(`npm pack made another file:\n${stdout}`);
  return join(folder, `${name}-${version}.tgz`);
}
