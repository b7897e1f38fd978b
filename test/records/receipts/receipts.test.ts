import { mkdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as passed } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { callHash } from "../../../main/decide/executors/canonical.ts";
import { ReceiptKeys } from "../../../main/records/receipts/receipt-keys.ts";
import { ReceiptFiles } from "../../../main/records/receipts/receipts.ts";
import type { AgentConnection } from "../../support/agent-connection.ts";
import { answersIn, grantsIn, receiptFiles, receiptsIn, receiptTexts, verified } from "../../support/receipts.ts";
import { type GateUnderTest, startGate } from "../../support/running-gate.ts";
import { temporaryHome } from "../../support/temporary-home.ts";
import { IS_WHOLE_RUN } from "../../support/whole-run.ts";

const write = (name: string) => ({ executor: "fs_write", args: { path: `/srv/${name}`, content: "x" } });

/** The token of the card of this call. */
async function asked(agent: AgentConnection, call: { executor: string; args: Record<string, unknown> }) {
  const { decision } = await agent.ask({ intent: "", ...call });
  const token = decision.pending?.token;
  if (token === undefined) throw new Error(`not asked: ${decision.reason}`);
  return token;
}

function made(gate: GateUnderTest): void {
  gate.gate.core.receipts.makeAll();
}

describe("a receipt", () => {
  it("is made of each answer: what was decided, where, for which agent and call", async () => {
    const gate = await startGate();
    const agent = await gate.agent("one");
    const yes = await asked(agent, write("a"));
    const no = await asked(agent, write("b"));
    await gate.operator.on("page").call("approvals.resolve", { token: yes, decision: "approved" });
    await gate.operator.on("telegram").call("approvals.resolve", { token: no, decision: "rejected", refuse: "call" });
    made(gate);
    const common = { agent: "one", executor: "fs_write", capabilities: ["fs:write"], covered_by_grant: false };
    expect(answersIn(gate.paths)).toMatchObject([
      { ...common, receipt: 1, token: yes, decision: "approved", outcome: "allowed", surface: "page", refuse: null },
      {
        ...common,
        receipt: 2,
        token: no,
        decision: "rejected",
        outcome: "denied",
        surface: "telegram",
        refuse: "call",
      },
    ]);
    const [first] = receiptsIn(gate.paths);
    const { executor, args } = write("a");
    expect(first?.statement.subject).toEqual([{ name: "call", digest: { sha256: callHash(executor, args) } }]);
    expect(verified(gate.paths, gate.home.home)).toMatchObject({ ok: true, receipts: 2, problems: [] });
    expect(statSync(join(gate.paths.receiptsDir, receiptFiles(gate.paths.receiptsDir)[0] ?? "")).mode & 0o777).toBe(
      0o600,
    );
  });

  it("is made of no card that nobody answered: withdrawn, or expired", async () => {
    const gate = await startGate();
    const agent = await gate.agent("one");
    const token = await asked(agent, write("a"));
    agent.send("tool.cancel", { id: "c", token, reason: "no need" });
    await agent.next("tool.decision");
    made(gate);
    expect(await gate.request(token)).toMatchObject({ status: "cancelled" });
    expect(receiptsIn(gate.paths)).toEqual([]);
  });

  it("is made of each grant: by a card, by the user, revoked, restored, and with its agent", async () => {
    const gate = await startGate();
    const agent = await gate.agent("one");
    const token = await asked(agent, write("a"));
    const operator = gate.operator.on("terminal");
    await operator.call("approvals.resolve", { token, decision: "approved", scope: "session", reach: "folder" });
    const added = await operator.call("grants.add", {
      capability: "network:http",
      target: "example.org",
      agent: "one",
    });
    await operator.call("grants.revoke", { id: added.id });
    await operator.call("grants.restore", { id: added.id });
    await operator.call("agents.revoke", { name: "one" });
    made(gate);
    const sentence = "allow fs:write on /srv/* for one, this session";
    expect(grantsIn(gate.paths)).toMatchObject([
      { act: "given", surface: "terminal", token, sentence, grant: { target: "/srv/*", lasts: "session" } },
      {
        act: "given",
        surface: "terminal",
        token: null,
        sentence: "allow network:http on example.org for one, until revoked",
      },
      { act: "revoked", surface: "terminal", reason: "revoked by the user" },
      { act: "restored", surface: "terminal", reason: null },
      { act: "revoked", surface: null, reason: expect.stringMatching(/session ended|pairing was revoked/) },
      { act: "revoked", surface: null, reason: expect.stringMatching(/session ended|pairing was revoked/) },
    ]);
    const { executor, args } = write("a");
    const byCard = receiptsIn(gate.paths).find(({ statement }) => "grant" in statement.predicate);
    expect(byCard?.statement.subject[0]).toEqual({ name: "call", digest: { sha256: callHash(executor, args) } });
    expect(verified(gate.paths, gate.home.home).problems).toEqual([]);
  });

  it("is another one after the database of grants was made anew, whose numbers begin again", async () => {
    const gate = await startGate();
    await gate.operator.call("grants.add", { capability: "fs:read", target: "/srv/a" });
    await gate.close();
    rmSync(gate.paths.grants_db);
    const grantsMade = Date.now() + 5000;
    const next = await startGate({ home: gate.home, acceptEmpty: ["grants"], now: () => grantsMade });
    await next.operator.call("grants.add", { capability: "fs:read", target: "/srv/b" });
    made(next);
    expect(grantsIn(next.paths).map(({ grant }) => grant.id)).toEqual([1, 1]);
    expect(verified(next.paths, next.home.home).problems).toEqual([]);
  });

  it("never holds an argument, an intent, a command, a message or an address", async () => {
    const gate = await startGate();
    const agent = await gate.agent("one");
    const word = fc.stringMatching(/^[a-z0-9]{12}$/).map((text) => `secret${text}`);
    const names = fc.constantFrom("fs_write", "shell_exec", "http_post", "mail_read", "some_tool");
    const answers = fc.constantFrom("once", "session", "no", "never");
    const property = fc.asyncProperty(word, names, answers, async (secret, executor, answer) => {
      const args = {
        fs_write: { path: "/srv/a.txt", content: secret },
        shell_exec: { command: `deploy --token ${secret}` },
        http_post: { url: `https://example.org/x?key=${secret}`, body: secret },
        mail_read: { mailbox: `${secret}@example.org` },
        some_tool: { [secret]: { deep: [secret] } },
      }[executor] as Record<string, unknown>;
      const context = { cwd: "/srv", session: secret, mode: secret };
      const { decision } = await agent.ask({ intent: `send ${secret}`, executor, args, context });
      const token = decision.pending?.token;
      if (token === undefined) return;
      const view = await gate.request(token);
      const choice = view.choices.find(({ scope }) => scope === "session");
      await gate.operator.call(
        "approvals.resolve",
        answer === "once" || (answer === "session" && choice === undefined)
          ? { token, decision: "approved" }
          : answer === "session"
            ? { token, decision: "approved", scope: "session" }
            : {
                token,
                decision: "rejected",
                message: `because ${secret}`,
                ...(answer === "never" ? { refuse: "call" } : {}),
              },
      );
      made(gate);
      expect(receiptTexts(gate.paths.receiptsDir)).not.toContain(secret);
    });
    await fc.assert(property, {
      numRuns: IS_WHOLE_RUN ? 200 : 25,
      examples: [["secretofamailbox", "mail_read", "session"]],
    });
    expect(receiptsIn(gate.paths).length).toBeGreaterThan(12);
    expect(grantsIn(gate.paths).map(({ grant }) => grant.target)).toContain(null);
  });
});

