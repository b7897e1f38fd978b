import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { agentTokenFile, type GatePaths } from "../ipc/base/paths.ts";
import { OperatorClient } from "../ipc/socket/operator-client.ts";
import { openDatabase } from "../main/base/sqlite/database.ts";
import { grantsSchema } from "../main/core/storage/grants-schema.ts";
import { GENESIS, lineHash, monthFile } from "../main/records/audit/chain.ts";
import { type BenchHome, benchHome, startGate } from "./gate-process.ts";
import { LineClient } from "./line-client.ts";

/** The two gates whose page is measured: one that has been used for long, and a new one. */

const GRANTS = 100_000;
const AUDIT_LINES = 1_000_000;
const CARDS = 500;
/** More of one agent would become one card. */
const CARDS_PER_AGENT = 3;

export interface PageGate {
  home: BenchHome;
  operator: OperatorClient;
  end(): Promise<void>;
}

/** As it is after it was installed: one agent is paired, nothing was asked. */
export function emptyGate(): Promise<PageGate> {
  return running(benchHome([]));
}

/** 500 waiting cards with differences and commands, 100,000 grants, 1,000,000 audit lines. */
export async function fullGate(): Promise<PageGate> {
  const home = benchHome(grantTargets());
  varyGrants(home.home, home.paths);
  writeAudit(home.paths);
  const gate = await running(home);
  const clients = await ask(gate);
  return {
    ...gate,
    async end() {
      for (const client of clients) client.close();
      await gate.end();
    },
  };
}

async function running(home: BenchHome): Promise<PageGate> {
  writeSource(home.home);
  const gate = await startGate(home, ["--web", "--no-notifications"]);
  const operator = await OperatorClient.connect(home.paths.operator_socket, home.paths.operatorToken);
  return {
    home,
    operator,
    async end() {
      await operator.close();
      await gate.stop();
      home.remove();
    },
  };
}

function* grantTargets(): Generator<string> {
  // In no order that an index could have by chance.
  for (let index = 1; index <= GRANTS; index++) yield `/srv/area-${(index * 7919) % 1000}/project-${index}`;
}

/** Some were used, some expire, some are for writing: each order is another one. */
function varyGrants(home: string, paths: GatePaths): void {
  const db = openDatabase(paths.grants_db, grantsSchema(home));
  db.exec(`
    UPDATE grants SET last_used_at = strftime('%Y-%m-%dT%H:%M:%SZ', 1770000000 + id * 7919 % 1000003, 'unixepoch') WHERE id % 2 = 0;
    UPDATE grants SET expires_at = strftime('%Y-%m-%dT%H:%M:%SZ', 4000000000 + id * 6007 % 1000003, 'unixepoch') WHERE id % 3 = 1;
    UPDATE grants SET capability = 'fs:write' WHERE id % 5 = 0;
  `);
  db.close();
}

/** This month's file with a valid chain, and the last line's hash beside it. */
function writeAudit({ auditDir, auditHead }: GatePaths): void {
  mkdirSync(auditDir, { recursive: true, mode: 0o700 });
  const now = Date.now();
  const file = openSync(join(auditDir, monthFile(now)), "w", 0o600);
  let prev = GENESIS;
  let lines: string[] = [];
  const first = now / 1000 - AUDIT_LINES / 100;
  for (let index = 1; index <= AUDIT_LINES; index++) {
    const line = JSON.stringify({
      event: "decision",
      approved: true,
      reason: "approved: score 0.90",
      ts: first + index / 100,
      judge_kind: "rule_based",
      score: 0.9,
      blocked_by: null,
      intent: "read my notes",
      executor: "fs_read",
      args_keys: ["path"],
      agent: "bench",
      outcome: "allowed",
      prev,
    });
    prev = lineHash(line);
    lines.push(line);
    if (lines.length < 10_000 && index < AUDIT_LINES) continue;
    writeSync(file, `${lines.join("\n")}\n`);
    lines = [];
  }
  closeSync(file);
  writeFileSync(auditHead, `${prev}\n`, { mode: 0o600 });
}

/** Agents that ask, each for a few things, and wait. */
async function ask({ home, operator }: PageGate): Promise<LineClient[]> {
  const clients: LineClient[] = [];
  for (let asked = 0; asked < CARDS; ) {
    const name = `asker-${clients.length}`;
    await operator.call("agents.pair", { name, level: "Supervised" });
    const client = await LineClient.connect(home.paths.agent_socket);
    clients.push(client);
    const token = readFileSync(agentTokenFile(home.paths, name), "utf8").trim();
    await client.ask({ type: "hello", data: { id: "h", protocol: 1, agent: { name }, token } });
    for (let card = 0; card < CARDS_PER_AGENT && asked < CARDS; card++) {
      const { data } = await client.ask(askedMessage(asked, home.home));
      if (data.outcome !== "approval_required") throw new Error(`not asked: ${JSON.stringify(data)}`);
      asked++;
    }
  }
  return clients;
}

/** A source file of ordinary length, that edits change. */
function writeSource(home: string): void {
  mkdirSync(join(home, "work"), { recursive: true });
  const lines = Array.from(
    { length: 600 },
    (_, line) => `  sum += entries[${line}].amount * rates[${line % 7}]; // ${line}`,
  );
  writeFileSync(join(home, SOURCE), lines.join("\n"));
}

const SOURCE = "work/ledger.ts";

/** What the cards ask about, in turn: a difference in a file, commands with words of each kind, a new file. */
export const ASKED_KINDS = ["edit", "script", "dangerous command", "new file"] as const;

/** The call of the `index`th card; no two are the same. */
export function askedMessage(index: number, home: string): object {
  const kind = ASKED_KINDS[index % ASKED_KINDS.length];
  const call = (executor: string, args: object) => ({
    type: "tool.call",
    data: { id: `c${index}`, intent: "total the ledger", executor, args, context: { cwd: `${home}/work` } },
  });
  if (kind === "edit") {
    const at = (word: string) => (line: number) =>
      `  sum ${word} entries[${line}].amount * rates[${line % 7}]; // ${line}`;
    const changed = [index % 500, (index % 500) + 1, (index % 500) + 2];
    return call("Edit", {
      file_path: join(home, SOURCE),
      old_string: changed.map(at("+=")).join("\n"),
      new_string: changed.map(at("-=")).join("\n"),
    });
  }
  if (kind === "script") return call("Bash", { command: `python3 - <<'PY'\n${SCRIPT}\nprint(${index})\nPY` });
  if (kind === "dangerous command")
    return call("Bash", { command: `npm test -- --run "${index}" && git push --force origin main | tee push.log` });
  const content = "# Notes\n\n- a line of ordinary length that somebody wrote down\n".repeat(3);
  return call("Write", { file_path: `${home}/work/${index}/notes.md`, content });
}

const SCRIPT = Array.from(
  { length: 60 },
  (_, row) => `row_${row} = json.loads(open("ledger-${row}.json").read())`,
).join("\n");
