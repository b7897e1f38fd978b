import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gatePaths } from "../../ipc/base/paths.ts";
import type { OperatorClient } from "../../ipc/socket/operator-client.ts";
import { keepJudgeResult } from "../../judge-eval/keep-result.ts";
import { removeFolder } from "../../main/base/files/remove-folder.ts";
import { type JudgeResult, OURS } from "../../main/judges/judge-results.ts";
import { greeted } from "./acts.ts";
import { AGENT, EXECUTOR } from "./files.ts";
import { GateProcess, type RunAs } from "./gate-process.ts";
import { type Material, makeForeignDatabase, PRECIOUS } from "./kinds.ts";
import { type Known, nothingKnown } from "./known.ts";

/** Homes in which a gate has run: with grants, answers, an agent, a pause, settings and an own executor. */

/** What a user id that owns nothing is called on every system. */
const NOBODY = { uid: 65_534, gid: 65_534 };

const CONFIG = `# of this home
[judge]
threshold = 0.25

[digest]
evening = "00:00"

[[safety.rules]]
id = "NO-TRADING"
subject = "goal"
severity = "BLOCK"
condition = { field = "goal_type", operator = "one_of", value = ["trade", "transfer"] }

[models.local]
dialect = "openai"
base_url = "http://127.0.0.1:9"
model = "nobody-asks-it"
`;

/** What `npm run judge-eval` may have measured; `name` makes one home's different from another's. */
function judgeResult(name: string): JudgeResult {
  return {
    fingerprint: name,
    data: OURS,
    calls: 4,
    of: 4,
    fallbacks: 0,
    measured_at: "2026-01-01T00:00:00.000Z",
    true_positives: 1,
    false_positives: 1,
    true_negatives: 1,
    false_negatives: 1,
  };
}

const OVERRIDES = `# what an agent may do less
[[profile]]
agent = "${AGENT}"

[profile.Supervised]
"mail:send" = "denied"
`;

const MANIFEST = `name = "${EXECUTOR}"
critical = false
reversibility = "reversible"
needs = [{ capability = "time:read", target = { from = "none" } }]

[verb]
en = "search your notes"
it = "cerchi nei tuoi appunti"

[args_schema]
type = "object"
`;

export class PreparedHomes {
  /** Where all of them are; removed by `remove`. */
  readonly root: string;
  readonly runAs: RunAs;
  readonly used: string;
  readonly known = nothingKnown();
  readonly #older: string;
  readonly #foreign: string;
  #next = 0;

  private constructor(root: string, runAs: RunAs) {
    this.root = root;
    this.runAs = runAs;
    this.used = join(root, "used");
    this.#older = join(root, "older");
    this.#foreign = join(root, "foreign");
  }

  static async prepare(): Promise<PreparedHomes> {
    const root = mkdtempSync(join(tmpdir(), "metnos-damage-"));
    chmodSync(root, 0o755);
    const user = process.getuid?.() === 0 ? NOBODY : undefined;
    const compileCache = join(root, "compile-cache");
    const homes = new PreparedHomes(root, { user, compile_cache: compileCache });
    homes.#makeFolder(compileCache);
    await homes.#workIn(homes.#foreign, "foreign", nothingKnown());
    makeForeignDatabase(homes.#foreign);
    await homes.#workIn(homes.used, "first", homes.known);
    homes.#copy(homes.used, homes.#older);
    await homes.#workIn(homes.used, "second", homes.known);
    return homes;
  }

  /** A separate home for one case, in `folder` or beside the others, and what it may be damaged with. */
  caseHome(folder = this.root): { home: string; material: Material } {
    const home = join(folder, `h${this.#next++}`);
    this.#copy(this.used, home);
    const elsewhere = `${home}-elsewhere`;
    this.#makeFolder(elsewhere);
    const precious = join(elsewhere, PRECIOUS);
    writeFileSync(precious, "nobody's business\n".repeat(100));
    this.#give(precious);
    return {
      home,
      material: { user: this.runAs.user, foreignHome: this.#foreign, olderHome: this.#older, elsewhere },
    };
  }

  /** A folder of the gates' user beside the homes. */
  makeFolder(name: string): string {
    const folder = join(this.root, name);
    this.#makeFolder(folder);
    return folder;
  }

  forget({ home, material }: { home: string; material: Material }): void {
    for (const folder of [home, material.elsewhere]) removeFolder(folder);
  }

  remove(): void {
    removeFolder(this.root);
  }

  /** Starts a gate there, does the operator's and an agent's acts, and stops it. What lasts is added to `known`. */
  async #workIn(home: string, name: string, known: Known): Promise<void> {
    const paths = gatePaths({ HOME: home });
    if (known.agents.length === 0) {
      this.#makeFolder(home);
      mkdirSync(paths.executorsDir, { recursive: true, mode: 0o700 });
      writeFileSync(paths.configFile, CONFIG, { mode: 0o600 });
      writeFileSync(paths.policy_overrides, OVERRIDES, { mode: 0o600 });
      writeFileSync(join(paths.executorsDir, `${EXECUTOR}.toml`), MANIFEST, { mode: 0o600 });
      execFileSync("chmod", ["-R", "go=", home]);
      const { user } = this.runAs;
      if (user !== undefined) execFileSync("chown", ["-R", `${user.uid}:${user.gid}`, home]);
    }
    const gate = new GateProcess(home, this.runAs);
    try {
      const state = await gate.started();
      const operator = await gate.operator();
      if (state !== "serving" || operator === undefined)
        throw new Error(`no gate to begin with: ${state}\n${gate.output}`);
      await workWith(operator, home, name, known);
      await operator.close();
      if (!(await gate.stop())) throw new Error("the gate to begin with doesn't end");
      keepJudgeResult(paths.judgeResults, judgeResult(name));
      this.#give(paths.judgeResults);
    } finally {
      await gate.kill();
    }
  }

  #copy(from: string, to: string): void {
    execFileSync("cp", ["-a", from, to]);
  }

  #makeFolder(folder: string): void {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#give(folder);
  }

  #give(path: string): void {
    const { user } = this.runAs;
    if (user !== undefined) chownSync(path, user.uid, user.gid);
  }
}

async function workWith(operator: OperatorClient, home: string, name: string, known: Known): Promise<void> {
  await operator.call("safety.resume", {});
  if (known.agents.length === 0) {
    await operator.call("agents.pair", { name: AGENT, level: "Supervised" });
    known.agents.push(AGENT);
  }
  const agent = await greeted(home);
  for (let index = 0; index < 5; index++) await agent.call("time_now", {});
  const target = `/srv/${name}/**`;
  await operator.call("grants.add", { capability: "fs:read", target });
  known.grants.push(target);
  const asked = await agent.call("fs_write", { path: `/srv/${name}.txt`, content: "x" });
  const pending = asked?.decision.pending?.token;
  if (pending === undefined) throw new Error("no request waits");
  await operator.call("approvals.resolve", { token: pending, decision: "rejected" });
  known.answered.push(pending);
  agent.close();
  const ttlSeconds = name === "second" ? 1234 : 999;
  await operator.call("settings.set", { key: "approvals.ttl_seconds", value: ttlSeconds });
  await operator.call("safety.pause", { reason: name });
  Object.assign(known, { ttl_seconds: ttlSeconds, paused: name });
}
