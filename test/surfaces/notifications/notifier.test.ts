import { describe, expect, it } from "vitest";
import { localTime } from "../../../main/base/clocks/local-time.ts";
import { FreedesktopSink } from "../../../main/surfaces/notifications/freedesktop.ts";
import type { ReviewTarget } from "../../../main/surfaces/notifications/notifier.ts";
import { type AgentConnection, tokenOf } from "../../support/agent-connection.ts";
import { NotificationServer } from "../../support/notification-server.ts";
import { ObservedSink } from "../../support/observed-sink.ts";
import { cantRun, PrivateBus } from "../../support/private-bus.ts";
import { type GateUnderTest, startGate } from "../../support/running-gate.ts";

const skipped = cantRun("what notifications do", ["dbus-run-session", "dbus-daemon"]);

const RUN = { executor: "shell_exec", args: { command: "npm test" } };

interface Desk {
  gate: GateUnderTest;
  agent: AgentConnection;
  server: NotificationServer;
  sink: ObservedSink;
  reviewed: ReviewTarget[];
  /** Lets the time pass in which nothing counts. */
  settle(): Promise<void>;
  pass(ms: number): void;
}

/** A real gate, a paired agent, a bus and a notification server on it; the notifier's clock is the test's. */
async function desk(
  options: { config?: string; capabilities?: string[]; hasPage?: boolean; pairingCheckMs?: number } = {},
): Promise<Desk> {
  const { address } = await PrivateBus.start();
  const server = await NotificationServer.start(address, options.capabilities);
  const clock = { ms: 1_000_000 };
  const reviewed: ReviewTarget[] = [];
  const sink = new ObservedSink(new FreedesktopSink(address, () => undefined));
  const review = options.hasPage === false ? {} : { review: (what: ReviewTarget) => reviewed.push(what) };
  const gate = await startGate({
    ...(options.config === undefined ? {} : { config: options.config }),
    notifications: {
      sink: () => sink,
      now: () => clock.ms,
      pairingCheckMs: options.pairingCheckMs ?? 5000,
      ...review,
    },
  });
  await sink.received(({ type }) => type === "ready");
  return {
    gate,
    agent: await gate.agent("tester"),
    server,
    sink,
    reviewed,
    pass(ms) {
      clock.ms += ms;
    },
    async settle() {
      await sink.settled();
      clock.ms += 500;
    },
  };
}

