import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as immediate } from "node:timers/promises";
import { gunzipSync, gzipSync } from "node:zlib";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { restoreBackup } from "../../cli/backup/restore-backup.ts";
import { commitRestore, finishMoves, stagingFolders } from "../../cli/backup/swap.ts";
import { padding, TAR_END, tarHeader } from "../../cli/backup/tar.ts";
import { unpack } from "../../cli/backup/unpack.ts";
import { GateError } from "../../ipc/contract/gate-error.ts";
import { linesIn } from "../support/audit-trail.ts";
import { LAUNCHER, runGate } from "../support/gate-process.ts";
import { startGate } from "../support/running-gate.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { type TemporaryHome, temporaryHome } from "../support/temporary-home.ts";

const CONFIG = `[ntfy]
server = "http://127.0.0.1:1"
topic = "long-and-random-as-a-password"

[approvals]
keep = 300
`;
const FETCH = { executor: "http_get", args: { url: "https://example.com" } };

/** A gate that has been used, still running, and a backup of it. */
async function backedUp() {
  const home = temporaryHome(CONFIG);
  const gate = await startGate({ home });
  const codex = await gate.agent("codex", "Full");
  await gate.operator.call("grants.add", { capability: "fs:read", target: "/srv/**", agent: "codex" });
  await gate.operator.call("policy.tighten", {
    level: "Full",
    capability: "network:http",
    outcome: "approval_required",
  });
  await codex.ask(FETCH);
  const file = join(tempFolder(), "gate.backup");
  const made = await runGate(home, ["backup", file]);
  return { gate, home, file, made };
}

/** The entries of a backup, by name. */
function entriesOf(file: string): Map<string, Buffer> {
  const entries = new Map<string, Buffer>();
  const bytes = gunzipSync(readFileSync(file));
  for (let at = 0; bytes[at] !== 0; ) {
    const name = bytes.toString("latin1", at, at + 100).split("\0")[0] ?? "";
    const size = Number.parseInt(bytes.toString("latin1", at + 124, at + 135), 8);
    entries.set(name, bytes.subarray(at + 512, at + 512 + size));
    at += 512 + size + padding(size).length;
  }
  return entries;
}

/** The same with other files: their digests are right, as whoever writes one can make them. */
function forged(file: string, change: (entries: Map<string, Buffer>) => void, last = TAR_END): string {
  const entries = entriesOf(file);
  const manifest = JSON.parse(String(entries.get("manifest.json")));
  entries.delete("manifest.json");
  change(entries);
  manifest.files = [...entries].map(([name, bytes]) => ({
    name,
    size: bytes.length,
    sha256: createHash("sha256").update(bytes).digest("hex"),
  }));
  return packed([["manifest.json", Buffer.from(JSON.stringify(manifest))], ...entries], last);
}

function packed(entries: readonly [string, Buffer][], last = TAR_END): string {
  const made = join(tempFolder(), "forged.backup");
  const parts = entries.flatMap(([name, bytes]) => [tarHeader(name, bytes.length, 0), bytes, padding(bytes.length)]);
  writeFileSync(made, gzipSync(Buffer.concat([...parts, last])));
  return made;
}

function withDatabase(entries: Map<string, Buffer>, name: string, sql: string): void {
  const file = join(tempFolder(), "forged.db");
  writeFileSync(file, entries.get(name) ?? "");
  const db = new Database(file);
  db.exec(sql);
  db.close();
  entries.set(name, readFileSync(file));
}

function pipeAt(path: string): string {
  execFileSync("mkfifo", [path]);
  return path;
}

/** Every file below these folders with its content, but what a gate or a lock has for itself. */
function everything({ paths }: TemporaryHome): Record<string, string> {
  const roots = [paths.configDir, paths.state_dir, join(paths.auditDir, "..")].filter((folder) => existsSync(folder));
  const files = roots.flatMap((root) =>
    readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith(".lock"))
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  return Object.fromEntries(files.sort().map((file) => [file, readFileSync(file).toString("base64")]));
}

