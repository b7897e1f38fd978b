import { mkdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { agentTokenFile } from "../../ipc/base/paths.ts";
import { OperatorClient } from "../../ipc/socket/operator-client.ts";
import { monthFile } from "../../main/records/audit/chain.ts";
import { verifyAudit } from "../../main/records/audit/verify.ts";
import { knownKeys } from "../../main/records/receipts/receipt-keys.ts";
import { statementOfLine } from "../../main/records/receipts/receipt-line.ts";
import { verifyFolder } from "../../main/records/receipts/verify.ts";
import { AgentConnection, tokenOf } from "../support/agent-connection.ts";
import { type StartedProcess, startServe } from "../support/gate-process.ts";
import { readToken, startGate } from "../support/running-gate.ts";
import { type SmallDisk, smallDisk, takeRoom } from "../support/small-disk.ts";
import { type TemporaryHome, temporaryHome } from "../support/temporary-home.ts";

const READ = { executor: "time_now", args: {} };
const WRITE = { executor: "fs_write", args: { path: "/tmp/notes/a.txt", content: "hello" } };

const monthOf = ({ paths }: TemporaryHome) => join(paths.auditDir, monthFile(Date.now()));

interface Served {
  disk: SmallDisk;
  home: TemporaryHome;
  serve: StartedProcess;
  operator: OperatorClient;
  agent: AgentConnection;
}

async function connected(home: TemporaryHome): Promise<Pick<Served, "operator" | "agent">> {
  const operator = await OperatorClient.connect(home.paths.operator_socket, home.paths.operatorToken);
  onTestFinished(() => operator.close());
  const { agents } = await operator.call("agents.list", {});
  if (agents.length === 0) await operator.call("agents.pair", { name: "worker", level: "Full" });
  const agent = await AgentConnection.open(home.paths.agent_socket);
  onTestFinished(() => agent.close());
  await agent.hello("worker", { token: readToken(agentTokenFile(home.paths, "worker")), session: "s" });
  return { operator, agent };
}

/** A gate on a separate small disk, once it has put its room aside; undefined where there can be none. */
async function servedOnSmallDisk(): Promise<Served | undefined> {
  const disk = smallDisk(16);
  if (disk === undefined) return undefined;
  const home = temporaryHome(undefined, disk.folder);
  const serve = await startServe(home);
  const clients = await connected(home);
  await clients.agent.ask(READ);
  const held = [home.paths.auditReserve, home.paths.stateReserve];
  await expect.poll(() => held.map((file) => statSync(file).size)).toEqual([1_048_576, 524_288]);
  await takeRoom(monthOf(home));
  return { disk, home, serve, ...clients };
}

/** The same in this process. */
async function gateOnSmallDisk(config?: string) {
  const disk = smallDisk(16);
  if (disk === undefined) return undefined;
  const home = temporaryHome(config, disk.folder);
  const gate = await startGate({ home });
  const agent = await gate.agent("worker", "Full");
  await agent.ask(READ);
  gate.gate.core.audit.tend();
  await takeRoom(monthOf(home));
  return { disk, agent, operator: gate.operator };
}

/** Fills the room again and again, and calls, until that is so. The last page of a file has room for some lines. */
async function calledUntil(
  { disk, agent }: Pick<Served, "disk" | "agent">,
  isOver: (outcome: string) => boolean | Promise<boolean>,
) {
  for (let call = 0; call < 100; call++) {
    disk.fill();
    if (await isOver((await agent.ask(WRITE)).decision.outcome)) return;
  }
  throw new Error("the disk doesn't get full");
}

/** Until no line can be written any more, also on what was kept aside. */
const exhaust = (served: Pick<Served, "disk" | "agent">) => calledUntil(served, (outcome) => outcome === "denied");

async function killed({ serve, agent, operator }: Served): Promise<void> {
  await serve.end("SIGKILL");
  await agent.closed;
  await operator.close();
}

describe("a full disk", () => {
  it("denies what changes something, allows what only reads, and reports it; the loss outlives a kill", async () => {
    const served = await servedOnSmallDisk();
    if (served === undefined) return;
    const { disk, home, operator, agent } = served;
    const { paths } = home;
    expect((await agent.ask(WRITE)).decision.outcome).toBe("allowed");
    await calledUntil(served, async (outcome) => {
      expect(outcome).toBe("allowed");
      // What is written or looked at by the clock (checkpoints, databases, the disk's room) may meet the full disk first.
      return (await operator.call("status", {})).alarms.some(({ code }) => code === "trail_unwritable");
    });
    const { alarms: reported } = await operator.call("status", {});
    expect(reported.filter(({ code }) => code === "trail_unwritable")).toMatchObject([
      {
        code: "trail_unwritable",
        subject: paths.auditDir,
        message: expect.stringContaining("last space that was reserved"),
      },
    ]);
    await exhaust(served);
    expect((await agent.ask(WRITE)).decision).toMatchObject({
      outcome: "denied",
      stage: "safety",
      reason: "the audit trail can't be written: the disk is full (ENOSPC)",
      explain: { instead: expect.stringContaining("inform the user") },
    });
    expect((await agent.ask(READ)).decision.outcome).toBe("allowed");
    const alarms = new Map((await operator.call("status", {})).alarms.map(({ code, message }) => [code, message]));
    expect(alarms.get("trail_unwritable")).toContain("the disk is full (ENOSPC)");
    expect(alarms.get("trail_lost")).toContain("ENOSPC");
    await killed(served);

    expect(await verifyAudit(paths.auditDir, paths.auditHead)).toMatchObject({
      ok: false,
      // The last page of the trail's file may have had room for the line that says so.
      problems: [
        {
          file: expect.stringMatching(/^(?:audit-head|\d{4}-\d\d\.jsonl)$/),
          kind: "lost",
          problem: expect.stringMatching(/\(ENOSPC\)(?:; the trail doesn't say|$)/),
        },
      ],
    });
    disk.empty();
    await startServe(home);
    const again = await connected(home);
    expect((await again.agent.ask(WRITE)).decision.outcome).toBe("allowed");
    const report = await again.operator.call("audit.verify", {});
    expect(report).toMatchObject({ ok: false, problems: [{ kind: "lost", accepted: null }] });
    expect(report.problems[0]?.file).toMatch(/^\d{4}-\d\d\.jsonl$/);
    expect((await again.operator.call("status", {})).alarms).toMatchObject([{ code: "trail_lost" }]);
    await again.operator.call("audit.accept", { reason: "the disk was full" });
    expect((await again.operator.call("status", {})).alarms).toEqual([]);
    expect(await again.operator.call("audit.verify", {})).toMatchObject({ ok: true });
  });

  it("once there is room again the gate continues by itself, with the loss in the trail", async () => {
    const small = await gateOnSmallDisk();
    if (small === undefined) return;
    const { disk, operator, agent } = small;
    await exhaust(small);
    disk.empty();
    expect((await agent.ask(WRITE)).decision.outcome).toBe("allowed");
    const events = (await operator.call("audit.tail", { lines: 2 })).map(({ event }) => event);
    expect(events).toEqual(["audit.lost", "decision"]);
    const codes = (await operator.call("status", {})).alarms.map(({ code }) => code);
    expect(codes).toContain("trail_lost");
  });

  it("with on_failure allow nothing is denied for it, and what is lost is counted", async () => {
    const small = await gateOnSmallDisk('[audit]\non_failure = "allow"\n');
    if (small === undefined) return;
    await calledUntil(small, async (outcome) => {
      expect(outcome).toBe("allowed");
      return (await small.operator.call("status", {})).audit_write_failures > 2;
    });
  });

  it("pauses and remembers an answer on the room kept aside", async () => {
    const served = await servedOnSmallDisk();
    if (served === undefined) return;
    const { disk, home, operator, agent } = served;
    await operator.call("agents.level", { name: "worker", level: "Supervised" });
    const asked = await agent.ask(WRITE);
    disk.fill();
    const answer = { token: tokenOf(asked.decision), decision: "approved", scope: "permanent" } as const;
    const answered = await operator.call("approvals.resolve", answer);
    expect([answered.status, answered.note]).toEqual(["approved", undefined]);
    const pause = await operator.call("safety.pause", { reason: "stop" });
    expect([pause.is_paused, pause.note]).toEqual([true, undefined]);
    disk.fill();
    await expect(operator.call("settings.set", { key: "language", value: "it" })).rejects.toMatchObject({
      message: expect.stringContaining("the disk is full"),
    });
    await killed(served);
    disk.empty();
    await startServe(home);
    const again = await connected(home);
    expect((await again.operator.call("safety.status", {})).pause).toMatchObject({ is_paused: true, reason: "stop" });
    expect(await again.operator.call("grants.list", {})).toMatchObject([{ capability: "fs:write" }]);
  });

  it("loses or delays no answer for its receipt or a checkpoint: both are made once there is room", async () => {
    const disk = smallDisk(1);
    if (disk === undefined) return;
    const home = temporaryHome();
    const { receiptsDir, checkpointsDir } = home.paths;
    mkdirSync(dirname(receiptsDir), { recursive: true });
    for (const folder of [receiptsDir, checkpointsDir]) {
      const there = join(disk.folder, basename(folder));
      mkdirSync(there);
      symlinkSync(there, folder);
    }
    const gate = await startGate({ home });
    const { alarms, checkpoints, receipts } = gate.gate.core;
    const agent = await gate.agent("worker");
    const token = tokenOf((await agent.ask(WRITE)).decision);
    disk.fill();
    await gate.operator.call("approvals.resolve", { token, decision: "approved" });
    expect((await agent.next(({ data }) => data.status === "approved")).data).toMatchObject({ outcome: "allowed" });
    receipts.makeAll();
    checkpoints.signNow();
    expect(new Map(alarms.list().map(({ code, message }) => [code, message]))).toEqual(
      new Map([
        ["receipts_unwritable", expect.stringContaining("the disk is full")],
        ["checkpoint_unwritable", expect.stringContaining("ENOSPC")],
      ]),
    );
    disk.empty();
    receipts.makeAll();
    checkpoints.signNow();
    expect(alarms.list()).toEqual([]);
    const made = readFileSync(join(receiptsDir, monthFile(Date.now())), "utf8")
      .split("\n")
      .slice(0, -1);
    expect(made.map((line) => statementOfLine(line)?.predicate.event)).toEqual([`answer:${token}`]);
    expect(verifyFolder(receiptsDir, knownKeys(receiptsDir), 1)).toMatchObject({ ok: true, receipts: 1 });
    const { text } = await gate.operator.call("audit.checkpoint", {});
    expect(await gate.operator.call("audit.verify", { against: text ?? "" })).toMatchObject({ ok: true });
  });
});
