import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tokenOf } from "../../support/agent-connection.ts";
import { NtfyServer } from "../../support/ntfy-server.ts";
import { startGate } from "../../support/running-gate.ts";
import { type TemporaryHome, temporaryHome } from "../../support/temporary-home.ts";

// main/surfaces/ntfy/ntfy-channel.ts: a real gate and a real server.

const TOPIC = "my-gate-topic";
const TOKEN = "tk_SECRETSECRETSECRET";

function homeWith(server: NtfyServer, more = ""): TemporaryHome {
  const home = temporaryHome("");
  const tokenFile = join(home.home, "ntfy-token");
  writeFileSync(tokenFile, `${TOKEN}\n`, { mode: 0o600 });
  const lines = ["[ntfy]", `server = "${server.url}"`, `topic = "${TOPIC}"`, `token_file = "${tokenFile}"`, more];
  writeFileSync(home.paths.configFile, lines.join("\n"));
  return home;
}

async function seat({ more = "", web = false } = {}) {
  const server = await NtfyServer.start();
  server.token = TOKEN;
  server.privateTopics = [TOPIC];
  const home = homeWith(server, more);
  const gate = await startGate({ home, web });
  return { server, home, gate, agent: await gate.agent() };
}

const runs = (command: string) => ({ executor: "shell_exec", args: { command } });

