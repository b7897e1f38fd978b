import { getEventListeners, once } from "node:events";
import { createConnection, createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { GateClient, type GateClientError, type GateClientOptions } from "../../ipc/client.ts";
import type { Decision } from "../../ipc/contract/decision.ts";
import { MAX_FRAME_BYTES } from "../../ipc/socket/frames.ts";
import { tokenOf } from "../support/agent-connection.ts";
import { HeldJudge, judgedBy } from "../support/judged-calls.ts";
import { type GateUnderTest, startGate } from "../support/running-gate.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { temporaryHome } from "../support/temporary-home.ts";

const WRITE = { intent: "keep notes", executor: "fs_write", args: { path: "/tmp/notes/a.txt", content: "hello" } };

function clientFor(gate: GateUnderTest, options: Partial<GateClientOptions> = {}): GateClient {
  const client = new GateClient({ name: "worker", socket: gate.paths.agent_socket, ...options });
  onTestFinished(() => client.close());
  return client;
}

async function paired(gate: GateUnderTest, options: Partial<GateClientOptions> = {}): Promise<GateClient> {
  await gate.operator.call("agents.pair", { name: "worker", level: "Supervised" });
  return clientFor(gate, { token: gate.token("worker"), ...options });
}

/** The next decision for which the operator is asked. */
function waiting(client: GateClient): Promise<Decision> {
  return new Promise((resolve) => client.once("waiting", resolve));
}

/** A socket that hands everything on to the gate's. `sent`: the types of what the client has sent on it. */
async function relayTo(gateSocket: string): Promise<{ socket: string; sent: () => string[] }> {
  const socket = join(tempFolder(), "relay.sock");
  let text = "";
  const relay = createServer((client) => {
    const gate = createConnection(gateSocket);
    client.on("data", (bytes) => {
      text += bytes.toString();
    });
    client.pipe(gate).pipe(client);
    for (const end of [client, gate]) end.on("error", () => end.destroy());
  });
  relay.listen(socket);
  onTestFinished(() => {
    relay.close();
  });
  await once(relay, "listening");
  return { socket, sent: () => [...text.matchAll(/^\{"type":"([^"]+)"/gm)].map(([, type = ""]) => type) };
}

function failure(promise: Promise<unknown>): Promise<GateClientError> {
  return promise.then(
    () => {
      throw new Error("this should have failed");
    },
    (error: GateClientError) => error,
  );
}

describe("GateClient", () => {
  it("gives an allowed call's decision, and the final one of a call that the operator is asked about", async () => {
    const gate = await startGate();
    const client = await paired(gate);
    expect(await client.call({ intent: "", executor: "time_now", args: {} })).toMatchObject({ outcome: "allowed" });
    const asked = waiting(client);
    const answer = client.call(WRITE);
    await gate.operator.call("approvals.resolve", { token: tokenOf(await asked), decision: "approved" });
    expect(await answer).toMatchObject({
      outcome: "allowed",
      status: "approved",
      reason: "approved once by the user",
    });
  });

  it("keeps many calls apart that wait at the same time", async () => {
    const gate = await startGate();
    const client = await paired(gate);
    const calls = Array.from({ length: 20 }, (_, number) =>
      client.call({ ...WRITE, args: { path: `/tmp/${number}.txt` } }),
    );
    await client.ping();
    const requests = await gate.operator.call("approvals.list", {});
    expect(requests).toHaveLength(20);
    for (const { token, target_summary } of requests) {
      const number = Number.parseInt(target_summary, 10);
      await gate.operator.call("approvals.resolve", { token, decision: number % 2 === 0 ? "approved" : "rejected" });
    }
    const outcomes = (await Promise.all(calls)).map(({ outcome }) => outcome);
    expect(outcomes).toEqual(Array.from({ length: 20 }, (_, number) => (number % 2 === 0 ? "allowed" : "denied")));
  });

  it("previews a plan, withdraws by token, reports outcomes and pings", async () => {
    const gate = await startGate();
    const client = await paired(gate);
    const plan = await client.plan("tidy up", [{ executor: "time_now", args: {} }, WRITE]);
    expect(plan.map(({ outcome }) => outcome)).toEqual(["allowed", "approval_required"]);
    const asked = waiting(client);
    const answer = client.call(WRITE);
    expect(await client.cancel(tokenOf(await asked), "not needed")).toMatchObject({ status: "cancelled" });
    expect(await answer).toMatchObject({ outcome: "denied", status: "cancelled" });
    await client.outcome((await client.call({ intent: "", executor: "time_now", args: {} })).decision_id, true);
    await client.ping();
  });

  it("waits for the operator to pair it, and reports that", async () => {
    const gate = await startGate();
    const client = clientFor(gate);
    const asked = new Promise<void>((resolve) => client.once("pairing", resolve));
    const ready = client.connect();
    await asked;
    await gate.operator.call("agents.pair", { name: "worker", level: "ReadOnly" });
    expect(await ready).toMatchObject({ level: "ReadOnly" });
  });

  it("takes its pairing request back when it is closed", async () => {
    const gate = await startGate();
    const client = clientFor(gate);
    const asked = gate.event(({ type }) => type === "pairing.requested");
    const ready = failure(client.connect());
    await asked;
    client.close();
    await ready;
    await gate.agent("other");
    expect((await gate.operator.call("agents.list", {})).requests).toEqual([]);
  });
});

describe("when the gate restarts while a call waits, the client comes back and asks again", () => {
  it("and gets the answer that is given after", async () => {
    const gate = await startGate();
    const client = await paired(gate);
    const asked = waiting(client);
    const answer = client.call(WRITE);
    const token = tokenOf(await asked);
    const askedAgain = waiting(client);
    await gate.close();
    const restarted = await startGate({ home: gate.home });
    expect(tokenOf(await askedAgain)).toBe(token);
    await restarted.operator.call("approvals.resolve", { token, decision: "approved" });
    expect(await answer).toMatchObject({ outcome: "allowed", status: "approved" });
  });

  it.each([
    ["approved", "allowed"],
    ["rejected", "denied"],
  ] as const)("and gets what was %s while it was away, exactly once", async (decision, outcome) => {
    const gate = await startGate();
    const client = await paired(gate);
    const asked = waiting(client);
    const answer = client.call(WRITE);
    const token = tokenOf(await asked);
    const away = new Promise<void>((resolve) => client.once("disconnected", resolve));
    await gate.close();
    await away;
    // Its socket is elsewhere meanwhile: the operator answers before the client finds the gate again.
    const elsewhere = { ...gate.home, env: { ...gate.home.env, METNOS_RUNTIME_DIR: `${gate.home.home}/elsewhere` } };
    const meanwhile = await startGate({ home: elsewhere });
    await meanwhile.operator.call("approvals.resolve", { token, decision });
    await meanwhile.close();
    const restarted = await startGate({ home: gate.home });
    expect(await answer).toMatchObject({ outcome, status: decision });

    const onceMore = waiting(client);
    const second = client.call(WRITE);
    const secondToken = tokenOf(await onceMore);
    expect(secondToken).not.toBe(token);
    await restarted.operator.call("approvals.resolve", { token: secondToken, decision: "rejected" });
    expect(await second).toMatchObject({ outcome: "denied", status: "rejected" });
  });

  it("but gives up after its time, and the next call tries anew", async () => {
    const gate = await startGate();
    const client = await paired(gate, { retryMs: 50 });
    const asked = waiting(client);
    const answer = failure(client.call(WRITE));
    await asked;
    await gate.close();
    expect(await answer).toMatchObject({ code: "not_running", hint: expect.stringContaining("metnos-gate start") });
    await startGate({ home: gate.home });
    expect(await client.call({ intent: "", executor: "time_now", args: {} })).toMatchObject({ outcome: "allowed" });
  });
});

describe("an AbortSignal withdraws the request", () => {
  it("while a judge looks at it: the review ends, and nobody is asked", async () => {
    const gate = await startGate();
    const judge = new HeldJudge();
    judgedBy(gate.gate.core, judge);
    const client = await paired(gate);
    const stop = new AbortController();
    const answer = failure(client.call(WRITE, { signal: stop.signal }));
    const review = await judge.reviewing(1);
    const ended = once(review.signal, "abort");
    stop.abort();
    expect(await answer).toMatchObject({ code: "withdrawn" });
    await ended;
    review.pass();
    await client.ping();
    expect(await gate.waiting()).toEqual([]);
  });

  it("while it waits for the operator: the card is removed", async () => {
    const gate = await startGate();
    const client = await paired(gate);
    const stop = new AbortController();
    const asked = waiting(client);
    const answer = failure(client.call(WRITE, { signal: stop.signal }));
    const token = tokenOf(await asked);
    const closed = gate.event(({ type }) => type === "approval.closed");
    stop.abort();
    expect(await answer).toMatchObject({ code: "withdrawn" });
    expect((await closed).data).toMatchObject({ token, status: "cancelled", message: "withdrawn by the agent" });
  });

  it("while no gate runs: the card is removed once one does, and the call is not asked again", async () => {
    const gate = await startGate();
    const client = await paired(gate);
    const stop = new AbortController();
    const asked = waiting(client);
    const answer = failure(client.call(WRITE, { signal: stop.signal }));
    const token = tokenOf(await asked);
    const away = new Promise<void>((resolve) => client.once("disconnected", resolve));
    await gate.close();
    await away;
    stop.abort();
    expect(await answer).toMatchObject({ code: "withdrawn" });
    const restarted = await startGate({ home: gate.home });
    await client.ping();
    expect(await restarted.operator.call("approvals.list", { include_resolved: true })).toMatchObject([
      { token, status: "cancelled", message: "withdrawn by the agent" },
    ]);
  });

  it("before the gate has answered at all", async () => {
    const gate = await startGate();
    const client = await paired(gate);
    await client.connect();
    const stop = new AbortController();
    const closed = gate.event(({ type }) => type === "approval.closed");
    const answer = failure(client.call(WRITE, { signal: stop.signal }));
    await Promise.resolve();
    stop.abort();
    expect(await answer).toMatchObject({ code: "withdrawn" });
    expect((await closed).data).toMatchObject({ status: "cancelled" });
    expect(await gate.waiting()).toEqual([]);
  });

  it("before it is connected, and before it is asked: no request is sent", async () => {
    const gate = await startGate();
    const client = await paired(gate);
    const stop = new AbortController();
    const answer = failure(client.call(WRITE, { signal: stop.signal }));
    stop.abort();
    expect(await answer).toMatchObject({ code: "withdrawn" });
    expect(await failure(client.call(WRITE, { signal: stop.signal }))).toMatchObject({ code: "withdrawn" });
    await client.ping();
    expect(await gate.operator.call("approvals.list", { include_resolved: true })).toEqual([]);
  });

  it("and nothing else: after the answer it sends nothing, and ignores the signal", async () => {
    const gate = await startGate();
    const { socket, sent } = await relayTo(gate.paths.agent_socket);
    const client = await paired(gate, { socket });
    const stop = new AbortController();
    const asked = waiting(client);
    const answer = client.call(WRITE, { signal: stop.signal });
    const token = tokenOf(await asked);
    await gate.operator.call("approvals.resolve", { token, decision: "approved" });
    expect(await answer).toMatchObject({ outcome: "allowed" });
    expect(getEventListeners(stop.signal, "abort")).toEqual([]);
    stop.abort();
    await client.ping();
    expect(sent()).toEqual(["hello", "tool.call", "ping"]);
    expect(await gate.request(token)).toMatchObject({ status: "approved" });
  });
});

describe("what the client refuses, it says with a code", () => {
  it("not_running where no gate listens", async () => {
    const { paths } = temporaryHome();
    const client = new GateClient({ name: "worker", socket: paths.agent_socket, retryMs: 0 });
    onTestFinished(() => client.close());
    expect(await failure(client.call(WRITE))).toMatchObject({ name: "GateClientError", code: "not_running" });
    expect(await failure(client.connect())).toMatchObject({
      code: "not_running",
      hint: expect.stringContaining("metnos-gate start"),
    });
  });

  it("bad_token where the token isn't its own", async () => {
    const gate = await startGate();
    await gate.operator.call("agents.pair", { name: "worker", level: "Full" });
    expect(await failure(clientFor(gate, { token: "0".repeat(64) }).call(WRITE))).toMatchObject({ code: "bad_token" });
  });

  it("frame_too_large and too_deep for arguments that no message can carry, and continues", async () => {
    const gate = await startGate();
    const client = await paired(gate);
    const tooLarge = client.call({ ...WRITE, args: { path: "/tmp/a", content: "x".repeat(1024 * 1024) } });
    expect(await failure(tooLarge)).toMatchObject({ code: "frame_too_large" });
    let value: unknown = 1;
    for (let depth = 0; depth < 70; depth++) value = { value };
    expect(await failure(client.call({ ...WRITE, args: { value } }))).toMatchObject({ code: "too_deep" });
    expect(await failure(client.call({ ...WRITE, executor: "no such name" }))).toMatchObject({
      code: "invalid_message",
    });
    expect(await client.call({ intent: "", executor: "time_now", args: {} })).toMatchObject({ outcome: "allowed" });
  });

  it("closed after it was closed, for waiting calls too; the gate withdraws them", async () => {
    const gate = await startGate();
    const client = await paired(gate);
    const asked = waiting(client);
    const answer = failure(client.call(WRITE));
    await asked;
    const closed = gate.event(({ type }) => type === "approval.closed");
    client.close();
    expect(await answer).toMatchObject({ code: "closed" });
    expect((await closed).data).toMatchObject({ status: "cancelled" });
    expect(await failure(client.call(WRITE))).toMatchObject({ code: "closed" });
  });

  it("bad_token for waiting calls when the pairing is revoked, after the refusal itself", async () => {
    const gate = await startGate();
    const client = await paired(gate);
    const asked = waiting(client);
    const answer = client.call(WRITE);
    await asked;
    await gate.operator.call("agents.revoke", { name: "worker" });
    expect(await answer).toMatchObject({ outcome: "denied", status: "cancelled" });
    expect(await failure(client.call(WRITE))).toMatchObject({ code: "bad_token" });
  });
});

it("an answer may be longer than a call may be: the client reads it whole", async () => {
  const gate = await startGate();
  const client = await paired(gate);
  const asked = waiting(client);
  const command = `echo ${"x".repeat(MAX_FRAME_BYTES - 400)}`;
  // The client's own PATH would be sent as well.
  const answer = client.call({ intent: "", executor: "shell_exec", args: { command }, context: { path: "/usr/bin" } });
  const decision = await asked;
  expect(JSON.stringify(decision).length).toBeGreaterThan(MAX_FRAME_BYTES);
  await gate.operator.call("approvals.resolve", { token: tokenOf(decision), decision: "rejected" });
  expect(await answer).toMatchObject({ outcome: "denied", status: "rejected" });
});
