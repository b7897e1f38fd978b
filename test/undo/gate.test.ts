import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, vi } from "vitest";
import { confinedCommand } from "../../ipc/base/confined-command.ts";
import { localPrincipal } from "../../ipc/base/paths.ts";
import type { UndoneCall } from "../../ipc/contract/undo.ts";
import { withoutBox } from "../box/box-under-test.ts";
import { tokenOf } from "../support/agent-connection.ts";
import { linesIn } from "../support/audit-trail.ts";
import { projectIn } from "../support/flowing-session.ts";
import { looksOf } from "../support/looks.ts";
import { receiptsIn, receiptTexts, verified } from "../support/receipts.ts";
import { type GateOptions, startGate } from "../support/running-gate.ts";

/** A gate with an agent that works in a project. */
async function working(options: GateOptions = {}) {
  const gate = await startGate(options);
  const project = projectIn(gate.home.home, "shop");
  mkdirSync(join(project, "src"));
  writeFileSync(join(project, "src/a"), "before");
  writeFileSync(join(project, ".env"), "TOKEN=1");
  const agent = await gate.agent("tester", "Full", { supports: ["confine"], session: "s1" });
  const { operator } = gate;
  const path = (name: string) => join(project, name);
  const context = { cwd: project };
  const write = (name: string) =>
    agent.ask({ executor: "fs_write", args: { path: path(name), content: "x" }, context });
  const ran = (decisionId: string) => agent.send("tool.outcome", { decision_id: decisionId, ok: true });
  const listed = () => operator.call("undo.list", {});
  /** The call's entry, once it is as it should be. */
  const known = async (id: string, state: UndoneCall["state"] = "kept") => {
    await expect.poll(async () => (await listed()).find((call) => call.id === id)?.state).toBe(state);
  };
  return { gate, project, agent, operator, path, context, write, ran, listed, known };
}

/** The first call in a project may come too soon to be kept: its process is begun. */
async function warmed(world: Awaited<ReturnType<typeof working>>) {
  await expect
    .poll(async () => {
      const { decision } = await world.write("warm");
      const call = (await world.listed()).find(({ id }) => id === decision.decision_id);
      return call?.missing === null && call.state === "running";
    })
    .toBe(true);
  return world;
}

describe("a file tool's call", () => {
  it("waits until its file is kept, and is taken back with a line in the trail that holds no content", async () => {
    const { gate, operator, project, path, write, ran, known, listed } = await warmed(await working());
    const { decision } = await write("src/a");
    expect(decision.outcome).toBe("allowed");
    writeFileSync(path("src/a"), "the agent's secret");
    ran(decision.decision_id);
    await known(decision.decision_id);
    const selection = { call: decision.decision_id };
    expect(await operator.call("undo.files", selection)).toMatchObject({
      files: [{ path: "src/a", state: "ready", part: "file", before: "file", agent: "file", now: "file" }],
    });
    const shown = await operator.call("undo.contents", {
      ...selection,
      project,
      path: "src/a",
    });
    expect(shown).toEqual({ before: "before", agent: "the agent's secret", now: "the agent's secret" });
    await operator.call("undo.take_back", selection);
    expect(readFileSync(path("src/a"), "utf8")).toBe("before");
    await known(decision.decision_id, "undone");
    const trail = linesIn(gate.paths.auditDir).filter((line) => line.includes("undo."));
    expect(trail.map((line) => JSON.parse(line))).toMatchObject([
      { event: "undo.taken_back", calls: 1, files: 1, failed: 0 },
    ]);
    expect(trail.join("")).not.toContain("secret");
    // All of it is as it was: nothing is taken back a second time.
    await operator.call("undo.take_back", selection);
    await operator.call("undo.put_again", {});
    expect(readFileSync(path("src/a"), "utf8")).toBe("the agent's secret");
    await known(decision.decision_id);
    expect((await listed()).slice(0, 2).map(({ executor, agent }) => [executor, agent])).toEqual([
      ["redo", null],
      ["undo", null],
    ]);
    gate.gate.core.receipts.makeAll();
    const undone = receiptsIn(gate.paths).filter(({ statement: { predicate } }) => "undo" in predicate);
    const [{ id: redo } = { id: "" }, { id: undo } = { id: "" }] = await listed();
    expect(undone.map(({ statement: { predicate } }) => predicate)).toMatchObject([
      { act: "taken_back", undo, event: `undo:${undo}`, calls: [decision.decision_id], files: 1, failed: 0 },
      { act: "put_again", undo: redo, calls: [undo], files: 1, failed: 0 },
    ]);
    expect(undone[0]?.statement.subject[0]?.name).toBe("undo");
    expect(verified(gate.paths, gate.home.home)).toMatchObject({ ok: true, problems: [] });
    expect(receiptTexts(gate.paths.receiptsDir)).not.toMatch(/secret|src\/a/);
  });

  it("of what runs later, and of a repository's own, nothing is put back without a choice", async () => {
    const { operator, path, write, ran, known } = await warmed(await working());
    writeFileSync(path("package.json"), "{}");
    const { decision, final } = await write(".git/hooks/pre-commit");
    await operator.call("approvals.resolve", { token: tokenOf(decision), decision: "approved" });
    const { outcome } = await final();
    expect(outcome).toBe("allowed");
    writeFileSync(path(".git/hooks/pre-commit"), "#!/bin/sh\n");
    ran(decision.decision_id);
    await known(decision.decision_id);
    const selection = { call: decision.decision_id };
    const [result] = await operator.call("undo.take_back", selection);
    expect(result?.files).toMatchObject([{ path: ".git/hooks/pre-commit", part: "runs-later", outcome: "left" }]);
    expect(existsSync(path(".git/hooks/pre-commit"))).toBe(true);
    const { files } = await operator.call("undo.files", selection);
    const choices = files.map(({ project, bytes }) => ({ project, path: bytes, choice: "before" as const }));
    await operator.call("undo.take_back", { ...selection, choices });
    expect(existsSync(path(".git/hooks/pre-commit"))).toBe(false);
  });
});

