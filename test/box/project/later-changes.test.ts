import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { confinedCommand } from "../../../ipc/base/confined-command.ts";
import { LaterChanges } from "../../../main/box/project/later-changes.ts";
import { flowConfigSchema } from "../../../main/decide/flow/config.ts";
import { tokenOf } from "../../support/agent-connection.ts";
import { startGate } from "../../support/running-gate.ts";
import { tempFolder } from "../../support/temp-folder.ts";
import { withoutBox } from "../box-under-test.ts";

/** What runs of a session that took in something untrusted changed of what runs later: found by deed, with real boxes. */

const reason = withoutBox();
if (reason !== undefined) console.log(`skipped: what runs changed of what runs later: ${reason}`);

const GIT = "git -c user.name=A -c user.email=a@example.com";

/** An agent in a repository that holds what somebody else wrote, after it has read a page where `isMarked`. */
async function working({ isMarked = true, config = "" } = {}) {
  const gate = await startGate({ config });
  await gate.gate.core.box.ready;
  const project = join(gate.home.home, "shop");
  const put = (name: string, text = "x") => {
    mkdirSync(join(project, name, ".."), { recursive: true });
    writeFileSync(join(project, name), text);
  };
  for (const name of ["README.md", "Makefile", "package.json", "src/a.ts"]) put(name, `${name}\n`);
  const sh = (line: string) => execFileSync("/bin/sh", ["-ec", line], { cwd: project });
  sh(
    `git init -q -b main; git add .; ${GIT} commit -qm one; git checkout -qb theirs; echo evil > Makefile
    echo evil > CLAUDE.md; git add .; ${GIT} commit -qm two; git checkout -q main`,
  );
  const agent = await gate.agent("claude-code", "Full", { supports: ["confine"], session: "s1" });
  const { operator } = gate;
  const context = { cwd: project };
  for (const capability of ["fs:read", "fs:write"] as const)
    await operator.call("grants.add", { capability, target: `${project}/**` });
  const ask = async (executor: string, args: Record<string, string>) => {
    const asked = await agent.ask({ executor, args, context });
    if (asked.decision.outcome === "allowed") return asked.decision;
    await operator.call("approvals.resolve", { token: tokenOf(asked.decision), decision: "approved" });
    return asked.final();
  };
  if (isMarked) await ask("WebFetch", { url: "https://docs.example.org/page", prompt: "how" });
  /** Runs a line in its box. @returns its decision's id */
  const run = async (command: string) => {
    const decision = (await agent.ask({ executor: "Bash", args: { command }, context })).decision;
    expect(decision, command).toMatchObject({ outcome: "allowed", confine: {} });
    const words = ["-c", confinedCommand(decision.confine?.argv ?? [])];
    await once(spawn("bash", words, { cwd: project, stdio: "ignore" }), "exit");
    await expect.poll(() => gate.gate.core.box.status().running, { timeout: 20_000 }).toBe(0);
    return decision.decision_id;
  };
  const alarms = async () =>
    (await operator.call("status", {})).alarms.filter(({ code }) => code === "untrusted_changed_later");
  const isMarkedCall = async (id: string) => {
    const { entries } = await operator.call("activity.list", {});
    return entries.find(({ decision_id }) => decision_id === id)?.reported?.changed_later === true;
  };
  return { gate, project, put, sh, agent, operator, ask, run, alarms, isMarkedCall };
}

/** Nothing says that nothing was found: a run that changes something is looked at after it. */
async function expectNone(world: Awaited<ReturnType<typeof working>>, id: string) {
  world.put("later.sh", "echo x > pyproject.toml");
  const last = await world.run("sh later.sh");
  await expect.poll(() => world.isMarkedCall(last), { timeout: 20_000 }).toBe(true);
  expect(await world.isMarkedCall(id)).toBe(false);
  expect((await world.alarms()).map(({ message }) => message)).toEqual([expect.not.stringMatching(/Makefile|package/)]);
}

