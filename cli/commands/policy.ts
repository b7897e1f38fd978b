import { existsSync } from "node:fs";
import type { Command } from "commander";
import { ownCommand } from "../../ipc/base/own-command.ts";
import { CAPABILITIES, type Capability, LEVELS, type Level } from "../../ipc/contract/decision.ts";
import type { Principal } from "../../ipc/contract/operator-api.ts";
import {
  effectiveOutcome,
  type PolicySubject,
  type SubjectPolicy,
  TABLE_POLICY,
} from "../../main/decide/policy/policy.ts";
import { CAPABILITY_REGISTRY } from "../../main/targets/capabilities.ts";
import { parseExpiry } from "../durations.ts";
import {
  CAPABILITY_COLUMNS,
  grantColumns,
  OVERRIDE_COLUMNS,
  POLICY_COLUMNS,
  refusalColumns,
  staleColumns,
  toolColumns,
} from "../listings.ts";
import { listedBy, withOperator } from "../operator.ts";
import {
  type DataOptions,
  EXIT,
  type ExitCode,
  jsonOption,
  list,
  printLine,
  printWord,
  say,
  tell,
  usageError,
} from "../output.ts";

import { policyFileCommands } from "./policy-file.ts";
import { tryCommand } from "./policy-try.ts";

/** `policy ...`: the table and the grants (docs/decisions/requirements-policy.md, "Commands"). */
export function policyCommands(program: Command, done: (code: ExitCode) => void): void {
  const policy = program.command("policy").description("the policy table, and the grants that were given");
  registryCommand(policy);
  tableCommand(policy);
  overridesCommand(policy);
  tightenCommands(policy);
  tryCommand(policy);
  checkCommand(policy);
  grantsCommand(policy, done);
  revokeCommand(policy);
  restoreCommand(policy);
  staleCommands(policy, done);
  refusalCommands(policy, done);
  toolCommands(policy, done);
  grantCommand(policy, done);
  policyFileCommands(policy, done);
}

function registryCommand(policy: Command): void {
  policy
    .command("registry")
    .description("the 13 capabilities")
    .addOption(jsonOption())
    .action((options: DataOptions) => {
      const rows = CAPABILITIES.map((name) => CAPABILITY_REGISTRY[name]);
      list(rows, CAPABILITY_COLUMNS, options);
    });
}

function tableCommand(policy: Command): void {
  policy
    .command("table")
    .description("the outcome of each capability at each level")
    .option("--agent <name>", "with what is made stricter for this agent")
    .addOption(jsonOption())
    .action(async ({ json, agent }: { agent?: string } & DataOptions) => {
      const own = agent === undefined ? TABLE_POLICY : await policyOf(await subjectNamed(agent));
      const rows = CAPABILITIES.map((capability) => ({ capability, own }));
      if (process.stdout.isTTY !== true || json === true) return printRows(own, agent);
      list(rows, POLICY_COLUMNS);
      for (const line of noteLines(own)) say(line);
    });
}

/** A line for each level; for an agent also what was made stricter, by capability. */
function printRows(own: SubjectPolicy, agent: string | undefined): void {
  for (const level of LEVELS) {
    const overrides = CAPABILITIES.flatMap((capability) => {
      const override = own.override(level, capability);
      if (override === undefined) return [];
      const { profile, line, by_hand } = override;
      return [[capability, { profile, ...(by_hand === undefined ? { line } : { id: by_hand.id }) }] as const];
    });
    printLine({
      level,
      ...own.table[level],
      ...(agent === undefined ? {} : { overrides: Object.fromEntries(overrides) }),
    });
  }
}

