import { accessSync, constants, existsSync, statSync } from "node:fs";
import { ownCommand } from "../ipc/base/own-command.ts";
import { agentTokenFile, type GatePaths, gatePaths } from "../ipc/base/paths.ts";
import type { BoxStatus } from "../ipc/contract/box.ts";
import type { ChannelStatus } from "../ipc/contract/channels.ts";
import { GateError } from "../ipc/contract/gate-error.ts";
import type { JudgeStatus, ModelProblem } from "../ipc/contract/judges.ts";
import { boxProblemWords, hostsProblemWords } from "../ipc/words/box-words.ts";
import { modelProblemText } from "../ipc/words/judge-words.ts";
import { hasItsToken } from "../main/agents/agent-tokens.ts";
import { AGENTS_SCHEMA } from "../main/agents/agents.ts";
import { errorCode } from "../main/base/errors.ts";
import { openDatabaseReadOnly } from "../main/base/sqlite/database.ts";
import type { Schema } from "../main/base/sqlite/database-schema.ts";
import { DEFAULT_TTL_SECONDS } from "../main/calls/approvals/registry.ts";
import { APPROVALS_SCHEMA } from "../main/calls/approvals/schema.ts";
import { gatePathsWith } from "../main/config/gate-paths.ts";
import { type Config, loadChosenConfig, longestAnswerSeconds } from "../main/config/index.ts";
import { loadPolicyOverrides } from "../main/config/policy-overrides-file.ts";
import { foldersOf, roomHint, roomOf, roomText } from "../main/core/storage/disk-watch.ts";
import { grantsSchema } from "../main/core/storage/grants-schema.ts";
import { lookAtDatabases } from "../main/core/storage/open-databases.ts";
import { Prices } from "../main/decide/costs/prices.ts";
import { ExecutorCatalog, loadOwnExecutors } from "../main/decide/executors/catalog.ts";
import { type Profile, withoutKindText } from "../main/decide/policy/policy.ts";
import { type JudgeAgentConfig, needsBox, type ReviewConfig } from "../main/decide/reviews/config.ts";
import { SAFETY_SCHEMA } from "../main/decide/safety/schema.ts";
import { monthFile } from "../main/records/audit/chain.ts";
import { filesIn } from "../main/records/audit/month-files.ts";
import { gitProblem } from "../main/undo/git-program.ts";
import { allAdapters } from "./agents/adapters.ts";
import { alarmHint } from "./alarm-hint.ts";
import { attempt, type Check } from "./check.ts";
import { modelFix } from "./model-fix.ts";
import { withRunningGate } from "./operator.ts";
import { staleConfigText } from "./stale-config.ts";

const CHECK = "audit trail";

/** Is only the trail in its folder? Reads no line: `audit verify` does. */
function trailCheck(folder: string): Check {
  try {
    const present = monthFile(Date.now());
    const odd = filesIn(folder).filter(
      ({ name, role, not_a_file }) => role === "stray" || not_a_file !== null || (role === "month" && name > present),
    );
    if (odd.length === 0) return { check: CHECK, ok: true, detail: folder };
    const names = odd.map(({ name, not_a_file }) => (not_a_file === null ? name : `${name} (${not_a_file})`));
    return {
      check: CHECK,
      ok: false,
      detail: `in ${folder} there is what the gate doesn't expect: ${names.join(", ")}`,
      fix: `see: ${ownCommand("audit verify")}; a month to come is the gate's own only where its clock was wrong`,
    };
  } catch (error) {
    return {
      check: CHECK,
      ok: false,
      detail: `${folder} can't be read (${errorCode(error)})`,
      fix: `ls -ld ${folder}`,
    };
  }
}