it("a call whose project was kept is answered in its agent's turn, as the gate's state is then", async () => {
  const { gate, operator, path, context, listed } = await warmed(await working());
  const { core } = gate.gate;
  const [agent = null] = core.agents.list();
  const subject = { agent, level: "Full" as const, session: "s1", principal: localPrincipal() };
  const turns: (() => void)[] = [];
  const answers: string[] = [];
  const ids: string[] = [];
  const decide = (name: string) =>
    core.gate.decide(
      { intent: "", executor: "fs_write", args: { path: path(`src/${name}`), content: "x" }, context },
      subject,
      ({ current }) => {
        answers.push(current.outcome);
        ids.push(current.decision_id);
      },
      (act) => turns.push(act),
    );
  for (const name of ["a", "b"]) expect(decide(name).decision).toBeUndefined();
  await expect.poll(() => turns.length).toBe(2);
  expect(answers).toEqual([]);
  // Nothing takes long: what does, as on a busy machine, is looked at once more.
  const clock = vi.spyOn(performance, "now").mockReturnValue(performance.now());
  const looks = looksOf(() => turns[0]?.());
  clock.mockRestore();
  expect(looks.filter((one) => one === path(".git"))).toHaveLength(1);
  await operator.call("safety.pause", {});
  turns[1]?.();
  expect(answers).toEqual(["allowed", "denied"]);
  // What was denied never runs: it is none that could be taken back.
  const listedOf = async () =>
    (await listed()).filter(({ id }) => ids.includes(id)).map(({ id, state }) => [id, state]);
  await expect.poll(listedOf).toEqual([[ids[0], "running"]]);
});

it("what comes back stays known as what a marked session's program may have written", async () => {
  const { gate, operator, path, context, known, listed } = await warmed(await working());
  const agent = await gate.agent("outside", "Full", { session: "s2" });
  const notes = join(gate.home.home, "notes.md");
  writeFileSync(notes, "private");
  const read = await agent.ask({ executor: "fs_read", args: { path: notes }, context });
  expect(read.decision.outcome).toBe("allowed");
  let call = "";
  // The first of them may come too soon for the whole project to be kept.
  const isKept = async () => {
    const { decision, final } = await agent.ask({ executor: "shell_exec", args: { command: "node x.mjs" }, context });
    call = decision.decision_id;
    await operator.call("approvals.resolve", { token: tokenOf(decision), decision: "approved" });
    expect((await final()).outcome).toBe("allowed");
    const found = (await listed()).find(({ id }) => id === call);
    return found?.missing === null && found.state === "running";
  };
  await expect.poll(isKept).toBe(true);
  writeFileSync(path("src/a"), "what the program wrote");
  agent.send("tool.outcome", { decision_id: call, ok: true });
  await known(call);
  const marked = () => {
    const db = new DatabaseSync(gate.gate.core.paths.grants_db, { readOnly: true });
    const rows = db.prepare("SELECT marks FROM flow_files WHERE path = ?").all(path("src/a"));
    db.close();
    return rows;
  };
  expect(marked()).toEqual([]);
  await operator.call("undo.take_back", { call });
  await operator.call("undo.put_again", {});
  expect(readFileSync(path("src/a"), "utf8")).toBe("what the program wrote");
  expect(marked()).toEqual([{ marks: "private" }]);
});

