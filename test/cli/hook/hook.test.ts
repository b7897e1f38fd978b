import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { otherNode, payload, runHook } from "../../support/hook-process.ts";
import { startGate } from "../../support/running-gate.ts";
import { type TemporaryHome, temporaryHome } from "../../support/temporary-home.ts";

async function connectedGate() {
  const gate = await startGate();
  await gate.operator.call("agents.pair", { name: "claude-code", level: "Supervised" });
  return gate;
}

/** A server in the gate's place with the given answers. */
async function impostor(home: TemporaryHome, answer: (socket: Socket, text: string) => void): Promise<Server> {
  mkdirSync(dirname(home.paths.agent_socket), { recursive: true, mode: 0o700 });
  const server = createServer((socket) => {
    socket.on("error", () => socket.destroy());
    socket.setEncoding("utf8").on("data", (text: string) => answer(socket, text));
  });
  await new Promise<void>((resolve) => server.listen(home.paths.agent_socket, resolve));
  onTestFinished(() => {
    server.close();
  });
  return server;
}

describe("with a gate", () => {
  test("what a level allows is allowed, and the reason says why", async () => {
    const gate = await connectedGate();
    await gate.operator.call("agents.level", { name: "claude-code", level: "Full" });
    const { permission, reason, code } = await runHook(
      payload("Read", { file_path: "/srv/project/a.ts" }),
      gate.home.env,
    ).answer;
    expect([permission, code]).toEqual(["allow", 0]);
    expect(reason).toContain("level Full allows fs:read");
  });

  test("what the guard forbids is denied, with what to do instead", async () => {
    const gate = await connectedGate();
    const { permission, reason } = await runHook(payload("Bash", { command: "cat ~/.ssh/id_rsa" }), gate.home.env)
      .answer;
    expect(permission).toBe("deny");
    expect(reason).toContain("forbidden path");
    expect(reason).toContain("another path");
  });

  test("it waits for the operator, whose approval is remembered as chosen", async () => {
    const gate = await connectedGate();
    const write = payload("Write", { file_path: join(gate.home.home, "project/src/a.ts"), content: "text" });
    const asked = gate.event((event) => event.type === "approval.waiting");
    const first = runHook(write, gate.home.env);
    await asked;
    const [token = ""] = await gate.waiting();
    await gate.operator.call("approvals.resolve", {
      token,
      decision: "approved",
      scope: "permanent",
      target: join(gate.home.home, "project/**"),
    });
    expect((await first.answer).permission).toBe("allow");
    expect((await runHook(write, gate.home.env).answer).reason).toContain("allowed by grant");
    expect((await gate.operator.call("audit.verify", {})).ok).toBe(true);
  });

  test("a rejection reaches the agent with its message", async () => {
    const gate = await connectedGate();
    const asked = gate.event((event) => event.type === "approval.waiting");
    const run = runHook(payload("Bash", { command: "make deploy", description: "Deploy it" }), gate.home.env);
    await asked;
    const [token = ""] = await gate.waiting();
    expect(await gate.request(token)).toMatchObject({ intent: "Deploy it", args: { command: "make deploy" } });
    await gate.operator.call("approvals.resolve", { token, decision: "rejected", message: "not on a Friday" });
    const { permission, reason } = await run.answer;
    expect(permission).toBe("deny");
    expect(reason).toContain("not on a Friday");
  });

  test("when nobody answers in time it denies, says that nobody answered, and withdraws the card", async () => {
    const gate = await connectedGate();
    const closed = gate.event((event) => event.type === "approval.closed");
    const { permission, reason } = await runHook(payload("Bash", { command: "make" }), gate.home.env, {
      args: ["--wait", "1"],
    }).answer;
    expect(permission).toBe("deny");
    expect(reason).toContain("nobody answered");
    expect((await closed).data).toMatchObject({ status: "cancelled" });
  });

  test("a gate that restarts while the operator is asked is asked again, and the same card keeps waiting", async () => {
    const first = await connectedGate();
    const asked = first.event((event) => event.type === "approval.waiting");
    const run = runHook(payload("Bash", { command: "make" }), first.home.env);
    await asked;
    const [token = ""] = await first.waiting();
    await first.close();
    const second = await startGate({ home: first.home });
    expect(await second.waiting()).toEqual([token]);
    await second.operator.call("approvals.resolve", { token, decision: "approved" });
    expect((await run.answer).permission).toBe("allow");
  });

  test("an agent that isn't paired waits until the operator pairs it", async () => {
    const gate = await startGate();
    await gate.operator.call("agents.list", {});
    const requested = gate.event((event) => event.type === "pairing.requested");
    const run = runHook(payload("TodoWrite", { todos: [] }), gate.home.env);
    await requested;
    await gate.operator.call("agents.pair", { name: "claude-code", level: "ReadOnly" });
    expect((await run.answer).permission).toBe("allow");
  });
});

