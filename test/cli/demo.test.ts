import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { LAUNCHER, StartedProcess } from "../support/gate-process.ts";
import { startGate } from "../support/running-gate.ts";
import { temporaryHome } from "../support/temporary-home.ts";

test("at a running gate the demo is let in by the user, asks five things, says each answer, and is revoked", async () => {
  const gate = await startGate();
  const asked: string[] = [];
  gate.operator.subscribe(
    (event) => {
      if (event.type === "pairing.requested")
        void gate.operator.call("agents.pair", { name: event.data.name, level: "Supervised" });
      if (event.type !== "approval.waiting") return;
      const { token, executor } = event.data;
      asked.push(executor);
      const decision = asked.length % 2 === 1 ? "approved" : "rejected";
      void gate.operator.call("approvals.resolve", { token, decision });
    },
    ["pairing.requested", "approval.waiting"],
  );
  const demo = new StartedProcess(process.execPath, [LAUNCHER, "demo"], {
    env: { ...gate.home.env, TMPDIR: gate.home.home },
  });
  expect(await demo.exited).toBe(0);
  expect(asked).toEqual(["shell_exec", "fs_write", "shell_exec", "http_get", "mcp__github__create_pull_request"]);
  expect(demo.stderr.match(/you (allowed|denied) it/g)).toHaveLength(5);
  const { agents } = await gate.operator.call("agents.list", {});
  expect(agents).toMatchObject([{ name: expect.stringMatching(/^demo-/), revoked_at: expect.any(String) }]);
  expect(readdirSync(gate.home.home).filter((name) => name.startsWith("metnos-demo"))).toEqual([]);
});

test("without a gate it has one of its own, says so, and leaves nothing behind when it is interrupted", async () => {
  const home = temporaryHome();
  const demo = new StartedProcess(process.execPath, [LAUNCHER, "demo"], { env: { ...home.env, TMPDIR: home.home } });
  await demo.printed(/1 of 5/);
  expect(demo.stderr).toContain("this is a DEMO GATE");
  expect(demo.stderr).toMatch(/Answer at {2}http:\/\/127\.0\.0\.1:\d+\/\?token=/);
  expect(await demo.end("SIGINT")).toBe(0);
  expect(readdirSync(home.home)).toEqual([]);
});
