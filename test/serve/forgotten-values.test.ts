import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { systemClock } from "../../main/base/clocks/system-clock.ts";
import { openDatabase } from "../../main/base/sqlite/database.ts";
import { ApprovalRegistry } from "../../main/calls/approvals/registry.ts";
import { APPROVALS_SCHEMA } from "../../main/calls/approvals/schema.ts";
import { tokenOf } from "../support/agent-connection.ts";
import { startServe } from "../support/gate-process.ts";
import { extraOf, pendingOf, ROBERTO } from "../support/gate-stores.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { least } from "../support/measured.ts";
import { startGate } from "../support/running-gate.ts";
import { operatorOf, pairedAgent } from "../support/served-agent.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { temporaryHome } from "../support/temporary-home.ts";

const SECRET = "S3CRET-4711";

/** The files of approvals.db that hold `text`: the database, its log and its index. */
function holding(file: string, text: string): string[] {
  const folder = join(file, "..");
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .filter((path) => path.startsWith(file) && readFileSync(path).includes(text));
}

const write = (name: string) => ({
  executor: "Write",
  intent: `keep ${SECRET} for later`,
  args: { file_path: `/srv/notes/${name}`, content: `token=${SECRET}\n`.repeat(900) },
});
const COMMAND = {
  executor: "Bash",
  intent: `deploy with ${SECRET}`,
  args: { command: `deploy --token=${SECRET} > /srv/out/${SECRET}.log` },
  context: { cwd: "/srv/project" },
};

