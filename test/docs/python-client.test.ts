import { execFileSync, spawn } from "node:child_process";
import { expect, onTestFinished, test } from "vitest";
import { startGate } from "../support/running-gate.ts";

const FOLDER = new URL("../../docs/agents/", import.meta.url).pathname;

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

const CONFINED = `
import sys
sys.path.insert(0, sys.argv[1])
from gate_client import Gate
gate = Gate.__new__(Gate)
launcher = ["/bin/sh", "-c", 'echo "$1 $(pwd)"; printf "%s\\n" "$2" >&9; exit 3', "launcher"]
decision = {"outcome": "allowed", "confine": {"argv": [*launcher, "run", "/srv/it's here"]}}
done, folder = gate.run_confined(decision, "/", capture_output=True, text=True)
print(done.stdout.strip(), done.returncode, folder)
done, folder = gate.run_confined({"outcome": "allowed", "confine": {"argv": ["/bin/false"]}}, "/")
print(done.returncode, folder)
for refused in [{**decision, "outcome": "denied"}, {"outcome": "allowed"}]:
    try:
        gate.run_confined(refused, "/")
    except PermissionError:
        print("refused")
`;

test("the Python client runs a confined call by the gate's words alone, and keeps its exit code and folder", () => {
  const options = { encoding: "utf8", env: { ...process.env, PYTHONDONTWRITEBYTECODE: "1" } } as const;
  const output = execFileSync("python3", ["-c", CONFINED, FOLDER], options);
  expect(output.trim().split("\n")).toEqual(["run / 3 /srv/it's here", "1 /", "refused", "refused"]);
});
