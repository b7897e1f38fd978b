import { spawn } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { answersOf } from "../../../main/hooks/answering/pipe-answers.ts";
import { payload } from "../../support/hook-process.ts";
import { PretendedClient } from "../../support/pretended-client.ts";
import { PretendedGate } from "../../support/pretended-gate.ts";
import { tempFolder } from "../../support/temp-folder.ts";
import { temporaryHome } from "../../support/temporary-home.ts";

it("a rule of the user's counts, wherever the gate itself was started with Claude Code's settings", async () => {
  const home = temporaryHome();
  const gate = await PretendedGate.start(home, {
    hello: { type: "hello.ok", data: {} },
    "tool.call": { type: "tool.decision", data: { outcome: "allowed", reason: "fine" } },
  });
  const client = new PretendedClient(home);
  client.record();
  const project = tempFolder();
  const running = spawn(client.file, ["-c", "read line; exit"], { cwd: project, env: home.env });
  onTestFinished(() => void running.kill("SIGKILL"));
  const settings = { permissions: { deny: ["Bash(npm test:*)"] } };
  mkdirSync(join(home.home, ".claude"));
  writeFileSync(join(home.home, ".claude/settings.json"), JSON.stringify(settings));
  const ask = () =>
    answersOf({ ...home.env, CLAUDE_CONFIG_DIR: "/elsewhere" })(
      {
        launcher: process.pid,
        reader: running.pid ?? 0,
        argv: ["hook", "claude-code"],
        variables: [],
        payload: Buffer.from(payload("Bash", { command: "npm test" }, { cwd: project })),
      },
      { hasEnded: false, once: () => undefined },
    );
  // On a busy machine its settings may take too long to read: then that is left to the program.
  await expect.poll(ask).toContain('"allow"');
  rmSync(join(home.home, ".claude"), { recursive: true });
  await expect.poll(ask).toContain('"allow"');
  expect(gate.all("hello").map(({ supports }) => supports)).toEqual([undefined, ["confine"]]);
});
