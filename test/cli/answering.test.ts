import { expect, test } from "vitest";
import { SHORTEST } from "../../cli/short-tokens.ts";
import { tokenOf } from "../support/agent-connection.ts";
import { LAUNCHER, runGate } from "../support/gate-process.ts";
import { type GateUnderTest, startGate } from "../support/running-gate.ts";
import { Pty } from "../support/watched.ts";

const bash = (command: string) => ({ executor: "Bash", args: { command } });

/** A gate whose requests look as if they had been made a while ago. */
function olderGate(agoMs = 10_000): Promise<GateUnderTest> {
  return startGate({ now: () => Date.now() - agoMs });
}

test("without a token the one request that waits is answered, and the answer says which", async () => {
  const gate = await olderGate();
  const agent = await gate.agent();
  const asked = await agent.ask(bash("make all"));
  const token = tokenOf(asked.decision);
  const approved = await runGate(gate.home, ["approve"]);
  expect(approved).toMatchObject({ code: 0, stderr: `approved: run make all (tester, ${token})\n` });
  expect(approved.lines).toMatchObject([{ token, status: "approved" }]);
  expect(await asked.final()).toMatchObject({ outcome: "allowed" });

  const denied = await agent.ask(bash("make clean"));
  expect(await runGate(gate.home, ["deny", "--message", "no"])).toMatchObject({ code: 0 });
  expect(await denied.final()).toMatchObject({ outcome: "denied", reason: expect.stringContaining("no") });
  expect(await runGate(gate.home, ["approve"])).toMatchObject({
    code: 4,
    stdout: "",
    stderr: "metnos-gate: nothing is waiting\n",
  });
});

test("the answer is said in one line, whatever the file is called", async () => {
  const gate = await olderGate();
  const asked = await (await gate.agent()).ask({
    executor: "Read",
    args: { file_path: "/srv/x\nok    gate: running" },
  });
  const denied = await runGate(gate.home, ["deny"]);
  expect(denied.stderr).toBe(`denied: read x\\nok    gate: running from /srv/ (tester, ${tokenOf(asked.decision)})\n`);
});

test("of several none is answered without a token; a beginning of one is enough, from six characters on", async () => {
  const gate = await olderGate();
  const agent = await gate.agent();
  const asked = [await agent.ask(bash("make a")), await agent.ask(bash("make b"))];
  const [first = "", second = ""] = asked.map(({ decision }) => tokenOf(decision));
  for (const words of [["approve"], ["deny"]]) {
    const several = await runGate(gate.home, words);
    expect(several).toMatchObject({ code: 2, stderr: expect.stringContaining("2 requests wait: say which") });
    expect(several.lines.map(({ token }) => token).sort()).toEqual([first, second].sort());
  }
  expect(await runGate(gate.home, ["approve", first.slice(0, SHORTEST - 1)])).toMatchObject({ code: 2, stdout: "" });
  const nobody = first.startsWith("ffffff") ? "eeeeee" : "ffffff";
  expect(await runGate(gate.home, ["approve", nobody])).toMatchObject({ code: 4, stdout: "" });
  expect(await gate.waiting()).toHaveLength(2);
  expect(await runGate(gate.home, ["approvals", "reject", second.slice(0, 15)])).toMatchObject({ code: 0 });
  expect(await runGate(gate.home, ["approve", first.slice(0, SHORTEST)])).toMatchObject({ code: 0 });
  expect(await Promise.all(asked.map((one) => one.final()))).toMatchObject([
    { outcome: "allowed" },
    { outcome: "denied" },
  ]);
});

test("a yes without a token is refused to what came just now", async () => {
  // However long the command takes to start, the request is no older.
  const gate = await olderGate(-60_000);
  const asked = await (await gate.agent()).ask(bash("make docs"));
  expect(await runGate(gate.home, ["approve"])).toMatchObject({
    code: 4,
    stderr: expect.stringContaining("came only just now, nothing was answered"),
  });
  expect(await gate.waiting()).toEqual([tokenOf(asked.decision)]);
});

test("a yes without a token is refused to what an agent put into another one's place", async () => {
  const gate = await olderGate();
  const agent = await gate.agent();
  const seen = await agent.ask(bash("make docs"));
  agent.send("tool.cancel", { id: "c", token: tokenOf(seen.decision), reason: "" });
  await seen.final();
  const swapped = await agent.ask(bash("make release"));
  const refused = await runGate(gate.home, ["approve"]);
  expect(refused).toMatchObject({ code: 4, stdout: "", stderr: expect.stringContaining("another request went away") });
  expect(await gate.waiting()).toEqual([tokenOf(swapped.decision)]);
  expect(await runGate(gate.home, ["deny"])).toMatchObject({ code: 0 });
});

test("on a terminal the waiting requests are a table that fits, with what is dangerous in red, and `--json` is as before", async () => {
  const gate = await olderGate();
  const agent = await gate.agent();
  await agent.ask(bash("git push --force origin main"));
  await agent.ask(bash(`echo ${"long ".repeat(60)} \u202e`));
  const pty = new Pty([LAUNCHER, "approvals", "list"], gate.home.env, 110, 12);
  await pty.closed;
  const rows = pty.screen.split("\n").filter((row) => row !== "");
  expect(rows).toHaveLength(3);
  expect(rows[0]).toMatch(/^TOKEN +AGE +AGENT +WHAT +EFFECT$/);
  expect(rows[1]).toMatch(/^[0-9a-f]{6,} +[1-5]\d s +tester +run echo long .*….*\\u\{202e\}/);
  expect(rows[2]).toMatch(/run git push --force origin main +Rewrites history on a remote: can't be undone$/);
  expect(pty.red.map((text) => text.trim())).toEqual(["Rewrites history on a remote: can't be undone"]);
  const json = new Pty([LAUNCHER, "policy", "registry", "--json"], gate.home.env, 200, 30);
  await json.closed;
  expect(JSON.parse(json.screen.split("\n")[0] ?? "")).toMatchObject({ name: "fs:read" });
});
