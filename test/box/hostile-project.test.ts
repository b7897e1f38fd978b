import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { describe, expect, it, vi } from "vitest";
import { hasProgram } from "../support/boxes.ts";
import { holdLeases } from "../support/file-leases.ts";
import { IS_WHOLE_RUN } from "../support/whole-run.ts";
import { type BoxUnderTest, boxUnderTest, withoutBox } from "./box-under-test.ts";

/** The gate has one event loop: while it is kept busy or waiting, no client gets a decision, and nobody can press a pause. */

const COMMANDS = 6;
const FILES = IS_WHOLE_RUN ? 400_000 : 40_000;
const MAX_MS = 50;

/** What a hostile command may leave in its project. */
const HOSTILE = `
import os, socket, sys
project, files = sys.argv[1], int(sys.argv[2])
os.chdir(project)
for index in range(200):
    folder = "places/%d" % index
    os.makedirs(folder)
    open(folder + "/.envrc", "w").close()
    os.mkfifo(folder + "/pipe")
for index in range(20):
    socket.socket(socket.AF_UNIX).bind("places/%d/socket" % index)
os.mkfifo(".env")
os.mkdir("wide")
for index in range(files):
    open("wide/%d" % index, "w").close()
for name in range(1900):
    os.mkdir("d")
    os.chdir("d")
`;

const MS_OF_NS = 1e-6;

/** The event loop's delays while commands run there, each ended and looked after before the next; in milliseconds. */
async function delays({ box, run }: BoxUnderTest): Promise<{ p99: number; most: number }> {
  const histogram = monitorEventLoopDelay({ resolution: 2 });
  histogram.enable();
  for (let count = 0; count < COMMANDS; count++) {
    expect((await run(`touch wide-${count}`)).code).toBe(0);
    await vi.waitFor(() => expect(box.status().running).toBe(0), { timeout: 60_000, interval: 5 });
  }
  histogram.disable();
  return { p99: histogram.percentile(99) * MS_OF_NS, most: histogram.max * MS_OF_NS };
}

describe.skipIf(withoutBox() !== undefined || !hasProgram("python3"))("a hostile project", () => {
  it("delays no other client's decision, whatever its files are and whoever holds them", async () => {
    const [plain, hostile] = [await boxUnderTest(), await boxUnderTest()];
    for (const { project } of [plain, hostile]) execFileSync("git", ["init", "-q", project]);
    execFileSync("python3", ["-c", HOSTILE, hostile.project, String(FILES)]);
    await holdLeases(
      [".git/config", ".git/HEAD", "wide/0"].map((name) => join(hostile.project, name)),
      120,
    );
    const usual = await delays(plain);
    const meanwhile = await delays(hostile);
    // On a busy machine every process waits for its turn: what the same commands do to an empty project counts.
    expect(meanwhile.p99, `in an empty project ${usual.p99} ms`).toBeLessThan(MAX_MS + 2 * usual.p99);
    expect(meanwhile.most, `in an empty project ${usual.most} ms`).toBeLessThan(2 * MAX_MS + 3 * usual.most);
    expect(hostile.failures).toEqual([]);
  });
});
