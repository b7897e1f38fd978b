import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { writeLauncher } from "../../cli/hook/launcher.ts";
import { launcherText } from "../../cli/hook/launcher-text.ts";
import { sessionEventSchema } from "../../ipc/contract/session-events.ts";
import { answersOf } from "../../main/hooks/answering/pipe-answers.ts";
import { sessionEventIn } from "../../main/hooks/session-event.ts";
import { PretendedClient } from "../support/pretended-client.ts";
import { PretendedGate } from "../support/pretended-gate.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { temporaryHome } from "../support/temporary-home.ts";

const SESSION = ["session", "claude-code"];
const PROMPT = { hook_event_name: "UserPromptSubmit", session_id: "s1", prompt_id: "p1", prompt: "tidy up" };
const START = { hook_event_name: "SessionStart", session_id: "s1", source: "startup" };
const ASKS = { systemMessage: expect.stringMatching(/^Metnos Gate asks you: .*metnos-gate\S* watch$/) };

describe("what Claude Code says of a session", () => {
  it.each<[string, object, object]>([
    ["the user's words", PROMPT, { kind: "prompt", turn: "p1", text: "tidy up" }],
    ["those of a program that speaks for the user", { ...PROMPT, source: "sdk" }, { kind: "prompt" }],
    ["a long message, its beginning", { ...PROMPT, prompt: "x".repeat(20_000) }, { text: "x".repeat(16_384) }],
    ["the end", { hook_event_name: "SessionEnd", reason: "clear" }, { kind: "ended", reason: "clear" }],
    ["the end without a reason", { hook_event_name: "SessionEnd", reason: 7 }, { kind: "ended" }],
    [
      "a subagent's start",
      { hook_event_name: "SubagentStart", agent_id: "a1", agent_type: "Explore" },
      { kind: "subagent-started", subagent: "Explore", agent_ref: "a1" },
    ],
    ["a subagent's end", { hook_event_name: "SubagentStop", agent_type: "Explore" }, { kind: "subagent-ended" }],
    ["its start", { hook_event_name: "SessionStart", cwd: "/srv/p" }, { kind: "began", cwd: "/srv/p" }],
    ["another folder", { hook_event_name: "CwdChanged", new_cwd: "/srv/p" }, { kind: "cwd-changed", cwd: "/srv/p" }],
  ])("is passed on: %s", (_, payload, event) => {
    const found = sessionEventIn({ ...payload }, "prompt_id");
    expect(found).toMatchObject(event);
    expect(sessionEventSchema.parse(found)).toEqual(found);
  });

  it.each<[string, object]>([
    ["a notice of its own as if the user had said it", { ...PROMPT, prompt: "<task-notification>\n<task-id>a" }],
    ["a prompt that a wake-up made", { ...PROMPT, source: "loop_wakeup" }],
    ["what a model gives a subagent, as Codex says it", { ...PROMPT, agent_id: "01a2", agent_type: "default" }],
    ["a prompt that no call will name", { ...PROMPT, prompt_id: undefined }],
    ["a prompt without words", { ...PROMPT, prompt: "" }],
    ["a subagent without a kind", { hook_event_name: "SubagentStart", agent_id: "a1" }],
    ["a start nowhere", { hook_event_name: "SessionStart" }],
    ["a folder that is none", { hook_event_name: "CwdChanged", new_cwd: 7 }],
    ["another event", { hook_event_name: "Notification", message: "x" }],
  ])("is not passed on: %s", (_, payload) => {
    expect(sessionEventIn({ ...payload }, "prompt_id")).toBeUndefined();
  });
});

