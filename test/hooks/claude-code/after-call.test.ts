import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { writeLauncher } from "../../../cli/hook/launcher.ts";
import { launcherText } from "../../../cli/hook/launcher-text.ts";
import { confinedCommand } from "../../../ipc/confined-command.ts";
import { MISSING_TEXTS, REFUSAL_TEXTS, SANITIZER_TEXTS } from "../../../main/hooks/refusal-texts.ts";
import { PretendedClient } from "../../support/pretended-client.ts";
import { PretendedGate } from "../../support/pretended-gate.ts";
import { tempFolder } from "../../support/temp-folder.ts";
import { temporaryHome } from "../../support/temporary-home.ts";

const AFTER = ["after", "claude-code"];
const RUN = confinedCommand(["/srv/gate/launcher", "run", "a1b2"]);

/** What Claude Code sends after a call. */
function ran(output: string, more: Record<string, unknown> = {}): string {
  return JSON.stringify({
    session_id: "session-1",
    hook_event_name: "PostToolUse",
    tool_name: "Bash",
    tool_input: { command: RUN },
    tool_response: { stdout: output, stderr: "" },
    tool_use_id: "toolu_1",
    ...more,
  });
}

/** A launcher around a program that keeps what it is given, and the folder of the calls that the gate has named. */
function around() {
  const folder = tempFolder();
  const calls_dir = join(folder, "calls with 'quotes'");
  const [script, kept, file] = ["program.cjs", "kept", "metnos-gate-hook"].map((name) => join(folder, name));
  if (script === undefined || kept === undefined || file === undefined) throw new Error("they were named");
  const text = JSON.stringify(kept);
  writeFileSync(
    script,
    `const fs = require("fs"); fs.writeFileSync(${text} + ".new", process.argv.slice(2).join(" ") + fs.readFileSync(0)); fs.renameSync(${text} + ".new", ${text}); process.stdout.write("answer");`,
  );
  const program = { nodes: [process.execPath], scripts: [script] };
  writeFileSync(file, launcherText({ env: { HOME: folder, PATH: "/usr/bin:/bin" }, calls_dir, program }), {
    mode: 0o700,
  });
  /** What the program was started with, and whether Claude Code would have waited for its answer. */
  const started = async (input: string, ...calls: string[]) => {
    mkdirSync(calls_dir, { recursive: true });
    for (const call of calls) writeFileSync(join(calls_dir, call), "");
    const { status, stdout, stderr } = spawnSync(file, AFTER, { input, encoding: "utf8", timeout: 60_000 });
    expect([status, stderr]).toEqual([0, ""]);
    await expect.poll(() => existsSync(kept), { timeout: 20_000 }).toBe(true);
    return { with: readFileSync(kept, "utf8"), is_awaited: stdout === "answer" };
  };
  return { file, started };
}

describe("after a call Claude Code continues while it is reported, whole", () => {
  const input = ran("\\n 100% `x` $(y) \u001b[31m è");
  const reported = { with: `hook claude-code after${input}\n`, is_awaited: false };

  it("where the gate has named no call, and where there is no folder for them", async () => {
    expect(await around().started(input)).toEqual(reported);
    const { file } = around();
    expect(spawnSync(file, AFTER, { input, encoding: "utf8" })).toMatchObject({ status: 0, stdout: "", stderr: "" });
  });

  it("where it has named others, though this one's output should hold their ids", async () => {
    const others = ran(`"tool_use_id":"toolu_2" ${JSON.stringify({ tool_use_id: "toolu_2" })}`);
    expect(await around().started(others, "toolu_2", "toolu_10", "toolu_3.started")).toMatchObject({
      is_awaited: false,
    });
  });

  it("where this one has started, and its output says nothing of a refusal", async () => {
    expect(await around().started(input, "toolu_1.started")).toEqual(reported);
  });
});

describe("after a call Claude Code waits for the hook's answer", () => {
  it("where the call was to run confined and hasn't started, whatever its output", async () => {
    const input = ran("fine");
    expect(await around().started(input, "toolu_0", "toolu_1", "toolu_2.started")).toEqual({
      with: `hook claude-code after${input}\n`,
      is_awaited: true,
    });
  });

  it("where it has started in the background: its output comes later", async () => {
    const input = ran("", { tool_input: { command: RUN, run_in_background: true } });
    expect(await around().started(input, "toolu_1.started")).toMatchObject({ is_awaited: true });
  });

  it.each([...REFUSAL_TEXTS, ...MISSING_TEXTS])("where it has started, and its output says: %s", async (text) => {
    const { is_awaited } = await around().started(ran(`cp: '/etc/x': ${text}\n`), "toolu_1.started");
    expect(is_awaited).toBe(true);
  });
});

