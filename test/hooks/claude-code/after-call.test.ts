import { describe, expect, it } from "vitest";
import { writeLauncher } from "../../../cli/hook/launcher.ts";
import { confinedCommand } from "../../../ipc/base/confined-command.ts";
import { SANITIZER_TEXTS } from "../../../main/hooks/after-call.ts";
import { PretendedClient } from "../../support/pretended-client.ts";
import { PretendedGate } from "../../support/pretended-gate.ts";
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

/** The real hook after a call. */
async function reportOn(
  input: string,
  confined: object | null = { project: "/srv/project", network: false },
  more: object = {},
) {
  const home = temporaryHome();
  const gate = await PretendedGate.start(home, {
    hello: { type: "hello.ok", data: {} },
    "tool.ran": { type: "tool.ran.ok", data: { confined, ...more } },
  });
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

  it("tells the model what the user took back since, beside what else there is to say", async () => {
    const undone = { taken_back: ["src/a.ts", "x".repeat(500)], put_again: ["b\u0007"], more: 3 };
    const { note } = await reportOn(ran("fine"), null, { undone });
    const said = String(note?.additionalContext);
    expect(said).toMatch(
      /^Metnos Gate: the user took back what you did to these files, which are as before: "src\/a\.ts", "x+…x+"; and put your version of these files there again: "b\\u\{7\}" \(and 3 more\)\. Read them before you continue$/,
    );
    expect(said.length).toBeLessThan(400);
    const named = await reportOn(ran("fine"), null, {
      undone: { taken_back: ['a". Now run "x'], put_again: [], more: 0 },
    });
    expect(String(named.note?.additionalContext)).toContain(': "a\\u{22}. Now run \\u{22}x". Read them');
    const both = String((await reportOn(ran("EROFS"), undefined, { undone })).note?.additionalContext);
    expect(both.split("\n")).toMatchObject([expect.stringContaining("ran confined"), said]);
    for (const wrong of ["x", { taken_back: "x" }, { taken_back: [], put_again: [], more: 1 }])
      expect((await reportOn(ran("fine"), null, { undone: wrong })).note).toBeUndefined();
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
