import { mkdirSync } from "node:fs";
import { createServer } from "node:net";
import { dirname } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { encodeFrame } from "../../ipc/socket/frames.ts";
import { askGate, optionsOf } from "../../main/hooks/answer.ts";
import { CLAUDE_CODE } from "../../main/hooks/claude-code/dialect.ts";
import { payload } from "../support/hook-process.ts";
import { temporaryHome } from "../support/temporary-home.ts";

it("the gate closes what it has asked by for a hook, also where it had to ask a second time", async () => {
  const { env, paths } = temporaryHome();
  mkdirSync(dirname(paths.agent_socket), { recursive: true, mode: 0o700 });
  const closed: number[] = [];
  let connections = 0;
  const server = createServer((socket) => {
    const number = ++connections;
    socket.on("close", () => closed.push(number));
    socket.on("data", () => {
      if (number === 1) socket.destroy();
      else socket.write(encodeFrame("tool.decision", { id: "call", outcome: "allowed", reason: "fine" }));
    });
  });
  await new Promise<void>((resolve) => server.listen(paths.agent_socket, resolve));
  onTestFinished(() => {
    server.close();
  });
  const options = optionsOf(CLAUDE_CODE, []);
  if (options === undefined) throw new Error("these options are valid");
  const input = () => Buffer.from(payload("Read", { file_path: "/srv/a" }));
  const answer = await askGate({ dialect: CLAUDE_CODE, options, env, isGate: true, input, isAbandoned: () => false });
  expect(answer).toMatchObject({ permission: "allow" });
  await expect.poll(() => closed).toEqual([1, 2]);
});
