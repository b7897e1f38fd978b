import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { confinedCommand } from "../../ipc/base/confined-command.ts";
import type { UndoneCall } from "../../ipc/contract/undo.ts";
import { projectIn } from "./flowing-session.ts";
import { type GateOptions, startGate } from "./running-gate.ts";

const CART = `export function total(lines: readonly Line[]): number {
  let sum = 0;
  for (const line of lines) {
    sum += line.amount;
  }
  return sum;
}
`;

export const CART_BY_AGENT = CART.replace("return sum;", "return Math.round(sum * 100) / 100;");

/** A gate, a project in its home, and an agent that works there: its calls really change files. */
export async function undoProject(options: GateOptions = {}) {
  const gate = await startGate(options);
  const project = projectIn(gate.home.home, "shop");
  const path = (name: string) => join(project, name);
  mkdirSync(path("src"));
  writeFileSync(path("src/cart.ts"), CART);
  writeFileSync(path("src/price.ts"), "export const VAT = 0.22;\n");
  writeFileSync(path("README.md"), "# Shop\n");
  writeFileSync(path("notes.md"), "x");
  writeFileSync(path(".env"), "TOKEN=1\n");
  const agent = await gate.agent("claude-code", "Full", { supports: ["confine"], session: "s1" });
  const context = { cwd: project };
  const state = async (id: string) => (await gate.operator.call("undo.list", {})).find((call) => call.id === id)?.state;
  const ended = (id: string, as: UndoneCall["state"] = "kept") => expect.poll(() => state(id)).toBe(as);
  /** A file tool's call that is allowed, and does what it said. @returns its decision's id */
  const write = async (name: string, content: string) => {
    const call = { executor: "Write", args: { file_path: path(name), content }, context };
    const { decision_id: id, outcome } = (await agent.ask(call)).decision;
    expect(outcome).toBe("allowed");
    writeFileSync(path(name), content);
    return id;
  };
  return {
    gate,
    project,
    path,
    agent,
    operator: gate.operator,
    read: (name: string) => readFileSync(path(name), "utf8"),
    ended,
    write,
    edit: async (name: string, content: string) => {
      const id = await write(name, content);
      agent.send("tool.outcome", { decision_id: id, ok: true });
      await ended(id);
      return id;
    },
    /** A confined command, run in its box. @returns its decision's id */
    run: async (command: string) => {
      const { decision } = await agent.ask({ executor: "Bash", args: { command }, context });
      expect(decision).toMatchObject({ outcome: "allowed", confine: {} });
      const words = ["-c", confinedCommand(decision.confine?.argv ?? [])];
      await once(spawn("bash", words, { cwd: project, stdio: "ignore" }), "exit");
      agent.send("tool.outcome", { decision_id: decision.decision_id, ok: true });
      await ended(decision.decision_id);
      return decision.decision_id;
    },
  };
}

export type UndoProject = Awaited<ReturnType<typeof undoProject>>;

/** The first call in a project may come too soon to be kept: the process that keeps it has to begin. Changes nothing. */
export async function warmed(world: UndoProject): Promise<UndoProject> {
  await world.gate.gate.core.box.ready;
  await expect
    .poll(async () => {
      const id = await world.write("notes.md", "x");
      const call = (await world.operator.call("undo.list", {})).find((one) => one.id === id);
      world.agent.send("tool.outcome", { decision_id: id, ok: true });
      return call?.missing;
    })
    .toBe(null);
  return world;
}
