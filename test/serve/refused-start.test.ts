import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { runGate } from "../support/gate-process.ts";
import { startGate } from "../support/running-gate.ts";
import { type TemporaryHome, temporaryHome } from "../support/temporary-home.ts";

const DATABASES = ["grants_db", "approvals_db", "agents_db"] as const;

const HARM = {
  "overwritten with something else": {
    code: "database_damaged",
    todo: /backup|move it away/,
    harm: (file: string) => writeFileSync(file, "this is no database, but somebody's notes\n".repeat(200)),
  },
  "cut in the middle": {
    code: "database_damaged",
    todo: /backup|move it away/,
    harm: (file: string) => truncateSync(file, 5000),
  },
  "read-only": { code: "database_read_only", todo: /chmod/, harm: (file: string) => chmodSync(file, 0o444) },
  "from a newer version": {
    code: "database_newer",
    todo: /update/i,
    harm: (file: string) => {
      const db = new Database(file);
      db.pragma("user_version = 99");
      db.close();
    },
  },
} as const;

/** A home in which a gate has run, with one agent and one request that waits. */
async function usedHome(): Promise<TemporaryHome> {
  const gate = await startGate();
  const agent = await gate.agent();
  await agent.ask({ executor: "fs_write", args: { path: "/tmp/a.txt" } });
  await gate.operator.call("grants.add", { capability: "fs:read", target: "/srv/docs/**" });
  await gate.close();
  return gate.home;
}

describe("a database that can't be used: the gate doesn't start, says which and what to do, and leaves the file as it is", () => {
  for (const name of DATABASES) {
    it.each(Object.entries(HARM))(`${name} %s`, async (_what, { code, todo, harm }) => {
      const home = await usedHome();
      const file = home.paths[name];
      harm(file);
      const before = { bytes: readFileSync(file), mode: statSync(file).mode };
      await expect(startGate({ home })).rejects.toMatchObject({
        code,
        message: expect.stringContaining(file),
        hint: expect.stringMatching(todo),
      });
      expect({ bytes: readFileSync(file), mode: statSync(file).mode }).toEqual(before);
      expect(existsSync(home.paths.agent_socket)).toBe(false);
    });
  }

  it("once the file is put right, it starts again with everything in it", async () => {
    const home = await usedHome();
    const file = home.paths.grants_db;
    copyFileSync(file, `${file}.backup`);
    writeFileSync(file, "x".repeat(9000));
    await expect(startGate({ home })).rejects.toMatchObject({ code: "database_damaged" });
    copyFileSync(`${file}.backup`, file);
    const gate = await startGate({ home });
    expect(await gate.operator.call("grants.list", {})).toMatchObject([{ target: "/srv/docs/**" }]);
  });

  it("the command says it on stderr and exits with 1", async () => {
    const home = await usedHome();
    writeFileSync(home.paths.approvals_db, "x".repeat(9000));
    const { code, stdout, stderr } = await runGate(home, ["serve"]);
    expect(code).toBe(1);
    expect(stdout).toBe("");
    expect(stderr).toContain(home.paths.approvals_db);
    expect(stderr).toContain("move it away");
  });
});

describe("the sockets' folder", () => {
  it.each(["METNOS_RUNTIME_DIR", "METNOS_GATE_SOCKET"])(
    "%s that others can enter is refused and left as it is",
    async (name) => {
      const home = temporaryHome();
      const shared = join(home.home, "shared");
      mkdirSync(shared, { mode: 0o755 });
      const value = name === "METNOS_GATE_SOCKET" ? join(shared, "gate.sock") : shared;
      const started = startGate({ home: { ...home, env: { ...home.env, [name]: value } } });
      await expect(started).rejects.toMatchObject({
        code: "folder_not_private",
        message: expect.stringContaining(shared),
      });
      expect(statSync(shared).mode & 0o777).toBe(0o755);
      expect(readdirSync(shared)).toEqual([]);
    },
  );

  it("of the gate's own is closed to others", async () => {
    const home = temporaryHome();
    mkdirSync(home.paths.runtimeDir, { recursive: true, mode: 0o755 });
    await startGate({ home });
    expect(statSync(home.paths.runtimeDir).mode & 0o777).toBe(0o700);
    expect(statSync(home.paths.state_dir).mode & 0o777).toBe(0o700);
  });

  it("whose path is too long for a socket is refused, with what to do", async () => {
    const home = temporaryHome();
    const env = { ...home.env, METNOS_RUNTIME_DIR: join(home.home, "x".repeat(100)) };
    await expect(startGate({ home: { ...home, env } })).rejects.toMatchObject({
      code: "socket_path_too_long",
      hint: expect.stringContaining("METNOS_RUNTIME_DIR"),
    });
  });
});

describe("a configuration that doesn't hold: the gate doesn't start and names file, line and key", () => {
  it.each([
    ["isn't TOML", "[judge]\nthreshold = = 1\n", /line 2 \(threshold\)/],
    ["isn't TOML at its end", '[judge]\nkind = "rule-based', /line 2 \(kind\)/],
    [
      "has a key that there isn't",
      "[approvals]\nttl_seconds = 60\nttl_minutes = 3\n",
      /line 3: approvals\.ttl_minutes: there is no such key/,
    ],
    ["has a table that there isn't", 'language = "en"\n\n[signal]\n', /line 3: signal: there is no such key/],
    ["has a value that doesn't fit", "[approvals]\n\nttl_seconds = 3\n", /line 3: approvals\.ttl_seconds: /],
    ["sets a value under a dotted key", 'judge.threshold = "high"\n', /line 1: judge\.threshold: /],
  ])("one that %s", async (_what, config, expected) => {
    const home = temporaryHome(config);
    await expect(startGate({ home })).rejects.toMatchObject({
      code: "invalid_config",
      message: expect.stringMatching(expected),
      hint: expect.stringContaining("docs/configuration.md"),
    });
    await expect(startGate({ home })).rejects.toThrow(home.paths.configFile);
    expect(existsSync(home.paths.state_dir)).toBe(false);
  });

  it("the command says it on stderr and exits with 1", async () => {
    const home = temporaryHome("[approvals]\nttl_minutes = 3\n");
    const { code, stderr } = await runGate(home, ["serve"]);
    expect(code).toBe(1);
    expect(stderr).toContain(`${home.paths.configFile}, line 2: approvals.ttl_minutes`);
  });
});
