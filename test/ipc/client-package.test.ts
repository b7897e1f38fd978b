import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, it } from "vitest";
import { CHECKOUT, StartedProcess } from "../support/gate-process.ts";
import { startGate } from "../support/running-gate.ts";

const PROGRAM = `
import { GateClient, GateClientError } from "metnos-gate/client";
const gate = new GateClient({ name: "worker", token: process.env.TOKEN, socket: process.env.SOCKET });
gate.once("waiting", () => console.log("waiting"));
const read = await gate.call({ intent: "", executor: "time_now", args: {} });
const write = await gate.call({ intent: "", executor: "fs_write", args: { path: "/tmp/a.txt" } });
console.log(JSON.stringify([read.outcome, write.outcome, write.status]));
gate.close();
const failure = await gate.call({ intent: "", executor: "time_now", args: {} }).catch((error) => error);
console.log(failure instanceof GateClientError, failure.code);
`;

/** This Node, and whichever else the machine has: the client is for any program, on Node 20 and later. */
function everyNode(): { version: string; node: string }[] {
  const others = (process.env.PATH ?? "").split(delimiter).map((folder) => join(folder, "node"));
  const found = new Map<string, string>([[process.versions.node, process.execPath]]);
  for (const node of others) {
    if (!existsSync(node)) continue;
    const version = execFileSync(node, ["-p", "process.versions.node"], { encoding: "utf8" }).trim();
    if (Number.parseInt(version, 10) >= 20 && !found.has(version)) found.set(version, node);
  }
  return [...found].map(([version, node]) => ({ version, node }));
}

describe('import { GateClient } from "metnos-gate/client"', () => {
  it.each(everyNode())("works in a program on Node $version", async ({ node }) => {
    const gate = await startGate();
    await gate.operator.call("agents.pair", { name: "worker", level: "Supervised" });
    const env = { ...gate.home.env, TOKEN: gate.token("worker"), SOCKET: gate.paths.agent_socket };
    const program = new StartedProcess(node, ["--input-type=module", "-e", PROGRAM], { env, cwd: CHECKOUT });
    await program.printed(/waiting/);
    const [token = ""] = await gate.waiting();
    await gate.operator.call("approvals.resolve", { token, decision: "approved" });
    expect(await program.exited).toBe(0);
    expect(program.stdout).toBe('waiting\n["allowed","allowed","approved"]\ntrue closed\n');
  });
});
