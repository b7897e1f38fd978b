import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { agentTokenFile } from "../../ipc/base/paths.ts";
import type { OperatorClient } from "../../ipc/socket/operator-client.ts";
import { AgentConnection, tokenOf } from "../support/agent-connection.ts";
import { startServe } from "../support/gate-process.ts";
import { readToken } from "../support/running-gate.ts";
import { operatorOf, pairedAgent } from "../support/served-agent.ts";
import { type TemporaryHome, temporaryHome } from "../support/temporary-home.ts";

const write = (name: string) => ({ executor: "fs_write", args: { path: `/tmp/notes/${name}.txt`, content: "hello" } });

async function served() {
  const home = temporaryHome();
  const serve = await startServe(home);
  const operator = await operatorOf(home);
  const agent = await pairedAgent(home, operator, "worker", "Supervised");
  return { home, serve, operator, agent };
}

/** What another program does to a database of the running gate. */
function alter(file: string, sql: string): void {
  const db = new Database(file);
  db.exec(sql);
  db.close();
}

function trailOf({ paths }: TemporaryHome): Record<string, unknown>[] {
  return readdirSync(paths.auditDir)
    .flatMap((name) => readFileSync(join(paths.auditDir, name), "utf8").trimEnd().split("\n"))
    .map((line) => JSON.parse(line));
}

/** Fails after a while: a missing answer must not hang the run. */
async function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing came within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

const approve = (operator: OperatorClient, token: string) =>
  operator.call("approvals.resolve", { token, decision: "approved" });

describe("an answer that is stored reaches the agent that waits", () => {
  it("though that it was delivered can't be noted", async () => {
    const { home, operator, agent } = await served();
    const asked = await agent.ask(write("a"));
    alter(
      home.paths.approvals_db,
      "CREATE TRIGGER refuses BEFORE UPDATE OF delivered_at ON pending BEGIN SELECT RAISE(ABORT, 'refused'); END",
    );
    const closed = await approve(operator, tokenOf(asked.decision));
    expect(closed.status).toBe("approved");
    expect((await within(3000, asked.final())).outcome).toBe("allowed");
  });

  it("as a denial where what the call needs can't be read any more", async () => {
    const { home, operator, agent } = await served();
    const asked = await agent.ask(write("a"));
    alter(home.paths.grants_db, "ALTER TABLE grants RENAME TO elsewhere");
    await approve(operator, tokenOf(asked.decision)).catch(() => undefined);
    expect((await within(3000, asked.final())).outcome).toBe("denied");
  });
});

describe("a pause", () => {
  it("is sent to agents and in the trail though waiting requests can't be withdrawn", async () => {
    const { home, operator, agent } = await served();
    alter(home.paths.approvals_db, "ALTER TABLE pending RENAME TO elsewhere");
    const pause = await operator.call("safety.pause", {});
    expect(pause).toMatchObject({ is_paused: true });
    expect(pause).not.toHaveProperty("note");
    await within(3000, agent.next("safety.paused"));
    expect(trailOf(home).map(({ event }) => event)).toContain("paused");
  });

  it("withdraws waiting requests once that can be written, and until then none of them can be approved", async () => {
    const { home, operator, agent } = await served();
    const asked = [await agent.ask(write("a")), await agent.ask(write("b"))];
    alter(
      home.paths.approvals_db,
      "CREATE TRIGGER refuses BEFORE UPDATE OF status ON pending WHEN NEW.status = 'cancelled' BEGIN SELECT RAISE(ABORT, 'refused'); END",
    );
    await operator.call("safety.pause", {});
    await operator.call("safety.resume", {});
    const [first] = asked;
    if (first === undefined) throw new Error("two were asked");
    await expect(approve(operator, tokenOf(first.decision))).rejects.toThrow();
    alter(home.paths.approvals_db, "DROP TRIGGER refuses");
    const finals = await within(5000, Promise.all(asked.map(({ final }) => final())));
    expect(finals.map(({ outcome, status }) => [outcome, status])).toEqual(Array(2).fill(["denied", "cancelled"]));
  });
});

