import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { AGENTS_SCHEMA } from "../../../main/agents/agents.ts";
import { openDatabase, openDatabaseReadOnly } from "../../../main/base/sqlite/database.ts";
import type { Schema } from "../../../main/base/sqlite/database-schema.ts";
import { ApprovalRegistry } from "../../../main/calls/approvals/registry.ts";
import { APPROVALS_SCHEMA } from "../../../main/calls/approvals/schema.ts";
import { grantsSchema } from "../../../main/core/storage/grants-schema.ts";
import { GrantStore } from "../../../main/decide/grants/store.ts";
import { ACTIVITY_SCHEMA } from "../../../main/records/activity/activity.ts";
import { namedTarget } from "../../../main/targets/target.ts";
import { extraOf, openedBroker, openedGrants, pendingOf, ROBERTO } from "../../support/gate-stores.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { refusalOf } from "../../support/refusals.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const SCHEMAS: [string, Schema, string][] = [
  ["grants", grantsSchema("/home/r"), "grants database"],
  ["approvals", APPROVALS_SCHEMA, "approvals database"],
  ["agents", AGENTS_SCHEMA, "agents database"],
  ["activity", ACTIVITY_SCHEMA, ACTIVITY_SCHEMA.title],
];

/** A database as a run of the gate leaves it, with something in it. */
function usedFile(schema: Schema, file = join(tempFolder(), "used.db")): string {
  const db = openDatabase(file, schema);
  db.exec(
    "CREATE TABLE filler (text TEXT); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) INSERT INTO filler SELECT 'row ' || i FROM n",
  );
  db.close();
  return file;
}

/** Every table and index, as it was created. */
function structureOf(file: string): unknown {
  const db = new Database(file, { readonly: true });
  const made = db.prepare("SELECT type, name, sql FROM sqlite_master ORDER BY type, name").all();
  db.close();
  return made;
}

function userVersion(file: string): number {
  const db = new Database(file, { readonly: true });
  const version = db.pragma("user_version", { simple: true }) as number;
  db.close();
  return version;
}