/** Whose each marked cell is, by its line, or by its number where it was made stricter by hand. */
function noteLines(own: SubjectPolicy): string[] {
  const overrides = LEVELS.flatMap((level) => CAPABILITIES.flatMap((name) => own.override(level, name) ?? []));
  const numbers = (of: readonly (number | undefined | null)[]) =>
    [...new Set(of.filter((one) => one !== undefined && one !== null))].sort((a, b) => a - b).join(", ");
  return [...Map.groupBy(overrides, ({ profile, line }) => `${line === null} ${profile}`).values()].map((found) => {
    const { profile, line } = found[0] ?? {};
    const where =
      line === null
        ? `made so by hand, ID ${numbers(found.map(({ by_hand }) => by_hand?.id))}`
        : `policy_overrides.toml, line ${numbers(found.map((one) => one.line))}`;
    return `* stricter for ${profile}: ${where}`;
  });
}

/** A profile that was written since the gate was started doesn't count yet: the file alone would say otherwise. */
function noProfile(file: string): string {
  const written = existsSync(file) ? "; if you have just written one, start the gate again" : "";
  return `nothing is made stricter: no profile of ${file} is in force${written}; by hand: ${ownCommand("policy tighten --help")}`;
}

function overridesCommand(policy: Command): void {
  policy
    .command("overrides")
    .description("what is made stricter, by policy_overrides.toml and by hand, and for whom")
    .addOption(jsonOption())
    .action((options: DataOptions) =>
      withOperator(async (api) => {
        const { file, overrides } = await api.call("policy.overrides", {});
        list(overrides, OVERRIDE_COLUMNS, options);
        if (overrides.length === 0) say(noProfile(file));
      }),
    );
}

/** As the file and the database say now, whatever a running gate has read. @throws GateError `invalid_config`, `database_*` */
async function policyOf(subject: PolicySubject): Promise<SubjectPolicy> {
  const { offlineOverrides } = await import("../../main/core/offline.ts");
  return offlineOverrides(process.env).policyFor(subject);
}

/** @throws GateError `usage` where no agent can have this name */
async function subjectNamed(name: string | undefined, principal?: Principal): Promise<PolicySubject> {
  const { localPrincipal } = await import("../../ipc/base/paths.ts");
  const { agentNameSchema } = await import("../../ipc/contract/wire.ts");
  if (name !== undefined && !agentNameSchema.safeParse(name).success)
    throw usageError(`${JSON.stringify(name)} is not an agent's name`, `see: ${ownCommand("agents list")}`);
  return { agent: null, name, principal: principal ?? localPrincipal() };
}

function tightenCommands(policy: Command): void {
  policy
    .command("tighten <level> <capability> <outcome>")
    .description("makes a cell of the table stricter, at once: approval_required or denied")
    .option("--agent <name>", "for this agent alone; without it for all of them")
    .action((level: string, capability: string, outcome: string, { agent }: { agent?: string }) => {
      const stricter = STRICTER.find((name) => name === outcome);
      if (stricter === undefined)
        throw usageError(`${JSON.stringify(outcome)} makes nothing stricter`, `one of: ${STRICTER.join(", ")}`);
      const cell = { level: levelOf(level), capability: capabilityOf(capability), outcome: stricter };
      return withOperator(async (api) => {
        await subjectNamed(agent);
        const result = await api.call("policy.tighten", { ...cell, ...(agent === undefined ? {} : { agent }) });
        const whom = agent === undefined ? "every agent" : agent;
        tell(
          result,
          `${cell.capability} at level ${cell.level} is ${stricter} for ${whom} now; to take it back: ${ownCommand(`policy loosen ${result.id}`)}`,
        );
      });
    });

  policy
    .command("loosen <id>")
    .description("takes back what was made stricter by hand; prints loosened or no-op")
    .action((id: string) =>
      withOperator(async (api) => {
        const { loosened } = await api.call("policy.loosen", { id: idOf(id, "stricter cell", "policy overrides") });
        printWord(loosened ? "loosened" : "no-op");
      }),
    );
}

const STRICTER = ["approval_required", "denied"] as const;

