import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { chosenShell, hasOtherShell } from "../../../main/hooks/codex/dialect.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const OWN = userInfo().shell ?? "";

/** Codex's record of a session with these calls, by their ids. */
function recorded(calls: Readonly<Record<string, object>>): string {
  const file = join(tempFolder(), "rollout.jsonl");
  const lines = Object.entries(calls).map(([callId, args]) => {
    const payload = { type: "function_call", name: "exec_command", arguments: JSON.stringify(args), call_id: callId };
    return `${JSON.stringify({ type: "response_item", payload })}\n`;
  });
  writeFileSync(file, lines.join(""));
  return file;
}

describe("the shell of a call of Codex", () => {
  it.each([
    ["own", { cmd: "ls" }],
    ["own", { cmd: "ls", shell: null }],
    ["own", { cmd: "ls", shell: OWN }],
    [{ name: "pwsh" }, { cmd: "ls", shell: "pwsh" }],
    [{ name: "/srv/p/tools/other" }, { cmd: "ls", shell: "/srv/p/tools/other" }],
    [{ name: "7" }, { cmd: "ls", shell: 7 }],
  ])("is %j where its model says %j", (shell, args) => {
    expect(chosenShell(recorded({ call_0: { cmd: "ls", shell: "pwsh" }, call_1: args, call_2: {} }), "call_1")).toEqual(
      shell,
    );
  });

  it("isn't known where it isn't on record", () => {
    expect(chosenShell(recorded({ call_0: {} }), "call_1")).toBeNull();
    expect(chosenShell("/nowhere", "call_1")).toBeNull();
    expect(chosenShell(undefined, "call_1")).toBeNull();
  });

  it("may then be one that is found on the client's PATH, and reads a line in another way", () => {
    const folder = tempFolder();
    mkdirSync(join(folder, "bin"));
    expect(hasOtherShell(`/nowhere:${folder}/bin`)).toBe(existsSync("/usr/local/bin/pwsh"));
    writeFileSync(join(folder, "bin/pwsh"), "");
    expect(hasOtherShell(`/nowhere:${folder}/bin`)).toBe(true);
  });
});