describe("a revocation that can't be written", () => {
  it("has changed nothing, can be tried again, and then outlives the gate", async () => {
    const { home, serve, operator, agent } = await served();
    const token = readToken(agentTokenFile(home.paths, "worker"));
    alter(
      home.paths.agents_db,
      "CREATE TRIGGER refuses BEFORE UPDATE OF revoked_at ON agents BEGIN SELECT RAISE(ABORT, 'refused'); END",
    );
    await expect(operator.call("agents.revoke", { name: "worker" })).rejects.toThrow();
    const { agents } = await operator.call("agents.list", {});
    expect(agents.map(({ name, revoked_at }) => [name, revoked_at])).toEqual([["worker", null]]);
    alter(home.paths.agents_db, "DROP TRIGGER refuses");
    await operator.call("agents.revoke", { name: "worker" });
    await within(3000, agent.closed);
    await serve.end("SIGKILL");
    await startServe(home);
    const back = await AgentConnection.open(home.paths.agent_socket);
    expect((await back.hello("worker", { token })).data.code).toBe("bad_token");
    await back.close();
  });

  it("of the agent's grants leaves it without its connection, and is in the trail", async () => {
    const { home, operator, agent } = await served();
    alter(
      home.paths.grants_db,
      "CREATE TRIGGER refuses BEFORE UPDATE ON grants BEGIN SELECT RAISE(ABORT, 'refused'); END",
    );
    await operator.call("grants.add", {
      agent: "worker",
      capability: "fs:write",
      target: "/tmp/notes/**",
    });
    await expect(operator.call("agents.revoke", { name: "worker" })).rejects.toThrow();
    await within(3000, agent.closed);
    expect(trailOf(home).map(({ event }) => event)).toContain("agent.revoked");
  });
});

describe("an answer that is given while the gate ends", () => {
  it("is worth one call to the agent that comes back with it", async () => {
    const { home, serve, operator, agent } = await served();
    const session = { context: { session: "mine" } };
    const asked = await agent.ask({ ...write("a"), ...session });
    // A client that doesn't read keeps the gate from ending at once.
    const slow = await AgentConnection.open(home.paths.agent_socket);
    await slow.hello("worker", { token: readToken(agentTokenFile(home.paths, "worker")) });
    slow.socket.pause();
    const long = { executor: "fs_read", args: { path: `/root/.ssh/${"x".repeat(3000)}` } };
    for (let call = 0; call < 2000; call++) slow.send("tool.call", { id: `${call}`, intent: "", ...long });
    await agent.ping();
    // Until it has decided on all that it takes from such a client.
    let denied = 0;
    const more = async () => {
      const before = denied;
      denied = (await operator.call("status", {})).decisions.denied;
      return denied - before;
    };
    await more();
    await expect.poll(more, { interval: 500, timeout: 30_000 }).toBe(0);
    expect(denied).toBeGreaterThan(100);
    const ended = serve.end("SIGTERM");
    await within(3000, agent.closed);
    expect((await approve(operator, tokenOf(asked.decision))).status).toBe("approved");
    await ended;
    await slow.close();
    await startServe(home);
    const back = await AgentConnection.open(home.paths.agent_socket);
    await back.hello("worker", { token: readToken(agentTokenFile(home.paths, "worker")) });
    expect((await back.ask({ ...write("a"), ...session })).decision.outcome).toBe("allowed");
    expect((await back.ask({ ...write("a"), ...session })).decision.outcome).toBe("approval_required");
    await back.close();
  });
});

describe("a database that another program keeps locked", () => {
  it("blocks no client for long: calls that need it are denied, others are answered, and it continues once it is free", async () => {
    const { home, operator, agent } = await served();
    const other = await pairedAgent(home, operator, "bystander", "Supervised");
    const holder = new Database(home.paths.approvals_db);
    holder.exec("BEGIN IMMEDIATE");
    const asked = agent.ask(write("a")).then(
      ({ decision }) => decision.outcome,
      (error: unknown) => String(error),
    );
    const began = performance.now();
    const { decision } = await other.ask({ executor: "time_now" });
    expect(decision.outcome).toBe("allowed");
    expect(performance.now() - began).toBeLessThan(2500);
    expect(await within(3000, asked)).toContain("take it as a no");
    holder.exec("ROLLBACK");
    holder.close();
    expect((await agent.ask(write("b"))).decision.outcome).toBe("approval_required");
  });
});
