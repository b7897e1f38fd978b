import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { AcpSide } from "../../support/acp-seat.ts";
import { runGate, StartedProcess, startServe } from "../../support/gate-process.ts";
import { startGate } from "../../support/running-gate.ts";
import { operatorOf } from "../../support/served-agent.ts";
import { type TemporaryHome, temporaryHome } from "../../support/temporary-home.ts";

/** An agent that asks whether it may run `make all`, and ends its turn with the answer. */
const AGENT = `#!${process.execPath}
const say = (message) => console.log(JSON.stringify({ jsonrpc: "2.0", ...message }));
let turn;
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params, result } = JSON.parse(line);
  if (method === "session/new") say({ id, result: { sessionId: "s1", args: process.argv.slice(2) } });
  if (method === "session/prompt") {
    turn = id;
    const toolCall = { toolCallId: "c1", title: "make all", kind: "execute", rawInput: { command: "make all" } };
    const options = ["allow_once", "reject_once"].map((kind) => ({ optionId: kind, name: kind, kind }));
    say({ id: "asked", method: "session/request_permission", params: { sessionId: params.sessionId, toolCall, options } });
  }
  if (id === "asked" && method === undefined) say({ id: turn, result: { stopReason: result.outcome.optionId } });
});
`;

const SETTINGS =
  '// mine\n{\n  "theme": "One", /* kept */\n  "agent_servers": {\n    "Other": { "command": "o" },\n  },\n}\n';

/** A home in which `opencode` is that agent, and Zed has settings. */
function editorsHome(): TemporaryHome & { zed: string } {
  const home = temporaryHome();
  const bin = join(home.home, "bin");
  const folder = join(home.home, ".config/zed");
  for (const one of [bin, folder]) mkdirSync(one, { recursive: true });
  writeFileSync(join(bin, "opencode"), AGENT, { mode: 0o755 });
  const zed = join(folder, "settings.json");
  writeFileSync(zed, SETTINGS);
  return { ...home, env: { ...home.env, PATH: `${bin}:${home.env.PATH}` }, zed };
}

interface Entry {
  command: string;
  args: string[];
}

function entryIn(zed: string): Entry {
  const text = readFileSync(zed, "utf8").replace(/^\/\/.*$|\/\*.*?\*\//gm, "");
  const { agent_servers } = JSON.parse(text.replace(/,(\s*})/g, "$1")) as { agent_servers: Record<string, Entry> };
  const entry = agent_servers["OpenCode (Metnos Gate)"];
  if (entry === undefined) throw new Error(`no entry in ${text}`);
  return entry;
}

/** What an editor starts by its entry, and its end of the connection. */
function started({ command, args }: Entry, { home, paths }: TemporaryHome): AcpSide {
  // An editor that a desktop has started may have no agent on its PATH, and no Node.
  const { child } = new StartedProcess(command, args, { env: { HOME: home, PATH: "/usr/bin:/bin" }, cwd: home });
  const editor = new AcpSide();
  if (child.stdin === null || child.stdout === null) throw new Error(`not started for ${paths.agent_socket}`);
  child.stdout.pipe(editor.input);
  editor.output.pipe(child.stdin);
  return editor;
}

it("connect zed opencode makes the editor start it behind the gate and pairs it; again changes nothing, --remove restores", async () => {
  const home = editorsHome();
  const connected = await runGate(home, ["connect", "zed", "opencode"]);
  expect([connected.code, connected.lines]).toMatchObject([0, [{ changed: true, agent: { name: "opencode-acp" } }]]);
  const text = readFileSync(home.zed, "utf8");
  for (const kept of ["// mine", '"theme": "One", /* kept */', '"Other": { "command": "o" },'])
    expect(text).toContain(kept);

  const editor = started(entryIn(home.zed), home);
  editor.send({ id: 1, method: "session/new", params: { cwd: home.home, mcpServers: [] } });
  expect((await editor.answer(1)).result).toEqual({ sessionId: "s1", args: ["acp"] });

  expect((await runGate(home, ["connect", "zed", "opencode"])).lines).toMatchObject([{ changed: false }]);
  expect(readFileSync(home.zed, "utf8")).toBe(text);
  expect((await runGate(home, ["connect", "zed", "opencode", "--remove"])).lines).toMatchObject([{ changed: true }]);
  expect(readFileSync(home.zed, "utf8")).toBe(SETTINGS);
});

it.each([
  ["zed", "start a new thread in Zed"],
  ["jetbrains", "restart the IDE"],
  ["neovim", "restart Neovim"],
])("connect %s says what has to be started anew, and --remove does, too", async (editor, words) => {
  const home = editorsHome();
  expect((await runGate(home, ["connect", editor, "opencode"])).stderr).toContain(words);
  if (editor === "neovim") return;
  expect((await runGate(home, ["connect", editor, "opencode", "--remove"])).stderr).toContain(words);
  expect((await runGate(home, ["connect", editor, "opencode", "--remove"])).stderr).not.toContain(words);
});

it("a gate that is killed while its card waits, and started again, asks anew: the answer given then reaches the agent", async () => {
  const home = editorsHome();
  await runGate(home, ["connect", "zed", "opencode"]);
  const serve = await startServe(home);
  const operator = await operatorOf(home);
  const editor = started(entryIn(home.zed), home);
  editor.send({ id: 1, method: "session/new", params: { cwd: home.home, mcpServers: [] } });
  await editor.answer(1);
  editor.send({ id: 2, method: "session/prompt", params: { sessionId: "s1", prompt: [{ type: "text", text: "go" }] } });
  const waiting = () => operator.call("approvals.list", {});
  await expect.poll(waiting, { timeout: 20_000 }).toMatchObject([{ agent_name: "opencode-acp" }]);
  await serve.end("SIGKILL");

  const gate = await startGate({ home });
  const connected = async () => (await gate.operator.call("agents.list", {})).agents.map((agent) => agent.is_connected);
  await expect.poll(connected, { timeout: 20_000 }).toEqual([true]);
  const [token = ""] = await gate.waiting();
  expect(await gate.request(token)).toMatchObject({ executor: "shell_exec", status: "pending" });
  expect(editor.received.map(({ id }) => id)).toEqual([1]);
  await gate.operator.call("approvals.resolve", { token, decision: "approved" });
  expect((await editor.answer(2)).result).toEqual({ stopReason: "allow_once" });
  expect(await gate.waiting()).toEqual([]);
});
