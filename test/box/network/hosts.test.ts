import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { describe, expect, it } from "vitest";
import { BOX_CONNECT } from "../../../main/decide/executors/internal.ts";
import { BY, echoTls, firstWords, openedNetwork, plainServer } from "../../support/confined-network.ts";
import { startGate } from "../../support/running-gate.ts";

const HOST = "registry.example.org";

describe("a host that a confined program wants to reach", () => {
  it("is reached without a question where a grant covers it", async () => {
    const net = await openedNetwork();
    const port = await net.serve(echoTls(), HOST);
    net.grant("*.example.org");
    const secure = await net.run().tls(`${HOST}:${port}`, HOST);
    expect(await firstWords(secure)).toBe(`hello ${HOST}\n`);
    secure.write("ping");
    expect(await firstWords(secure)).toBe("ping");
    expect(net.waiting()).toEqual([]);
  });

  it("is asked about while its connection waits, with the host, the command and nothing of a path", async () => {
    const net = await openedNetwork();
    const port = await net.serve(
      plainServer((request, response) => response.end(`got ${request.url}`)),
      HOST,
    );
    const asked = net.question();
    const answer = net.run("npm install left-pad").get(`http://${HOST}:${port}/secret?key=1`);
    const card = await asked;
    expect(net.lookedUp).toEqual([]);
    expect(card.executor).toBe(BOX_CONNECT);
    expect(card.card.lines[0]).toBe(`May I connect to ${HOST}:${port}?`);
    expect(card.card.lines[1]).toBe(`http://${HOST}:${port}: npm install left-pad  (in ~/site)`);
    expect(card.capabilities).toEqual([{ capability: "network:http", target: HOST }]);
    expect(JSON.stringify(card)).not.toContain("secret");
    net.core.gate.answer({ token: card.token, decision: "approved" }, BY);
    expect(await answer).toContain("got /secret?key=1");
  });

  it("is offered to be granted as any host is, and the grant covers other runs", async () => {
    const net = await openedNetwork();
    const port = await net.serve(echoTls(), HOST);
    const asked = net.question();
    const tunnel = net.run().tunnel(`${HOST}:${port}`);
    const card = await asked;
    expect(card.choices.map(({ reach }) => reach)).toContain("subdomains");
    net.core.gate.answer({ token: card.token, decision: "approved", scope: "permanent", reach: "host" }, BY);
    expect((await tunnel).status).toContain(" 200 ");
    expect((await net.run("npm test").tunnel(`${HOST}:${port}`)).status).toContain(" 200 ");
    expect(net.waiting()).toEqual([]);
  });

  it("is asked about once for all connections of a run, whatever their port, and an approval lasts as long as the run", async () => {
    const net = await openedNetwork();
    const [first, second] = [await net.serve(echoTls(), HOST), await net.serve(echoTls(), HOST)];
    const run = net.run();
    const answered = net.answerNext("approved");
    const both = await Promise.all([run.tunnel(`${HOST}:${first}`), run.tunnel(`${HOST}:${second}`)]);
    await answered;
    expect(both.map(({ status }) => status.slice(0, 12))).toEqual(["HTTP/1.1 200", "HTTP/1.1 200"]);
    expect((await run.tunnel(`${HOST}:${first}`)).status).toContain(" 200 ");
    const asked = net.question();
    const other = net.run("curl").tunnel(`${HOST}:${first}`);
    net.core.gate.answer({ token: (await asked).token, decision: "rejected" }, BY);
    expect((await other).status).toContain(" 403 ");
  });

  it("stays denied for the run, with the user's words, and is never looked up", async () => {
    const net = await openedNetwork();
    const port = await net.serve(echoTls(), HOST);
    const run = net.run();
    const answered = net.answerNext("rejected", "use the cache");
    expect((await run.tunnel(`${HOST}:${port}`)).status).toBe(
      "HTTP/1.1 403 Metnos Gate: the user said no: use the cache",
    );
    await answered;
    for (let times = 0; times < 20; times++)
      expect((await run.tunnel(`${HOST}:${port}`)).status).toContain(" 403 Metnos Gate: the user said no");
    expect(net.waiting()).toEqual([]);
    expect(net.lookedUp).toEqual([]);
    net.grant(HOST);
    expect((await run.tunnel(`${HOST}:${port}`)).status).toContain(" 200 ");
  });

  it("is denied to a level that may not reach hosts", async () => {
    const net = await openedNetwork();
    const port = await net.serve(echoTls(), HOST);
    const run = net.run("npm test", { name: "reader", level: "ReadOnly" });
    expect((await run.tunnel(`${HOST}:${port}`)).status).toContain("403 Metnos Gate: level ReadOnly does not allow");
  });

  it("is in the trail as a decision on a host, without the words of the command", async () => {
    const net = await openedNetwork();
    const port = await net.serve(echoTls(), HOST);
    net.grant(HOST);
    await net.run("npm install --token=hunter2secret").tunnel(`${HOST}:${port}`);
    net.core.audit.flush();
    const folder = net.home.paths.auditDir;
    const trail = readdirSync(folder)
      .map((name) => readFileSync(join(folder, name), "utf8"))
      .join("");
    const line = trail.split("\n").find((text) => text.includes(BOX_CONNECT)) ?? "{}";
    expect(JSON.parse(line)).toMatchObject({
      event: "decision",
      executor: BOX_CONNECT,
      outcome: "allowed",
      rule: "policy.grant-allows",
      capabilities: ["network:http"],
      args_keys: ["url", "description", "method"],
    });
    expect(trail).not.toContain("hunter2secret");
  });
});