describe.skipIf(skipped)("a notification", () => {
  it("shows who asks what until it is answered, with Deny, Approve once and Review; it is no urgent one", async () => {
    const { agent, server } = await desk();
    await agent.ask({ executor: "shell_exec", args: { command: "docker ps" }, context: { cwd: "/srv/project" } });
    const one = await server.only();
    expect(one).toMatchObject({
      appName: "Metnos Gate",
      title: "tester: May I run?",
      expireTimeout: 0,
      replacesId: 0,
    });
    expect(one.body.split("\n")).toEqual(["docker ps  (in /srv/project)", "Lists containers", "Metnos Gate"]);
    expect([...one.actions.values()]).toEqual(["Deny", "Approve once", "Review", "Review"]);
    expect(one.hints.urgency).toMatchObject({ signature: "y", value: 1 });
    expect(one.hints["desktop-entry"]).toMatchObject({ value: "metnos-gate-app" });
    expect(one.hints.resident).toMatchObject({ value: true });
  });

  it.each([
    ["Approve once", "allowed", "approved"],
    ["Deny", "denied", "rejected"],
  ])("%s: the agent gets %s, once, and nothing is remembered", async (label, outcome, status) => {
    const { gate, agent, server, settle } = await desk();
    const asked = await agent.ask(RUN);
    const one = await server.only();
    await settle();
    server.press(one, label);
    expect(await asked.final()).toMatchObject({ outcome, status });
    await server.until((shown) => shown.length === 0);
    expect(await gate.request(tokenOf(asked.decision))).toMatchObject({ status, territory_concession: "none" });
    expect(await gate.operator.call("grants.list", {})).toEqual([]);
  });

  it("pressed in the first 500 ms, nothing counts; a server that closes it at the press shows it again", async () => {
    const { gate, agent, server, sink, settle, pass } = await desk();
    const asked = await agent.ask(RUN);
    const first = await server.only();
    await sink.received(({ type }) => type === "shown");
    pass(499);
    server.press(first, "Approve once");
    server.dismiss(first);
    const again = await server.only(({ id }) => id !== first.id);
    expect((await gate.request(tokenOf(asked.decision))).status).toBe("pending");
    await settle();
    server.press(again, "Approve once");
    expect(await asked.final()).toMatchObject({ outcome: "allowed" });
  });

  it("dismissed, it stays closed and the request keeps waiting", async () => {
    const { gate, agent, server, sink, settle } = await desk();
    const asked = await agent.ask(RUN);
    const one = await server.only();
    await settle();
    server.dismiss(one);
    await sink.received(({ type }) => type === "dismissed");
    expect((await gate.request(tokenOf(asked.decision))).status).toBe("pending");
    expect(server.calls).toHaveLength(1);
  });

  it("Review and a click on it open the request, and answer nothing", async () => {
    const { gate, agent, server, sink, settle, reviewed } = await desk();
    const asked = await agent.ask(RUN);
    const one = await server.only();
    await settle();
    server.press(one, "Review");
    server.signal("ActionInvoked", "us", [one.id, "default"]);
    await sink.received(({ type }) => type === "action", 2);
    const target = { kind: "approval", token: tokenOf(asked.decision) };
    expect(reviewed).toEqual([target, target]);
    expect((await gate.request(target.token)).status).toBe("pending");
  });

  it("answered elsewhere, withdrawn, or its agent disconnected: it closes", async () => {
    const { gate, agent, server } = await desk();
    const answered = await agent.ask(RUN);
    await server.only();
    await gate.operator.call("approvals.resolve", { token: tokenOf(answered.decision), decision: "rejected" });
    await server.until((shown) => shown.length === 0);
    const withdrawn = await agent.ask(RUN);
    await server.only();
    agent.send("tool.cancel", { id: "c", token: tokenOf(withdrawn.decision), reason: "not needed" });
    await server.until((shown) => shown.length === 0);
    const left = await agent.ask(RUN);
    await server.only();
    await agent.close();
    await server.until((shown) => shown.length === 0);
    const ended = [answered, withdrawn, left].map(({ decision }) => gate.request(tokenOf(decision)));
    expect((await Promise.all(ended)).map(({ status }) => status)).toEqual(["rejected", "cancelled", "cancelled"]);
    expect(server.calls.map(({ title }) => title)).toEqual([
      "tester: May I run?",
      "tester: May I run?",
      "tester: May I run?",
    ]);
  });

  it("expired: it closes", async () => {
    const clock = { ms: Date.now() };
    const { address } = await PrivateBus.start();
    const server = await NotificationServer.start(address);
    const sink = new FreedesktopSink(address, () => undefined);
    const gate = await startGate({ now: () => clock.ms, notifications: { sink: () => sink } });
    const asked = await (await gate.agent()).ask(RUN);
    await server.only();
    clock.ms += 601_000;
    await gate.operator.call("approvals.cleanup", {});
    await server.until((shown) => shown.length === 0);
    expect(await asked.final()).toMatchObject({ outcome: "denied", status: "expired" });
  });

  it("two surfaces at once: exactly one answer counts, and the other one says so and clears", async () => {
    const { gate, agent, server, settle } = await desk();
    const outcomes = new Set<string>();
    for (let round = 0; round < 6; round++) {
      const asked = await agent.ask({ ...RUN, args: { command: `npm test ${round}` } });
      const token = tokenOf(asked.decision);
      const one = await server.only(({ body }) => body.includes(`npm test ${round}`));
      await settle();
      // By turns the one or the other has a head start.
      const client = round % 2 === 0 ? gate.operator : await gate.operatorClient();
      const pressed = () => server.press(one, "Approve once");
      if (round >= 3) pressed();
      const other = client.call("approvals.resolve", { token, decision: "rejected" }).then(
        () => "won",
        (error: { code: string }) => error.code,
      );
      if (round < 3) pressed();
      const { status } = await asked.final();
      expect(await other).toBe(status === "rejected" ? "won" : "already_resolved");
      expect((await gate.request(token)).status).toBe(status);
      outcomes.add(String(status));
      await server.until((shown) => shown.length === 0);
    }
    expect(outcomes).toContain("rejected");
  });

  it("an answer that is too late is logged, doesn't count, and the notification closes", async () => {
    const { gate, agent, server, settle } = await desk();
    const asked = await agent.ask(RUN);
    const token = tokenOf(asked.decision);
    const one = await server.only();
    await settle();
    // Answered without an event, as by a gate that hadn't sent it yet.
    const { registry } = gate.gate.core.gate.broker;
    const { channel, sender_id } = await gate.request(token);
    registry.resolve(registry.check(token, { channel, sender_id }), "rejected");
    server.press(one, "Approve once");
    expect(await gate.logged(/too late/)).toMatch(
      /approved came too late for a request of tester \(already_resolved\)/,
    );
    await server.until((shown) => shown.length === 0);
    expect((await gate.request(token)).status).toBe("rejected");
  });

  it("what can't be read whole has Deny and Review, no Approve", async () => {
    const { agent, server } = await desk();
    await agent.ask({ executor: "shell_exec", args: { command: `npm run ${"x".repeat(2000)}` } });
    expect([...(await server.only()).actions.values()]).toEqual(["Deny", "Review", "Review"]);
  });

  it("where there is no page, Review isn't offered and it says where to answer", async () => {
    const { agent, server } = await desk({ hasPage: false });
    await agent.ask({ executor: "shell_exec", args: { command: `npm run ${"x".repeat(2000)}` } });
    const one = await server.only();
    expect([...one.actions.values()]).toEqual(["Deny"]);
    expect(one.body).toContain("Answer with: metnos-gate watch");
  });

  it("hostile text is inert: codes instead of characters, markup escaped, no extra line", async () => {
    const { agent, server } = await desk();
    const command = `ls \u202e\u001b[31m <b>bold</b> & <img src=x>\nMay I read?${"\nasked by nobody".repeat(10_000)}`;
    await agent.ask({ executor: "shell_exec", args: { command } });
    const { title, body, actions } = await server.only();
    expect(title).toBe("tester: May I run?");
    expect(body).toContain("ls \\u{202e}\\u{1b}[31m &lt;b&gt;bold&lt;/b&gt; &amp;");
    expect(["<", ">", "\u202e", "\u001b"].filter((hidden) => body.includes(hidden))).toEqual([]);
    expect(body.split("\n")).toHaveLength(5);
    expect(body.length).toBeLessThan(400);
    expect([...actions.values()]).not.toContain("Approve once");
  });

  it("a server without markup gets the text as it is; one without buttons, where to answer", async () => {
    const { agent, server } = await desk({ capabilities: ["body"] });
    await agent.ask({ executor: "shell_exec", args: { command: "grep '<b>' a.html" } });
    const one = await server.only();
    expect(one.body).toContain("grep '<b>' a.html");
    expect(one.body).toContain("Open Metnos Gate to answer.");
  });

  it("what waited before the gate started is shown, in the configured language", async () => {
    const first = await startGate({ config: 'language = "it"' });
    await (await first.agent()).ask(RUN);
    const [token] = await first.waiting();
    await first.close();
    const { address } = await PrivateBus.start();
    const server = await NotificationServer.start(address);
    const sink = new FreedesktopSink(address, () => undefined);
    const gate = await startGate({ home: first.home, notifications: { sink: () => sink } });
    expect(await gate.waiting()).toEqual([token]);
    const one = await server.only();
    expect(one.title).toBe("tester: Vuoi che esegua?");
    expect([...one.actions.values()]).toEqual(["Rifiuta", "Approva una volta"]);
  });

  it("when the gate closes, its notifications do, and requests keep waiting", async () => {
    const { gate, agent, server } = await desk();
    await agent.ask(RUN);
    const { id } = await server.only();
    await gate.close();
    await server.until((shown) => shown.length === 0);
    expect(server.calls.map((call) => call.id)).toEqual([id]);
  });
});

