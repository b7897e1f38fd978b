import {
  copyFileSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { monthFile } from "../../../main/records/audit/chain.ts";
import { type GateUnderTest, startGate } from "../../support/running-gate.ts";

const DATABASES = ["grants_db", "approvals_db", "agents_db", "safety_db"] as const;
type Database = (typeof DATABASES)[number];

const ACTS: Record<Database, (gate: GateUnderTest) => Promise<unknown>> = {
  grants_db: (gate) => gate.operator.call("grants.add", { capability: "mail:read", target: "inbox" }),
  approvals_db: async (gate) => {
    const [token = ""] = await gate.waiting();
    return gate.operator.call("approvals.resolve", { token, decision: "approved" });
  },
  agents_db: (gate) => gate.operator.call("agents.pair", { name: "newcomer", level: "Full" }),
  safety_db: (gate) => gate.operator.call("safety.pause", {}),
};

const LOSSES: Record<string, (file: string) => void> = {
  deleted: (file) => rmSync(file),
  "deleted with all that is beside it": (file) => {
    for (const end of ["", "-wal", "-shm", ".lock"]) rmSync(`${file}${end}`);
  },
  moved: (file) => renameSync(file, `${file}.old`),
  "replaced by a copy": (file) => {
    copyFileSync(file, `${file}.new`);
    renameSync(`${file}.new`, file);
  },
  emptied: (file) => truncateSync(file, 0),
};

const asked = async (gate: GateUnderTest) => {
  const agent = await gate.agent();
  await agent.ask({ executor: "fs_write", args: { path: "/srv/a.txt", content: "" } });
  return agent;
};

describe("a database of a running gate", () => {
  for (const name of DATABASES) {
    it.each(Object.entries(LOSSES))(
      `${name} is %s: nothing is acknowledged that was written into it`,
      async (_, lose) => {
        const gate = await startGate();
        await asked(gate);
        const file = gate.paths[name];
        lose(file);
        // At once: before the next check is due.
        await expect(ACTS[name](gate)).rejects.toMatchObject({
          code: "database_unusable",
          message: expect.stringContaining(file),
          hint: expect.stringContaining("backup"),
        });
        expect(await gate.gate.ended).toMatchObject({ code: "database_unusable" });
      },
    );
  }

  it("is lost before the operator answers: no agent is allowed", async () => {
    const gate = await startGate();
    const agent = await asked(gate);
    rmSync(gate.paths.approvals_db);
    await expect(ACTS.approvals_db(gate)).rejects.toMatchObject({ code: "database_unusable" });
    await agent.closed;
    expect(agent.unread.map(({ type, data }) => [type, data.code ?? data.outcome])).toEqual([["error", "closing"]]);
  });

  it("is lost while an act writes to it: the act is not acknowledged", async () => {
    const gate = await startGate();
    gate.operator.subscribe(() => rmSync(gate.paths.grants_db), ["grants.changed"]);
    await expect(ACTS.grants_db(gate)).rejects.toMatchObject({ code: "database_unusable" });
  });

  it("is lost: within two seconds every surface and agent knows, nothing is decided, and the gate has to end", async () => {
    const gate = await startGate();
    const agent = await asked(gate);
    const file = gate.paths.grants_db;
    const alarmed = gate.event(({ type }) => type === "alarms.changed");
    const began = performance.now();
    rmSync(file);
    const reason = expect.stringContaining(`${file} was removed or moved`);
    expect(await agent.next("error")).toMatchObject({ data: { code: "closing", message: reason } });
    expect(performance.now() - began).toBeLessThan(2000);
    expect(await alarmed).toMatchObject({ data: [{ code: "database_unusable", message: reason }] });
    const { alarms } = await gate.operator.call("status", {});
    expect(alarms).toMatchObject([{ code: "database_unusable", message: reason }]);
    await agent.closed;
    const later = await gate.connect();
    expect((await later.hello("tester", { token: gate.token("tester") })).type).toBe("hello.ok");
    expect((await later.ask({ executor: "time_now", args: {} })).decision).toMatchObject({
      outcome: "denied",
      stage: "safety",
      reason,
    });
    expect(gate.log.join("\n")).toContain(file);
    await gate.close();
    const trail = readFileSync(join(gate.paths.auditDir, monthFile(Date.now())), "utf8");
    expect(trail).toMatch(/"event":"database.lost"/);
    expect(existsSync(file)).toBe(false);
    await expect(startGate({ home: gate.home })).rejects.toMatchObject({ code: "database_missing" });
  });

  it("whose write-ahead log is deleted is a loss, too, and is whole again once the gate has ended", async () => {
    const gate = await startGate();
    await gate.operator.call("grants.add", { capability: "mail:read", target: "inbox" });
    rmSync(`${gate.paths.grants_db}-wal`);
    expect(await gate.gate.ended).toMatchObject({ message: expect.stringContaining("grants.db-wal") });
    await gate.close();
    const again = await startGate({ home: gate.home });
    expect(await again.operator.call("grants.list", {})).toMatchObject([{ target: "inbox" }]);
  });

  it("with damaged pages is named by an alarm once that comes up, and the act is refused", async () => {
    const gate = await startGate();
    const { grants, storage } = gate.gate.core;
    const { db } = storage.opened.databases.grants;
    const holder = { channel: "local", sender_id: "x", capability: "mail:read" } as const;
    db.transaction(() => {
      for (let index = 0; index < 300; index++) grants.recordGrant({ ...holder, target: `folder-${index}` });
    })();
    db.pragma("wal_checkpoint(TRUNCATE)");
    const file = gate.paths.grants_db;
    const bytes = readFileSync(file);
    bytes.fill(0xa5, 4096);
    writeFileSync(file, bytes);
    db.pragma("shrink_memory");
    const alarmed = gate.event(({ type }) => type === "alarms.changed");
    await expect(gate.operator.call("grants.search", { text: "folder-1" })).rejects.toMatchObject({
      code: "storage_failed",
    });
    expect(await alarmed).toMatchObject({
      data: [
        {
          code: "database_unusable",
          subject: file,
          message: `the grants database ${file} is damaged or not a database`,
        },
      ],
    });
  });

  it("that only counts doesn't keep the agents from being listed when it fails, and is named", async () => {
    const gate = await startGate();
    await gate.agent();
    gate.gate.core.storage.opened.activity.db.exec("DROP TABLE minutes");
    const { agents } = await gate.operator.call("agents.list", {});
    expect(agents).toMatchObject([{ name: "tester", calls_today: 0 }]);
    expect(gate.log.join("\n")).toContain("error in counting calls: SqliteError");
  });

  it("that only counts is no reason to end", async () => {
    const gate = await startGate();
    const agent = await gate.agent();
    rmSync(gate.paths.activity_db);
    expect(gate.gate.core.storage.watch.look()).toBeUndefined();
    expect((await agent.ask({ executor: "time_now", args: {} })).decision.outcome).toBe("allowed");
  });

  it("of another gate that took its place is not touched by the one that ends", async () => {
    const gate = await startGate();
    const file = gate.paths.grants_db;
    for (const end of ["", "-wal", "-shm"]) {
      copyFileSync(`${file}${end}`, `${file}${end}.new`);
      renameSync(`${file}${end}.new`, `${file}${end}`);
    }
    const before = ["", "-wal", "-shm"].map((end) => statSync(`${file}${end}`).ino);
    expect((await gate.gate.ended).code).toBe("database_unusable");
    await gate.close();
    expect(["", "-wal", "-shm"].map((end) => statSync(`${file}${end}`).ino)).toEqual(before);
  });
});