describe("backup", () => {
  it("writes all of a running gate into one file of its owner's, which tar reads, and nothing secret", async () => {
    const { gate, home, file, made } = await backedUp();
    expect([made.code, made.stderr]).toEqual([0, expect.stringContaining("not in it either: ntfy.topic of gate.toml")]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const listed = execFileSync("tar", ["-tzf", file], { encoding: "utf8" }).trim().split("\n");
    expect(listed).toEqual(expect.arrayContaining(["manifest.json", "config/gate.toml", "state/grants.db"]));
    expect(listed.filter((name) => /token|key$|session|secret/.test(name))).toEqual([]);
    const secrets = [gate.token("codex"), readFileSync(gate.paths.operatorToken, "utf8").trim()];
    const hash = createHash("sha256").update(gate.token("codex")).digest("hex");
    const all = Buffer.concat([...entriesOf(file).values()]).toString("latin1");
    for (const secret of [...secrets, hash, "long-and-random-as-a-password", "PRIVATE KEY"])
      expect(all).not.toContain(secret);
    // What waits for an answer has the call's arguments.
    expect(all).not.toContain(FETCH.args.url);
    expect(made.lines[0]).toMatchObject({ fingerprint: createHash("sha256").update(readFileSync(file)).digest("hex") });
    const again = await runGate(home, ["backup", file]);
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining("is there already")]);
  });

  it("is consistent while a gate writes: what its databases say was decided is in its trail, and the trail is whole", async () => {
    const home = temporaryHome("");
    const gate = await startGate({ home });
    const codex = await gate.agent("codex", "Full");
    let isOver = false;
    const busy = (async () => {
      while (!isOver) {
        const { id } = await gate.operator.call("grants.add", { capability: "fs:read", target: "/srv/**" });
        await gate.operator.call("grants.revoke", { id });
        await codex.ask({ executor: "http_get", args: { url: "https://example.com" } });
      }
    })();
    for (const round of [1, 2, 3]) {
      const file = join(tempFolder(), "gate.backup");
      const { code, stderr } = await runGate(home, ["backup", file]);
      expect([round, code, stderr]).toEqual([round, 0, expect.not.stringContaining("problems")]);
      const entries = entriesOf(file);
      const trail = [...entries].filter(([name]) => name.startsWith("data/vaglio/")).map(([, bytes]) => String(bytes));
      const stored = join(tempFolder(), "grants.db");
      writeFileSync(stored, entries.get("state/grants.db") ?? "");
      const db = new Database(stored);
      const last = db.prepare("SELECT max(id) FROM grants").pluck().get();
      db.close();
      expect(trail.join("")).toContain(`"grant_id":${last}`);
    }
    isOver = true;
    await busy;
  });
});