/** Each way by which a line doesn't name what it writes. */
const WAYS: readonly [name: string, prepare: (world: Awaited<ReturnType<typeof working>>) => void, line: string][] = [
  ["cp of what a folder holds", ({ put }) => put("x/CLAUDE.md", "evil"), "cp x/* ."],
  ["sed's w", ({ put }) => put("note.txt", "evil\n"), "sed -n 'w CLAUDE.md' note.txt"],
  [
    "tar's files",
    ({ put, sh }) => {
      put("t/CLAUDE.md", "evil");
      sh("tar cf x.tar -C t CLAUDE.md; rm -r t");
    },
    "tar xf x.tar",
  ],
  ["a script", ({ put }) => put("go.sh", "n=CLAUDE; echo evil > $n.md"), "sh go.sh"],
  [
    "where a link leads",
    ({ put, sh }) => {
      put("docs/notes", "mine");
      sh("ln -s docs/notes CLAUDE.md");
      put("go.sh", "echo evil > docs/notes");
    },
    "sh go.sh",
  ],
  [
    "a folder that is moved",
    ({ put }) => {
      put("x/w/CLAUDE.md", "evil");
      put("go.sh", "a=x; mv $a/w src/w");
    },
    "sh go.sh",
  ],
];

describe.runIf(reason === undefined)("what a run changed of what runs later, in a session that took in a page", () => {
  it.each(WAYS)("is an alarm, and marked in Activity: %s", async (_, prepare, line) => {
    const world = await working();
    prepare(world);
    const id = await world.run(line);
    await expect.poll(world.alarms, { timeout: 20_000 }).toHaveLength(1);
    const [alarm] = await world.alarms();
    expect(alarm).toMatchObject({ subject: "claude-code" });
    expect(alarm?.message).toContain("CLAUDE.md, which their commands don't name");
    expect(alarm?.message).toContain("docs.example.org");
    expect(alarm?.hint).toContain(`undo ${id.slice(0, 8)}`);
    expect(await world.isMarkedCall(id)).toBe(true);
    const lines = await world.operator.call("audit.tail", { lines: 50 });
    expect(lines.filter(({ event }) => event === "ran.changed_later")).toMatchObject([{ decision_id: id }]);
    expect(JSON.stringify(lines)).not.toContain("CLAUDE.md");
  });

  it("is marked in Activity alone where git put a branch's files there", async () => {
    const world = await working();
    const id = await world.run("git checkout -q theirs");
    await expect.poll(() => world.isMarkedCall(id), { timeout: 20_000 }).toBe(true);
    expect(await world.alarms()).toEqual([]);
    // With anything beside it, it is alarmed.
    const other = await world.run("git checkout -q main && true");
    await expect.poll(world.alarms, { timeout: 20_000 }).toHaveLength(1);
    expect((await world.alarms())[0]?.hint).toContain(other.slice(0, 8));
  });

  it("is nothing where a run changes none of these, or what its line or another call names", async () => {
    const world = await working();
    expect(
      (await world.ask("Edit", { file_path: join(world.project, "Makefile"), old_string: "M", new_string: "N" }))
        .outcome,
    ).toBe("allowed");
    world.put("go.sh", "echo x > src/a.ts; cat package.json; echo named > Makefile");
    await expectNone(world, await world.run("sh go.sh"));
  });

  it("is one alarm with a bounded text for 300 files with names that could be mistaken, until it is dismissed", async () => {
    const world = await working();
    world.put(
      "go.sh",
      `for i in $(seq 300); do mkdir -p d$i; echo x > d$i/CLAUDE.md; done; d=$(printf '0\\033[2J\\n'); mkdir "$d"; echo x > "$d/Makefile"`,
    );
    await world.run("sh go.sh");
    await expect.poll(world.alarms, { timeout: 20_000 }).toHaveLength(1);
    const [alarm] = await world.alarms();
    expect(alarm?.message).toContain("and 298 more");
    expect(alarm?.message.length).toBeLessThan(900);
    expect(alarm?.message).not.toMatch(/\p{Cc}/u);
    world.put("more.sh", "echo x > Makefile");
    const id = await world.run("sh more.sh");
    await expect.poll(async () => (await world.alarms())[0]?.message, { timeout: 20_000 }).toContain("and 299 more");
    await world.operator.call("alarms.acknowledge", { code: "untrusted_changed_later", subject: "claude-code" });
    world.put("more.sh", "echo y > package.json");
    await world.run("sh more.sh");
    await expect.poll(world.alarms, { timeout: 20_000 }).toHaveLength(1);
    expect((await world.alarms())[0]?.message).toMatch(/ran changed \S+\/package\.json, which/);
    expect((await world.alarms())[0]?.hint).not.toContain(id.slice(0, 8));
  });

  it("is found where a program that was begun runs on after its call has ended", async () => {
    const world = await working();
    world.put("go.sh", "echo x > Makefile; touch made; sleep 60");
    const context = { cwd: world.project };
    const { decision } = await world.agent.ask({ executor: "Bash", args: { command: "sh go.sh" }, context });
    const going = spawn("bash", ["-c", confinedCommand(decision.confine?.argv ?? [])], {
      cwd: world.project,
      stdio: "ignore",
    });
    await expect.poll(() => world.gate.gate.core.box.status().running, { timeout: 20_000 }).toBe(1);
    await expect
      .poll(() => execFileSync("ls", { cwd: world.project, encoding: "utf8" }), { timeout: 20_000 })
      .toContain("made");
    expect(await world.alarms()).toEqual([]);
    world.agent.send("tool.outcome", { decision_id: decision.decision_id, ok: true });
    await expect.poll(world.alarms, { timeout: 20_000 }).toHaveLength(1);
    expect(world.gate.gate.core.box.status().running).toBe(1);
    going.kill("SIGKILL");
    await once(going, "exit");
  });

  it.each([
    ["took in nothing", { isMarked: false }],
    ["may do so unasked", { config: '[flow]\nuntrusted_later = "off"\n' }],
  ])("is nothing in one that %s", async (_, options) => {
    const world = await working(options);
    world.put("go.sh", "echo evil > CLAUDE.md");
    const id = await world.run("sh go.sh");
    await world.run("sh go.sh");
    expect([await world.alarms(), await world.isMarkedCall(id)]).toEqual([[], false]);
  });

  it("needs no undo", async () => {
    const world = await working({ config: "[undo]\nenabled = false\n" });
    world.put("go.sh", "echo evil > CLAUDE.md");
    await world.run("sh go.sh");
    await expect.poll(world.alarms, { timeout: 20_000 }).toHaveLength(1);
  });
});