function checkCommand(policy: Command): void {
  policy
    .command("check <level> <capability>")
    .description("the outcome for a level and a capability; with a target, the grants count too")
    .option("--channel <channel>", "channel of the principal (default: local)")
    .option("--sender <sender>", "sender of the principal (default: you)")
    .option("--target <target>", "a path, a host or an exact name")
    .option("--agent <name>", "with this agent's profile and grants")
    .action(async (level: string, capability: string, options: CheckOptions) => {
      const params = { level: levelOf(level), capability: capabilityOf(capability) };
      const { localPrincipal } = await import("../../ipc/base/paths.ts");
      const you = localPrincipal();
      const principal = { channel: options.channel ?? you.channel, sender_id: options.sender ?? you.sender_id };
      const subject = await subjectNamed(options.agent, principal);
      const { target, agent } = options;
      if (target === undefined) {
        const { table } = await policyOf(subject);
        return printWord(effectiveOutcome(params.level, params.capability, undefined, table).outcome);
      }
      const outcome = await withOperator((api) =>
        api.call("policy.check", {
          ...params,
          ...principal,
          target: absolute(params.capability, target),
          ...(agent === undefined ? {} : { agent }),
        }),
      );
      printWord(outcome);
    });
}

interface CheckOptions {
  channel?: string;
  sender?: string;
  target?: string;
  agent?: string;
}

function grantsCommand(policy: Command, done: (code: ExitCode) => void): void {
  policy
    .command("grants")
    .description("the active grants, newest first")
    .option("--channel <channel>")
    .option("--sender <sender>")
    .option("--all", "revoked and expired ones too")
    .addOption(jsonOption())
    .action((options: { channel?: string; sender?: string; all?: boolean } & DataOptions) =>
      listedBy(done, async (api) => {
        const page = 10_000;
        let beforeId: number | undefined;
        let count = 0;
        do {
          const grants = await api.call("grants.list", {
            ...(options.channel === undefined ? {} : { channel: options.channel }),
            ...(options.sender === undefined ? {} : { sender_id: options.sender }),
            include_revoked: options.all === true,
            limit: page,
            ...(beforeId === undefined ? {} : { before_id: beforeId }),
          });
          list(grants, grantColumns(Date.now()), options);
          count += grants.length;
          beforeId = grants.length === page ? grants.at(-1)?.id : undefined;
        } while (beforeId !== undefined);
        if (count === 0) say("no grant");
      }),
    );
}

function revokeCommand(policy: Command): void {
  policy
    .command("revoke <id>")
    .description("takes a grant back; prints revoked or no-op")
    .action((id: string) =>
      withOperator(async (api) => {
        const { revoked } = await api.call("grants.revoke", { id: idOf(id, "grant", "policy grants") });
        printWord(revoked ? "revoked" : "no-op");
      }),
    );
}

function restoreCommand(policy: Command): void {
  policy
    .command("restore <id>")
    .description("takes your own revocation of a grant back, within 10 seconds")
    .action((id: string) =>
      withOperator(async (api) => {
        const grant = await api.call("grants.restore", { id: idOf(id, "grant", "policy grants") });
        tell(grant, `restored: ${grant.capability} on ${grant.target}`);
      }),
    );
}

function staleCommands(policy: Command, done: (code: ExitCode) => void): void {
  policy
    .command("stale")
    .description("the grants that were revoked as nobody used them, and can still be given back")
    .addOption(jsonOption())
    .action((options: DataOptions) =>
      listedBy(done, async (api) => {
        const batches = await api.call("grants.stale", {});
        const rows = batches.flatMap(({ grants, until }) => grants.map((grant) => ({ ...grant, until })));
        list(rows, staleColumns(Date.now()), options);
        if (rows.length === 0) say("no grant was revoked as unused in the last week");
      }),
    );

  policy
    .command("restore-stale [revoked-at]")
    .description("gives back what was revoked as unused at once: the last time, or at the time that stale lists")
    .action((revokedAt: string | undefined) =>
      withOperator(async (api) => {
        const [last] = revokedAt === undefined ? await api.call("grants.stale", {}) : [];
        const wanted = revokedAt ?? last?.revoked_at;
        if (wanted === undefined) return say("no grant was revoked as unused in the last week");
        const result = await api.call("grants.restore_stale", { revoked_at: wanted });
        tell(result, `given back: ${result.restored === 1 ? "1 grant" : `${result.restored} grants`}`);
      }),
    );
}

