import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CHECKOUT } from "../support/gate-process.ts";

/**
 * The app as electron-builder packages it, around an Electron that is only as real as packaging needs: electron-builder
 * copies a distribution, writes the asar and flips the fuses in whatever binary holds Electron's marker.
 */

export interface Packaged {
  /** As it would be in /opt. */
  folder: string;
  resources: string;
  binary: string;
}

/** What `@electron/fuses` searches for, then the wire's version, and one byte a fuse. */
const FUSE_MARKER = "dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX";
const FUSES = 9;

function fakeDistribution(folder: string): void {
  mkdirSync(join(folder, "locales"), { recursive: true });
  mkdirSync(join(folder, "resources"));
  const wire = Buffer.concat([Buffer.from(FUSE_MARKER), Buffer.from([1, FUSES]), Buffer.from("1".repeat(FUSES))]);
  writeFileSync(join(folder, "electron"), Buffer.concat([Buffer.alloc(64), wire, Buffer.alloc(64)]));
  chmodSync(join(folder, "electron"), 0o755);
  for (const name of ["LICENSE", "LICENSES.chromium.html", "version", "chrome-sandbox", "locales/en-US.pak"]) {
    writeFileSync(join(folder, name), "-");
  }
}

/** @param config another description than the project's own */
export function packageApp(config = "electron-builder.yml"): {
  code: number | null;
  output: string;
  packaged: Packaged;
} {
  const work = mkdtempSync(join(process.env.HOME ?? tmpdir(), "package-"));
  const distribution = join(work, "electron");
  fakeDistribution(distribution);
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [
      join(CHECKOUT, "node_modules/electron-builder/cli.js"),
      "--linux",
      "--x64",
      "--dir",
      "--config",
      config,
      `-c.electronDist=${distribution}`,
      `-c.directories.output=${join(work, "out")}`,
    ],
    { cwd: CHECKOUT, encoding: "utf8", env: { ...process.env, ELECTRON_BUILDER_OFFLINE: "true" } },
  );
  const folder = join(work, "out/linux-unpacked");
  return {
    code: status,
    output: `${stdout}${stderr}`,
    packaged: { folder, resources: join(folder, "resources"), binary: join(folder, "metnos-gate-app") },
  };
}

/** The fuses in a binary, in the order of `FuseV1Options`. */
export function fusesOf(binary: Buffer): string {
  const at = binary.indexOf(FUSE_MARKER) + FUSE_MARKER.length + 2;
  return binary.subarray(at, at + FUSES).toString();
}

/** A copy whose binary is a script that prints how it was called. */
export function withTalkingBinary({ folder }: Packaged, where: string): Packaged {
  cpSync(folder, where, { recursive: true });
  const binary = join(where, "metnos-gate-app");
  writeFileSync(binary, '#!/bin/sh\nprintf "app"\nprintf " [%s]" "$@"\nexit 7\n');
  chmodSync(binary, 0o755);
  return { folder: where, resources: join(where, "resources"), binary };
}