describe("nothing that was answered stays without a receipt", () => {
  it("a killed gate's are made by the next one, and say so; none is made twice", async () => {
    const home = temporaryHome();
    const gate = await startGate({ home });
    const agent = await gate.agent("one");
    const first = await asked(agent, write("a"));
    const second = await asked(agent, write("b"));
    await gate.operator.call("approvals.resolve", { token: first, decision: "approved" });
    made(gate);
    // The receipt is in its file, and the databases don't know of it yet.
    const key = readFileSync(gate.paths.receiptKey);
    writeFileSync(gate.paths.receiptKey, "no key");
    gate.gate.core.receiptKeys.open();
    const { db } = gate.gate.core.storage.opened.databases.approvals;
    db.exec("CREATE TEMP TRIGGER kept BEFORE DELETE ON receipts_due BEGIN SELECT raise(FAIL, 'killed'); END");
    await gate.operator.call("approvals.resolve", { token: second, decision: "rejected" });
    db.exec("CREATE TEMP TRIGGER unread BEFORE INSERT ON receipts_end BEGIN SELECT raise(FAIL, 'killed'); END");
    await gate.close();
    writeFileSync(gate.paths.receiptKey, key);
    expect(answersIn(gate.paths)).toMatchObject([{ token: first }]);
    const next = await startGate({ home });
    made(next);
    expect(answersIn(next.paths)).toMatchObject([
      { receipt: 1, token: first },
      { receipt: 2, token: second, late: true, decision: "rejected", executor: "fs_write" },
    ]);
    expect(answersIn(next.paths)[0]).not.toHaveProperty("late");
    await next.close();
    expect(verified(next.paths, home.home)).toMatchObject({ ok: true, receipts: 2 });
  });

  it("none is made twice either where a clock was years ahead before", async () => {
    const home = temporaryHome();
    const dates = ["2099-01-05", "2099-02-05", "2026-11-05"];
    for (const [index, date] of dates.entries()) {
      const ms = Date.parse(date);
      const gate = await startGate({ home, now: () => ms });
      await gate.operator.call("grants.add", { capability: "fs:read", target: `/srv/${index}` });
      made(gate);
      await gate.close();
    }
    const files = new ReceiptFiles(home.paths.receiptsDir, () => undefined);
    expect(files.lastNumber()).toBe(3);
    const last = receiptsIn(home.paths).find(({ statement }) => statement.predicate.receipt === 3);
    expect(files.lastEvents()).toContain(last?.statement.predicate.event);
  });

  it("a folder that can't be written keeps no answer waiting: an alarm says so once, and they are made later", async () => {
    const gate = await startGate();
    const agent = await gate.agent("one");
    const away = `${gate.paths.receiptsDir}.away`;
    const token = await asked(agent, write("a"));
    renameSync(gate.paths.receiptsDir, away);
    writeFileSync(gate.paths.receiptsDir, "");
    gate.gate.core.receipts.flush();
    await gate.operator.call("approvals.resolve", { token, decision: "approved" });
    expect((await agent.next(({ data }) => data.status === "approved")).data).toMatchObject({ outcome: "allowed" });
    made(gate);
    made(gate);
    const alarms = gate.gate.core.alarms.list();
    expect(alarms).toMatchObject([{ code: "receipts_unwritable", subject: gate.paths.receiptsDir }]);
    expect(gate.log.filter((line) => line.includes("making receipts"))).toHaveLength(1);
    rmSync(gate.paths.receiptsDir);
    renameSync(away, gate.paths.receiptsDir);
    made(gate);
    expect(answersIn(gate.paths)).toMatchObject([{ token, receipt: 1 }]);
    expect(gate.gate.core.alarms.list()).toEqual([]);
  });

  it("a gate that is closed while what was made gets to the disk says no error of that", async () => {
    const gate = await startGate();
    await gate.operator.call("grants.add", { capability: "fs:read", target: "/srv/a" });
    made(gate);
    gate.gate.core.receipts.flush();
    await gate.close();
    await passed(200);
    expect(gate.log.filter((line) => line.includes("error in"))).toEqual([]);
  });

  it("what was cut off at the end of a file is found, and its numbers are never used again", async () => {
    const home = temporaryHome();
    const gate = await startGate({ home });
    for (const target of ["/srv/a", "/srv/b"])
      await gate.operator.call("grants.add", { capability: "fs:read", target });
    await gate.close();
    const file = join(gate.paths.receiptsDir, receiptFiles(gate.paths.receiptsDir)[0] ?? "");
    const [line] = readFileSync(file, "utf8").split("\n");
    writeFileSync(file, `${line}\n`);
    expect(verified(gate.paths, home.home).problems).toMatchObject([{ verdict: "cut_off", receipt: 2 }]);
    const next = await startGate({ home });
    await next.operator.call("grants.add", { capability: "fs:read", target: "/srv/c" });
    made(next);
    expect(receiptsIn(next.paths).map(({ statement }) => statement.predicate.receipt)).toEqual([1, 3]);
    expect(verified(next.paths, home.home).problems).toMatchObject([{ verdict: "missing", receipt: 2 }]);
  });
});