/** What becomes of a run of this line that changes these files, without a box. */
async function alarmsOf(line: string, files: readonly string[]) {
  const project = tempFolder();
  const messages: string[] = [];
  let changed = 0;
  const later = new LaterChanges({
    alarms: { raise: ({ message }) => void messages.push(message), list: () => [] },
    config: { flow: flowConfigSchema.parse({}) },
    marks: () => ({ of: () => ({ reads: 0, untrusted: { what: "docs.example.org", decision_id: "", at: "" } }) }),
    writtenFiles: { isNamedWithin: () => false },
    changed: () => void changed++,
    failed: (_, error) => {
      throw error;
    },
  });
  const declaration = { project, cwd: project, reads: [], writes: [], network: false };
  const of = { agent_id: "a", agent_name: "tester", session: "s1", call_hash: "", call_id: undefined };
  const run = { declaration, line, ...of, decision_id: "0123456789" };
  await later.beforeRun(run);
  for (const file of files) writeFileSync(join(project, file), "x");
  later.afterRun(run);
  await expect.poll(() => changed).toBeGreaterThanOrEqual(files.length > 0 ? 1 : 0);
  return messages.map((message) => files.filter((file) => message.includes(`/${file}`)));
}

describe("what a plain command is known to put there", () => {
  it.each([
    ["git checkout -q -b topic origin/topic", "Makefile"],
    ["git pull --rebase origin main", "CLAUDE.md"],
    ["cd web && git stash pop", "package.json"],
    ["git restore --staged package.json", "package.json"],
    ["npm install zod", "package.json"],
    ["npm i --save-dev @types/node", "package-lock.json"],
    ["cargo build", "Cargo.lock"],
    ["make", "yarn.lock"],
  ])("is no alarm: %s, %s", async (line, file) => {
    expect(await alarmsOf(line, [file])).toEqual([]);
  });

  it.each([
    ["git checkout topic; sh x.sh", "Makefile"],
    ["git checkout topic\nsh x.sh", "Makefile"],
    ["git rebase -x 'sh x.sh' main", "Makefile"],
    ["git rebase --exec=make main", "Makefile"],
    ["git pull --upload-pack=./x", "Makefile"],
    ["git merge -s mine topic", "Makefile"],
    ["git -c core.pager=x checkout topic", "Makefile"],
    ["git checkout $(sh x.sh)", "Makefile"],
    ["git checkouts", "Makefile"],
    ["npm install zod", "Makefile"],
    ["npm run x", "package.json"],
    ["npm install && sh x.sh", "package.json"],
  ])("is one where the line may do more, or another file is changed: %s, %s", async (line, file) => {
    expect(await alarmsOf(line, [file])).toEqual([[file]]);
  });
});