describe("restore", () => {
  it("brings everything to a new machine; agents are connected again and have their level, grants and policy", async () => {
    const { gate, file } = await backedUp();
    const lines = linesIn(gate.paths.auditDir).length;
    const to = temporaryHome("");
    const restored = await runGate(to, ["restore", file, "--yes"]);
    expect([restored.code, restored.stderr]).toEqual([0, expect.stringContaining("agents: codex (Full)")]);
    expect(restored.stderr).toContain("agents have to be connected again");
    expect(readFileSync(to.paths.configFile, "utf8")).toContain("keep = 300");
    // The key that has signed until now isn't in it: the next one says so.
    expect((await runGate(to, ["receipts", "rotate-key", "--lost"])).code).toBe(0);
    const there = await startGate({ home: to });
    expect(await there.operator.call("audit.verify", {})).toMatchObject({ ok: true });
    expect((await there.operator.call("status", {})).alarms).toEqual([]);
    const trail = linesIn(to.paths.auditDir).map((line) => JSON.parse(line));
    expect(trail.slice(0, lines).map(({ event }) => event)).toEqual(
      linesIn(gate.paths.auditDir)
        .slice(0, lines)
        .map((line) => JSON.parse(line).event),
    );
    expect(trail.find(({ event }) => event === "state.restored")).toMatchObject({ backup_made_at: expect.any(String) });
    expect(await there.waiting()).toEqual([]);
    // No token of before gets in; paired again it is the same agent.
    const connection = await there.connect();
    expect((await connection.hello("codex", { token: gate.token("codex") })).type).not.toBe("hello.ok");
    await there.operator.call("agents.pair", { name: "codex", level: "Full" });
    const [grant] = await there.operator.call("grants.list", {});
    expect(grant).toMatchObject({ agent_name: "codex", target: "/srv/**" });
    const check = { level: "Full", capability: "network:http" } as const;
    expect(await there.operator.call("policy.check", check)).toBe("approval_required");
    for (const name of ["grants.db", "agents.db"])
      expect(statSync(join(to.paths.state_dir, name)).mode & 0o777).toBe(0o600);
  });

  it("doesn't touch a running gate, and asks before it replaces; what was there is kept beside it", async () => {
    const { gate, home, file } = await backedUp();
    const running = await runGate(home, ["restore", file, "--yes"]);
    expect([running.code, running.stderr]).toEqual([1, expect.stringContaining("a gate is running")]);
    await gate.close();
    const before = everything(home);
    const unasked = await runGate(home, ["restore", file]);
    expect([unasked.code, unasked.stderr]).toEqual([2, expect.stringContaining("nobody can be asked here")]);
    expect(unasked.stderr).toContain("what is here now is moved aside");
    expect(everything(home)).toEqual(before);
    const { code, lines } = await runGate(home, ["restore", file, "--yes"]);
    expect(code).toBe(0);
    const { kept } = lines[0] as { kept: string[] };
    expect(kept).toHaveLength(3);
    const aside = kept.find((folder) => folder.startsWith(home.paths.state_dir)) ?? "";
    expect(readdirSync(aside)).toEqual(expect.arrayContaining(["agents", "agents.db", "grants.db"]));
    expect(existsSync(home.paths.restoreJournal)).toBe(false);
  });

  it("is all or nothing over a crash: once it counts no gate starts before it is finished, after each of its moves", async () => {
    const { gate, file } = await backedUp();
    await gate.close();
    for (const moves of [0, 1, 5]) {
      const to = temporaryHome("[approvals]\nkeep = 7\n");
      const old = await startGate({ home: to });
      await old.agent("aider");
      await old.close();
      const folders = stagingFolders(to.paths);
      const { manifest } = await unpack(file, folders);
      // Before the journal is there nothing counts: a gate starts with what was here.
      const untouched = await startGate({ home: to });
      expect((await untouched.operator.call("agents.list", {})).agents).toMatchObject([{ name: "aider" }]);
      await untouched.close();
      const journal = commitRestore(to.paths, manifest.made_at, new Date());
      const some = journal.brought.state.slice(0, moves);
      finishMoves(to.paths, { ...journal, brought: { config: [], state: some, data: [] } });
      await expect(startGate({ home: to })).rejects.toMatchObject({ code: "restore_unfinished" });
      const again = await runGate(to, ["restore", file, "--yes"]);
      expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("restore --finish")]);
      const finished = await runGate(to, ["restore", "--finish"]);
      expect([moves, finished.code]).toEqual([moves, 0]);
      const there = await startGate({ home: to });
      expect((await there.operator.call("agents.list", {})).agents).toMatchObject([{ name: "codex" }]);
      expect(readFileSync(to.paths.configFile, "utf8")).toContain("keep = 300");
      expect(await there.operator.call("audit.verify", {})).toMatchObject({ ok: true });
      await there.close();
    }
    const nothing = await runGate(temporaryHome(""), ["restore", "--finish"]);
    expect([nothing.code, nothing.stderr]).toEqual([0, expect.stringContaining("no restore was interrupted")]);
  });

  it("refuses a hostile file as a whole: nothing has changed, and nothing is left of it", async () => {
    const { gate, file } = await backedUp();
    await gate.close();
    const outside = join(tempFolder(), "outside");
    const name = (wrong: string) => (entries: Map<string, Buffer>) => entries.set(wrong, Buffer.from("x"));
    const config = (text: string) => (entries: Map<string, Buffer>) =>
      entries.set("config/gate.toml", Buffer.from(text));
    const whole = readFileSync(file);
    const written = (bytes: Buffer) => {
      const made = join(tempFolder(), "made.backup");
      writeFileSync(made, bytes);
      return made;
    };
    const plain = gunzipSync(whole);
    const hostile: [string, string, string][] = [
      ["an empty file", written(Buffer.alloc(0)), "can't be restored"],
      ["text", written(Buffer.from("hello")), "isn't a backup"],
      ["gzip of text", written(gzipSync("hello")), "ends too early"],
      ["cut", written(whole.subarray(0, whole.length - 100)), "can't be restored"],
      [
        "a bit changed",
        written(gzipSync(plain.with(plain.length - 4000, (plain.at(-4000) ?? 0) ^ 1) as Buffer)),
        "can't be",
      ],
      ["a path upwards", forged(file, name("state/../../x")), "not a file of a backup"],
      ["an absolute path", forged(file, name(outside)), "not a file of a backup"],
      ["a token's name", forged(file, name("state/operator.token")), "not a file of a backup"],
      ["a hook's name", forged(file, name("state/hook/run")), "not a file of a backup"],
      ["hidden characters in a name", forged(file, name("state/a\u001b[2J")), "not a file of a backup"],
      ["an executor upwards", forged(file, name("config/executors/...toml")), "not a file of a backup"],
      [
        "bytes after its end",
        forged(file, () => undefined, Buffer.concat([TAR_END, Buffer.from("x")])),
        "after its end",
      ],
      [
        "one file more",
        forged(file, () => undefined, Buffer.concat([tarHeader("state/x.db", 0, 0), TAR_END])),
        "more files",
      ],
      [
        "a computed column",
        forged(file, (entries) =>
          withDatabase(entries, "state/agents.db", "ALTER TABLE agents ADD COLUMN x TEXT AS (name)"),
        ),
        "computed",
      ],
      [
        "a virtual table",
        forged(file, (entries) => withDatabase(entries, "state/safety.db", "CREATE VIRTUAL TABLE x USING fts5(y)")),
        "a trigger or a view",
      ],
      ["settings of 20 MiB", forged(file, config(" ".repeat(20 * 1024 * 1024))), "larger than such a file can be"],
      ["a folder", tempFolder(), "it isn't a file"],
      ["a pipe", pipeAt(join(tempFolder(), "pipe")), "it isn't a file"],
      ["no file", join(tempFolder(), "none"), "there is no such file"],
      ["no database", forged(file, (entries) => entries.delete("state/safety.db")), "safety database isn't in it"],
      [
        "another program's database",
        forged(file, (entries) => entries.set("state/grants.db", entries.get("state/safety.db") ?? Buffer.alloc(0))),
        "is not the grants database",
      ],
      ["a damaged database", forged(file, (entries) => entries.get("state/agents.db")?.fill(7, 4096)), "can't be"],
      [
        "a trigger that gives grants back",
        forged(file, (entries) =>
          withDatabase(
            entries,
            "state/grants.db",
            "CREATE TRIGGER t AFTER UPDATE OF revoked_at ON grants BEGIN UPDATE grants SET revoked_at = NULL; END",
          ),
        ),
        "a trigger or a view",
      ],
      [
        "a database of a newer version",
        forged(file, (entries) => withDatabase(entries, "state/grants.db", "PRAGMA user_version = 9999")),
        "newer version",
      ],
      [
        "a trail with a line less",
        forged(file, (entries) => {
          for (const [entry, bytes] of entries)
            if (entry.startsWith("data/vaglio/"))
              entries.set(entry, Buffer.from(String(bytes).split("\n").toSpliced(1, 1).join("\n")));
        }),
        "its trail isn't as it was",
      ],
      ["settings that no gate reads", forged(file, config("[guard]\nenabled = false\n")), "guard"],
      ["a database put somewhere else", forged(file, config(`[grants]\ndb = "${outside}"\n`)), "somewhere else"],
      [
        "a profile that loosens",
        forged(file, (entries) =>
          entries.set(
            "config/policy_overrides.toml",
            Buffer.from('[[profile]]\nagent = "codex"\n[profile.Full]\n"code:exec" = "allowed"\n'),
          ),
        ),
        "looser",
      ],
    ];
    const bomb = [
      [
        "manifest.json",
        Buffer.from(
          JSON.stringify({
            metnos_backup: 1,
            gate_version: "1",
            made_at: "2026-05-04T10:00:00Z",
            trail: { lines: 0, problems: 0 },
            files: [{ name: "state/grants.db", size: 8_000_000_000, sha256: "0".repeat(64) }],
          }),
        ),
      ],
    ] as [string, Buffer][];
    hostile.push(["more than the disk or the file has", packed(bomb), "can't be restored"]);
    hostile.push([
      "a manifest without an end",
      packed([["manifest.json", Buffer.alloc(5 * 1024 * 1024, 32)]]),
      "isn't a backup",
    ]);
    hostile.push(["a newer format", withManifest(file, { metnos_backup: 2 }), "reads format 1"]);
    hostile.push(["a key that isn't known", withManifest(file, { run: "x" }), "run"]);
    const to = temporaryHome("[approvals]\nkeep = 7\n");
    const old = await startGate({ home: to });
    await old.agent("aider");
    await old.close();
    const before = everything(to);
    let asked = 0;
    const yes = async () => {
      asked++;
      return true;
    };
    for (const [what, made, why] of hostile) {
      const refused = await restoreBackup(made, to.paths, to.env, yes).catch((error: unknown) => error);
      expect([what, refused]).toEqual([what, expect.any(GateError)]);
      const { code, message } = refused as GateError;
      expect([what, code, message]).toEqual([what, "invalid_input", expect.stringContaining(why)]);
      expect([what, /\p{C}/u.test(message)]).toEqual([what, false]);
      expect(everything(to)).toEqual(before);
    }
    // Nobody is asked about what isn't whole.
    expect(asked).toBe(0);
    const [[, first] = []] = hostile;
    const { code, stdout, stderr } = await runGate(to, ["restore", String(first), "--yes"]);
    expect([code, stdout, stderr.trim().split("\n").length]).toEqual([2, "", 2]);
    expect(existsSync(outside)).toBe(false);
  });

  it("takes tokens and a linked chat out of a file that has some all the same", async () => {
    const { gate, file } = await backedUp();
    const token = "a".repeat(64);
    const hash = createHash("sha256").update(token).digest("hex");
    const made = forged(file, (entries) =>
      withDatabase(
        entries,
        "state/agents.db",
        `UPDATE agents SET token_hash = '${hash}'; INSERT INTO channel_links VALUES ('telegram', 1, 1, 'eve', '2026-05-04T10:00:00Z')`,
      ),
    );
    await gate.close();
    const to = temporaryHome("");
    expect((await runGate(to, ["restore", made, "--yes"])).code).toBe(0);
    const there = await startGate({ home: to });
    const connection = await there.connect();
    expect((await connection.hello("codex", { token })).type).not.toBe("hello.ok");
    const db = new Database(to.paths.agents_db, { readonly: true });
    expect(db.prepare("SELECT count(*) FROM channel_links").pluck().get()).toBe(0);
    db.close();
  });
});

