import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { mayHaveRuleAbout } from "../../../main/hooks/gemini/dialect.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const YOLO = ["node", "gemini.js", "--approval-mode", "yolo", "-p", "go"];

/** A Gemini with these files in its home, in whose folder `project` it runs. */
function gemini(files: Readonly<Record<string, string>> = {}) {
  const home = tempFolder();
  const cwd = join(home, "project");
  mkdirSync(cwd);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  }
  const settings = join(home, "none/settings.json");
  return (words: readonly string[] = YOLO, env = {}) =>
    mayHaveRuleAbout({
      words,
      env: { HOME: home, GEMINI_CLI_SYSTEM_SETTINGS_PATH: settings, ...env },
      cwd,
      isGate: false,
    });
}

describe("a command of Gemini CLI can be rewritten", () => {
  it.each([[["node", "g.js", "--yolo"]], [["node", "g.js", "-y"]], [["node", "g.js", "--approval-mode=yolo"]], [YOLO]])(
    "where it was started to ask nothing: %j",
    (words) => {
      expect(gemini()(words)).toBe(false);
    },
  );

  it.each([
    ["it may ask", ["node", "g.js"]],
    ["it may ask about all but edits", ["node", "g.js", "--approval-mode", "auto_edit"]],
    ["it has a sandbox", [...YOLO, "--sandbox"]],
    ["policies are named", [...YOLO, "--policy=mine.toml"]],
  ])("not where %s", (_, words) => {
    expect(gemini()(words)).toBe(true);
  });

  it.each([{ SANDBOX: "docker" }, { GEMINI_SANDBOX: "true" }])("not in another sandbox: %j", (env) => {
    expect(gemini()(YOLO, env)).toBe(true);
  });

  it.each([
    [".gemini/settings.json", '{"tools":{"exclude":["run_shell_command(rm)"]}}'],
    ["project/.gemini/settings.json", '{"tools":{"sandbox":"bwrap"}}'],
    ["project/.gemini/settings.json", '{"security":{"toolSandboxing":true}}'],
    ["project/.gemini/settings.json", "{"],
    [".gemini/policies/a.toml", 'decision = "deny"'],
    ["project/.gemini/policies/below/a.toml", 'decision = "ask_user"'],
    [".gemini/extensions/one/policies/a.toml", 'decision = "deny"'],
    ["none/policies/a.toml", 'decision = "deny"'],
  ])("not where a setting or policy of its own may be about it: %s has %s", (path, text) => {
    expect(gemini({ [path]: text })()).toBe(true);
  });

  it("where its settings and policies restrict nothing", () => {
    const files = {
      ".gemini/settings.json": '{"tools":{"exclude":[]}}',
      ".gemini/policies/a.toml": 'decision = "allow"',
    };
    expect(gemini(files)()).toBe(false);
  });
});