test.each([
  ["a byte that begins nothing", 0xff],
  ["Latin-1", 0xe9],
])("a payload with %s is denied: a card would show another name than was sent", async (_, byte) => {
  const gate = await connectedGate();
  await gate.operator.call("agents.level", { name: "claude-code", level: "Full" });
  const [before = "", after = ""] = payload("Read", { file_path: "/srv/a|b" }).split("|");
  const input = Buffer.concat([Buffer.from(before), Buffer.of(byte), Buffer.from(after)]);
  const { permission, reason } = await runHook(input, gate.home.env).answer;
  expect([permission, reason]).toEqual(["deny", expect.stringContaining("UTF-8")]);
  expect((await runHook(`${before}\ufffd${after}`, gate.home.env).answer).permission).toBe("allow");
});

describe("without a gate", () => {
  test("what the baseline patterns match is denied by the hook itself, the rest is Claude Code's own prompt, nothing is allowed", async () => {
    const { env } = temporaryHome();
    const asked = await runHook(payload("Bash", { command: "ls" }), env).answer;
    expect(asked.permission).toBe("ask");
    expect(asked.reason).toContain("tell the user to start it with: metnos-gate start");
    expect(JSON.parse(asked.output).systemMessage).toBe(asked.reason);
    for (const command of ["rm -rf /", "cat ~/.ssh/id_rsa", "dd if=x of=/dev/sda"]) {
      expect((await runHook(payload("Bash", { command }), env).answer).permission).toBe("deny");
    }
    expect((await runHook(payload("Read", { file_path: "/etc/shadow" }), env).answer).permission).toBe("deny");
    const data = payload("Write", { file_path: "/srv/a.md", content: "see ~/.ssh/config" });
    expect((await runHook(data, env).answer).permission).toBe("ask");
    expect(
      (await runHook(payload("Bash", { command: "ls" }), env, { args: ["--offline", "deny"] }).answer).permission,
    ).toBe("deny");
  });

  test("in VS Code's extension the rest is denied: it is reported to run such a call without a prompt", async () => {
    const ls = payload("Bash", { command: "ls" });
    const { env } = temporaryHome();
    const answer = (entrypoint: string) => runHook(ls, { ...env, METNOS_GIVEN_ENTRYPOINT: entrypoint }).answer;
    expect((await answer("cli")).permission).toBe("ask");
    expect(await answer("claude-vscode")).toMatchObject({
      permission: "deny",
      reason: expect.stringContaining("no gate is running"),
    });
  });

  test("a token that isn't the gate's counts as no gate, and says how to mend it", async () => {
    const gate = await connectedGate();
    const env = { ...gate.home.env, METNOS_AGENT_TOKEN: "0".repeat(64) };
    const { permission, reason } = await runHook(payload("Bash", { command: "ls" }), env).answer;
    expect(permission).toBe("ask");
    expect(reason).toContain("connect claude-code");
  });
});

