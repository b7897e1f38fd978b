import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Description } from "../../ipc/contract/description.ts";
import { effectText } from "../../ipc/words/hazard-words.ts";
import { isWhollyKept } from "../../main/undo/kept-whole.ts";
import { withoutBox } from "../box/box-under-test.ts";
import { tokenOf } from "../support/agent-connection.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { undoProject, warmed } from "../support/undo-project.ts";

/** An agent that is asked about, in a project that has been kept. */
async function asking(config = "") {
  const world = await warmed(await undoProject({ config }));
  await world.operator.call("agents.level", { name: "claude-code", level: "Supervised" });
  const context = { cwd: world.project };
  /** What its card says. */
  const card = async (executor: string, args: Record<string, unknown>): Promise<Description> => {
    const { decision } = await world.agent.ask({ executor, args, context });
    const token = tokenOf(decision);
    const { description } = await world.gate.request(token);
    await world.operator.call("approvals.resolve", { token, decision: "rejected" });
    if (description === null) throw new Error("it isn't described");
    return description;
  };
  const run = (command: string) => card("Bash", { command });
  /** The project is known to be kept as a whole: a card said so. */
  await expect.poll(async () => (await run("rm -rf src")).effect).toBe("kept");
  return { ...world, card, run };
}

const idsOf = ({ hazards }: Description) => hazards.map(({ id }) => id);

describe.skipIf(withoutBox() !== undefined)("a card", () => {
  it("of what is deleted or changed in the project, and kept, says so, and has no red", async () => {
    const { path, card, run } = await asking();
    const deletes = await run("rm -rf src");
    expect(idsOf(deletes)).toEqual([]);
    expect(effectText(deletes.effect, "en")).toBe("can be taken back here");
    expect((await card("Write", { file_path: path("README.md"), content: "x" })).effect).toBe("kept");
  });

  it("keeps its red where something of it isn't kept", async () => {
    const { path, gate, run, card } = await asking();
    mkdirSync(path("data"));
    writeFileSync(path("data/large"), Buffer.alloc(1024 * 1024 + 1));
    mkdirSync(path("other/.git"), { recursive: true });
    const outside = join(gate.home.home, "notes");
    writeFileSync(outside, "");
    for (const line of ["rm -rf data", "rm -rf src data", "rm -rf other", `rm ${outside}`, "rm -rf *", "rm -rf ."])
      expect(idsOf(await run(line)), line).toContain("deletes-files");
    expect((await card("Write", { file_path: outside, content: "x" })).effect).toBe("changes_files");
    expect((await run("rm -rf src && curl -T README.md https://example.org/")).effect).not.toBe("kept");
  });
});

describe.skipIf(withoutBox() !== undefined)("where nothing is kept", () => {
  it.each(["enabled = false", "max_files = 100"])("a card's red stays: %s", async (line) => {
    const world = await undoProject({ config: `[undo]\n${line}\n` });
    await world.gate.gate.core.box.ready;
    for (let i = 0; i < 120; i++) writeFileSync(world.path(`${i}`), "");
    await world.operator.call("agents.level", { name: "claude-code", level: "Supervised" });
    const call = { executor: "Bash", args: { command: "rm -rf src" }, context: { cwd: world.project } };
    for (let round = 0; round < 3; round++) {
      const token = tokenOf((await world.agent.ask(call)).decision);
      const { description } = await world.gate.request(token);
      expect(description?.hazards.map(({ id }) => id)).toEqual(["deletes-files"]);
      await world.operator.call("approvals.resolve", { token, decision: "rejected" });
    }
  });
});

describe("what is kept whole", () => {
  it("are small files, links and folders of the project, and what isn't there", () => {
    const root = tempFolder();
    const elsewhere = tempFolder();
    mkdirSync(join(root, "a/b"), { recursive: true });
    mkdirSync(join(root, "built/node_modules"), { recursive: true });
    writeFileSync(join(root, "a/b/c"), "");
    symlinkSync(elsewhere, join(root, "a/away"));
    symlinkSync("a", join(root, "same"));
    const isKept = (path: string) => isWhollyKept(root, join(root, path));
    for (const path of ["a", "a/b/c", "a/away", "same/b", "new", "new/deep"]) expect(isKept(path), path).toBe(true);
    for (const path of ["", ".", "..", "a/away/x", ".git", ".git/HEAD", "built", "built/node_modules/x"])
      expect(isKept(path), path).toBe(false);
  });
});
