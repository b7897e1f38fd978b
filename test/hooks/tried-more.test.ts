import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { triedMore } from "../../main/hooks/after-call.ts";
import { tempFolder } from "../support/temp-folder.ts";

describe("what a confined command prints says that its box kept it from something", () => {
  it.each([
    ["a file that is there", true, "cat: there.txt: No such file or directory\n"],
    ["a quoted one", true, "ls: cannot access 'there.txt': No such file or directory\n"],
    ["by its path", true, "head: cannot open '{folder}/there.txt' for reading: No such file or directory"],
    ["Node's words", true, "Error: ENOENT: no such file or directory, open '{folder}/there.txt'"],
    ["in Italian", true, "cat: there.txt: File o directory non esistente"],
    ["a place that can't be written", true, "touch: cannot touch 'new.txt': Read-only file system"],
    ["a host", true, "curl: (6) Could not resolve host: example.com"],
    ["a file that isn't there", false, "cat: nothing.txt: No such file or directory\n"],
    ["a file of another user's", false, "cat: /etc/shadow: Permission denied\n"],
    ["its own output", false, "there.txt\n"],
  ])("%s: %s", (_what, expected, output) => {
    const folder = tempFolder();
    writeFileSync(join(folder, "there.txt"), "");
    expect(triedMore(output.replaceAll("{folder}", folder), folder, { isGate: false })).toBe(expected);
  });
});
