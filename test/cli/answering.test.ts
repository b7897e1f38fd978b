import { writeFileSync } from "node:fs";
import { join } from "node:path";
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
  // Nobody has seen it there.
  expect(await runGate(gate.home, ["approve"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("a yes needs the token of what it is for"),
  });
  const approved = await runGate(gate.home, ["approve", token.slice(0, SHORTEST)]);
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

test("on a terminal a yes without a token shows all of the request, and asks where something is dangerous", async () => {
  const gate = await olderGate();
  const agent = await gate.agent();
  const asked = await agent.ask(bash("git push --force origin main"));
  const refusing = new Pty([LAUNCHER, "approve"], gate.home.env, 100, 24);
  await refusing.shows("Approve this? [y/N]");
  expect(refusing.screen).toContain("command: git push --force origin main");
  expect(refusing.red.join(" ")).toContain("Rewrites history on a remote");
  refusing.type("\r");
  await refusing.shows("nothing was answered");
  await refusing.closed;
  expect(await gate.waiting()).toEqual([tokenOf(asked.decision)]);
  const approving = new Pty([LAUNCHER, "approve"], gate.home.env, 100, 24);
  await approving.shows("Approve this? [y/N]");
  approving.type("y\r");
  await approving.shows("approved: run git push --force origin main");
  await approving.closed;
  expect(await asked.final()).toMatchObject({ outcome: "allowed" });
});

test("`approvals show` prints the difference that an edit makes; piped, the request", async () => {
  const gate = await olderGate();
  const path = join(gate.home.home, "a.txt");
  writeFileSync(path, "one\ntwo\n");
  const asked = await (await gate.agent()).ask({
    executor: "Edit",
    args: { file_path: path, old_string: "two", new_string: "three" },
  });
  const pty = new Pty([LAUNCHER, "approvals", "show"], gate.home.env, 80, 24);
  await pty.closed;
  for (const text of ["May I edit?", "- two", "+ three", tokenOf(asked.decision)]) expect(pty.screen).toContain(text);
  expect(pty.screen).not.toContain("class:");
  const piped = await runGate(gate.home, ["approvals", "show", tokenOf(asked.decision)]);
  expect(piped.lines).toMatchObject([{ token: tokenOf(asked.decision), executor: "Edit" }]);
});

test("at 80 columns a list leaves out nothing of a command, and the agent's name first", async () => {
  const gate = await olderGate();
  const command = "git push --force origin main && npm publish --tag next --access public";
  await (await gate.agent()).ask(bash(command));
  const pty = new Pty([LAUNCHER, "approvals", "list"], gate.home.env, 80, 24);
  await pty.closed;
  expect(pty.screen).not.toContain("…");
  expect(pty.screen).not.toContain("AGENT");
  for (const word of command.split(" ")) expect(pty.screen).toContain(word);
});

test("on a terminal the waiting requests are a table that fits, with what is dangerous in red, and `--json` is as before", async () => {
  const gate = await olderGate();
  const agent = await gate.agent();
  await agent.ask(bash("git push --force origin main"));
  await agent.ask(bash(`echo ${"long ".repeat(60)} \u202e`));
  const pty = new Pty([LAUNCHER, "approvals", "list"], gate.home.env, 110, 24);
  await pty.closed;
  const rows = pty.screen.split("\n").filter((row) => row !== "");
  expect(rows[0]).toMatch(/^TOKEN +AGE +WHAT +EFFECT$/);
  expect(rows[1]).toMatch(/^[0-9a-f]{6,} +[1-5]\d s +run echo long/);
  expect(pty.screen).toContain("\\u{202e}");
  expect(pty.screen).toMatch(/run git push --force origin main +Rewrites history/);
  expect(pty.red.map((text) => text.trim()).join(" ")).toContain("Rewrites history on a remote: can't be undone");
  const json = new Pty([LAUNCHER, "policy", "registry", "--json"], gate.home.env, 200, 30);
  await json.closed;
  expect(JSON.parse(json.screen.split("\n")[0] ?? "")).toMatchObject({ name: "fs:read" });
});