it("no agent reads or writes what is kept, nor asks the operator's methods", async () => {
  const { gate, agent, path, context } = await warmed(await working());
  const store = join(gate.paths.state_dir, "undo");
  const [name = ""] = readdirSync(store);
  for (const file of [join(store, name, "calls.jsonl"), join(store, name, "objects/pack/x")])
    for (const call of [
      { executor: "fs_read", args: { path: file } },
      { executor: "fs_write", args: { path: file, content: "x" } },
      { executor: "shell_exec", args: { command: `rm -rf ${file}` } },
    ])
      expect((await agent.ask({ ...call, context })).decision).toMatchObject({ outcome: "denied", stage: "guard" });
  agent.send("undo.take_back", { id: "x" });
  expect((await agent.next("error")).data).toMatchObject({ code: "unknown_type" });
  expect(readFileSync(path("src/a"), "utf8")).toBe("before");
});

describe.skipIf(withoutBox() !== undefined)("a command", () => {
  it("is taken back as a whole, whatever program it was, also one that was approved to run outside", async () => {
    const world = await warmed(await working());
    const { gate, agent, operator, project, path, context, known } = world;
    await gate.gate.core.box.ready;
    const git = (...words: string[]) =>
      execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@example.org", ...words], {
        cwd: project,
        encoding: "utf8",
      });
    rmSync(path(".git"), { recursive: true });
    git("-c", "init.defaultBranch=main", "init", "-q");
    git("add", "-A");
    git("commit", "-qm", "all");
    git("branch", "feature");
    const run = async (command: string) => {
      const { decision } = await agent.ask({ executor: "shell_exec", args: { command }, context });
      expect(decision).toMatchObject({ outcome: "allowed", confine: {} });
      const words = ["-c", confinedCommand(decision.confine?.argv ?? [])];
      await once(spawn("bash", words, { cwd: project, stdio: "ignore" }), "exit");
      await known(decision.decision_id);
      return decision.decision_id;
    };
    await run('python3 -c \'import shutil; shutil.rmtree("src"); open("made", "w")\'');
    const asked = await agent.ask({ executor: "shell_exec", args: { command: "git branch -D feature" }, context });
    await operator.call("approvals.resolve", { token: tokenOf(asked.decision), decision: "approved" });
    const { outcome, decision_id: branch } = await asked.final();
    expect(outcome).toBe("allowed");
    git("branch", "-D", "feature");
    world.ran(branch);
    await known(branch);
    expect([existsSync(path("src")), existsSync(path("made")), git("branch").includes("feature")]).toEqual([
      false,
      true,
      false,
    ]);
    await operator.call("undo.take_back", { session: "s1" });
    expect(readFileSync(path("src/a"), "utf8")).toBe("before");
    expect(readFileSync(path(".env"), "utf8")).toBe("TOKEN=1");
    expect([existsSync(path("made")), git("branch").includes("feature")]).toEqual([false, false]);
    const { files } = await operator.call("undo.files", { call: branch });
    const choices = files
      .filter(({ part }) => part === "git")
      .map(({ project: of, bytes }) => ({ project: of, path: bytes, choice: "before" as const }));
    await operator.call("undo.take_back", { call: branch, choices });
    expect(git("branch")).toContain("feature");
  });
});