describe.each(SCHEMAS)("the %s database", (_name, schema, title) => {
  /** The refusal names the file and what it is, says what to do, and leaves every byte as it was. */
  function expectRefused(file: string, code: string, hint: RegExp) {
    const before = readFileSync(file);
    for (const open of [() => openDatabase(file, schema), () => openDatabase(file, schema)]) {
      const refusal = refusalOf(open);
      expect([refusal.code, refusal.message.includes(file), refusal.message.includes(title)]).toEqual([
        code,
        true,
        true,
      ]);
      expect(refusal.hint).toMatch(hint);
      expect(readFileSync(file).equals(before)).toBe(true);
    }
  }

  it("is made where there is none, its folder too, for its owner only; opening it again changes nothing", () => {
    const file = join(tempFolder(), "a/b/new.db");
    openDatabase(file, schema).close();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(file, "..")).mode & 0o777).toBe(0o700);
    expect(userVersion(file)).toBe(schema.migrations.length);
    const before = readFileSync(file);
    openDatabase(file, schema).close();
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it("that is no database is refused and left as it is", () => {
    const file = join(tempFolder(), "text.db");
    writeFileSync(
      file,
      "this was never a database, and it is longer than one hundred bytes, so that nobody takes it for an empty one",
    );
    expectRefused(file, "database_damaged", /restore it from a backup, or move it away/);
  });

  it("with a damaged page, or cut short, is refused and left as it is", () => {
    const damaged = usedFile(schema);
    const bytes = readFileSync(damaged);
    bytes.fill(0xa5, 8192, 16_384);
    writeFileSync(damaged, bytes);
    expectRefused(damaged, "database_damaged", /backup/);
    const short = usedFile(schema);
    writeFileSync(short, readFileSync(short).subarray(0, 12_000));
    expectRefused(short, "database_damaged", /backup/);
  });

  it("that is read-only is refused, for root as well", () => {
    const file = usedFile(schema);
    chmodSync(file, 0o444);
    expectRefused(file, "database_read_only", /chmod u\+w/);
    expect(statSync(file).mode & 0o777).toBe(0o444);
  });

  it("of a newer version is refused and left as it is", () => {
    const file = usedFile(schema);
    const db = new Database(file);
    db.pragma(`user_version = ${schema.migrations.length + 1}`);
    db.close();
    expectRefused(file, "database_newer", /update Metnos Gate/);
    expect(userVersion(file)).toBe(schema.migrations.length + 1);
  });

  it("of any earlier version gets what a new one has", () => {
    const fresh = join(tempFolder(), "new.db");
    openDatabase(fresh, schema).close();
    const now = schema.migrations.length;
    for (let version = 1; version < now; version++) {
      const file = usedFile({ ...schema, migrations: schema.migrations.slice(0, version) });
      expect(userVersion(file)).toBe(version);
      const db = openDatabase(file, schema);
      expect(db.prepare("SELECT count(*) FROM filler").pluck().get()).toBe(2000);
      db.exec("DROP TABLE filler");
      db.close();
      expect([version, userVersion(file), structureOf(file)]).toEqual([version, now, structureOf(fresh)]);
    }
  });

  it("that is a folder, or is below a file, is refused", () => {
    const top = tempFolder();
    mkdirSync(join(top, "folder.db"));
    writeFileSync(join(top, "file"), "");
    for (const file of [join(top, "folder.db"), join(top, "file/new.db")]) {
      const refusal = refusalOf(() => openDatabase(file, schema));
      expect([refusal.code, refusal.message.includes(file)]).toEqual(["database_unusable", true]);
      expect(refusal.hint).not.toBe("");
    }
  });

  it("whose migration fails is left at the version it had", () => {
    const file = usedFile(schema);
    const broken: Schema = {
      title: schema.title,
      table: schema.table,
      migrations: [
        ...schema.migrations,
        (db) => {
          db.exec("CREATE TABLE half_done (x)");
          throw new Error("no");
        },
      ],
    };
    expect(refusalOf(() => openDatabase(file, broken)).code).toBe("database_unusable");
    expect(userVersion(file)).toBe(schema.migrations.length);
    const db = openDatabase(file, schema);
    expect(db.prepare("SELECT name FROM sqlite_master WHERE name = 'half_done'").get()).toBeUndefined();
    db.close();
  });

  it("opened for reading only: undefined where there is none, refused if it is from an earlier or newer version", () => {
    const top = tempFolder();
    expect(openDatabaseReadOnly(join(top, "none.db"), schema)).toBeUndefined();
    expect(existsSync(join(top, "none.db"))).toBe(false);
    const file = usedFile(schema);
    const before = readFileSync(file);
    openDatabaseReadOnly(file, schema)?.close();
    expect(readFileSync(file).equals(before)).toBe(true);
    const later: Schema = {
      title: schema.title,
      table: schema.table,
      migrations: [...schema.migrations, () => undefined],
    };
    expect(refusalOf(() => openDatabaseReadOnly(file, later)).code).toBe("database_older");
    expect(
      refusalOf(() => openDatabaseReadOnly(file, { title: schema.title, table: schema.table, migrations: [] })).code,
    ).toBe("database_newer");
    writeFileSync(join(top, "text.db"), "no database ".repeat(100));
    expect(refusalOf(() => openDatabaseReadOnly(join(top, "text.db"), schema)).code).toBe("database_damaged");
  });
});