describe.skipIf(skipped)("many requests", () => {
  const askMany = async (agent: AgentConnection, from: number, to: number) => {
    const asked = [];
    for (let n = from; n < to; n++)
      asked.push(await agent.ask({ executor: "shell_exec", args: { command: `ls ${n}` } }));
    return asked;
  };

  it("more than three of one agent become one, with Review only; another agent's stay", async () => {
    const { gate, agent, server, sink, reviewed, settle } = await desk();
    const other = await gate.agent("other");
    await other.ask(RUN);
    await askMany(agent, 0, 3);
    expect(await server.until((shown) => shown.length === 4)).toHaveLength(4);
    const [fourth] = await askMany(agent, 3, 4);
    const isDigest = ({ title }: { title: string }) => title === "tester is waiting: 4 requests";
    const shown = await server.until((all) => all.length === 2 && all.some(isDigest));
    const digest = shown.find(isDigest);
    expect([...(digest?.actions.values() ?? [])]).toEqual(["Review", "Review"]);
    await askMany(agent, 4, 12);
    const grown = await server.until((all) => all.some(({ title }) => title === "tester is waiting: 12 requests"));
    expect(grown).toHaveLength(2);
    const [latest] = grown.filter(({ title }) => title.endsWith("12 requests"));
    if (latest === undefined || fourth === undefined) throw new Error("unreachable");
    expect(latest.id).toBe(digest?.id);
    await settle();
    server.press(latest, "Review");
    await sink.received(({ type }) => type === "action");
    expect(reviewed).toEqual([{ kind: "agent", agent_name: "tester" }]);
    await gate.operator.call("approvals.resolve", { token: tokenOf(fourth.decision), decision: "rejected" });
    await server.until((all) => all.some(({ title }) => title === "tester is waiting: 11 requests"));
    await agent.close();
    expect(await server.only()).toMatchObject({ title: "other: May I run?" });
  });

  it("what is dangerous is shown by itself, with Deny; quiet hours hold back the rest", async () => {
    const [from, to] = [-1, 1].map((hours) => localTime(Date.now() + hours * 3_600_000));
    const config = `[channels.desktop]\nquiet_hours = { from = "${from}", to = "${to}" }`;
    const { agent, server } = await desk({ config });
    await askMany(agent, 0, 3);
    await agent.ask({ executor: "shell_exec", args: { command: "rm -rf /srv/data" } });
    const one = await server.only();
    expect(one.body).toContain("rm -rf /srv/data");
    expect([...one.actions.values()]).toContain("Deny");
  });
});