describe("what is configured", () => {
  it("with `require` a call that couldn't be taken back is denied, and nothing else is", async () => {
    const { project, agent, write, path, context } = await working({
      config: "[undo]\nrequire = true\nmax_files = 100\n",
    });
    for (let i = 0; i < 120; i++) writeFileSync(join(project, `${i}`), "");
    await expect.poll(async () => (await write("src/a")).decision.outcome).toBe("allowed");
    const whole = { executor: "fs_delete", args: { path: path("src") }, context };
    const { decision } = await agent.ask(whole);
    const final = decision.pending === undefined ? decision : undefined;
    expect(final).toMatchObject({ outcome: "denied", stage: "safety", explain: { rule: "safety.not-undoable" } });
    expect((await agent.ask({ executor: "fs_read", args: { path: path("src/a") }, context })).decision.outcome).toBe(
      "allowed",
    );
  });

  it("switched off, nothing is kept, and its methods say so", async () => {
    const { gate, operator, write } = await working({ config: "[undo]\nenabled = false\n" });
    expect((await write("src/a")).decision.outcome).toBe("allowed");
    await expect(operator.call("undo.list", {})).rejects.toMatchObject({ code: "not_available" });
    expect(existsSync(join(gate.paths.state_dir, "undo"))).toBe(false);
  });

  it("a pause that begins while a call waits denies it", async () => {
    const { operator, agent, path, context } = await working();
    agent.send("tool.call", {
      id: "x",
      intent: "",
      executor: "fs_write",
      args: { path: path("src/a"), content: "x" },
      context,
    });
    // It is examined by then, and waits for the store's process to begin.
    await agent.ping();
    await operator.call("safety.pause", { reason: "test" });
    const { data } = await agent.next(({ data: { id } }) => id === "x");
    expect(data).toMatchObject({ outcome: "denied", stage: "safety", explain: { rule: "safety.paused" } });
    expect((await operator.call("undo.list", {})).length).toBeLessThan(2);
  });

  it("what was kept is forgotten when the user says so", async () => {
    const { gate, operator, listed } = await warmed(await working());
    expect((await listed()).length).toBeGreaterThan(0);
    expect(await operator.call("undo.forget", {})).toEqual({ forgotten: 1 });
    expect(await listed()).toEqual([]);
    expect(linesIn(gate.paths.auditDir).some((line) => line.includes("undo.forgotten"))).toBe(true);
  });
});

it("a session's name that several agents have isn't enough: which one has to be said, and only its files come back", async () => {
  const { gate, operator, path, write, ran, known } = await warmed(await working());
  const other = await gate.agent("second", "Full", { session: "s1" });
  writeFileSync(path("src/b"), "before");
  const mine = (await write("src/a")).decision.decision_id;
  writeFileSync(path("src/a"), "the first's");
  ran(mine);
  await known(mine);
  const call = { executor: "fs_write", args: { path: path("src/b"), content: "x" }, context: { cwd: path("") } };
  const { decision } = await other.ask(call);
  writeFileSync(path("src/b"), "the second's");
  other.send("tool.outcome", { decision_id: decision.decision_id, ok: true });
  await known(decision.decision_id);
  await expect(operator.call("undo.take_back", { session: "s1" })).rejects.toMatchObject({
    code: "invalid_params",
    message: expect.stringContaining("second, tester"),
  });
  await operator.call("undo.take_back", { session: "s1", agent: "second" });
  expect([readFileSync(path("src/b"), "utf8"), readFileSync(path("src/a"), "utf8")]).toEqual(["before", "the first's"]);
  const listed = await operator.call("undo.list", { agent: "second" });
  expect(listed.map(({ agent, executor }) => agent ?? executor)).toEqual(["undo", "second"]);
  expect((await operator.call("undo.list", { call: mine })).map(({ id }) => id)).toEqual([mine]);
});