describe("the key", () => {
  it("is made at the first start, for its owner alone, and no agent may read it or what it signs", async () => {
    const gate = await startGate();
    const agent = await gate.agent("one", "Full");
    const { receiptKey, receiptsDir } = gate.paths;
    expect(statSync(receiptKey).mode & 0o777).toBe(0o600);
    for (const path of [receiptKey, `${receiptKey}.next`, receiptsDir, join(receiptsDir, "keys.jsonl")]) {
      const { decision } = await agent.ask({ intent: "", executor: "fs_read", args: { path } });
      expect(decision, path).toMatchObject({ outcome: "denied", stage: "guard" });
      const command = `openssl pkey -in ${path}`;
      const byShell = await agent.ask({ intent: "", executor: "shell_exec", args: { command } });
      expect(byShell.decision, command).toMatchObject({ outcome: "denied", stage: "guard" });
    }
  });

  it.each<[what: string, damage: (file: string) => void]>([
    ["missing", (file) => rmSync(file)],
    ["no key", (file) => writeFileSync(file, "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n")],
    ["a folder", (file) => replaced(file, () => mkdirSync(file))],
    ["a link", (file) => replaced(file, () => symlinkSync(join(otherHome(), "receipts.key"), file))],
    ["another key", (file) => writeFileSync(file, readFileSync(join(otherHome(), "receipts.key")))],
  ])(
    "that is %s is never replaced silently: nothing is signed, the gate decides, and it is signed once it is back",
    async (_, damage) => {
      const home = temporaryHome();
      const first = await startGate({ home });
      await first.operator.call("grants.add", { capability: "fs:read", target: "/srv/a" });
      await first.close();
      const { receiptKey } = first.paths;
      const key = readFileSync(receiptKey);
      damage(receiptKey);
      const gate = await startGate({ home });
      await gate.operator.call("grants.add", { capability: "fs:read", target: "/srv/b" });
      made(gate);
      expect(receiptsIn(gate.paths)).toHaveLength(1);
      expect(gate.gate.core.alarms.list()).toMatchObject([{ code: "receipts_unwritable", subject: receiptKey }]);
      rmSync(receiptKey, { recursive: true, force: true });
      writeFileSync(receiptKey, key, { mode: 0o644 });
      made(gate);
      expect(statSync(receiptKey).mode & 0o777).toBe(0o600);
      expect(grantsIn(gate.paths)).toMatchObject([{ receipt: 1 }, { receipt: 2, grant: { target: "/srv/b" } }]);
      expect(gate.gate.core.alarms.list()).toEqual([]);
      expect(verified(gate.paths, home.home).problems).toEqual([]);
    },
  );

  it("is changed with the old one's signature, and each receipt is verified by its own", async () => {
    const gate = await startGate();
    const add = (target: string) => gate.operator.call("grants.add", { capability: "fs:read", target });
    await add("/srv/a");
    const old = gate.gate.core.receiptKeys.known[0];
    const changed = await gate.operator.call("receipts.rotate_key", {});
    expect(changed).toMatchObject({ previous: old?.keyid, is_proven: true });
    await add("/srv/b");
    made(gate);
    const report = verified(gate.paths, gate.home.home);
    expect(report).toMatchObject({
      ok: true,
      keys: [
        { keyid: old?.keyid, receipts: 1 },
        { keyid: changed.keyid, receipts: 1 },
      ],
    });
    expect((await gate.operator.call("audit.tail", { lines: 50 })).map(({ event }) => event)).toContain("receipts.key");
  });

  it("that can't be put into its place is the one that signs once the list has it, also after a start", async () => {
    const gate = await startGate();
    const add = (target: string) => gate.operator.call("grants.add", { capability: "fs:read", target });
    const { receiptKey } = gate.paths;
    await add("/srv/a");
    made(gate);
    rmSync(receiptKey);
    mkdirSync(join(receiptKey, "in the way"), { recursive: true });
    await expect(gate.operator.call("receipts.rotate_key", {})).rejects.toThrow();
    await add("/srv/b");
    made(gate);
    expect(verified(gate.paths, gate.home.home)).toMatchObject({ problems: [], receipts: 2 });
    await gate.close();
    rmSync(receiptKey, { recursive: true });
    const next = await startGate({ home: gate.home });
    await next.operator.call("grants.add", { capability: "fs:read", target: "/srv/c" });
    made(next);
    expect(verified(next.paths, next.home.home)).toMatchObject({ problems: [], receipts: 3 });
  });

  it("that is lost is replaced by the user alone, and the list of keys says so for good", async () => {
    const home = temporaryHome();
    const first = await startGate({ home });
    await first.operator.call("grants.add", { capability: "fs:read", target: "/srv/a" });
    await first.close();
    rmSync(first.paths.receiptKey);
    const gate = await startGate({ home });
    await expect(gate.operator.call("receipts.rotate_key", {})).rejects.toMatchObject({ code: "file_unusable" });
    expect(await gate.operator.call("receipts.rotate_key", { is_lost: true })).toMatchObject({ is_proven: false });
    await gate.operator.call("grants.add", { capability: "fs:read", target: "/srv/b" });
    made(gate);
    expect(receiptsIn(gate.paths)).toHaveLength(2);
    const { problems } = verified(gate.paths, home.home);
    expect(problems).toMatchObject([{ verdict: "keys", message: expect.stringContaining("has not signed it") }]);
  });

  it.each(["before it is in the list", "before it is in its place"])(
    "is whole where a gate dies while it changes it, %s",
    async (moment) => {
      const home = temporaryHome();
      const gate = await startGate({ home });
      await gate.operator.call("grants.add", { capability: "fs:read", target: "/srv/a" });
      made(gate);
      const { receiptKey, receiptsDir } = gate.paths;
      const [key, list] = [readFileSync(receiptKey), readFileSync(join(receiptsDir, "keys.jsonl"))];
      await gate.operator.call("receipts.rotate_key", {});
      await gate.close();
      renameSync(receiptKey, `${receiptKey}.next`);
      writeFileSync(receiptKey, key, { mode: 0o600 });
      if (moment === "before it is in the list") writeFileSync(join(receiptsDir, "keys.jsonl"), list);
      const next = await startGate({ home });
      await next.operator.call("grants.add", { capability: "fs:read", target: "/srv/b" });
      made(next);
      expect(receiptsIn(next.paths)).toHaveLength(2);
      expect(verified(next.paths, home.home).problems).toEqual([]);
    },
  );

  it("list that is missing is made again with the present key, and an alarm says so", async () => {
    const home = temporaryHome();
    const gate = await startGate({ home });
    await gate.operator.call("grants.add", { capability: "fs:read", target: "/srv/a" });
    await gate.close();
    rmSync(join(gate.paths.receiptsDir, "keys.jsonl"));
    const next = await startGate({ home });
    expect(next.gate.core.alarms.list()).toMatchObject([{ code: "file_renewed" }]);
    expect(verified(next.paths, home.home)).toMatchObject({ receipts: 1, problems: [{ verdict: "keys" }] });
  });
});

function replaced(file: string, make: () => void): void {
  rmSync(file);
  make();
}

/** The state folder of another gate, with a key of its own. */
function otherHome(): string {
  const { paths } = temporaryHome();
  mkdirSync(paths.state_dir, { recursive: true });
  const other = new ReceiptKeys({
    key_file: paths.receiptKey,
    folder: paths.receiptsDir,
    gate_version: "0.0.0",
    now: Date.now,
    numbers: () => ({ next: 1, first: undefined }),
  });
  other.open();
  return paths.state_dir;
}
