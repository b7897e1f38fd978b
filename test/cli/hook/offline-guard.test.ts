import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { guardedOffline } from "../../../cli/hook/offline-guard.ts";
import { guard } from "../../../main/decide/guard/guard.ts";
import { GateFiles } from "../../../main/decide/places/gate-files.ts";
import { payload, runHook } from "../../support/hook-process.ts";
import { prepared } from "../../support/proposed-calls.ts";
import { type TemporaryHome, temporaryHome } from "../../support/temporary-home.ts";

const PROGRAM = join(import.meta.dirname, "../../..");

function project(): TemporaryHome & { cwd: string } {
  const own = temporaryHome();
  const cwd = join(own.home, "project");
  for (const folder of [cwd, join(own.home, ".ssh"), join(own.home, "keys")]) mkdirSync(folder);
  writeFileSync(join(own.home, ".ssh/id_x"), "");
  symlinkSync("../.ssh", join(cwd, "link-to-.ssh"));
  symlinkSync("../keys", join(cwd, "keys"));
  writeFileSync(join(own.home, "keys/id_rsa"), "");
  return { ...own, cwd };
}

/** Tool, arguments with ~ for the home, whether the guard denies. */
const CASES: readonly [string, Record<string, unknown>, boolean][] = [
  ["Write", { file_path: "~/.local/state/metnos/operator.token", content: "x" }, true],
  ["Write", { file_path: "~/.claude/settings.json", content: "{}" }, true],
  ["Read", { file_path: "link-to-.ssh/id_x" }, true],
  ["Bash", { command: "cat link-to-.ssh/id_x" }, true],
  ["Read", { file_path: "keys/id_rsa" }, true],
  ["Read", { file_path: "~/.netrc" }, true],
  ["Read", { file_path: "/etc/shadow" }, true],
  ["Grep", { pattern: "x", path: "~" }, true],
  ["Edit", { file_path: ".claude/settings.local.json", old_string: "a", new_string: "b" }, true],
  ["Write", { file_path: "~/.config/metnos/gate.toml", content: "" }, true],
  ["Write", { file_path: `${PROGRAM}/dist/hook/hook.cjs`, content: "" }, true],
  ["Write", { file_path: "/etc/fstab", content: "" }, true],
  ["WebFetch", { url: "http://169.254.169.254/", prompt: "" }, true],
  ["Bash", { command: "curl http://169.254.169.254/" }, true],
  ["Bash", { command: "rm -rf ~" }, true],
  ["Bash", { command: "dd if=x of=/dev/sda" }, true],
  ["mcp__box__run", { command: "rm -rf /" }, true],
  ["mcp__box__read", { where: "/root/x" }, true],
  ["Bash", { command: "ls" }, false],
  ["Bash", { command: "echo 'rm -rf /'" }, false],
  ["Read", { file_path: "src/a.ts" }, false],
  ["Read", { file_path: "~/.claude/settings.json" }, false],
  ["Read", { file_path: ".env" }, false],
  ["Write", { file_path: ".git/hooks/pre-commit", content: "" }, false],
  ["Write", { file_path: "a.md", content: "see ~/.ssh/config" }, false],
  ["Grep", { pattern: "x" }, false],
  ["Task", { prompt: "rm -rf /" }, false],
];

describe("the guard without a gate is the gate's own", () => {
  it.each(CASES)("%s %j: denied is %s", (executor, args, isDenied) => {
    const { home, cwd, env, paths } = project();
    const offline = guardedOffline({ intent: "", executor, args, context: { cwd } }, "claude-code", env);
    const { call, executor: found, needs } = prepared(home, executor, args, { context: { cwd } });
    const inside = guard(call, found, needs, { home, env, gateFiles: new GateFiles(paths, home) });
    expect(offline !== null).toBe(isDenied);
    expect(offline).toEqual(inside);
  });

  it("describes an executor as the user does, and as none where their manifests can't be read", () => {
    const { env, paths, cwd } = project();
    mkdirSync(paths.executorsDir, { recursive: true });
    const manifest = (pathArg: string) =>
      `name = "reader"\ncritical = false\nneeds = [{ capability = "fs:read", target = { from = "path", arg = "${pathArg}" } }]\nargs_schema = { type = "object" }\nverb = { en = "read", it = "legga" }\n`;
    const call = { intent: "", executor: "reader", args: { what: "keys/id_rsa" }, context: { cwd } };
    expect(guardedOffline(call, "claude-code", env)).toBeNull();
    writeFileSync(join(paths.executorsDir, "reader.toml"), manifest("what"));
    expect(guardedOffline(call, "claude-code", env)?.reason).toBe("guard: forbidden path violated: a private key");
    writeFileSync(join(paths.executorsDir, "reader.toml"), "not a manifest");
    expect(guardedOffline(call, "claude-code", env)).toBeNull();
    expect(guardedOffline({ ...call, args: { command: "rm -rf /" } }, "claude-code", env)).not.toBeNull();
  });
});

describe("the hook, where no gate runs", () => {
  it.each(CASES.slice(0, 4))("denies %s %j", async (tool, args) => {
    const { home, env, cwd } = project();
    const input = Object.fromEntries(
      Object.entries(args).map(([key, value]) => [key, String(value).replace("~", home)]),
    );
    const { permission, reason } = await runHook(payload(tool, input, { cwd }), env).answer;
    expect([permission, reason.startsWith("Metnos Gate: guard: ")]).toEqual(["deny", true]);
  });
});