/** The real hook after a call that the gate has named. */
async function reportOn(input: string, confined: object | null = { project: "/srv/project", network: false }) {
  const home = temporaryHome();
  const gate = await PretendedGate.start(home, {
    hello: { type: "hello.ok", data: {} },
    "tool.ran": { type: "tool.ran.ok", data: { confined } },
  });
  const calls = join(home.paths.state_dir, "box/calls");
  mkdirSync(calls, { recursive: true });
  writeFileSync(join(calls, "toolu_1"), "");
  const output = await new PretendedClient(home).call(writeLauncher(home.env), AFTER, input);
  const { hookSpecificOutput } = JSON.parse(output) as { hookSpecificOutput?: Record<string, unknown> };
  const { call_id, ok } = gate.first("tool.ran") ?? {};
  return { reported: call_id, ok, note: hookSpecificOutput };
}

describe("the hook after a call", () => {
  it("reports to the gate that it ran and was ok, and tells the model nothing where all is well", async () => {
    expect(await reportOn(ran("fine"))).toEqual({ reported: "toolu_1", ok: true, note: undefined });
  });

  it("tells the model that it ran confined where something was refused, and how to ask for more", async () => {
    const error = "Exit code 1\nErrore: EROFS: read-only file system";
    const failed = { hook_event_name: "PostToolUseFailure", tool_response: undefined, error };
    const { reported, ok, note } = await reportOn(ran("", failed));
    expect([reported, ok]).toEqual(["toolu_1", false]);
    expect(note).toMatchObject({ hookEventName: "PostToolUseFailure" });
    const text = String(note?.additionalContext);
    expect(text).toContain("ran confined");
    expect(text).toContain("no network");
    expect(text).toContain("metnos-gate outside --reason WHY -- COMMAND");
  });

  it.each(SANITIZER_TEXTS)("tells the model what a sanitizer needs that says: %s", async (text) => {
    const { note } = await reportOn(ran(`==7==ERROR: ${text} 0xdfff0001000 bytes`));
    const said = String(note?.additionalContext);
    expect(said).toContain("`memory_mb = 0` below `[box]` in gate.toml");
    expect(said).toContain("metnos-gate outside --reason WHY -- COMMAND");
  });

  it("names the project as the user does, and what else could be meant by it visibly", async () => {
    const { note } = await reportOn(ran("Permission denied"), { project: "/srv/a\u202eb", network: true });
    expect(note?.additionalContext).toContain("confined to /srv/a\\u{202e}b, with only the hosts that the user allows");
  });

  it("tells the model of one in the background at once that it runs confined, and that nobody reaches its servers", async () => {
    const input = ran("", { tool_input: { command: RUN, run_in_background: true } });
    const { reported, note } = await reportOn(input, { project: "/srv/project", network: false });
    expect(reported).toBe("toolu_1");
    expect(note?.additionalContext).toMatch(
      /it runs confined to \/srv\/project, with no network.*no browser and no other command reaches a server that it starts.*metnos-gate outside --reason WHY -- COMMAND/,
    );
    // What was held to what its line needs has no server.
    const narrow = await reportOn(input, { kind: "needs", project: "/srv/project", network: false });
    expect(narrow.note).toBeUndefined();
    expect((await reportOn(input, null)).note).toBeUndefined();
  });

  it("tells the model nothing of a call that wasn't confined", async () => {
    expect(await reportOn(ran("Permission denied"), null)).toMatchObject({ reported: "toolu_1", note: undefined });
  });

  it("reports one that was stopped only where something else ran than was given", async () => {
    const stopped = { hook_event_name: "PostToolUseFailure", is_interrupt: true, error: "stopped" };
    expect((await reportOn(ran("", stopped))).reported).toBeUndefined();
    for (const command of ["npm test", `${RUN}; ls`, RUN.replace("a1b2", "a1b2; ls; x")])
      expect((await reportOn(ran("", { ...stopped, tool_input: { command } }))).reported).toBe("toolu_1");
  });

  it("says nothing of what is no payload", async () => {
    for (const input of ['"tool_use_id":"toolu_1"', ran("", { hook_event_name: "PreToolUse" })])
      expect(await reportOn(input)).toEqual({ reported: undefined, note: undefined });
  });
});
