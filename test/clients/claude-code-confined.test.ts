import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, it } from "vitest";
import { MessagesApi } from "../../cli/agents/pretended-model/messages-api.ts";
import { answerFirstQuestions, environmentFor } from "./claude-code-run.ts";
import { TRIED_CLAUDE_CODES } from "./clients.ts";
import { type ConfinableClient, describeConfined, lateHook } from "./confined.ts";
import { bash, Seat } from "./seat.ts";

/** The real Claude Code, whose commands the real gate confines with the real bubblewrap. */

const AGENT = "claude-code";

const client: Omit<ConfinableClient<Seat>, "client"> = {
  agent: AGENT,
  async seat(gate, program) {
    await gate.operator.call("agents.pair", { name: AGENT, level: "Supervised" });
    return new Seat(gate, program);
  },
  async run(seat, lines) {
    const run = await seat.start(lines.map(bash));
    return { results: (await run.results()).map(({ text }) => text), received: await run.conversation() };
  },
  edit(seat, { file, before, after }) {
    const filePath = join(seat.project, file);
    return seat.results([
      { name: "Read", input: { file_path: filePath } },
      { name: "Edit", input: { file_path: filePath, old_string: before, new_string: after } },
    ]);
  },
  async inTerminal(seat, lines) {
    const api = await MessagesApi.start(lines.map(bash));
    const { home, env } = seat.gate.home;
    answerFirstQuestions(home, seat.project);
    return {
      api,
      words: ["go"],
      env: environmentFor(api, env),
      key: "\x0f",
      notice: "PreToolUse:Bash says: Metnos Gate: guard: a path that agents never get",
      denied: "hook error: Metnos Gate: guard: forbidden path violated",
    };
  },
  replace(seat) {
    const updatedInput = { command: "touch replaced.txt" };
    const output = { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "allow", updatedInput } };
    const command = lateHook(seat.project, output);
    seat.projectSettings({ hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command }] }] } });
    return undefined;
  },
  alarms: ["box_bypassed", "other_hooks"],
  code: (code) => `Exit code ${code}`,
};

for (const name of TRIED_CLAUDE_CODES)
  describeConfined({ ...client, client: name }, (confined) => {
    it("continue in the folder that the one before ended in", async () => {
      const { seat } = confined;
      mkdirSync(join(seat.project, "a folder"));
      const [, second, third] = await seat.results([
        bash(`${confined.script("exit 3")}; cd "a folder"`),
        bash(`sh -c 'pwd; exit 3'`),
        bash("sh ../work.sh"),
      ]);
      expect(second).toEqual({ is_error: true, text: `Exit code 3\n${join(seat.project, "a folder")}` });
      expect(third).toMatchObject({ is_error: true, text: expect.stringContaining("Exit code 3") });
    });

    it("run confined in the background as well, from where the model reads what they print", async () => {
      const { seat } = confined;
      const work = confined.script(
        "echo begun; while [ ! -e go ]; do sleep 0.1; done; echo made > made.txt; echo x > /usr/made-by-a-test",
      );
      const run = await seat.start([
        { name: "Bash", input: { command: work, run_in_background: true } },
        bash("touch go"),
        bash(confined.script("while [ ! -e made.txt ]; do sleep 0.1; done; cat made.txt", "wait.sh")),
      ]);
      const [first, , third] = await run.results();
      expect(first).toMatchObject({ is_error: false, text: expect.stringContaining("background") });
      expect(third).toMatchObject({ is_error: false, text: "made" });
      expect(await run.conversation()).toContain("it runs confined to ~/project, with no network");
      expect(existsSync("/usr/made-by-a-test")).toBe(false);
      expect(await confined.decisions()).toMatchObject({ allowed: 3, denied: 0, asked: 0 });
      expect(await confined.isPaused()).toBe(false);
    });

    it("end with all of their box where the model stops them in the background", async () => {
      const { seat } = confined;
      const work = confined.script("touch going; sleep 600");
      const calls = [
        { name: "Bash", input: { command: work, run_in_background: true } },
        bash(confined.script("while [ ! -e going ]; do sleep 0.1; done", "wait.sh")),
      ];
      const { home } = seat.gate.home;
      const beforeTurn = (turn: number) => {
        if (turn !== 2) return;
        const output = readdirSync(home, { recursive: true, encoding: "utf8" }).find((file) =>
          file.endsWith(".output"),
        );
        calls.push({ name: "TaskStop", input: { task_id: basename(output ?? "", ".output") } } as never);
      };
      const [, , stopped] = await (await seat.start(calls, { beforeTurn })).results();
      expect(stopped?.is_error).toBe(false);
      await expect.poll(() => seat.gate.gate.core.box.status().running).toBe(0);
      expect(await confined.isPaused()).toBe(false);
    });

    it("stay under Claude Code's own rules: a line that one denies isn't confined", async () => {
      const { seat } = confined;
      seat.projectSettings({ permissions: { deny: ["Bash(sh work.sh:*)"] } });
      const answered = confined.answer("approved");
      const [result] = await seat.results([bash(confined.script("touch made.txt"))]);
      await answered;
      expect(result).toMatchObject({ is_error: true, text: expect.stringContaining("has been denied") });
      expect(confined.has("made.txt")).toBe(false);
    });
  });