describe("a question", () => {
  it("is withdrawn when the run ends", async () => {
    const net = await openedNetwork();
    const run = net.run();
    const asked = net.question();
    const tunnel = run.tunnel(`${HOST}:443`);
    const { token } = await asked;
    const closed = new Promise((resolve) => net.core.listeners.add(["approval.closed"], ({ data }) => resolve(data)));
    run.way.close();
    expect(await closed).toMatchObject({ token, status: "cancelled" });
    expect((await tunnel).status).not.toContain(" 200 ");
    expect(net.waiting()).toEqual([]);
  });

  it("is withdrawn when the program gives up, and asked anew when it tries once more", async () => {
    const net = await openedNetwork({ retryMs: 50 });
    const port = await net.serve(echoTls(), HOST);
    const run = net.run();
    const asked = net.question();
    const first = await run.connect();
    first.socket.write(`CONNECT ${HOST}:${port} HTTP/1.1\r\nHost: ${HOST}:${port}\r\n\r\n`);
    const { token } = await asked;
    const closed = new Promise((resolve) => net.core.listeners.add(["approval.closed"], ({ data }) => resolve(data)));
    first.socket.end();
    expect(await closed).toMatchObject({ token, status: "cancelled" });
    const again = net.question();
    const third = run.tunnel(`${HOST}:${port}`);
    net.core.gate.answer({ token: (await again).token, decision: "approved" }, BY);
    expect((await third).status).toContain(" 200 ");
  });

  it("waits for no more than some hosts of a run at a time, and a run asks for no more than some in all", async () => {
    const net = await openedNetwork({ waiting: 2, hosts: 3 });
    const run = net.run();
    const [one, two] = [net.question(), run.connect()];
    (await two).socket.write("CONNECT a.example.com:443 HTTP/1.1\r\nHost: a.example.com\r\n\r\n");
    await one;
    const next = net.question();
    (await run.connect()).socket.write("CONNECT b.example.com:443 HTTP/1.1\r\nHost: b.example.com\r\n\r\n");
    await next;
    expect((await run.tunnel("c.example.com:443")).status).toContain("waits for the answers on too many hosts");
    expect((await run.tunnel("d.example.com:443")).status).toContain("asked for too many hosts");
    expect(net.waiting()).toHaveLength(2);
  });

  it("can't be asked by an agent itself: no message holds the name", async () => {
    const gate = await startGate();
    const agent = await gate.agent();
    agent.send("tool.call", {
      id: "1",
      intent: "",
      executor: BOX_CONNECT,
      args: { url: "https://a.test", description: "" },
    });
    expect(await agent.next("error")).toMatchObject({ data: { code: "invalid_message" } });
  });
});

