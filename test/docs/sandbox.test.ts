import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type GateUnderTest, startGate } from "../support/running-gate.ts";
import { type TemporaryHome, temporaryHome } from "../support/temporary-home.ts";

/** For each line on stdin: asks for the time over the one socket it has, then tries everything that it should not reach. */
const PROGRAM = `
const fs = require("node:fs");
const net = require("node:net");
const hidden = process.argv.slice(1);
const [operator_socket] = hidden;

function ask() {
  const socket = net.connect(process.env.METNOS_GATE_SOCKET);
  const send = (type, data) => socket.write(JSON.stringify({ type, data }) + "\\n");
  send("hello", { id: "1", protocol: 1, agent: { name: "my-agent" }, token: process.env.METNOS_AGENT_TOKEN });
  send("tool.call", { id: "2", intent: "", executor: "time_now", args: {} });
  let text = "";
  return new Promise((resolve) => {
    socket.on("error", (error) => resolve(error.code));
    socket.on("data", (bytes) => {
      text += bytes;
      if (text.split("\\n").length < 3) return;
      socket.destroy();
      resolve(JSON.parse(text.split("\\n")[1]).data.outcome);
    });
  });
}

function connect(path) {
  return new Promise((resolve) => {
    const socket = net.connect(path);
    socket.on("connect", () => resolve("reached"));
    socket.on("error", (error) => resolve(error.code));
  });
}

function reach(path) {
  try { fs.statSync(path); return "reached"; } catch (error) { return error.code; }
}

function replace(path) {
  try { fs.unlinkSync(path); return "replaced"; } catch (error) { return error.code; }
}

require("node:readline").createInterface({ input: process.stdin }).on("line", async () => {
  const outcome = await ask();
  const gate_socket = replace(process.env.METNOS_GATE_SOCKET);
  console.log(JSON.stringify({ outcome, operator: await connect(operator_socket), hidden: hidden.map(reach), gate_socket }));
}).on("close", () => process.exit());
`;

/** Why bubblewrap can't be used here, or undefined. */
function missing(): string | undefined {
  const { status, error, stderr } = spawnSync("bwrap", ["--unshare-all", "--ro-bind", "/", "/", "true"], {
    encoding: "utf8",
  });
  return status === 0 ? undefined : (error?.message ?? (stderr.trim() || `bwrap ended with ${status}`));
}

/** The reason is in the output: nothing is skipped silently. */
function notChecked(reason: string): void {
  console.log(`bubblewrap can't be used on this machine (${reason}): the claim is not checked here`);
  expect(reason).not.toBe("");
}

/** The document's own command, with Node and the program above in the place of `my-agent`. */
function documentedCommand(): string {
  const text = readFileSync(new URL("../../docs/threat-model.md", import.meta.url), "utf8");
  const command = /```sh\n([\s\S]*?)```/.exec(text)?.[1];
  if (command === undefined || !command.trimEnd().endsWith("\n  my-agent")) throw new Error("the command is not there");
  return command.trimEnd().replace(/my-agent$/, '--ro-bind "$NODE_ROOT" "$NODE_ROOT" "$NODE" -e "$PROGRAM" "$@"');
}

/** An agent in the sandbox: each `look` is one round of its program. */
function sandboxed(gate: GateUnderTest, command: string) {
  const { home, paths } = gate;
  mkdirSync(join(home.home, "project"), { recursive: true });
  const databases = [paths.grants_db, paths.approvals_db, paths.agents_db];
  const secrets = [paths.operator_socket, paths.operatorToken, join(paths.agentTokensDir, "my-agent.token")];
  const hidden = [...secrets, ...databases, paths.auditHead];
  expect(hidden.filter((path) => !existsSync(path))).toEqual([]);
  const node = { NODE: process.execPath, NODE_ROOT: dirname(dirname(process.execPath)), PROGRAM };
  const child = spawn("bash", ["-c", command, "bash", ...hidden], {
    env: { ...home.env, ...node },
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  let text = "";
  const look = () =>
    new Promise<unknown>((resolve, reject) => {
      const read = (piece: string) => {
        text += piece;
        if (!text.endsWith("\n")) return;
        child.stdout.off("data", read);
        const line = text;
        text = "";
        resolve(JSON.parse(line));
      };
      child.stdout.setEncoding("utf8").on("data", read);
      child.once("close", (code) => reject(new Error(`the sandbox ended with ${code}`)));
      child.stdin.write("look\n");
    });
  return { look };
}

const HIDDEN = { operator: "ENOENT", hidden: Array.from({ length: 7 }, () => "ENOENT") };

test("an agent that is sandboxed to gate.sock can ask, and reaches no operator socket and no token", async () => {
  const reason = missing();
  if (reason !== undefined) return notChecked(reason);
  const gate = await startGate();
  await gate.operator.call("agents.pair", { name: "my-agent", level: "Supervised" });
  const { look } = sandboxed(gate, documentedCommand());
  expect(await look()).toEqual({ outcome: "allowed", ...HIDDEN, gate_socket: "EBUSY" });
});

test("with the socket's own folder, read-only, it still can after the gate has started again", async () => {
  const reason = missing();
  if (reason !== undefined) return notChecked(reason);
  const plain = temporaryHome();
  const folder = join(plain.home, "agents-door");
  const agentSocket = join(folder, "gate.sock");
  const env = { ...plain.env, METNOS_GATE_SOCKET: agentSocket };
  const home: TemporaryHome = { ...plain, env, paths: { ...plain.paths, agent_socket: agentSocket } };
  const first = await startGate({ home });
  await first.operator.call("agents.pair", { name: "my-agent", level: "Supervised" });
  const command = documentedCommand().replace(/--bind \S+gate\.sock \S+/, `--ro-bind ${folder} /run`);
  const { look } = sandboxed(first, command);
  const expected = { outcome: "allowed", ...HIDDEN, gate_socket: "EROFS" };
  expect(await look()).toEqual(expected);
  await first.close();
  await startGate({ home });
  expect(await look()).toEqual(expected);
});
