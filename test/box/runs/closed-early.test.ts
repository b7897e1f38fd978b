import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { hasProgram } from "../../support/boxes.ts";
import { CLOSES } from "../../support/close-in-first.ts";
import { processesWith } from "../../support/judged-gate.ts";
import { type BoxUnderTest, boxUnderTest, withoutBox } from "../box-under-test.ts";

const reason = withoutBox();
if (reason !== undefined) console.log(`confined commands that hide their end are not tested: ${reason}`);

/** A filter that lets everything through, as where a way past it was found: one BPF instruction. */
function withoutFilter({ state_dir }: BoxUnderTest): void {
  const allow = Buffer.alloc(8);
  allow.writeUInt16LE(0x06);
  allow.writeUInt32LE(0x7fff0000, 4);
  writeFileSync(join(state_dir, "box", "system-calls"), allow);
}

/** What it ends with where the kernel allows that to nobody (Yama). */
const REFUSED = 77;

describe.skipIf(reason !== undefined || !hasProgram("gdb"))(
  "a confined command that closes its run's pipe and runs on",
  () => {
    it("is killed before its project is looked at, and an alarm says so", async () => {
      vi.stubEnv("METNOS_BOX_MAKER", "bubblewrap"); // nobody debugs the first process of the gate's own program
      onTestFinished(() => void vi.unstubAllEnvs());
      const underTest = await boxUnderTest();
      withoutFilter(underTest);
      const mark = `${8_000_000 + process.pid}`;
      const ran = await underTest.run(
        `${CLOSES}; grep -q 'not permitted' closed && exit ${REFUSED}; mkdir .vscode; echo {} >.vscode/tasks.json; sleep 0.5; mkdir .idea; echo x >.idea/x; sleep ${mark}`,
      );
      if (ran.code === REFUSED)
        return console.log("this kernel lets nobody debug what isn't its own child: not checked here");
      await expect.poll(() => underTest.box.status().running, { timeout: 10_000 }).toBe(0);
      expect(processesWith(mark)).toEqual([]);
      // A folder with nothing in it runs nothing.
      for (const planted of [".vscode/tasks.json", ".idea/x"])
        expect(existsSync(join(underTest.project, planted))).toBe(false);
      expect(underTest.alarms.map(({ code }) => code)).toContain("box_hid_its_end");
      expect(underTest.trail.map(({ event }) => event)).toContain("box.hid_its_end");
      expect(underTest.failures).toEqual([]);
    });

    it("can't, where the system calls are filtered: its end is seen as it is", async () => {
      const underTest = await boxUnderTest();
      const { code, stdout } = await underTest.run(`${CLOSES}; grep -c 'not permitted' closed; echo done`);
      expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^[1-9]\d*\ndone\n$/) });
      await expect.poll(() => underTest.box.status().running, { timeout: 10_000 }).toBe(0);
      expect(underTest.alarms).toEqual([]);
    });
  },
);
