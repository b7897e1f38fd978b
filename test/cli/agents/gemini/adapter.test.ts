import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { clientNote } from "../../../../cli/agents/client-check.ts";
import { gemini } from "../../../../cli/agents/gemini/adapter.ts";
import { hookName } from "../../../../cli/agents/gemini/entries.ts";
import { launcherFile } from "../../../../cli/hook/launcher.ts";
import { type TemporaryHome, temporaryHome } from "../../../support/temporary-home.ts";

const USER = { project: false, answerSeconds: 600 };
const realHome = process.env.HOME;

let place: TemporaryHome;
beforeEach(() => {
  place = temporaryHome();
  process.env.HOME = place.home;
});
afterEach(() => {
  process.env.HOME = realHome;
});

function given(text: string, name = ".gemini/settings.json"): string {
  const file = join(place.home, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

const allChecks = (env = place.env) => gemini.checks({ cwd: join(place.home, "project"), env, answerSeconds: 600 });
/** Those of its settings. */
const checks = async (env = place.env) => (await allChecks(env)).filter(({ check }) => check !== "gemini client");

const OTHERS = `{
    "model": { "name": "gemini-2.5-pro" },
    "hooks": {
        "BeforeTool": [
            { "matcher": "write_file", "hooks": [{ "type": "command", "command": "./mine.sh" }] }
        ],
        "AfterModel": []
    }
}`;

test("a missing file is made with the hook alone; taking the hook out removes the file", async () => {
  const { file, changed, backup } = await gemini.connect(USER);
  expect([changed, backup]).toEqual([true, null]);
  const { hooks } = JSON.parse(readFileSync(file, "utf8"));
  for (const event of ["BeforeAgent", "SessionEnd"])
    expect(hooks[event]).toMatchObject([{ hooks: [{ command: `'${launcherFile()}' session gemini` }] }]);
  const [group] = hooks.BeforeTool;
  expect(group).toMatchObject({ matcher: "*", sequential: true });
  const [entry] = group.hooks;
  expect(entry).toMatchObject({ type: "command", name: hookName(), env: { BASH_ENV: "" } });
  expect(entry.command).toContain(`'${launcherFile()}' hook gemini --wait 615 --client "$PPID" || `);
  expect(entry.timeout).toBeGreaterThan(615_000);
  expect(await checks()).toMatchObject([{ check: "gemini hook", ok: true }]);
  expect(await gemini.disconnect(USER)).toMatchObject({ changed: true, backup: null });
  expect(existsSync(file)).toBe(false);
});

test("doctor and connect say which client was tested, once there is something to test it with", async () => {
  const untested = "untested: there is no gemini on PATH";
  expect((await allChecks()).map(({ check }) => check)).not.toContain("gemini client");
  await gemini.connect(USER);
  expect(await clientNote(gemini, undefined)).toBe(`confined commands: ${untested}`);
  expect((await allChecks()).at(-1)).toEqual({ check: "gemini client", ok: true, detail: untested });
});

test("a command's report is its own hook, for that tool alone", async () => {
  const { file } = await gemini.connect(USER);
  const { hooks } = JSON.parse(readFileSync(file, "utf8"));
  expect(hooks.AfterTool).toMatchObject([
    { matcher: "run_shell_command", hooks: [{ command: `'${launcherFile()}' after gemini` }] },
  ]);
});

test("connecting again changes nothing, others' entries stay before ours, and taking ours out restores the very bytes", async () => {
  const file = given(OTHERS);
  const { backup } = await gemini.connect(USER);
  expect(readFileSync(backup ?? "", "utf8")).toBe(OTHERS);
  const text = readFileSync(file, "utf8");
  expect(text).toContain('\n    "model": {');
  const { hooks } = JSON.parse(text);
  expect(hooks.BeforeTool.map(({ matcher }: { matcher: string }) => matcher)).toEqual(["write_file", "*"]);
  expect(await gemini.connect(USER)).toMatchObject({ changed: false });
  expect(readFileSync(file, "utf8")).toBe(text);
  expect((await checks()).map(({ detail }) => detail).join()).toContain("./mine.sh");
  await gemini.disconnect(USER);
  expect(readFileSync(file, "utf8")).toBe(OTHERS);
  expect(existsSync(backup ?? "")).toBe(false);
});

test("what an earlier version wrote, with fewer hooks, is named by doctor, and completed", async () => {
  const { file } = await gemini.connect(USER);
  const settings = JSON.parse(readFileSync(file, "utf8"));
  delete settings.hooks.SessionEnd;
  writeFileSync(file, JSON.stringify(settings));
  expect(await checks()).toMatchObject([{ ok: false, detail: expect.stringContaining("is not the one that this") }]);
  await gemini.connect(USER);
  expect(await checks()).toMatchObject([{ ok: true }]);
});

test("a hook that others were added to is moved behind them; what was added stays without it", async () => {
  const { file } = await gemini.connect(USER);
  const settings = JSON.parse(readFileSync(file, "utf8"));
  settings.hooks.BeforeTool[0].hooks.push({ type: "command", command: "./mine.sh" });
  writeFileSync(file, JSON.stringify(settings));
  expect(await checks()).toMatchObject([
    { ok: false, detail: expect.stringContaining("is not the one that this version writes") },
    { check: "gemini other hooks" },
  ]);
  await gemini.connect(USER);
  expect(await checks()).toMatchObject([{ ok: true }, { ok: true }]);
  const groups = JSON.parse(readFileSync(file, "utf8")).hooks.BeforeTool;
  expect(groups).toMatchObject([{ hooks: [{ command: "./mine.sh" }] }, { hooks: [{ name: hookName() }] }]);
  await gemini.disconnect(USER);
  expect(JSON.parse(readFileSync(file, "utf8")).hooks.BeforeTool).toHaveLength(1);
});

test.each([
  ["no JSON", "{"],
  ["JSON with comments", '{ "a": 1 // one\n}'],
  ["a list", "[]"],
  ["hooks that are no object", '{"hooks":[]}'],
  ["an event that is no list", '{"hooks":{"BeforeTool":{}}}'],
])("a settings file with %s is left as it is, and named", async (_, text) => {
  const file = given(text);
  await expect(gemini.connect(USER)).rejects.toMatchObject({
    code: "invalid_settings",
    message: expect.stringContaining(file),
  });
  expect(readFileSync(file, "utf8")).toBe(text);
});

test("doctor reads settings as Gemini does, with their comments, and names what it can't read", async () => {
  await gemini.connect(USER);
  const project = given('{ // off\n "hooksConfig": { "enabled": false } }', "project/.gemini/settings.json");
  expect(await checks()).toMatchObject([
    { ok: false, detail: `switched off here: ${project} has hooksConfig.enabled: false` },
  ]);
  given("{", "project/.gemini/settings.json");
  expect(await checks()).toMatchObject([{ ok: false, detail: `${project} is not a JSON object` }]);
});

test("the administrator's switch wins over a project's, and hooks of extensions are named", async () => {
  await gemini.connect(USER);
  given('{"hooksConfig":{"enabled":false}}', "project/.gemini/settings.json");
  const system = given('{"hooksConfig":{"enabled":true}}', "system.json");
  given(
    '{"hooks":{"BeforeTool":[{"hooks":[{"type":"command","command":"sneaky"}]}]}}',
    ".gemini/extensions/ext/hooks/hooks.json",
  );
  const env = { ...place.env, GEMINI_CLI_SYSTEM_SETTINGS_PATH: system };
  expect(await checks(env)).toMatchObject([
    { check: "gemini hook", ok: true },
    { check: "gemini other hooks", detail: expect.stringContaining("sneaky (the extension ext)") },
  ]);
});

test("a hook of a project that is only called like the gate's is named by doctor, beside the very entry of the gate", async () => {
  const { file } = await gemini.connect(USER);
  const settings = JSON.parse(readFileSync(file, "utf8"));
  const lookAlike = { type: "command", command: "./rewrite.sh # metnos-gate-hook hook gemini --wait 1 " };
  settings.hooks.BeforeTool.push({ matcher: "*", hooks: [lookAlike] });
  const project = given(JSON.stringify(settings), "project/.gemini/settings.json");
  const found = await checks();
  expect(found.map(({ check }) => check)).toEqual(["gemini hook", "gemini other hooks"]);
  expect(found[1]?.detail).toMatch(/rewrite\.sh.*project/);
  expect(found[1]?.detail).toContain(project);
  expect(found[1]?.detail.match(/metnos-gate-hook/g)).toHaveLength(1);
});
