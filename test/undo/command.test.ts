import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { projectIn } from "../support/flowing-session.ts";
import { runGate } from "../support/gate-process.ts";
import { startGate } from "../support/running-gate.ts";

/** `metnos-gate undo` as a user types it, against a running gate. */

async function deletedFolder() {
  const gate = await startGate();
  const project = projectIn(gate.home.home, "shop");
  mkdirSync(join(project, "src"));
  for (const name of ["a", "b"]) writeFileSync(join(project, "src", name), `${name} before`);
  const agent = await gate.agent("tester", "Full", { session: "s1" });
  const run = (name: string) =>
    agent.ask({ executor: "fs_write", args: { path: join(project, name), content: "x" }, context: { cwd: project } });
  // The first call may come before its store's process has begun.
  await expect
    .poll(async () => {
      await run("src/a");
      return (await gate.operator.call("undo.list", { limit: 1 }))[0]?.state;
    })
    .toBe("running");
  let { decision } = await run("src/b");
  // On a busy machine its file may be read too late.
  const isKept = async () => (await gate.operator.call("undo.list", { limit: 1 }))[0]?.state === "running";
  for (let tries = 0; tries < 20 && !(await isKept()); tries++) ({ decision } = await run("src/b"));
  rmSync(join(project, "src/b"));
  agent.send("tool.outcome", { decision_id: decision.decision_id, ok: true });
  const state = async () =>
    (await gate.operator.call("undo.list", {})).find(({ id }) => id === decision.decision_id)?.state;
  await expect.poll(state).toBe("kept");
  return { gate, project, id: decision.decision_id, state };
}

it("shows what it would do, asks before it does it, does it with --yes, and puts it again", async () => {
  const { gate, project, id, state } = await deletedFolder();
  const undo = (...args: string[]) => runGate(gate.home, ["undo", ...args]);
  const shown = await undo(id.slice(0, 8), "--dry-run");
  expect([shown.code, shown.stderr]).toEqual([0, "would put back 1 file of 1 call\n"]);
  expect(shown.lines).toMatchObject([{ path: "src/b", state: "ready", before: "file", agent: null, fate: "put back" }]);
  const asked = await undo(id);
  expect([asked.code, asked.stderr]).toMatchObject([2, expect.stringContaining("nobody can be asked here")]);
  expect(await state()).toBe("kept");
  const done = await undo(id, "--yes");
  expect([done.code, done.stderr]).toMatchObject([0, expect.stringContaining("put back: 1 file")]);
  expect(readFileSync(join(project, "src/b"), "utf8")).toBe("b before");
  const listed = await undo("list");
  expect(listed.lines.slice(0, 2)).toMatchObject([
    { agent: null, executor: "undo", state: "kept", of: [id] },
    { id, agent: "tester", session: "s1", state: "undone" },
  ]);
  expect((await undo("redo")).stderr).toContain("put back: 1 file");
  expect(await state()).toBe("kept");
  expect((await undo("redo")).code).toBe(4);
});

it("leaves a file that somebody else has changed, until it is chosen", async () => {
  const { gate, project, id } = await deletedFolder();
  const file = join(project, "src/b");
  writeFileSync(file, "mine");
  const undo = (...args: string[]) => runGate(gate.home, ["undo", id, ...args]);
  const left = await undo("--yes");
  expect(left.lines).toMatchObject([{ path: "src/b", state: "changed", fate: "changed since: --choose" }]);
  expect([readFileSync(file, "utf8"), left.stderr]).toEqual(["mine", "no file can be put back without a choice\n"]);
  for (const wrong of ["src/b", "src/b=mine", "src/c=before"])
    expect((await undo("--yes", "--choose", wrong)).code).toBe(2);
  expect((await undo("--yes", "--choose", "src/b=before")).code).toBe(0);
  expect(readFileSync(file, "utf8")).toBe("b before");
});

it("works where no gate runs, and forgets", async () => {
  const { gate, project, id } = await deletedFolder();
  await gate.close();
  const undo = (...args: string[]) => runGate(gate.home, ["undo", ...args]);
  expect((await undo(id, "--yes")).code).toBe(0);
  expect(readFileSync(join(project, "src/b"), "utf8")).toBe("b before");
  expect((await undo("forget", "src")).lines).toEqual([{ forgotten: 0 }]);
  const typedThere = await runGate(gate.home, ["undo", "forget", "../shop"], "", join(project, "src/.."));
  expect(typedThere.lines).toEqual([{ forgotten: 1 }]);
  expect((await undo("list")).lines).toEqual([]);
});