describe("never allow on anything but a decision", () => {
  const call = payload("Bash", { command: "ls" });

  test("garbage from the socket", async () => {
    const home = temporaryHome();
    await impostor(home, (socket) => socket.write("not json\n"));
    expect((await runHook(call, home.env).answer).permission).toBe("deny");
  });

  test("a decision for another call, then the end", async () => {
    const home = temporaryHome();
    await impostor(home, (socket) => {
      socket.write('{"type":"tool.decision","data":{"id":"other","outcome":"allowed"}}\n');
      socket.write('{"type":"error","data":{"id":"call","code":"internal","message":"failed","hint":""}}\n');
    });
    expect((await runHook(call, home.env).answer).permission).toBe("deny");
  });

  test("an outcome that isn't one", async () => {
    const home = temporaryHome();
    await impostor(home, (socket) => socket.write('{"type":"tool.decision","data":{"id":"call","outcome":true}}\n'));
    expect((await runHook(call, home.env, { args: ["--wait", "1"] }).answer).permission).toBe("deny");
  });

  test.each([
    ["not JSON", "x"],
    ["no tool name", JSON.stringify({ tool_input: {} })],
    ["another event", payload("Bash", { command: "ls" }, { hook_event_name: "PostToolUse" })],
    ["nothing", ""],
    ["more than 8 MiB", `{"a":"${"x".repeat(9 * 1024 * 1024)}"}`],
    ["more than the gate's frame", payload("Write", { file_path: "/srv/a", content: "x".repeat(1024 * 1024) })],
  ])("stdin with %s is denied with a reason, exit 0", async (_, input) => {
    const { permission, reason, code } = await runHook(input, temporaryHome().env).answer;
    expect([permission, code]).toEqual(["deny", 0]);
    expect(reason.length).toBeGreaterThan(20);
  });

  test.each([
    ["a number that changes when it is read", '{"account":9007199254740993}', "a number is not the same"],
    ["a key twice in one object", '{"command":"ls","command":"make"}', "the same key twice"],
  ])("%s is denied with the reason, also without a gate", async (_, toolInput, said) => {
    const input = `{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":${toolInput}}`;
    const { permission, reason } = await runHook(input, temporaryHome().env).answer;
    expect([permission, reason]).toEqual(["deny", expect.stringContaining(said)]);
    expect(reason).not.toMatch(/9007|make/);
  });

  test("options that it doesn't know", async () => {
    expect((await runHook(call, temporaryHome().env, { args: ["--allow", "all"] }).answer).permission).toBe("deny");
  });
});

test("an answer that comes in pieces is read whole, also where a character is cut", async () => {
  const home = temporaryHome();
  const reason = "denied: /srv/ciò-che-è-qui/日本";
  const line = Buffer.from(
    `${JSON.stringify({ type: "tool.decision", data: { id: "call", outcome: "denied", reason } })}\n`,
  );
  const cut = line.indexOf("ò") + 1;
  await impostor(home, (socket, text) => {
    if (!text.includes("tool.call")) return;
    socket.write(line.subarray(0, cut));
    setImmediate(() => socket.write(line.subarray(cut)));
  });
  const answer = await runHook(payload("Read", { file_path: "/srv/a" }), home.env).answer;
  expect([answer.permission, answer.reason]).toEqual(["deny", `Metnos Gate: ${reason}`]);
});

test("it runs on the machine's own Node >= 20, too", async () => {
  const node = otherNode();
  if (node === undefined) console.log("no other Node >= 20 on this machine: checked on the tests' own only");
  const gate = await connectedGate();
  await gate.operator.call("agents.level", { name: "claude-code", level: "Full" });
  const options = node === undefined ? {} : { node };
  expect(
    (await runHook(payload("Read", { file_path: "/srv/project/a.ts" }), gate.home.env, options).answer).permission,
  ).toBe("allow");
});

test("the token's file is enough: nothing else of the gate's has to be readable", async () => {
  const gate = await connectedGate();
  const home = temporaryHome();
  writeFileSync(join(home.home, "unused"), "");
  const env = {
    ...home.env,
    METNOS_GATE_SOCKET: gate.paths.agent_socket,
    METNOS_AGENT_TOKEN: gate.token("claude-code"),
  };
  expect((await runHook(payload("TodoWrite", { todos: [] }), env).answer).permission).toBe("allow");
});
