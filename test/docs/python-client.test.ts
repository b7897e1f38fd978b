import { spawn } from "node:child_process";
import { expect, onTestFinished, test } from "vitest";
import { startGate } from "../support/running-gate.ts";

const FOLDER = new URL("../../docs/connect-your-agent/", import.meta.url).pathname;

const PROGRAM = `
import json, sys
sys.path.insert(0, sys.argv[1])
from gate_client import Gate
gate = Gate("my-loop", session="s1")
print(gate.hello["level"])
print(gate.call("what time is it", "time_now", {})["outcome"])
print(gate.call("read the key", "fs_read", {"path": "/srv/.ssh/id_rsa"})["outcome"])
print(gate.call("build", "shell_exec", {"command": "make"}, {"cwd": "/srv"})["outcome"])
try:
    gate.call("", "no such executor!", {})
except PermissionError as error:
    print("refused", str(error).split(":")[0])
`;

test("the Python client is allowed, denied, waits for the operator, and raises on an error", async () => {
  const gate = await startGate();
  await gate.operator.call("agents.pair", { name: "my-loop", level: "Supervised" });
  const asked = gate.event((event) => event.type === "approval.waiting");
  const child = spawn("python3", ["-c", PROGRAM, FOLDER], {
    env: { ...gate.home.env, PYTHONDONTWRITEBYTECODE: "1" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  const ended = new Promise((resolve) => child.once("close", resolve));
  await asked;
  const [token = ""] = await gate.waiting();
  await gate.operator.call("approvals.resolve", { token, decision: "approved" });
  expect(await ended).toBe(0);
  expect(output.trim().split("\n")).toEqual(["Supervised", "allowed", "denied", "allowed", "refused invalid_message"]);
});
