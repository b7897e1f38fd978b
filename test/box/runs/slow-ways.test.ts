import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { boxUnderTest, withoutBox } from "../box-under-test.ts";

const reason = withoutBox();
if (reason !== undefined) console.log(`skipped: slow ways: ${reason}`);

/** Each of them is walked by the kernel through all the others. */
const LINKS = 38;
const LONG_WAY = "d/../".repeat(800);

describe.skipIf(reason !== undefined)("a project with links that take long to be followed", () => {
  it("hides its secrets, or nothing runs in it", async () => {
    const { project, run } = await boxUnderTest();
    mkdirSync(join(project, "d"));
    for (let at = 0; at < LINKS; at++) symlinkSync(`${LONG_WAY}l${at + 1}`, join(project, `l${at}`));
    writeFileSync(join(project, `l${LINKS}`), "x");
    for (const name of [".env.a", ".env.b", ".env.c"]) symlinkSync("l0", join(project, name));
    mkdirSync(join(project, "conf"));
    writeFileSync(join(project, "conf/.env"), "TOKEN=hidden\n");
    const { stdout, stderr, code } = await run("cat conf/.env");
    expect({ stdout, stderr, code }).toEqual({
      stdout: "",
      stderr: expect.stringContaining("links that take too long for a box"),
      code: 126,
    });
  });
});
