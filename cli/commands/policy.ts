import type { Command } from "commander";
import { CAPABILITIES, type Capability, LEVELS, type Level, type Outcome } from "../../ipc/decision.ts";
import { ownCommand } from "../../ipc/own-command.ts";
import { CAPABILITY_REGISTRY } from "../../main/gate/capabilities.ts";
import { POLICY_TABLE } from "../../main/gate/policy.ts";
import { parseExpiry } from "../durations.ts";
import { CAPABILITY_COLUMNS, grantColumns, refusalColumns, staleColumns } from "../listings.ts";
import { withOperator } from "../operator.ts";
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

/** `policy ...`: the table and the grants (docs/decisions/requirements-policy.md, "Commands"). */
export function policyCommands(program: Command, done: (code: ExitCode) => void): void {
  const policy = program.command("policy").description("the policy table, and the grants that were given");
  tableCommands(policy);
  checkCommand(policy);
  grantsCommand(policy);
  revokeCommand(policy);
  restoreCommand(policy);
  staleCommands(policy);
  refusalCommands(policy);
  grantCommand(policy, done);
}

function tableCommands(policy: Command): void {
  policy
    .command("registry")
    .description("the 13 capabilities")
    .addOption(jsonOption())
    .action((options: DataOptions) => {
      const rows = CAPABILITIES.map((name) => CAPABILITY_REGISTRY[name]);
      list(rows, CAPABILITY_COLUMNS, options);
    });

  policy
    .command("table")
    .description("the outcome of each capability at each level")
    .addOption(jsonOption())
    .action(({ json }: DataOptions) => {
      if (process.stdout.isTTY && json !== true) for (const line of tableLines()) printWord(line);
      else for (const level of LEVELS) printLine({ level, ...POLICY_TABLE[level] });
    });
}

function checkCommand(policy: Command): void {
  policy
    .command("check <level> <capability>")
    .description("the outcome for a level and a capability; with a target, the grants count too")
    .option("--channel <channel>", "channel of the principal (default: local)")
    .option("--sender <sender>", "sender of the principal (default: you)")
    .option("--target <target>", "a path, a host or an exact name")
    .action(
      async (level: string, capability: string, options: { channel?: string; sender?: string; target?: string }) => {
        const params = { level: levelOf(level), capability: capabilityOf(capability) };
        if (options.target === undefined) return printWord(POLICY_TABLE[params.level][params.capability]);
        const { localPrincipal } = await import("../../ipc/paths.ts");
        const you = localPrincipal();
        const outcome = await withOperator((api) =>
          api.call("policy.check", {
            ...params,
            channel: options.channel ?? you.channel,
            sender_id: options.sender ?? you.sender_id,
            target: absolute(params.capability, options.target ?? ""),
          }),
        );
        printWord(outcome);
      },
    );
}

function grantsCommand(policy: Command): void {
  policy
    .command("grants")
    .description("the active grants, newest first")
    .option("--channel <channel>")
    .option("--sender <sender>")
    .option("--all", "revoked and expired ones too")
    .addOption(jsonOption())
    .action((options: { channel?: string; sender?: string; all?: boolean } & DataOptions) =>
      withOperator(async (api) => {
        const page = 10_000;
        let before_id: number | undefined;
        let count = 0;
        do {
          const grants = await api.call("grants.list", {
            ...(options.channel === undefined ? {} : { channel: options.channel }),
            ...(options.sender === undefined ? {} : { sender_id: options.sender }),
            include_revoked: options.all === true,
            limit: page,
            ...(before_id === undefined ? {} : { before_id }),
          });
          list(grants, grantColumns(Date.now()), options);
          count += grants.length;
          before_id = grants.length === page ? grants.at(-1)?.id : undefined;
        } while (before_id !== undefined);
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

function staleCommands(policy: Command): void {
  policy
    .command("stale")
    .description("the grants that were revoked as nobody used them, and can still be given back")
    .addOption(jsonOption())
    .action((options: DataOptions) =>
      withOperator(async (api) => {
        const batches = await api.call("grants.stale", {});
        const rows = batches.flatMap(({ grants, until }) => grants.map((grant) => ({ ...grant, until })));
        list(rows, staleColumns(Date.now()), options);
        if (rows.length === 0) say("no grant was revoked as unused in the last week");
      }),
    );

  policy
    .command("restore-stale [revoked-at]")
    .description("gives back what was revoked as unused at once: the last time, or at the time that stale lists")
    .action((revoked_at: string | undefined) =>
      withOperator(async (api) => {
        const [last] = revoked_at === undefined ? await api.call("grants.stale", {}) : [];
        const wanted = revoked_at ?? last?.revoked_at;
        if (wanted === undefined) return say("no grant was revoked as unused in the last week");
        const result = await api.call("grants.restore_stale", { revoked_at: wanted });
        tell(result, `given back: ${result.restored === 1 ? "1 grant" : `${result.restored} grants`}`);
      }),
    );
}

function refusalCommands(policy: Command): void {
  policy
    .command("refusals")
    .description("what you denied for a session, newest first")
    .addOption(jsonOption())
    .action((options: DataOptions) =>
      withOperator(async (api) => {
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

const SHOWN: Readonly<Record<Outcome, string>> = { allowed: "allowed", approval_required: "asks", denied: "denied" };

function tableLines(): string[] {
  const row = (cells: readonly string[]) => cells.map((cell, index) => cell.padEnd(index === 0 ? 15 : 12)).join("");
  return [
    row(["", ...LEVELS]),
    ...CAPABILITIES.map((name) => row([name, ...LEVELS.map((level) => SHOWN[POLICY_TABLE[level][name]])])),
  ].map((line) => line.trimEnd());
}

export function levelOf(text: string): Level {
  const level = LEVELS.find((name) => name.toLowerCase() === text.toLowerCase());
  if (level === undefined)
    throw usageError(`there is no level ${JSON.stringify(text)}`, `one of: ${LEVELS.join(", ")}`);
  return level;
}

export function capabilityOf(text: string): Capability {
  const capability = CAPABILITIES.find((name) => name === text);
  if (capability === undefined)
    throw usageError(`there is no capability ${JSON.stringify(text)}`, `one of: ${CAPABILITIES.join(", ")}`);
  return capability;
}

/** A relative path on the command line is resolved against the working directory. */
function absolute(capability: Capability, target: string): string {
  const is_path = CAPABILITY_REGISTRY[capability].target_kind === "path_glob";
  return is_path && !/^[/~]/.test(target) ? `${process.cwd()}/${target}` : target;
}
