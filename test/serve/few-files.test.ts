import { execFileSync } from "node:child_process";
import { closeSync, constants, openSync, readdirSync, writeSync } from "node:fs";
import { createConnection } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { benchHome, startGate } from "../../bench/gate-process.ts";
import { OperatorClient } from "../../ipc/socket/operator-client.ts";
import { pipesFolder } from "../../main/hooks/pipes-folder.ts";

const FILES = 300;

async function gateOfFewFiles() {
  const home = benchHome(["/srv/granted"]);
  const gate = await startGate(home, ["--no-notifications"], {
    spawned: ({ pid }) => void execFileSync("prlimit", ["--pid", String(pid), `--nofile=${FILES}:${FILES}`]),
  });
  onTestFinished(async () => {
    await gate.kill();
    home.remove();
  });
  const { operator_socket, operatorToken } = home.paths;
  const operator = await OperatorClient.connect(operator_socket, operatorToken);
  onTestFinished(() => operator.close());
  return { home, gate, operator };
}

it("a gate that may open few files has some left, whatever an agent's connections hold", async () => {
  const { home, gate, operator } = await gateOfFewFiles();
  const data = { id: "h", protocol: 1, agent: { name: "bench" }, token: home.token };
  const hello = `${JSON.stringify({ type: "hello", data })}\n`;
  for (let count = 0; count < 2 * FILES; count++) {
    const socket = createConnection(home.paths.agent_socket).on("error", () => undefined);
    onTestFinished(() => void socket.destroy());
    socket.write(hello);
    if (count % 50 === 0) await delay(5);
  }
  await expect
    .poll(async () => (await operator.call("status", {})).agents_connected, { timeout: 10_000 })
    .toContain("bench");
  // What the gate does again and again, for which it opens files.
  await delay(6000);
  expect(gate.ending).toBeNull();
  expect(gate.openFiles()).toBeLessThan(FILES - 60);
  const { operator_socket, operatorToken } = home.paths;
  const another = await OperatorClient.connect(operator_socket, operatorToken);
  onTestFinished(() => another.close());
  await another.call("safety.pause", {});
});

it("a gate that may open few files has some left, whoever takes its pipes, says a byte and stays; they are given up", async () => {
  const { home, gate, operator } = await gateOfFewFiles();
  const folder = pipesFolder(home.paths.state_dir);
  const held: number[] = [];
  onTestFinished(() => {
    for (const fd of held) closeSync(fd);
  });
  const take = () => {
    for (const name of readdirSync(folder).filter((one) => one.endsWith(".up"))) {
      try {
        const fd = openSync(join(folder, name), constants.O_WRONLY | constants.O_NONBLOCK);
        held.push(fd);
        writeSync(fd, "1");
      } catch {} // the gate has removed it meanwhile
    }
  };
  for (const until = performance.now() + 3000; performance.now() < until; await delay(2)) take();
  expect(held.length).toBeGreaterThan(10);
  expect(gate.openFiles()).toBeLessThan(FILES - 60);
  await operator.call("status", {});
  await expect
    .poll(() => readdirSync(folder).filter((one) => one.endsWith(".up")).length, { timeout: 25_000 })
    .toBeGreaterThan(10);
}, 40_000);