describe("ntfy", () => {
  it("says that something waits, with nothing of the call; the page is named without a secret", async () => {
    const { server, agent, gate } = await seat({ web: true });
    await agent.ask({ ...runs("cat hidden-name"), intent: "the intent" });
    const [message] = await server.until(TOPIC, 1);
    const page = (await gate.operator.call("status", {})).page_url;
    expect(message).toMatchObject({ title: "tester asks", priority: 3, click: page });
    expect(message?.actions?.map(({ action, label }) => [action, label])).toEqual([
      ["view", "Open"],
      ["http", "Deny"],
    ]);
    const text = JSON.stringify(message);
    for (const hidden of ["hidden-name", "intent", "cat", TOKEN, await gate.waiting(), "?token"].flat())
      expect(text).not.toContain(hidden);
  });

  it("Deny denies that request, once; the answer is known as given there", async () => {
    const { server, agent, gate } = await seat();
    const asked = await agent.ask(runs("npm test"));
    const other = await agent.ask(runs("npm run build"));
    const [message] = await server.until(TOPIC, 2);
    await server.press(message ?? expect.unreachable(), "Deny");
    expect(await asked.final()).toMatchObject({ outcome: "denied", status: "rejected" });
    expect(await gate.request(tokenOf(asked.decision))).toMatchObject({ decision_surface: "ntfy" });
    await server.press(message ?? expect.unreachable(), "Deny");
    expect(await gate.request(tokenOf(other.decision))).toMatchObject({ status: "pending" });
  });

  it("what is dangerous comes with a high priority", async () => {
    const { server, agent } = await seat();
    await agent.ask(runs("rm -rf /srv/data"));
    expect((await server.until(TOPIC, 1))[0]).toMatchObject({ priority: 4 });
  });

  it("a denial after the request has ended changes nothing, and is answered by nothing", async () => {
    const { server, agent, gate } = await seat();
    const asked = await agent.ask(runs("npm test"));
    const other = await agent.ask(runs("npm run build"));
    const [message] = await server.until(TOPIC, 2);
    await gate.operator.call("approvals.resolve", { token: tokenOf(asked.decision), decision: "approved" });
    await server.press(message ?? expect.unreachable(), "Deny");
    const [, second] = server.published.filter(({ topic }) => topic === TOPIC);
    await server.press(second ?? expect.unreachable(), "Deny");
    await other.final();
    expect(await gate.request(tokenOf(asked.decision))).toMatchObject({ status: "approved" });
    expect(server.published.filter(({ topic }) => topic === TOPIC)).toHaveLength(2);
  });

  it("nothing else that is read there counts: another secret, another word, an approval; it is counted in the trail", async () => {
    const { server, agent, gate } = await seat();
    const asked = await agent.ask(runs("npm test"));
    const [message] = await server.until(TOPIC, 1);
    const deny = message?.actions?.at(-1) ?? expect.unreachable();
    const answers = new URL(deny.url).pathname.slice(1);
    const secret = deny.body?.replace("deny ", "") ?? "";
    expect(secret).toMatch(/^[A-Za-z0-9_-]{22}$/);
    for (const text of [`approve ${secret}`, `deny ${"A".repeat(22)}`, secret, `deny ${secret} `, "{}", "\n"])
      server.say(answers, text);
    // Read after all of them.
    const last = await agent.ask(runs("npm run last"));
    const [, second] = await server.until(TOPIC, 2);
    await server.press(second ?? expect.unreachable(), "Deny");
    await last.final();
    expect(await gate.request(tokenOf(asked.decision))).toMatchObject({ status: "pending" });
    await gate.close();
    const trail = readdirSync(gate.paths.auditDir).map((name) => readFileSync(join(gate.paths.auditDir, name), "utf8"));
    expect(trail.join("")).toMatch(/"event":"ntfy.ignored"[^}]*"messages":6/);
  });

  it("after a restart nothing is sent twice, and what was sent before is still denied by its own button", async () => {
    const { server, agent, gate, home } = await seat();
    const asked = await agent.ask(runs("npm test"));
    const [message] = await server.until(TOPIC, 1);
    await gate.close();
    // Pressed while no gate runs.
    await server.press(message ?? expect.unreachable(), "Deny");
    const again = await startGate({ home });
    await again.event(({ type }) => type === "approval.closed");
    expect(await again.request(tokenOf(asked.decision))).toMatchObject({ status: "rejected" });
    expect(server.published.filter(({ topic }) => topic === TOPIC)).toHaveLength(1);
  });

  it("reads the topic of answers only while something waits; its name says nothing of the first", async () => {
    const { server, agent, gate } = await seat();
    expect(server.readers).toBe(0);
    const asked = await agent.ask(runs("npm test"));
    await server.untilReaders(1);
    const path = server.requests.find(({ line }) => line.startsWith("GET"))?.line ?? "";
    expect(path).toMatch(/^GET \/metnos-[A-Za-z0-9_-]{22}\/json\?since=\d+$/);
    await gate.operator.call("approvals.resolve", { token: tokenOf(asked.decision), decision: "rejected" });
    await server.untilReaders(0);
  });

  it("many requests are one message without a Deny, sent anew once twice as many wait", async () => {
    const { server, agent } = await seat({ more: "[digest]\nabove = 1" });
    for (const n of [1, 2, 3, 4]) await agent.ask(runs(`ls ${n}`));
    const titles = (await server.until(TOPIC, 3)).map(({ title, actions }) => [title, actions?.length]);
    expect(titles).toEqual([
      ["tester asks", 1],
      ["tester is waiting: 2 requests", 0],
      ["tester is waiting: 4 requests", 0],
    ]);
  });

  it("continues where the server was away: what still waits is sent then, what has ended isn't", async () => {
    const server = await NtfyServer.start();
    server.fail(/^POST/, "drop");
    const gate = await startGate({ home: homeWith(server) });
    const agent = await gate.agent();
    const first = await agent.ask(runs("ls 1"));
    await agent.ask(runs("ls 2"));
    await server.untilRequests(/^POST/, 1);
    await gate.operator.call("approvals.resolve", { token: tokenOf(first.decision), decision: "rejected" });
    await server.until(TOPIC, 1);
    await gate.logged(/^ntfy: on$/);
    expect((await gate.operator.call("channels.status", {})).find(({ name }) => name === "ntfy")).toMatchObject({
      state: "on",
    });
    expect(server.published.filter(({ topic }) => topic === TOPIC)).toHaveLength(1);
  });

  it("a refused token is said in words of its own; neither it nor the topics are in a log, a status or a file", async () => {
    const { server, agent, gate } = await seat();
    server.token = "another";
    await agent.ask(runs("npm test"));
    await gate.logged(/refuses this token/);
    const status = await gate.operator.call("channels.status", {});
    expect(status.find(({ name }) => name === "ntfy")).toMatchObject({ state: "failing" });
    await expect(gate.operator.call("channels.test", { channel: "ntfy" })).rejects.toMatchObject({
      code: "channel_failed",
    });
    await gate.close();
    const files = readdirSync(gate.paths.state_dir, { recursive: true, encoding: "utf8" })
      .map((name) => join(gate.paths.state_dir, name))
      .filter((path) => statSync(path).isFile())
      .map((path) => readFileSync(path, "latin1"));
    for (const text of [...gate.log, JSON.stringify(status), ...files]) {
      expect(text).not.toContain(TOKEN);
      expect(text).not.toContain("SERVER-TEXT");
    }
    for (const text of [...gate.log, JSON.stringify(status)]) expect(text).not.toMatch(/my-gate-topic|metnos-[A-Z]/);
  });

  it("a test is sent at once and says that it is one", async () => {
    const { server, gate } = await seat();
    await gate.operator.call("channels.test", { channel: "ntfy" });
    expect((await server.until(TOPIC, 1))[0]).toMatchObject({ title: "Metnos Gate: a test" });
  });
});