function refusalCommands(policy: Command, done: (code: ExitCode) => void): void {
  policy
    .command("refusals")
    .description("what you denied for a session, newest first")
    .addOption(jsonOption())
    .action((options: DataOptions) =>
      listedBy(done, async (api) => {
        const refusals = await api.call("refusals.list", {});
        list(refusals, refusalColumns(Date.now()), options);
        if (refusals.length === 0) say("nothing is denied for a session");
      }),
    );

  policy
    .command("revoke-refusal <id>")
    .description("takes such a denial back: you are asked again; prints revoked or no-op")
    .action((id: string) =>
      withOperator(async (api) => {
        const { revoked } = await api.call("refusals.revoke", { id: idOf(id, "refusal", "policy refusals") });
        printWord(revoked ? "revoked" : "no-op");
      }),
    );
}

function toolCommands(policy: Command, done: (code: ExitCode) => void): void {
  policy
    .command("tools")
    .description("the tools of MCP servers that you allowed, and what you said of each")
    .addOption(jsonOption())
    .action((options: DataOptions) =>
      listedBy(done, async (api) => {
        const tools = await api.call("mcp.tools", {});
        list(tools, toolColumns(Date.now()), options);
        if (tools.length === 0) say("no tool of an MCP server was allowed");
      }),
    );

  policy
    .command("forget-tool <id>")
    .description("forgets what you said of such a tool: it is asked about like a new one; prints forgotten or no-op")
    .action((id: string) =>
      withOperator(async (api) => {
        const { forgotten } = await api.call("mcp.forget", { id: idOf(id, "tool", "policy tools") });
        printWord(forgotten ? "forgotten" : "no-op");
      }),
    );
}

/** @throws GateError `usage` */
function idOf(text: string, what: string, listing: string): number {
  if (!/^\d{1,15}$/.test(text))
    throw usageError(`${JSON.stringify(text)} is not a ${what}'s id`, `see: ${ownCommand(listing)}`);
  return Number(text);
}

function grantCommand(policy: Command, done: (code: ExitCode) => void): void {
  policy
    .command("grant <capability> <target>")
    .description("gives a grant yourself: for all of your agents, or one")
    .option("--expires <when>", "2h, 30d or an ISO date")
    .option("--agent <name>", "only for this agent")
    .action((capability: string, target: string, options: { expires?: string; agent?: string }) =>
      withOperator(async (api) => {
        const grant = await api.call("grants.add", {
          capability: capabilityOf(capability),
          target,
          ...(options.expires === undefined ? {} : { expires_at: parseExpiry(options.expires) }),
          ...(options.agent === undefined ? {} : { agent: options.agent }),
        });
        tell(
          grant,
          `granted: ${grant.capability} on ${grant.target}${grant.expires_at ? ` until ${grant.expires_at}` : ""}`,
        );
        done(EXIT.ok);
      }),
    );
}

export function levelOf(text: string): Level {
  const level = LEVELS.find((name) => name.toLowerCase() === text.toLowerCase());
  if (level === undefined)
    throw usageError(`there is no level ${JSON.stringify(text)}`, `one of: ${LEVELS.join(", ")}`);
  return level;
}

function capabilityOf(text: string): Capability {
  const capability = CAPABILITIES.find((name) => name === text);
  if (capability === undefined)
    throw usageError(`there is no capability ${JSON.stringify(text)}`, `one of: ${CAPABILITIES.join(", ")}`);
  return capability;
}

/** A relative path on the command line is resolved against the working directory. */
function absolute(capability: Capability, target: string): string {
  const isPath = CAPABILITY_REGISTRY[capability].target_kind === "path_glob";
  return isPath && !/^[/~]/.test(target) ? `${process.cwd()}/${target}` : target;
}