/** Everything the gate needs. Changes nothing but the record of tested clients. @param client Claude Code's program; left out, the one on PATH */
export async function allChecks(client?: string): Promise<Check[]> {
  const configuration = attempt("configuration", () => {
    loadChosenConfig(process.env);
    return existsSync(gatePaths(process.env).configFile)
      ? gatePaths(process.env).configFile
      : "none, the defaults hold";
  });
  const config = configuration.ok ? loadChosenConfig(process.env) : undefined;
  const paths = config === undefined ? gatePaths(process.env) : gatePathsWith(config, process.env);
  const gate = await runningGate(config);
  return [
    nodeVersion(),
    configuration,
    ...gate,
    ...[paths.state_dir, paths.runtimeDir].map((folder) => permissions("folder", folder, 0o700)),
    ...[paths.agent_socket, paths.operator_socket].map((socket) => permissions("socket", socket, 0o600)),
    permissions("operator token", paths.operatorToken, 0o600),
    permissions("claude-code token", agentTokenFile(paths, "claude-code"), 0o600),
    ...databases(paths),
    ...diskChecks(paths),
    // A running gate raises an alarm where it loses one.
    ...(gate.some(({ check, ok }) => check === "gate" && ok) ? [] : missingDatabases(paths)),
    pairings(paths),
    ...profileChecks(paths),
    ...(config === undefined ? [] : priceChecks(config, paths)),
    trailCheck(paths.auditDir),
    undoCheck(config?.undo.enabled !== false, gitProblem()),
    ...(await agentChecks(config === undefined ? DEFAULT_TTL_SECONDS : longestAnswerSeconds(config), client)),
  ];
}

/** Of Claude Code always, of the others once they are paired. */
async function agentChecks(answerSeconds: number, client: string | undefined): Promise<Check[]> {
  const context = { cwd: process.cwd(), env: process.env, answerSeconds };
  const adapters = (await allAdapters()).filter(
    ({ name }) => name === "claude-code" || existsSync(agentTokenFile(gatePaths(process.env), name)),
  );
  return (
    await Promise.all(
      adapters.map((adapter) =>
        adapter.checks(adapter.name === "claude-code" && client !== undefined ? { ...context, client } : context),
      ),
    )
  ).flat();
}

/** Without Git nothing is kept, and everything else is as it was. */
export function undoCheck(isEnabled: boolean, problem: string | null): Check {
  if (!isEnabled) return { check: "undo", ok: true, detail: "switched off" };
  if (problem === null) return { check: "undo", ok: true, detail: "what agents do to files can be taken back" };
  return {
    check: "undo",
    ok: false,
    detail: `nothing can be taken back: ${problem}`,
    fix: "install git 2.20 or newer",
  };
}

function nodeVersion(): Check {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const ok = major > 22 || (major === 22 && minor >= 18);
  return { check: "node", ok, detail: process.versions.node, ...(ok ? {} : { fix: "use Node 22.18 or newer" }) };
}

/** Whether it runs, and a failed check for each of its alarms. */
async function runningGate(config: Config | undefined): Promise<Check[]> {
  try {
    const { alarms, pid, started_at, box, judge, channels } = await withRunningGate(async (api) => ({
      ...(await api.call("status", {})),
      box: await api.call("box.status", {}),
      judge: await api.call("judge.status", {}),
      channels: await api.call("channels.status", {}),
    }));
    const others = alarms.filter(({ code }) => code !== "disk_low"); // which the check of the disks says
    const failed = others.map((alarm) => ({
      check: alarm.code,
      ok: false,
      detail: alarm.message,
      fix: alarmHint(alarm),
    }));
    return [
      { check: "gate", ok: true, detail: `running, pid ${pid}` },
      ...staleConfig(started_at),
      boxCheck(box),
      ...judgeChecks(judge, config, box),
      ...channelChecks(channels),
      ...failed,
    ];
  } catch (error) {
    if (!(error instanceof GateError)) throw error;
    return [{ check: "gate", ok: false, detail: error.message, fix: error.hint }];
  }
}

function staleConfig(startedAt: string): Check[] {
  const detail = staleConfigText(startedAt);
  return detail === null
    ? []
    : [{ check: "configuration in force", ok: false, detail, fix: "end the gate and start it again" }];
}

