import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { configSchema } from "../../../main/config/config.ts";
import { lacksSanitizerMemory } from "../../../main/hooks/after-call.ts";
import { boxUnderTest, withoutBox } from "../box-under-test.ts";

const reason = withoutBox();
const hasGcc = existsSync("/usr/bin/gcc");
if (reason !== undefined || !hasGcc) console.warn(`sanitizers are not tested: ${reason ?? "gcc is not installed"}`);

const ADDS_UP = `#include <stdio.h>
#include <stdlib.h>
int main(void) { int *two = malloc(2 * sizeof *two); two[0] = 1; two[1] = 2; printf("%d\\n", two[0] + two[1]); free(two); }
`;

async function built(settings: object) {
  const underTest = await boxUnderTest({ settings });
  writeFileSync(join(underTest.project, "adds.c"), ADDS_UP);
  return underTest;
}

describe.skipIf(reason !== undefined || !hasGcc)("a program with a sanitizer", () => {
  it.each(["address", "thread", "undefined", "leak"])(
    "runs in a box without a limit of memory: %s",
    async (sanitizer) => {
      const { run } = await built({ memory_mb: 0 });
      const ended = await run(`gcc -g -fsanitize=${sanitizer} adds.c -o adds && ./adds`);
      expect(ended).toEqual({ code: 0, signal: null, stdout: "3\n", stderr: "" });
    },
  );

  it.each(["address", "thread"])(
    "and with one ends with words that the model gets a note on: %s",
    async (sanitizer) => {
      const { run } = await built({});
      const { code, stderr } = await run(`gcc -g -fsanitize=${sanitizer} adds.c -o adds && ./adds`);
      expect(code).not.toBe(0);
      expect(lacksSanitizerMemory(stderr)).toBe(true);
    },
  );
});

it("a limit of memory is none, or one that a shell can start with", () => {
  const accepted = [-1, 0, 1, 63, 64].filter(
    (memoryMb) => configSchema.safeParse({ box: { memory_mb: memoryMb } }).success,
  );
  expect(accepted).toEqual([0, 64]);
});

describe.skipIf(reason !== undefined)("where the machine has no memory left", () => {
  it("the kernel ends a confined command before anything else, and it can't change that", async () => {
    const { run } = await boxUnderTest();
    const own = readFileSync("/proc/self/oom_score_adj", "utf8");
    const { stdout } = await run("echo 0 2>/dev/null >/proc/self/oom_score_adj; cat /proc/self/oom_score_adj");
    expect(stdout).toBe("1000\n");
    expect(readFileSync("/proc/self/oom_score_adj", "utf8")).toBe(own);
  });
});
