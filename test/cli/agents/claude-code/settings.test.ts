import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { connectClaudeCode, disconnectClaudeCode, settingsFile } from "../../../../cli/agents/claude-code/adapter.ts";
import { holdsOurs } from "../../../../cli/agents/claude-code/entries.ts";
import { launcherFile } from "../../../../cli/hook/launcher.ts";
import { temporaryHome } from "../../../support/temporary-home.ts";

const USER = { project: false };
const realHome = process.env.HOME;

beforeEach(() => {
  process.env.HOME = temporaryHome().home;
});
afterEach(() => {
  process.env.HOME = realHome;
});

function given(text: string): string {
  const file = settingsFile(USER);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

const OTHERS = `{
    "model": "opus",
    "hooks": {
        "PreToolUse": [
            { "matcher": "Bash", "hooks": [{ "type": "command", "command": "./mine.sh" }] }
        ],
        "Stop": []
    }
}`;

test("a missing file is made with the hook alone; taking the hook out removes the file", () => {
  const { file, changed, backup } = connectClaudeCode(USER);
  expect([changed, backup]).toEqual([true, null]);
  const settings = JSON.parse(readFileSync(file, "utf8"));
  const [entry] = settings.hooks.PreToolUse;
  expect(entry.matcher).toBe("*");
  expect(entry.hooks[0]).toMatchObject({ type: "command", onFailure: "block", command: launcherFile() });
  expect(entry.hooks[0].args).toEqual(["hook", "claude-code", "--wait", "615"]);
  expect(entry.hooks[0].timeout).toBeGreaterThan(615);
  expect(entry.hooks[1].command).toContain(`'${launcherFile()}' check`);
  expect(settings.hooks.ConfigChange[0].hooks[0].args).toEqual(["hook", "claude-code", "config-change"]);
  expect(statSync(launcherFile()).mode & 0o777).toBe(0o700);
  expect(disconnectClaudeCode(USER).changed).toBe(true);
  expect(existsSync(file)).toBe(false);
});

test("a file that connecting made and the user added to stays, and no file is named as the one before", () => {
  const { file } = connectClaudeCode(USER);
  writeFileSync(file, JSON.stringify({ model: "opus", ...JSON.parse(readFileSync(file, "utf8")) }));
  expect(disconnectClaudeCode(USER)).toEqual({ file, changed: true, backup: null });
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ model: "opus" });
});

test("what isn't understood among a list of hooks stays, as do groups without any", () => {
  const others = [null, "later", { matcher: "Bash", hooks: [] }];
  const file = given(JSON.stringify({ hooks: { PreToolUse: others } }));
  connectClaudeCode(USER);
  writeFileSync(file, JSON.stringify({ model: "opus", ...JSON.parse(readFileSync(file, "utf8")) }));
  disconnectClaudeCode(USER);
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ model: "opus", hooks: { PreToolUse: others } });
});

test("everything else in the file stays, in its order and indentation, and a backup is kept", () => {
  const file = given(OTHERS);
  const { backup } = connectClaudeCode(USER);
  expect(readFileSync(backup ?? "", "utf8")).toBe(OTHERS);
  const text = readFileSync(file, "utf8");
  expect(text).toContain('\n    "model": "opus"');
  const settings = JSON.parse(text);
  expect(Object.keys(settings)).toEqual(["model", "hooks"]);
  expect(settings.hooks.PreToolUse).toHaveLength(2);
  expect(settings.hooks.PreToolUse[0]).toEqual(JSON.parse(OTHERS).hooks.PreToolUse[0]);
  expect(settings.hooks.Stop).toEqual([]);
});

test("running it twice changes nothing", () => {
  const file = given(OTHERS);
  connectClaudeCode(USER);
  const once = readFileSync(file);
  expect(connectClaudeCode(USER)).toEqual({ file, changed: false, backup: null });
  expect(readFileSync(file).equals(once)).toBe(true);
});

test("--remove brings the very bytes back if nothing else has changed since", () => {
  const file = given(OTHERS);
  connectClaudeCode(USER);
  disconnectClaudeCode(USER);
  expect(readFileSync(file, "utf8")).toBe(OTHERS);
  expect(existsSync(`${file}.metnos-backup`)).toBe(false);
});

test("--remove takes only our hook out, and keeps what was added meanwhile", () => {
  const file = given(OTHERS);
  connectClaudeCode(USER);
  const settings = JSON.parse(readFileSync(file, "utf8"));
  settings.added = true;
  writeFileSync(file, JSON.stringify(settings));
  disconnectClaudeCode(USER);
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ ...JSON.parse(OTHERS), added: true });
  expect(disconnectClaudeCode(USER).changed).toBe(false);
});

test("an older entry of ours is updated in its place", () => {
  const old = {
    type: "command",
    command: "'/old/node' '/old/bin/metnos-gate.js' hook claude-code --wait 5",
    timeout: 9,
    note: "kept",
  };
  const file = given(JSON.stringify({ hooks: { PreToolUse: [{ matcher: "Write", hooks: [old] }] } }));
  connectClaudeCode({ project: false, answerSeconds: 100 });
  const settings = JSON.parse(readFileSync(file, "utf8"));
  expect(settings.hooks.PreToolUse).toHaveLength(1);
  expect(settings.hooks.PreToolUse[0].hooks).toHaveLength(2);
  expect(settings.hooks.PreToolUse[0].hooks[0]).toMatchObject({ command: launcherFile() });
  expect(settings.hooks.PreToolUse[0].hooks[0].args).toEqual(["hook", "claude-code", "--wait", "115"]);
  expect(settings.hooks.PreToolUse[0].hooks[0].note).toBe("kept");
});

test.each(["{", "[]", '{"hooks": []}', '{"hooks": {"PreToolUse": {}}}'])(
  "a file that can't be understood is left alone: %s",
  (text) => {
    const file = given(text);
    expect(() => connectClaudeCode(USER)).toThrow(file);
    expect(readFileSync(file, "utf8")).toBe(text);
  },
);

test("a linked file is written through its link, and keeps its mode", () => {
  const file = settingsFile(USER);
  const real = join(process.env.HOME ?? "", "dotfiles.json");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(real, "{}", { mode: 0o640 });
  symlinkSync(real, file);
  connectClaudeCode(USER);
  expect(lstatSync(file).isSymbolicLink()).toBe(true);
  expect(holdsOurs(JSON.parse(readFileSync(real, "utf8")))).toBe(true);
  expect(statSync(real).mode & 0o777).toBe(0o640);
});

test.each([
  ["a fifo", (file: string) => execFileSync("mkfifo", [file])],
  ["a folder", (file: string) => mkdirSync(file)],
  ["a link that leads nowhere", (file: string) => symlinkSync(`${file}.gone`, file)],
])("%s in the place of the settings is refused at once, and left as it is", (_, place) => {
  const { file } = connectClaudeCode(USER);
  rmSync(file);
  place(file);
  const before = lstatSync(file).ino;
  for (const act of [connectClaudeCode, disconnectClaudeCode])
    expect(() => act(USER)).toThrow(expect.objectContaining({ code: "invalid_settings" }));
  expect(lstatSync(file).ino).toBe(before);
});
