import { mkdirSync, rmdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { localPrincipal } from "../../ipc/base/paths.ts";
import type { Decision } from "../../ipc/contract/decision.ts";
import { openCore } from "../../main/core/core.ts";
import type { Executor } from "../../main/decide/executors/catalog.ts";
import { POLICY_TABLE } from "../../main/decide/policy/policy.ts";
import * as reading from "../../packages/shell-reading/shell/read-command.ts";
import { decidedAtOnce } from "../support/judged-calls.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { temporaryHome } from "../support/temporary-home.ts";

// What an approved call is examined by the second time: nothing that its text alone says, and everything that may have changed since.

const BY = localPrincipal();

async function openedGate() {
  const home = temporaryHome();
  const core = await openCore({ env: home.env, clock: new ManualClock(), log: () => undefined });
  onTestFinished(() => core.close());
  const { agent } = core.agents.pair("tester", "Supervised");
  const folder = join(home.home, "work");
  mkdirSync(join(folder, ".git/objects"), { recursive: true });
  mkdirSync(join(folder, ".git/refs"));
  writeFileSync(join(folder, ".git/HEAD"), "ref: refs/heads/main\n");
  writeFileSync(join(folder, ".git/config"), "[core]\n\trepositoryformatversion = 0\n");
  /** Asks about a call: `token` is its request's, `finals` gets its final decision. */
  const ask = (executor: string, args: Record<string, unknown>, cwd = folder) => {
    const finals: Decision[] = [];
    const call = { intent: "", executor, args, context: { cwd } };
    const subject = { agent, level: agent.level, session: "s1", principal: BY };
    const { decision } = decidedAtOnce(core.gate.decide(call, subject, ({ current }) => finals.push(current)));
    const token = decision.current.pending?.token;
    if (token === undefined) throw new Error(`nobody is asked: ${JSON.stringify(decision.current)}`);
    return { token, finals };
  };
  const write = (file: string) => ask("fs_write", { path: join(folder, file), content: "x" });
  const run = (command: string, cwd?: string) => ask("Bash", { command }, cwd);
  const approve = (token: string) => core.gate.answer({ token, decision: "approved" }, BY);
  return { core, home: home.home, folder, write, run, approve };
}

const CHANGED = { outcome: "denied", explain: { rule: "approval.changed-while-waiting" } };

describe("what may have changed while the user was asked is examined again", () => {
  it("the policy", async () => {
    const { core, write, approve } = await openedGate();
    const { token, finals } = write("a.txt");
    const cell = { ...core.overrides.list[0], profile: "strict", line: 1, outcome: "denied" as const };
    const strict = { table: POLICY_TABLE, override: () => cell as never };
    vi.spyOn(core.overrides, "policyFor").mockReturnValue(strict);
    approve(token);
    expect(finals).toMatchObject([{ outcome: "denied", explain: { rule: "policy.override-denies" } }]);
  });

  it("the grants: one that is given covers another call that waits", async () => {
    const { core, write, folder } = await openedGate();
    const [first, second] = [write("a.txt"), write("b.txt")];
    const reach = { scope: "permanent", target: `${folder}/*` } as const;
    core.gate.answer({ token: first.token, decision: "approved", ...reach }, BY);
    await vi.waitFor(() => expect(second.finals).toMatchObject([{ outcome: "allowed" }]));
  });

  it("the pause", async () => {
    const { core, write, approve } = await openedGate();
    const { token, finals } = write("a.txt");
    // As where the pause is there already, and what waits is still to be withdrawn.
    vi.spyOn(core.safety.pause, "reason", "get").mockReturnValue("wait");
    approve(token);
    expect(finals).toMatchObject([{ outcome: "denied", stage: "safety", explain: { rule: "safety.paused" } }]);
  });

  it("files: what is copied would be put into a folder by now", async () => {
    const { run, folder, approve } = await openedGate();
    writeFileSync(join(folder, "a.txt"), "a");
    const { token, finals } = run("cp a.txt out");
    mkdirSync(join(folder, "out"));
    approve(token);
    expect(finals).toMatchObject([CHANGED]);
  });

  it("links: the path leads elsewhere by now", async () => {
    const { write, folder, approve } = await openedGate();
    mkdirSync(join(folder, "sub"));
    const { token, finals } = write("sub/a.txt");
    rmdirSync(join(folder, "sub"));
    symlinkSync("/srv", join(folder, "sub"));
    approve(token);
    expect(finals).toMatchObject([CHANGED]);
  });

  it("links that a command line names", async () => {
    const { run, folder, approve } = await openedGate();
    mkdirSync(join(folder, "sub"));
    const { token, finals } = run("touch sub/a.txt");
    rmdirSync(join(folder, "sub"));
    symlinkSync("/srv", join(folder, "sub"));
    approve(token);
    expect(finals).toMatchObject([CHANGED]);
  });

  it("links: a line that may do anything is read anew where its working directory leads elsewhere by now", async () => {
    const { run, home, folder, approve } = await openedGate();
    const at = join(folder, "here");
    mkdirSync(join(folder, "sub"));
    mkdirSync(join(home, ".ssh/sub"), { recursive: true });
    symlinkSync(folder, at);
    const { token, finals } = run("make ./known", `${at}/sub/..`);
    rmSync(at);
    symlinkSync(join(home, ".ssh"), at);
    // The card says which Makefile it is by now.
    expect(() => approve(token)).toThrow(expect.objectContaining({ code: "script_changed" }));
    approve(token);
    expect(finals).toMatchObject([{ outcome: "denied", stage: "guard", explain: { rule: "guard.protected-path" } }]);
  });

  it("links: a line that may do anything would run in another folder by now", async () => {
    const { run, folder, approve } = await openedGate();
    const at = join(folder, "here");
    for (const name of ["one", "two"]) mkdirSync(join(folder, name));
    symlinkSync(join(folder, "one"), at);
    const { token, finals } = run("make ./known", at);
    rmSync(at);
    symlinkSync(join(folder, "two"), at);
    approve(token);
    expect(finals).toMatchObject([CHANGED]);
  });

  it("the guard: the path leads to keys by now", async () => {
    const { write, home, folder, approve } = await openedGate();
    mkdirSync(join(folder, "sub"));
    const { token, finals } = write("sub/a.txt");
    rmdirSync(join(folder, "sub"));
    mkdirSync(join(home, ".ssh"));
    symlinkSync(join(home, ".ssh"), join(folder, "sub"));
    approve(token);
    expect(finals).toMatchObject([{ outcome: "denied", stage: "guard", explain: { rule: "guard.protected-path" } }]);
  });

  it("scripts: what would run is another one by now", async () => {
    const { run, folder, approve } = await openedGate();
    writeFileSync(join(folder, "x.sh"), "echo before\n");
    const { token, finals } = run("bash x.sh");
    writeFileSync(join(folder, "x.sh"), "echo after\n");
    expect(() => approve(token)).toThrow(expect.objectContaining({ code: "script_changed" }));
    expect(finals).toEqual([]);
  });

  it("git's settings: the repository names a program that git runs by now", async () => {
    const { run, folder, approve } = await openedGate();
    const { token, finals } = run("git add a.txt");
    writeFileSync(join(folder, ".git/config"), '[core]\n\tfsmonitor = "./x.sh"\n');
    approve(token);
    expect(finals).toMatchObject([CHANGED]);
  });

  it("the judge: its threshold is another one by now", async () => {
    const { core, write, approve } = await openedGate();
    const { token, finals } = write("a.txt");
    core.config.judge.threshold = 1;
    approve(token);
    expect(finals).toMatchObject([{ outcome: "denied", stage: "judge", explain: { rule: "judge.low-score" } }]);
  });
});

describe("what a call's text alone says is found once", () => {
  it("its command lines are read once, for the question, the answer's check of its scripts and the second examination", async () => {
    const { run, folder, approve } = await openedGate();
    writeFileSync(join(folder, "x.sh"), "echo before\n");
    const read = vi.spyOn(reading, "readCommand");
    const { token, finals } = run("bash x.sh");
    approve(token);
    expect(finals).toMatchObject([{ outcome: "allowed" }]);
    const readings = (text: string) => read.mock.calls.filter(([one]) => one === text).length;
    // What its script holds is read anew for each of them: it may be another one by then.
    expect([readings("bash x.sh"), readings("echo before\n")]).toEqual([1, 3]);
  });

  it("its arguments are checked against its executor's schema once", async () => {
    const { core, write, approve } = await openedGate();
    const executor: Executor = core.catalog.find("fs_write", "generic");
    const validate = vi.spyOn(executor, "validate");
    const { token, finals } = write("a.txt");
    approve(token);
    expect(finals).toMatchObject([{ outcome: "allowed" }]);
    expect(validate).toHaveBeenCalledTimes(1);
  });
});
