import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { agentsOnPath } from "../../main/agents/agents-on-path.ts";
import { tempFolder } from "../support/temp-folder.ts";

it("finds the agents' programs on PATH, and runs none of them", () => {
  const folder = tempFolder();
  const ran = join(folder, "ran");
  const bin = join(folder, "bin");
  mkdirSync(bin);
  for (const name of ["claude", "gemini"]) writeFileSync(join(bin, name), `#!/bin/sh\ntouch ${ran}\n`);
  chmodSync(join(bin, "claude"), 0o755); // gemini can't be run
  mkdirSync(join(bin, "codex"), { mode: 0o755 });
  symlinkSync(join(bin, "claude"), join(bin, "opencode"));
  expect(agentsOnPath(`${join(folder, "none")}:${bin}`)).toEqual([
    { program: "claude", title: "Claude Code", connects_as: "claude-code" },
    { program: "opencode", title: "OpenCode", connects_as: "opencode" },
  ]);
  expect(() => writeFileSync(ran, "", { flag: "wx" })).not.toThrow();
});

it("looks into no folder whose place depends on where the gate was started", () => {
  expect(agentsOnPath("")).toEqual([]);
  expect(agentsOnPath(".:bin")).toEqual([]);
});