describe("a file with the required table alone", () => {
  // docs/decisions/requirements-policy.md, "Grants"
  const SEED_GRANTS = `CREATE TABLE IF NOT EXISTS grants (
    id INTEGER PRIMARY KEY AUTOINCREMENT, channel TEXT NOT NULL, sender_id TEXT NOT NULL, capability TEXT NOT NULL, target TEXT NOT NULL,
    granted_at TEXT NOT NULL, expires_at TEXT, granted_by TEXT, revoked_at TEXT)`;

  it("grants.db is brought up to date, and its grants still match; what can't be held is revoked, with the reason", () => {
    const home = tempFolder();
    const file = join(home, "grants.db");
    const seed = new Database(file);
    seed.exec(SEED_GRANTS);
    const insert = seed.prepare(
      "INSERT INTO grants (channel, sender_id, capability, target, granted_at, expires_at, granted_by, revoked_at) VALUES ('local', 'roberto', ?, ?, '2026-04-27T20:00:00Z', ?, 'card', ?)",
    );
    insert.run("fs:write", "~/Documents/invoices-2026/*", null, null);
    insert.run("network:http", "API.example.com", "2027-01-01T00:00:00Z", null);
    insert.run("mail:read", "inbox", null, "2026-04-28T00:00:00Z");
    insert.run("fs:read", "/**", null, null);
    insert.run("fs:shred", "/srv", null, null);
    insert.run("llm:online", "*", null, null);
    seed.close();
    expect(userVersion(file)).toBe(0);

    const { grants } = openedGrants(file, home);
    expect(userVersion(file)).toBe(grantsSchema(home).migrations.length);
    const find = (capability: "fs:write" | "fs:read" | "network:http" | "mail:read" | "llm:online", text: string) =>
      grants.find({ ...ROBERTO, agent: "agent-1", session: "s" }, capability, namedTarget(capability, text, home));
    expect(find("fs:write", "~/Documents/invoices-2026/04-Acme.pdf")).toBe(1);
    expect(find("fs:write", "~/Documents/invoices-2026/sub/x.pdf")).toBeUndefined();
    expect(find("network:http", "https://api.example.com/")).toBe(2);
    expect(find("mail:read", "inbox")).toBeUndefined();
    expect(find("fs:read", "/srv/x")).toBeUndefined();
    expect(find("llm:online", "*")).toBe(6);
    const all = grants.listGrants({ include_revoked: true });
    expect(all.find(({ id }) => id === 4)).toMatchObject({
      target: "/**",
      revoked_reason: "its target can't be held by this version",
    });
    expect(all.find(({ id }) => id === 3)).toMatchObject({ revoked_at: "2026-04-28T00:00:00Z" });
    expect(all.find(({ id }) => id === 1)).toMatchObject({
      granted_at: "2026-04-27T20:00:00Z",
      granted_by: "card",
      agent: null,
    });
    expect(grants.recordGrant({ ...ROBERTO, capability: "mail:read", target: "inbox" }).id).toBe(7);
  });

  it("grants of a capability marked always, written by hand, still lift nothing", () => {
    const home = tempFolder();
    const file = join(home, "grants.db");
    const seed = new Database(file);
    seed.exec(SEED_GRANTS);
    seed.exec(
      "INSERT INTO grants (channel, sender_id, capability, target, granted_at) VALUES ('local', 'roberto', 'code:exec', 'ls', '2026-04-27T20:00:00Z')",
    );
    seed.close();
    const db = openDatabase(file, grantsSchema(home));
    expect(new GrantStore(db, home, new ManualClock()).listGrants().length).toBe(1);
    db.close();
  });

  it("approvals.db is brought up to date: what waited there can be listed, shown and answered", () => {
    const folder = tempFolder();
    const seed = new Database(join(folder, "approvals.db"));
    APPROVALS_SCHEMA.migrations[0]?.(seed);
    const insert = seed.prepare(
      "INSERT INTO pending (token, channel, sender_id, capability_class, action_verb, target_summary, created_at, expires_at, request_extra) VALUES (?, 'local', 'roberto', 'fs_write:~/x/*', 'scriva', 'a -> ~/x/', '2026-05-04T09:59:00Z', '2026-05-04T10:09:00Z', ?)",
    );
    insert.run("0000000000000001", null);
    insert.run("0000000000000002", '{"planner_session": 7}');
    insert.run("0000000000000003", "not json");
    seed.close();
    const { broker, registry } = openedBroker(folder);
    broker.start();
    const waiting = registry.listPending();
    expect(waiting.map(({ token }) => token).sort()).toEqual([
      "0000000000000001",
      "0000000000000002",
      "0000000000000003",
    ]);
    for (const request of waiting) {
      expect(broker.view(request).card.lines[1]).toBe("a -> ~/x/");
      expect(
        refusalOf(() => broker.answer({ token: request.token, decision: "approved", scope: "permanent" }, ROBERTO))
          .code,
      ).toBe("only_once");
      expect(broker.answer({ token: request.token, decision: "approved" }, ROBERTO).status).toBe("approved");
    }
  });
});

describe("two processes that open the same new file", () => {
  it("both end up with a whole schema", () => {
    const file = join(tempFolder(), "approvals.db");
    const one = openDatabase(file, APPROVALS_SCHEMA);
    const other = openDatabase(file, APPROVALS_SCHEMA);
    const clock = new ManualClock();
    const { token } = new ApprovalRegistry(one, clock).createPending(pendingOf({ extra: extraOf() }));
    expect(new ApprovalRegistry(other, clock).getPending(token)?.status).toBe("pending");
    one.close();
    other.close();
  });
});
