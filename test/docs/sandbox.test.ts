import { spawn, spawnSync } from "node:child_process";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { startGate } from "../support/running-gate.ts";

/** Asks for the time over the one socket it has, then looks for everything else that it should not have. */
const PROGRAM = `
const fs = require("node:fs");
const net = require("node:net");
const [operator_socket, operator_token, agent_token] = process.argv.slice(1);
const socket = net.connect(process.env.METNOS_GATE_SOCKET);
const send = (type, data) => socket.write(JSON.stringify({ type, data }) + "\\n");
send("hello", { id: "1", protocol: 1, agent: { name: "boxed" }, token: process.env.METNOS_AGENT_TOKEN });
send("tool.call", { id: "2", intent: "", executor: "time_now", args: {} });
let text = "";
socket.on("data", (bytes) => {
  text += bytes;
  if (text.split("\\n").length < 3) return;
  const decision = JSON.parse(text.split("\\n")[1]);
  const reach = (path) => { try { fs.statSync(path); return true; } catch { return false; } };
  const found = [operator_socket, operator_token, agent_token].map(reach);
  const probe = net.connect(operator_socket);
  probe.on("connect", () => { console.log(JSON.stringify({ outcome: decision.data.outcome, found, operator: "reached" })); process.exit(); });
  probe.on("error", (error) => { console.log(JSON.stringify({ outcome: decision.data.outcome, found, operator: error.code })); process.exit(); });
});
`;

function sandbox(): string[] {
  const node_root = dirname(dirname(process.execPath));
  return [
    "--unshare-all",
    "--die-with-parent",
    "--ro-bind",
    "/usr",
    "/usr",
    "--ro-bind-try",
    "/lib",
    "/lib",
    "--ro-bind-try",
    "/lib64",
    "/lib64",
    "--proc",
    "/proc",
    "--dev",
    "/dev",
    "--ro-bind",
    node_root,
    node_root,
  ];
}

test("an agent that is sandboxed to gate.sock can ask, and reaches no operator socket and no token", async () => {
  const usable = spawnSync("bwrap", [...sandbox(), process.execPath, "-e", "0"], { encoding: "utf8" });
  if (usable.status !== 0) {
    console.log(
      `bubblewrap can't be used on this machine (${usable.error?.message ?? usable.stderr.trim()}): the claim is not checked here`,
    );
    expect(usable.error !== undefined || usable.stderr !== "").toBe(true);
    return;
  }
  const gate = await startGate();
  await gate.operator.call("agents.pair", { name: "boxed", level: "Supervised" });
  const { places } = gate;
  const args = [
    ...sandbox(),
    ...["--bind", places.agent_socket, "/run/gate.sock", "--setenv", "METNOS_GATE_SOCKET", "/run/gate.sock"],
    ...["--setenv", "METNOS_AGENT_TOKEN", gate.token("boxed"), process.execPath, "-e", PROGRAM],
    ...[places.operator_socket, places.operator_token, `${places.agent_tokens_dir}/boxed.token`],
  ];
  const child = spawn("bwrap", args, { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  await new Promise((resolve) => child.once("close", resolve));
  expect(JSON.parse(output)).toEqual({ outcome: "allowed", found: [false, false, false], operator: "ENOENT" });
});