describe("what a request held", () => {
  it("is in no byte of approvals.db once it was answered, withdrawn or expired and the gate has stopped", async () => {
    const clock = new ManualClock();
    const gate = await startGate({ now: clock.now });
    const agent = await gate.agent();
    const [approved, rejected, withdrawn, expired] = [
      await agent.ask(write("a.txt")),
      await agent.ask(COMMAND),
      await agent.ask(write("b.txt")),
      await agent.ask(write("c.txt")),
    ];
    expect(holding(gate.paths.approvals_db, SECRET)).not.toEqual([]);
    const yes = { token: tokenOf(approved.decision), decision: "approved", scope: "permanent" } as const;
    await gate.operator.call("approvals.resolve", yes);
    await gate.operator.call("approvals.resolve", { token: tokenOf(rejected.decision), decision: "rejected" });
    agent.send("tool.cancel", { id: "c", token: tokenOf(withdrawn.decision), reason: `no ${SECRET} any more` });
    await withdrawn.final();
    clock.advance(601);
    await gate.operator.call("approvals.cleanup", {});
    expect((await expired.final()).status).toBe("expired");
    const { approvals } = await gate.operator.call("approvals.history", {});
    expect(approvals.map(({ status, target_summary }) => [status, target_summary]).toSorted()).toEqual([
      ["approved", "a.txt -> /srv/notes/ (~16.2 kB)"],
      ["cancelled", "b.txt -> /srv/notes/ (~16.2 kB)"],
      ["expired", "c.txt -> /srv/notes/ (~16.2 kB)"],
      ["rejected", "(in /srv/project)"],
    ]);
    expect(JSON.stringify(approvals)).not.toContain(SECRET);
    await gate.close();
    expect(holding(gate.paths.approvals_db, SECRET)).toEqual([]);
  });

  it("is neither in the capability's class nor in the executor's name that are kept: addresses, trees of a command line, odd names", async () => {
    const gate = await startGate();
    const agent = await gate.agent();
    const end = async (call: Parameters<typeof agent.ask>[0]) => {
      const { decision } = await agent.ask(call);
      await gate.operator.call("approvals.resolve", { token: tokenOf(decision), decision: "approved" });
      const { approvals } = await gate.operator.call("approvals.history", { token: tokenOf(decision) });
      return approvals[0];
    };
    const mail = (to: string) => ({ executor: "mail_send", args: { to, subject: "x", body: "y" } });
    const first = await end(mail(`${SECRET}@example.org`));
    const other = await end(mail(`other-${SECRET}@example.org`));
    const again = await end(mail(`${SECRET}@example.org`));
    expect(first?.capability_class).toMatch(/^mail_send:[0-9a-f]{12}$/);
    expect(other?.capability_class).not.toBe(first?.capability_class);
    expect([again?.capability_class, again?.recurrence_count]).toEqual([first?.capability_class, 1]);
    const tree = await end({
      executor: "Bash",
      args: { command: `grep -r token /srv/${SECRET}` },
      context: { cwd: "/srv/project" },
    });
    expect(tree).toMatchObject({
      capability_class: expect.stringContaining("fs_read:/srv/*/**"),
      capabilities: expect.arrayContaining([{ capability: "fs:read", target: "/srv/**" }]),
    });
    const name = `tool_${SECRET}_${"x".repeat(64)}`;
    const odd = await end({ executor: name, args: {} });
    expect(odd).toMatchObject({ executor: `(unnamed:${name.length})`, target_summary: `(unnamed:${name.length})` });
    expect(await end({ executor: "plain_name", args: {} })).toMatchObject({ executor: "plain_name" });
    await gate.close();
    expect(holding(gate.paths.approvals_db, SECRET)).toEqual([]);
  });

  it("is erased also while the gate runs, within seconds of the end", async () => {
    const gate = await startGate();
    const agent = await gate.agent();
    const { decision } = await agent.ask(COMMAND);
    await gate.operator.call("approvals.resolve", { token: tokenOf(decision), decision: "rejected" });
    await expect.poll(() => holding(gate.paths.approvals_db, SECRET)).toEqual([]);
  });

  it("is erased after kill -9 and the next start, of ended requests; waiting ones are still there", async () => {
    const home = temporaryHome();
    const serve = await startServe(home);
    const operator = await operatorOf(home);
    const agent = await pairedAgent(home, operator, "worker", "Supervised");
    const { decision } = await agent.ask(COMMAND);
    const waiting = await agent.ask({
      ...write("a.txt"),
      intent: "",
      args: { file_path: "/srv/W41T1NG", content: "" },
    });
    await operator.call("approvals.resolve", { token: tokenOf(decision), decision: "rejected" });
    serve.child.kill("SIGKILL");
    await serve.exited;
    expect(holding(home.paths.approvals_db, SECRET)).not.toEqual([]);
    const gate = await startGate({ home });
    expect(holding(home.paths.approvals_db, SECRET)).toEqual([]);
    expect(await gate.request(tokenOf(waiting.decision))).toMatchObject({ args: { file_path: "/srv/W41T1NG" } });
  });

  it("is erased also where an earlier version had kept it, in rows and in what it had deleted", () => {
    const file = join(tempFolder(), "approvals.db");
    const earlier = new Database(file);
    earlier.pragma("journal_mode = WAL");
    for (const step of APPROVALS_SCHEMA.migrations.slice(0, 2)) step(earlier);
    earlier.pragma("user_version = 2");
    const insert = earlier.prepare(
      `INSERT INTO pending (token, channel, sender_id, capability_class, action_verb, target_summary, created_at, expires_at, status, request_extra)
       VALUES (?, 'local', 'roberto', 'code_exec', 'run', ?, '2026-05-04T09:59:00Z', '2026-05-04T10:09:00Z', ?, ?)`,
    );
    const extra = extraOf({ intent: SECRET, args: { command: SECRET.repeat(1000) } });
    for (let row = 0; row < 30; row++) {
      insert.run(`old-${row}`, `deploy ${SECRET}`, row % 2 === 0 ? "approved" : "rejected", JSON.stringify(extra));
      if (row % 3 === 0) earlier.prepare("UPDATE pending SET request_extra = '{}' WHERE token = ?").run(`old-${row}`);
      if (row % 5 === 0) earlier.prepare("DELETE FROM pending WHERE token = ?").run(`old-${row}`);
    }
    earlier.close();
    expect(holding(file, SECRET)).toEqual([file]);
    const db = openDatabase(file, APPROVALS_SCHEMA);
    const registry = new ApprovalRegistry(db, systemClock);
    registry.flush();
    expect(registry.listEnded({ offset: 0, limit: 100 })).toMatchObject({ total: 24 });
    expect(holding(file, SECRET)).toEqual([]);
    db.close();
    expect(holding(file, SECRET)).toEqual([]);
  });

  it("is erased in whatever order requests of whatever length were made and ended", () => {
    const step = fc.record({ length: fc.nat(9000), ends: fc.nat(5), flushes: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { minLength: 5, maxLength: 60 }), (steps) => {
        const file = join(tempFolder(), "approvals.db");
        const db = openDatabase(file, APPROVALS_SCHEMA);
        const registry = new ApprovalRegistry(db, systemClock);
        const waiting: string[] = [];
        for (const [index, { length, ends, flushes }] of steps.entries()) {
          const text = `${SECRET} ${"x".repeat(length)} ${SECRET}`;
          const extra = extraOf({ args: { text }, intent: text.slice(0, 200) });
          waiting.push(
            registry.createPending(pendingOf({ target_summary: text, share_key: String(index), extra })).token,
          );
          if (ends > 0)
            registry.resolve(registry.check(waiting.splice(ends % waiting.length, 1)[0] ?? "", ROBERTO), "approved");
          if (flushes) registry.flush();
        }
        for (const token of waiting) registry.cancelPending(token, "over");
        registry.flush();
        const left = holding(file, SECRET);
        db.close();
        expect([...left, ...holding(file, SECRET)]).toEqual([]);
      }),
      { numRuns: 25 },
    );
  });

  it("another program that reads the database blocks no request: the log is emptied once it is done", async () => {
    const file = join(tempFolder(), "approvals.db");
    const db = openDatabase(file, APPROVALS_SCHEMA);
    const registry = new ApprovalRegistry(db, systemClock);
    const { token } = registry.createPending(pendingOf({ extra: extraOf({ args: { text: SECRET } }) }));
    const reader = new Database(file, { readonly: true });
    reader.exec("BEGIN");
    reader.prepare("SELECT count(*) FROM pending").get();
    registry.resolve(registry.check(token, ROBERTO), "approved");
    const flushMs = () => {
      const started = performance.now();
      registry.flush();
      return performance.now() - started;
    };
    expect(await least(1000, flushMs)).toBeLessThan(1000);
    expect(holding(file, SECRET)).not.toEqual([]);
    reader.exec("COMMIT");
    registry.flush();
    expect(holding(file, SECRET)).toEqual([]);
    reader.close();
    db.close();
  });
});
