import { execFileSync, spawnSync } from "node:child_process";
import { rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { GateError } from "../../ipc/contract/gate-error.ts";
import { LAUNCHER } from "../support/gate-process.ts";
import { startGate } from "../support/running-gate.ts";
import { smallDisk } from "../support/small-disk.ts";
import { temporaryHome } from "../support/temporary-home.ts";

const KIB = 1024;

/** How the start of a gate in a new home on this disk fails; undefined where it doesn't. */
async function refusalOn(folder: string): Promise<GateError | undefined> {
  const home = temporaryHome(undefined, folder);
  try {
    const gate = await startGate({ home });
    await gate.close();
    return undefined;
  } catch (error) {
    if (error instanceof GateError) return error;
    throw error;
  } finally {
    for (const place of [home.paths.state_dir, home.paths.auditDir]) rmSync(place, { recursive: true, force: true });
  }
}

it("a start on a disk that gets full names a file and what to do, wherever it ends", async () => {
  const disk = smallDisk(2);
  if (disk === undefined) return;
  const filler = join(disk.folder, "filled");
  const refusals: GateError[] = [];
  for (let left = 16 * KIB; left <= 560 * KIB; left += 32 * KIB) {
    const { bavail, bsize } = statfsSync(disk.folder);
    writeFileSync(filler, Buffer.alloc(bavail * bsize - left, 1));
    const refusal = await refusalOn(disk.folder);
    if (refusal !== undefined) refusals.push(refusal);
    rmSync(filler);
  }
  expect(refusals.length).toBeGreaterThan(10);
  for (const { message, hint } of refusals) {
    expect(message).toMatch(new RegExp(`${disk.folder}\\S* can't be used: the disk is full$`));
    expect(hint).toContain(`make room on the disk that holds ${disk.folder}`);
  }
});

it("a start where the disk has no inodes left says that, not that it is full", async () => {
  const disk = smallDisk(16);
  if (disk === undefined) return;
  const { files, ffree } = statfsSync(disk.folder);
  // What a home takes before the gate makes its first file, and from none to all of its databases' files.
  for (let more = 12; more <= 26; more += 2) {
    execFileSync("mount", ["-o", `remount,nr_inodes=${files - ffree + more}`, disk.folder], { stdio: "pipe" });
    const refusal = await refusalOn(disk.folder);
    if (refusal === undefined) continue;
    expect(refusal.message).toMatch(/can't be used: the disk has no inodes left, so it takes no further file$/);
    expect(refusal.hint).toContain(`df -i ${disk.folder}`);
    expect(refusal.hint).toContain("remove files");
  }
});

it.runIf(process.platform === "linux")("a gate that may open too few files doesn't begin to serve, and says so", () => {
  const home = temporaryHome();
  const served = (limit: number) =>
    spawnSync("sh", ["-c", `ulimit -n ${limit} && exec "$0" "$@"`, process.execPath, LAUNCHER, "serve"], {
      env: home.env,
      encoding: "utf8",
      timeout: 20_000,
    });
  for (const limit of [32, 40, 44, 63]) {
    const { status, stderr } = served(limit);
    expect(stderr, String(limit)).toContain(`this process may open only ${limit}, and a gate needs 64 at least`);
    expect(stderr).toContain("ulimit -n 4096");
    expect(status).toBe(1);
  }
});