/** Without a box everything works: each command that runs code is asked about. It fails only where something can be done about it. */
export function boxCheck({ problem, hosts_problem, detail, fix, maker }: BoxStatus): Check {
  if (problem === null && hosts_problem !== null) {
    const { what, todo } = hostsProblemWords(hosts_problem, "en");
    return { check: "box", ok: todo === null, detail: what, ...(todo === null ? {} : { fix: todo }) };
  }
  if (problem === null)
    return {
      check: "box",
      ok: true,
      detail: `commands can be confined, by ${maker}`,
    };
  const { what, todo } = boxProblemWords(problem, "en");
  const said = `no command is confined: ${what}${detail === "" ? "" : ` (${detail})`}`;
  const todos = fix ?? todo;
  if (problem === "disabled" || todos === null) return { check: "box", ok: true, detail: said };
  return { check: "box", ok: false, detail: said, fix: todos };
}

function diskChecks(paths: GatePaths): Check[] {
  return roomOf(foldersOf(paths)).map((room) => ({
    check: "disk",
    ok: !room.is_low,
    detail: roomText(room),
    ...(room.is_low ? { fix: roomHint() } : {}),
  }));
}

/** A missing one is no problem: it is made when it is needed. */
function permissions(what: string, path: string, mode: number): Check {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return { check: what, ok: true, detail: `${path} is not there yet` };
  const found = stat.mode & 0o777;
  const ok = found === mode;
  return {
    check: what,
    ok,
    detail: `${path} ${found.toString(8)}`,
    ...(ok ? {} : { fix: `chmod ${mode.toString(8)} ${path}` }),
  };
}

function databases(paths: GatePaths): Check[] {
  const files: [string, Schema][] = [
    [paths.grants_db, grantsSchema(process.env.HOME ?? "/")],
    [paths.approvals_db, APPROVALS_SCHEMA],
    [paths.agents_db, AGENTS_SCHEMA],
    [paths.safety_db, SAFETY_SCHEMA],
  ];
  return files.map(([file, schema]) =>
    attempt(schema.title, () => {
      const db = openDatabaseReadOnly(file, schema);
      db?.close();
      return db === undefined ? `${file} is not there yet` : file;
    }),
  );
}

/** A database that is missing beside others keeps the gate from starting. One that can't be read has a separate check. */
function missingDatabases(paths: GatePaths): Check[] {
  const check = attempt("databases", () => {
    try {
      lookAtDatabases(paths, process.env.HOME ?? "/", new Set());
    } catch (error) {
      if (errorCode(error) === "database_missing") throw error;
    }
    return "none is missing";
  });
  return check.ok ? [] : [check];
}

/** An agent whose file doesn't hold its token can't identify itself. */
function pairings(paths: GatePaths): Check {
  return attempt("pairings", () => {
    const db = openDatabaseReadOnly(paths.agents_db, AGENTS_SCHEMA);
    const rows = db?.prepare("SELECT name, token_hash, level FROM agents WHERE revoked_at IS NULL").all() ?? [];
    db?.close();
    const paired = rows as { name: string; token_hash: string; level: string }[];
    const without = paired.filter((row) => !hasItsToken(paths, row));
    const [first] = without;
    if (first === undefined) return `${paired.length} paired, each with its token`;
    const names = without.map(({ name }) => `${name} (${agentTokenFile(paths, name)})`).join(", ");
    throw new GateError(
      "token_missing",
      `the token is missing, or another one is there: ${names}`,
      `give it a new one: ${ownCommand(`agents pair ${first.name} --level ${first.level}`)}`,
    );
  });
}

/** Each channel that is configured: whether it works. The desktop's is only said. */
function channelChecks(channels: readonly ChannelStatus[]): Check[] {
  return channels
    .filter(({ state }) => state !== "off")
    .map(({ name, state, text, route }) => {
      const check = `channel ${name}`;
      if (state === "on") return { check, ok: true, detail: route.en };
      return { check, ok: false, detail: text, fix: "see docs/channels.md" };
    });
}

// What the user configured of the policy: profiles and prices. A name that nothing fits is a remark: it may come yet.

function profileChecks(paths: GatePaths): Check[] {
  if (!existsSync(paths.policy_overrides)) return [];
  return [
    attempt("profiles", () => {
      const overrides = loadPolicyOverrides(paths.policy_overrides);
      const counted = `${overrides.profiles.length} in ${paths.policy_overrides}, ${overrides.list.length} cells made stricter`;
      const paired = pairedNames(paths);
      const leftOut = overrides.withoutKind(paired);
      return [
        counted,
        ...unpaired(overrides.profiles, paired).map((name) => `no agent named ${name} is paired`),
        ...(leftOut.length === 0 ? [] : [withoutKindText(leftOut)]),
      ].join("; ");
    }),
  ];
}