describe("the first call in a project", () => {
  it("of a file tool can be taken back, although its store has yet to begin", async () => {
    const { operator, path, write, ran, known, listed } = await working();
    const made = (await write("new/made")).decision.decision_id;
    mkdirSync(path("new"));
    writeFileSync(path("new/made"), "x");
    const edit = (await write("src/a")).decision.decision_id;
    writeFileSync(path("src/a"), "the agent's");
    for (const id of [made, edit]) ran(id);
    await known(made);
    await known(edit);
    expect((await listed()).map(({ missing }) => missing)).toEqual([null, null]);
    await operator.call("undo.take_back", { session: "s1" });
    expect([readFileSync(path("src/a"), "utf8"), existsSync(path("new"))]).toEqual(["before", false]);
  });

  it.each([
    ["the folder of a user's message", { kind: "prompt", turn: "1", text: "hello", cwd: "" }],
    ["a session's new folder", { kind: "cwd-changed", cwd: "" }],
    ["a call that only reads", null],
  ])("finds its project read ahead, by %s", async (_, event) => {
    const { gate, agent, project, path, context } = await working();
    const stores = () =>
      existsSync(join(gate.paths.state_dir, "undo")) ? readdirSync(join(gate.paths.state_dir, "undo")) : [];
    if (event === null) await agent.ask({ executor: "fs_read", args: { path: path("src/a") }, context });
    else {
      agent.send("session.event", { id: "e", session: "s1", event: { ...event, cwd: project } });
      await agent.next("session.noted");
    }
    const packs = () =>
      stores().flatMap((name) => readdirSync(join(gate.paths.state_dir, "undo", name, "objects/pack")));
    await expect.poll(() => packs().length).toBeGreaterThan(0);
  });

  it("isn't prepared in a folder that is no repository, nor for an agent that may only read", async () => {
    const { gate, agent, project, path, context } = await working();
    rmSync(path(".git"), { recursive: true });
    agent.send("session.event", { id: "e", session: "s1", event: { kind: "cwd-changed", cwd: project } });
    await agent.next("session.noted");
    const other = projectIn(gate.home.home, "other");
    const reader = await gate.agent("reader", "ReadOnly", { session: "r" });
    await reader.ask({ executor: "fs_read", args: { path: join(other, "x") }, context: { cwd: other } });
    await agent.ask({ executor: "fs_read", args: { path: path("src/a") }, context });
    expect(existsSync(join(gate.paths.state_dir, "undo"))).toBe(false);
  });
});

it("a call has ended once its agent says that it ran, also where it doesn't say how", async () => {
  const { agent, path, context, known } = await working();
  const call = { executor: "fs_write", args: { path: path("src/a"), content: "x" } };
  const { decision } = await agent.ask({ ...call, context: { ...context, call_id: "c1" } });
  writeFileSync(path("src/a"), "the agent's");
  await known(decision.decision_id, "running");
  agent.send("tool.ran", { id: "r", call_id: "c1" });
  await known(decision.decision_id);
  expect((await agent.next("tool.ran.ok")).data).toMatchObject({ id: "r" });
});

describe("what the user took back", () => {
  const sent = async ({ agent }: Awaited<ReturnType<typeof working>>, id: string) => {
    agent.send("tool.ran", { id, call_id: id });
    return (await agent.next(({ type, data }) => type === "tool.ran.ok" && data.id === id)).data;
  };

  it("is said to its session's agent with the next call, once: names below the project and no contents", async () => {
    const world = await warmed(await working());
    const { gate, operator, path, write, ran, known } = world;
    const ids: string[] = [];
    for (const name of ["src/a", "src/\u202eb"]) {
      const { decision } = await write(name);
      writeFileSync(path(name), "the agent's secret");
      ran(decision.decision_id);
      await known(decision.decision_id);
      ids.push(decision.decision_id);
    }
    const other = await gate.agent("second", "Full", { session: "s1" });
    await operator.call("undo.take_back", { session: "s1", agent: "tester" });
    other.send("tool.ran", { id: "o", call_id: "o" });
    expect((await other.next("tool.ran.ok")).data).toEqual({ id: "o", confined: null });
    expect(await sent(world, "one")).toEqual({
      id: "one",
      confined: null,
      undone: { taken_back: ["src/a", "src/\\u{202e}b"], put_again: [], more: 0 },
    });
    expect(await sent(world, "two")).toEqual({ id: "two", confined: null });
    await operator.call("undo.put_again", {});
    expect(await sent(world, "three")).toMatchObject({
      undone: { taken_back: [], put_again: [expect.any(String), expect.any(String)] },
    });
    expect(ids).toHaveLength(2);
  });

  it("isn't said where it was there again before", async () => {
    const world = await warmed(await working());
    const { operator, path, write, ran, known } = world;
    const { decision } = await write("src/a");
    writeFileSync(path("src/a"), "the agent's");
    ran(decision.decision_id);
    await known(decision.decision_id);
    await operator.call("undo.take_back", { call: decision.decision_id });
    await operator.call("undo.put_again", {});
    expect(await sent(world, "one")).toEqual({ id: "one", confined: null });
  });
});