/** The same files under another manifest. */
function withManifest(file: string, change: Record<string, unknown>): string {
  const entries = entriesOf(file);
  const manifest = { ...JSON.parse(String(entries.get("manifest.json"))), ...change };
  entries.set("manifest.json", Buffer.from(JSON.stringify(manifest)));
  return packed([...entries]);
}

describe("a restore that is killed", () => {
  it.each([
    ["while it unpacks", (home: TemporaryHome) => existsSync(join(home.paths.state_dir, "restore.new"))],
    [
      "once it has unpacked its databases",
      (home: TemporaryHome) => existsSync(join(home.paths.state_dir, "restore.new/safety.db")),
    ],
    ["when it counts", (home: TemporaryHome) => existsSync(home.paths.restoreJournal)],
    [
      "between its moves",
      (home: TemporaryHome) => readdirSync(home.paths.state_dir).some((name) => name.startsWith("before-")),
    ],
  ])("%s leaves all of the old or all of the new", async (_, isReached) => {
    const { gate, file } = await backedUp();
    await gate.close();
    const to = temporaryHome("[approvals]\nkeep = 7\n");
    const old = await startGate({ home: to });
    await old.agent("aider");
    await old.close();
    const child = spawn(process.execPath, [LAUNCHER, "restore", file, "--yes"], { env: to.env, stdio: "ignore" });
    const ended = once(child, "exit");
    while (child.exitCode === null && !isReached(to)) await immediate();
    child.kill("SIGKILL");
    await ended;
    const counts = existsSync(to.paths.restoreJournal);
    if (counts) await expect(startGate({ home: to })).rejects.toMatchObject({ code: "restore_unfinished" });
    if (counts) expect((await runGate(to, ["restore", "--finish"])).code).toBe(0);
    const there = await startGate({ home: to });
    const [agent] = (await there.operator.call("agents.list", {})).agents;
    const config = readFileSync(to.paths.configFile, "utf8");
    expect([agent?.name, /keep = \d+/.exec(config)?.[0]]).toEqual(
      agent?.name === "aider" && !counts ? ["aider", "keep = 7"] : ["codex", "keep = 300"],
    );
    expect(await there.operator.call("audit.verify", {})).toMatchObject({ ok: true });
    await there.close();
    expect((await runGate(to, ["restore", file, "--yes"])).code).toBe(0);
  });
});