function pairedNames(paths: GatePaths): string[] {
  const db = openDatabaseReadOnly(paths.agents_db, AGENTS_SCHEMA);
  const names = db?.prepare("SELECT name FROM agents WHERE revoked_at IS NULL").pluck().all() ?? [];
  db?.close();
  return names as string[];
}

function unpaired(profiles: readonly Profile[], paired: readonly string[]): string[] {
  const names = paired.map((name) => name.toLowerCase());
  return profiles.flatMap(({ holder }) =>
    holder.by === "agent" && !names.includes(holder.name.toLowerCase()) ? [holder.name] : [],
  );
}

function priceChecks(config: Config, paths: GatePaths): Check[] {
  const { names } = new Prices(config);
  if (names.length === 0) return [];
  return [
    attempt("prices", () => {
      const known = new ExecutorCatalog(loadOwnExecutors(paths.executorsDir)).names("any");
      const unknown = names.filter((name) => !known.includes(name) && !name.startsWith("mcp__"));
      const counted = `${names.length} in ${paths.configFile}`;
      return [counted, ...unknown.map((name) => `nothing describes a tool named ${name}`)].join("; ");
    }),
  ];
}

// Whether those who are to judge calls can do it.

/** What can be tried at once. */
const RETRIED: readonly ModelProblem[] = ["key-missing", "unreachable", "not-answering", "refused", "malformed"];

function retriedFix(problem: ModelProblem): string {
  return RETRIED.includes(problem) ? `${modelFix(problem)}; then: ${ownCommand("judge test")}` : modelFix(problem);
}

/**
 * The judge, and each validator's judge agent, by the running gate's word and its configuration.
 * @param configured undefined where gate.toml can't be read
 */
export function judgeChecks(status: JudgeStatus, configured: ReviewConfig | undefined, box: BoxStatus): Check[] {
  const agents = [...new Set(status.validators.map(({ judge_agent }) => judge_agent))];
  return [judgeCheck(status), ...agents.map((name) => agentCheck(name, configured?.judge_agents[name], status, box))];
}

function judgeCheck(status: JudgeStatus): Check {
  const { kind, model } = status;
  if (kind === "rule-based-v1") return { check: "judge", ok: true, detail: kind };
  const problem = model === null ? "no-model" : problemOf(model, status);
  if (problem !== null) return failed("judge", problem, `${kind}${model === null ? "" : `, ${model}`}`);
  return { check: "judge", ok: true, detail: `${kind}, ${model}: no problem known` };
}

function agentCheck(
  name: string,
  configured: JudgeAgentConfig | undefined,
  status: JudgeStatus,
  box: BoxStatus,
): Check {
  const check = `judge agent ${name}`;
  const known = status.judge_agents.find((agent) => agent.name === name);
  if (known?.model != null) {
    const problem = problemOf(known.model, status);
    if (problem !== null) return failed(check, problem, `its model ${known.model}`);
  }
  if (configured !== undefined && needsBox(configured) && !box.is_available)
    return {
      check,
      ok: false,
      detail: "it can't run: there is no box here, and each call that its validator looks at is denied",
      fix: `see: ${ownCommand("box status")}`,
    };
  const program = configured?.kind === "command" ? configured.command[0] : undefined;
  if (program !== undefined && !isExecutable(program))
    return {
      check,
      ok: false,
      detail: `${program} isn't there or can't be run: each call that its validator looks at is denied`,
      fix: `correct command in [judge_agents.${name}] of gate.toml`,
    };
  return { check, ok: true, detail: "no problem known" };
}

function problemOf(name: string, { models }: JudgeStatus): ModelProblem | null {
  return models.find((model) => model.name === name)?.problem ?? null;
}

function failed(check: string, problem: ModelProblem, what: string): Check {
  return {
    check,
    ok: false,
    detail: `${what}: ${modelProblemText(problem, "en")}`,
    fix: retriedFix(problem),
  };
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false; // nothing there, or not for this user
  }
}
