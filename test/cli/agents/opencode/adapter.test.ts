import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { opencode } from "../../../../cli/agents/opencode/adapter.ts";
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

function given(text: string, name: string): string {
  const file = join(place.home, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

const options = (env: Record<string, string> = {}) => ({
  cwd: join(place.home, "project"),
  env: { ...place.env, ...env },
  answerSeconds: 600,
  args: [],
});
const CLIENT = { check: "opencode client", ok: true, detail: expect.stringMatching(/^untested/) };
const checks = (env?: Record<string, string>) => opencode.checks(options(env));

test("connect writes one file that names the gate; again changes nothing; --remove takes it away and nothing else", async () => {
  const mine = given("export const A = async () => ({});\n", ".config/opencode/plugin/mine.js");
  const { file, changed } = await opencode.connect(USER);
  expect([file, changed]).toEqual([join(place.home, ".config/opencode/plugin/metnos-gate.js"), true]);
  const text = readFileSync(file, "utf8");
  expect(text).toContain(JSON.stringify(JSON.stringify(place.paths.agent_socket)).slice(1, -1));
  expect(text).not.toContain("{metnos-gate settings}");
  // Each function that it exports would be called as a plugin.
  expect(text.match(/^export .*$/gm)).toEqual(["export { MetnosGate };"]);
  expect(text.match(/^import .* from "(.*)";$/gm)?.every((line) => line.includes('"node:'))).toBe(true);
  expect(await opencode.connect(USER)).toMatchObject({ changed: false });
  expect(await checks()).toMatchObject([
    { check: "opencode plugin", ok: true },
    { check: "opencode other plugins", ok: true, detail: expect.stringContaining(mine) },
    CLIENT,
  ]);
  expect(await opencode.disconnect(USER)).toMatchObject({ changed: true });
  expect([existsSync(file), existsSync(mine)]).toEqual([false, true]);
  expect(await opencode.disconnect(USER)).toMatchObject({ changed: false });
});

test("a file of somebody else's in its place is left as it is, and named", async () => {
  const file = given("export const A = 1;\n", ".config/opencode/plugin/metnos-gate.js");
  for (const change of [opencode.connect(USER), opencode.disconnect(USER)])
    await expect(change).rejects.toMatchObject({ code: "invalid_settings", message: expect.stringContaining(file) });
  expect(readFileSync(file, "utf8")).toBe("export const A = 1;\n");
});

test("doctor says where it isn't installed, isn't the one of this version, is there twice, or isn't loaded at all", async () => {
  expect(await checks()).toMatchObject([{ ok: false, detail: "not installed" }]);
  const { file } = await opencode.connect(USER);
  expect(await checks({ OPENCODE_PURE: "1" })).toMatchObject([
    { ok: false, detail: expect.stringContaining("OPENCODE_PURE") },
    CLIENT,
  ]);
  given(readFileSync(file, "utf8"), "project/.opencode/plugins/metnos-gate.js");
  expect(await checks()).toMatchObject([{ ok: false, detail: expect.stringContaining("asked about twice") }, CLIENT]);
  given(`${readFileSync(file, "utf8")}\nthrow 1;`, "project/.opencode/plugins/metnos-gate.js");
  expect((await checks())[0]?.detail).toContain("is not the one that this version writes");
});

test("plugins that settings name are named, of files with comments, too; settings that can't be read are a failure", async () => {
  await opencode.connect(USER);
  given('{ // mine\n "plugin": ["one", ["two", {}],] }', "project/opencode.jsonc");
  expect((await checks())[1]?.detail).toMatch(/one \(.*opencode\.jsonc\), two/);
  const file = given("{", "project/opencode.json");
  expect((await checks())[1]).toMatchObject({ ok: false, detail: `${file} is not a JSON object` });
});

test("run names the plugin in the settings of that run alone, beside what they say already; not where it is connected", async () => {
  const givenContent = JSON.stringify({ model: "a/b", plugin: ["one"] });
  const { env } = await opencode.launch(options({ OPENCODE_CONFIG_CONTENT: givenContent }));
  const settings = JSON.parse(env.OPENCODE_CONFIG_CONTENT ?? "");
  expect(settings).toMatchObject({ model: "a/b", plugin: ["one", expect.stringMatching(/^file:.*metnos-gate\.js$/)] });
  expect("OPENCODE_PURE" in env).toBe(true);
  await expect(opencode.launch(options({ OPENCODE_CONFIG_CONTENT: "[" }))).rejects.toMatchObject({
    code: "invalid_settings",
  });
  await opencode.connect(USER);
  expect((await opencode.launch(options())).env.OPENCODE_CONFIG_CONTENT).toBeUndefined();
});
