import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { clientTests, digestOfSources, noteFile } from "./clients/tried-sources.ts";
import { tempFolder } from "./support/temp-folder.ts";
import { IS_UNBOUNDED_RUN } from "./support/whole-run.ts";

const ROOT = resolve(import.meta.dirname, "..");

/** A copy of what clients meet, with a note that all of it was tried. */
function tried(): string {
  const root = tempFolder();
  for (const folder of ["cli", "ipc", "main/hooks", "main/base/pipes", "test/clients"])
    cpSync(join(ROOT, folder), join(root, folder), { recursive: true });
  writeFileSync(noteFile(root), JSON.stringify({ sources: digestOfSources(root) }));
  return root;
}

describe("the tests with real clients", () => {
  it("are all of them where nothing says that these sources were tried", () => {
    const root = tried();
    const says = vi.fn();
    rmSync(noteFile(root));
    const all = clientTests(root, says);
    expect(all.length).toBeGreaterThan(15);
    writeFileSync(noteFile(root), JSON.stringify({ sources: "others" }));
    expect(clientTests(root, says)).toEqual(all);
    expect(says).not.toHaveBeenCalled();
  });

  it.each([
    ["an adapter changes", "cli/agents/added.ts"],
    ["the contract changes", "ipc/contract/wire.ts"],
    ["what answers a hook changes", "main/hooks/added.ts"],
    ["a test changes", "test/clients/acp.test.ts"],
  ])("are all of them once %s", (_, path) => {
    const root = tried();
    mkdirSync(join(root, path, ".."), { recursive: true });
    writeFileSync(join(root, path), "export {};\n");
    expect(clientTests(root, () => undefined).length).toBeGreaterThan(15);
  });

  it.skipIf(IS_UNBOUNDED_RUN)(
    "are each client's self-test and some others, and say so, while these sources were tried",
    () => {
      const says = vi.fn();
      const some = clientTests(tried(), says);
      expect(some).toContain("test/clients/self-test.test.ts");
      expect(some.length).toBeLessThan(10);
      expect(says).toHaveBeenCalledExactlyOnceWith(expect.stringContaining("as all passed with these sources"));
    },
  );
});