/** That it has closed, however: what it was sent before is read for that. */
function closeOf(socket: TLSSocket): Promise<unknown> {
  socket.on("error", () => undefined);
  socket.resume();
  return new Promise((resolve) => socket.once("close", resolve));
}

describe("what is open", () => {
  it("is closed when the run ends, and the socket is gone", async () => {
    const net = await openedNetwork();
    const port = await net.serve(echoTls(), HOST);
    net.grant(HOST);
    const run = net.run();
    expect(statSync(run.socket).mode & 0o777).toBe(0o600);
    const secure = await run.tls(`${HOST}:${port}`, HOST);
    const closed = closeOf(secure);
    run.way.close();
    await closed;
    await expect(run.connect()).rejects.toThrow(/ENOENT|ECONNREFUSED/);
  });

  it.each([
    "the gate is paused",
    "its agent is paused",
    "its agent's pairing is revoked",
    "its grant is revoked",
    "its agent gets another level",
  ])("is closed when %s", async (what) => {
    const net = await openedNetwork();
    const port = await net.serve(echoTls(), HOST);
    const grant = net.grant(HOST);
    const [run, other] = [net.run(), net.run("curl", { name: "other" })];
    const [secure, kept] = [await run.tls(`${HOST}:${port}`, HOST), await other.tls(`${HOST}:${port}`, HOST)];
    const closed = closeOf(secure);
    const { core } = net;
    if (what === "the gate is paused") core.safety.pause.begin({ by: "human", reason: "lunch", clears: "by_human" });
    if (what === "its agent is paused") core.agent_pauses.begin(run.agent_id);
    if (what === "its agent's pairing is revoked") core.agents.revoke("tester");
    if (what === "its agent gets another level") core.agents.setLevel("tester", "ReadOnly");
    if (what === "its grant is revoked") core.grants.revokeGrant(grant);
    if (what === "its grant is revoked") core.publish({ type: "grants.changed", data: {} });
    else core.publish({ type: "agents.changed", data: {} });
    await closed;
    const asked = net.question();
    const again = run.tunnel(`${HOST}:${port}`);
    if (what === "its grant is revoked") expect(await asked).toMatchObject({ agent_name: "tester" });
    else expect((await again).status).toContain(" 403 ");
    const concernsAll = what === "the gate is paused" || what === "its grant is revoked";
    if (!concernsAll) {
      kept.write("still here");
      expect(await firstWords(kept)).toContain("hello");
    }
  });

  it("is asked about anew after a pause, where the user had allowed it once", async () => {
    const net = await openedNetwork();
    const port = await net.serve(echoTls(), HOST);
    const run = net.run();
    const approved = net.answerNext("approved");
    expect((await run.tunnel(`${HOST}:${port}`)).status).toContain(" 200 ");
    await approved;
    net.core.agent_pauses.begin(run.agent_id);
    expect((await run.tunnel(`${HOST}:${port}`)).status).toContain("403 Metnos Gate: the user has paused this agent");
    net.core.agent_pauses.end(run.agent_id);
    const refused = net.answerNext("rejected");
    expect((await run.tunnel(`${HOST}:${port}`)).status).toContain("403 Metnos Gate: the user said no");
    await refused;
  });

  it("is not opened where the pause comes while it connects", async () => {
    const net = await openedNetwork();
    const port = await net.serve(echoTls(), HOST);
    net.grant(HOST);
    const run = net.run();
    const { core, names } = net;
    names.set(
      HOST,
      new Proxy(["127.0.0.1"], {
        get: (list, key) => {
          if (key === "0") core.agent_pauses.begin(run.agent_id);
          return Reflect.get(list, key);
        },
      }),
    );
    expect((await run.tunnel(`${HOST}:${port}`)).status).toContain("403 Metnos Gate: it isn't allowed any more");
  });
});