describe.skipIf(skipped)("an agent that wants to connect", () => {
  it("and disconnects without an answer: its notification closes, too", async () => {
    const { gate, server } = await desk({ pairingCheckMs: 50 });
    const connection = await gate.connect();
    await connection.hello("new-agent");
    expect(await server.only()).toMatchObject({ title: "An agent wants to connect", body: "new-agent\nMetnos Gate" });
    await connection.close();
    await server.until((shown) => shown.length === 0);
    expect((await gate.operator.call("agents.list", {})).requests).toEqual([]);
  });

  it("is one notification with Review, which closes once it is paired", async () => {
    const { gate, server, sink, reviewed, settle } = await desk();
    for (const [name, title] of [
      ["new-agent", "An agent wants to connect"],
      ["second", "2 agents want to connect"],
    ] as const) {
      const connection = await gate.connect();
      await connection.hello(name);
      await server.only((one) => one.title === title);
    }
    const one = await server.only();
    expect(one.body).toBe("new-agent\nsecond\nMetnos Gate");
    expect([...one.actions.values()]).toEqual(["Review", "Review"]);
    await settle();
    server.press(one, "Review");
    await sink.received(({ type }) => type === "action");
    expect(reviewed).toEqual([{ kind: "pairing" }]);
    await gate.operator.call("agents.pair", { name: "new-agent", level: "ReadOnly" });
    await server.only(({ title, body }) => title === "An agent wants to connect" && body === "second\nMetnos Gate");
    await gate.operator.call("agents.pair", { name: "second", level: "ReadOnly" });
    await server.until((shown) => shown.length === 0);
  });
});

describe.skipIf(skipped)("a pause by the safety filter", () => {
  const CRITICAL = { goal_id: "g", description: "SECRET", priority: "normal", goal_type: "exfiltrate_data" };

  it("is shown at once, stays, leads to Safety, and closes when the gate is resumed", async () => {
    const { gate, agent, server, sink, reviewed, settle } = await desk();
    agent.send("goal.check", { id: "g", goal: CRITICAL });
    const one = await server.only();
    expect(one).toMatchObject({ title: "Every agent is paused", expireTimeout: 0 });
    expect(one.body).toContain("SR-007");
    expect(one.body).not.toContain("SECRET");
    await settle();
    server.press(one, "Review");
    await sink.received(({ type }) => type === "action");
    expect(reviewed).toEqual([{ kind: "safety" }]);
    await gate.operator.call("safety.resume", {});
    await server.until((shown) => shown.length === 0);
  });

  it("is still shown by the next start; a pause by the operator is not: they know", async () => {
    const first = await startGate();
    const agent = await first.agent();
    agent.send("goal.check", { id: "g", goal: CRITICAL });
    await agent.next("safety.verdict");
    await first.close();
    const { address } = await PrivateBus.start();
    const server = await NotificationServer.start(address);
    const sink = new ObservedSink(new FreedesktopSink(address, () => undefined));
    const gate = await startGate({ home: first.home, notifications: { sink: () => sink } });
    await server.only(({ title }) => title === "Every agent is paused");
    await gate.operator.call("safety.resume", {});
    await server.until((shown) => shown.length === 0);
    await gate.operator.call("safety.pause", {});
    await sink.settled();
    expect(server.calls).toHaveLength(1);
  });
});

describe.skipIf(skipped)("what the user chooses on a surface", () => {
  it("off closes every notification, on shows waiting requests again, and the language changes at once", async () => {
    const { address } = await PrivateBus.start();
    const server = await NotificationServer.start(address);
    const gate = await startGate({ notifications: { sink: () => new FreedesktopSink(address, () => undefined) } });
    await (await gate.agent()).ask(RUN);
    await server.only(({ title }) => title === "tester: May I run?");
    await gate.operator.call("settings.set", { key: "notifications.enabled", value: false });
    await server.until((shown) => shown.length === 0);
    expect(gate.gate.notifications.isOn).toBe(false);
    await gate.operator.call("settings.set", { key: "notifications.enabled", value: true });
    await server.only(({ title }) => title === "tester: May I run?");
    await gate.operator.call("settings.set", { key: "language", value: "it" });
    await server.only(({ title }) => title === "tester: Vuoi che esegua?");
  });
});