describe("the hook of a session", () => {
  it("tells the gate, for the session, and answers Claude Code nothing", async () => {
    const home = temporaryHome();
    const gate = await PretendedGate.start(home, {
      hello: { type: "hello.ok", data: {} },
      "session.event": { type: "session.noted", data: {} },
    });
    const output = await new PretendedClient(home).call(writeLauncher(home.env), SESSION, JSON.stringify(PROMPT));
    expect(output.trim()).toBe("{}");
    expect(gate.first("session.event")).toMatchObject({
      session: "s1",
      event: { kind: "prompt", turn: "p1", text: "tidy up" },
    });
    expect(gate.first("hello")).toMatchObject({ agent: { name: "claude-code" }, session: "s1" });
  });

  it.each([
    ["2.1.197", true],
    ["1.9.400", true],
    ["2.1.330", false],
    ["2.2.0", false],
    ["", false],
  ])(
    "says at its start how to answer, where its client doesn't show it while the user is asked: %j: %j",
    async (version, isSaid) => {
      const home = temporaryHome();
      const client = new PretendedClient(home);
      client.record({ version });
      const output = await client.call(writeLauncher(home.env), SESSION, JSON.stringify(START));
      expect(JSON.parse(output)).toEqual(isSaid ? ASKS : {});
    },
  );

  it("says it by the gate, too, and nothing to a client that isn't on record", async () => {
    const home = temporaryHome();
    const client = new PretendedClient(home);
    const running = spawn(client.file, ["-c", "read line; exit"], { env: home.env });
    onTestFinished(() => void running.kill("SIGKILL"));
    const ask = () =>
      answersOf(home.env)(
        {
          launcher: process.pid,
          reader: running.pid ?? 0,
          argv: SESSION,
          variables: [],
          payload: Buffer.from(JSON.stringify(START)),
        },
        { hasEnded: false, once: () => undefined },
      );
    expect(await ask()).toBe("{}");
    client.record({ version: "2.1.197" });
    expect(JSON.parse((await ask()) ?? "")).toEqual(ASKS);
  });

  it("names the hooks beside the gate's with each message of the user's", async () => {
    const home = temporaryHome();
    const gate = await PretendedGate.start(home, {
      hello: { type: "hello.ok", data: {} },
      "session.event": { type: "session.noted", data: {} },
    });
    const project = join(home.home, "project");
    mkdirSync(join(project, ".claude"), { recursive: true });
    const settings = { hooks: { PreToolUse: [{ hooks: [{ type: "command", command: "/srv/fmt" }] }] } };
    writeFileSync(join(project, ".claude/settings.json"), JSON.stringify(settings));
    const input = JSON.stringify({ ...PROMPT, cwd: project });
    await new PretendedClient(home).call(writeLauncher(home.env), SESSION, input);
    const events = gate.all("session.event").map(({ event }) => event);
    expect(events).toContainEqual({
      kind: "other-hooks",
      hooks: [`/srv/fmt (${join(project, ".claude/settings.json")})`],
    });
    expect(events).toContainEqual({ kind: "prompt", turn: "p1", text: "tidy up", cwd: project });
  });

  it.each([
    ["no gate runs", JSON.stringify(PROMPT)],
    ["its input is no payload", "hm"],
  ])("ends with 0, so that nothing of the user's is blocked, where %s", (_, input) => {
    const launcher = writeLauncher(temporaryHome().env);
    const { status, stdout, stderr } = spawnSync(launcher, SESSION, { input, encoding: "utf8", timeout: 60_000 });
    expect([status, stdout.trim(), stderr]).toEqual([0, "{}", ""]);
  });

  it("ends with 0 where its program is gone or fails: a prompt that is blocked would be lost", () => {
    const folder = tempFolder();
    const failing = join(folder, "failing.cjs");
    writeFileSync(failing, "process.exit(2)");
    for (const script of [join(folder, "none.cjs"), failing]) {
      const file = join(folder, "metnos-gate-hook");
      const program = { nodes: [process.execPath], scripts: [script] };
      const text = launcherText({
        env: { HOME: folder, PATH: "/usr/bin:/bin" },
        program,
      });
      writeFileSync(file, text, { mode: 0o700 });
      const { status, stdout } = spawnSync(file, SESSION, { input: JSON.stringify(PROMPT), encoding: "utf8" });
      expect([status, stdout]).toEqual([0, ""]);
    }
  });
});
