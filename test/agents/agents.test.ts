import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { agentTokenFile, gatePaths } from "../../ipc/base/paths.ts";
import { AGENTS_SCHEMA, AgentDirectory } from "../../main/agents/agents.ts";
import { openDatabase } from "../../main/base/sqlite/database.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { tempFolder } from "../support/temp-folder.ts";

function directory(home = tempFolder()) {
  const paths = gatePaths({ HOME: home });
  const db = openDatabase(paths.agents_db, AGENTS_SCHEMA);
  onTestFinished(() => {
    db.close();
  });
  const agents = new AgentDirectory(db, paths, new ManualClock().now);
  return { home, paths, db, agents, file: agentTokenFile(paths, "worker") };
}

const token = (file: string) => readFileSync(file, "utf8").trim();

it("a pairing leaves a row and its token (0600), nothing else", () => {
  const { agents, file } = directory();
  const { agent, token_file, isRenewed } = agents.pair("worker", "Supervised");
  expect({ token_file, isRenewed }).toEqual({ token_file: file, isRenewed: false });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(dirname(file))).toEqual(["worker.token"]);
  expect(agents.authenticate("worker", token(file))).toMatchObject({ agent_id: agent.agent_id });
});

it("a row that can't be written takes its token back", () => {
  const { agents, db, file } = directory();
  db.exec("CREATE TRIGGER full BEFORE INSERT ON agents BEGIN SELECT RAISE(ABORT, 'full'); END");
  expect(() => agents.pair("worker", "Supervised")).toThrow(/agents database/);
  expect(existsSync(file)).toBe(false);
  expect(agents.list()).toEqual([]);
  db.exec("DROP TRIGGER full");
  agents.pair("worker", "Supervised");
  expect(agents.authenticate("worker", token(file))).toBeDefined();
});

it("a token that cannot be written leaves no row: a folder in its place is refused by name and left as it is", () => {
  const { agents, file, db } = directory();
  mkdirSync(join(file, "kept"), { recursive: true });
  expect(() => agents.pair("worker", "Supervised")).toThrow(
    expect.objectContaining({ message: expect.stringContaining(file) }),
  );
  expect(readdirSync(dirname(file))).toEqual(["worker.token"]);
  expect(readdirSync(file)).toEqual(["kept"]);
  expect(agents.list()).toEqual([]);
  expect(db.prepare("SELECT count(*) FROM agents").pluck().get()).toBe(0);
});

it("what a crash left between token and row, or in the middle of a token, is replaced", () => {
  const { agents, file } = directory();
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${"0".repeat(64)}\n`);
  writeFileSync(`${file}.new`, "01");
  expect(agents.authenticate("worker", token(file))).toBeUndefined();
  agents.pair("worker", "Full");
  expect(agents.authenticate("worker", token(file))).toBeDefined();
  expect(readdirSync(dirname(file))).toEqual(["worker.token"]);
});

it("a link in the token's place is replaced, what it leads to is left as it is", () => {
  const { agents, file, home } = directory();
  const precious = join(home, "precious.txt");
  writeFileSync(precious, "kept");
  mkdirSync(dirname(file), { recursive: true });
  symlinkSync(precious, file);
  symlinkSync(precious, `${file}.new`);
  agents.pair("worker", "Full");
  expect(readFileSync(precious, "utf8")).toBe("kept");
  expect(agents.authenticate("worker", token(file))).toBeDefined();
});

it.each([
  ["missing", (file: string) => rmSync(file)],
  ["another one", (file: string) => writeFileSync(file, "f".repeat(64))],
  ["empty", (file: string) => writeFileSync(file, "")],
])("paired, but its token is %s: pairing again gives a new one, and the old one counts no more", (_what, harm) => {
  const { agents, file, db } = directory();
  const first = agents.pair("worker", "Supervised").agent;
  const old = token(file);
  expect(() => agents.pair("worker", "Full")).toThrow(/paired already/);
  harm(file);
  const { agent, isRenewed } = agents.pair("worker", "Full");
  expect(isRenewed).toBe(true);
  expect(agent).toMatchObject({ agent_id: first.agent_id, level: "Full" });
  expect(agents.authenticate("worker", token(file))).toBeDefined();
  expect(agents.authenticate("worker", old)).toBeUndefined();
  expect(db.prepare("SELECT count(*) FROM agents").pluck().get()).toBe(1);
});

it("a name that differs in its case only is never paired anew over the other", () => {
  const { agents, file } = directory();
  agents.pair("worker", "Supervised");
  rmSync(file);
  expect(() => agents.pair("Worker", "Full")).toThrow(/worker is paired already/);
});

it("a pairing is revoked, whatever is in its token's place", () => {
  const { agents, file } = directory();
  agents.pair("worker", "Supervised");
  rmSync(file);
  mkdirSync(join(file, "kept"), { recursive: true });
  expect(agents.revoke("worker").revoked_at).not.toBeNull();
  expect(agents.named("worker")).toBeUndefined();
});
