import { localPrincipal } from "../../ipc/base/paths.ts";
import { agentKindSchema } from "../../ipc/contract/agent-kind.ts";
import type { GrantView, OperatorApi, OperatorResult } from "../../ipc/contract/operator-api.ts";
import { isStricter } from "../../main/decide/policy/policy.ts";
import { CAPABILITY_REGISTRY } from "../../main/targets/capabilities.ts";
import { usageError } from "../output.ts";
import { POLICY_FILE_VERSION, type PolicyFile } from "./policy-file.ts";

/** What travels to another machine of a gate's policy, and what stays. */

export interface Exported {
  file: PolicyFile;
  /** A sentence for each thing that stays here. */
  left: string[];
}

/** Which grants travel: none, every lasting one, or those with these ids. */
export type GrantsToTravel = "none" | "all" | readonly number[];

const PAGE = 10_000;

/** @throws GateError `usage` where a grant that was named can't travel */
export async function exportedPolicy(api: OperatorApi, travelling: GrantsToTravel): Promise<Exported> {
  const [{ overrides }, { agents }, { home }] = await Promise.all([
    api.call("policy.overrides", {}),
    api.call("agents.list", {}),
    api.call("status", {}),
  ]);
  const { cells, left } = cellsOf(overrides);
  const levels = agents
    .filter(({ revoked_at }) => revoked_at === null)
    .map(({ name, level }) => ({ agent: name, level }));
  const grants = travelling === "none" ? [] : chosenGrants(await allGrants(api), travelling);
  return {
    file: {
      metnos_policy: POLICY_FILE_VERSION,
      cells,
      levels,
      grants: grants.map(({ agent_name, capability, target }) => ({
        agent: agent_name,
        capability,
        target: portable(capability, target, home),
      })),
    },
    left,
  };
}

type Override = OperatorResult<"policy.overrides">["overrides"][number];
type Cells = PolicyFile["cells"];

/** For one agent or for all, each cell once and the strictest of it: what profiles say for others can't be set by hand. */
function cellsOf(overrides: readonly Override[]): { cells: Cells; left: string[] } {
  const cells = new Map<string, Cells[number]>();
  const left = new Set<string>();
  for (const override of overrides) {
    const { level, capability, outcome, profile } = override;
    const holders = holdersOf(profile);
    if (holders.some((holder) => holder === undefined))
      left.add(`what the profile of ${profile} says of other agents: copy policy_overrides.toml for that`);
    for (const agent of holders) {
      if (agent === undefined || outcome === "allowed") continue;
      const key = JSON.stringify([agent?.toLowerCase() ?? null, level, capability]);
      const before = cells.get(key);
      if (before === undefined || isStricter(outcome, before.outcome))
        cells.set(key, { agent, level, capability, outcome });
    }
  }
  return { cells: [...cells.values()], left: [...left] };
}

/** Agents' names; null: every agent; undefined: what no cell by hand is for. */
function holdersOf(profile: string): (string | null | undefined)[] {
  const { channel, sender_id } = localPrincipal();
  if (profile === "all agents" || profile === `principal ${channel}:${sender_id}`) return [null];
  const [by, ...rest] = profile.split(" ");
  if (by !== "agent") return [undefined];
  if (rest[0] !== "kind" || rest.length === 1) return [rest.join(" ")];
  const kinds = rest.slice(1).map((kind) => kind.replace(/,$/, ""));
  // Those that go by the name of their kind.
  return kinds.map((kind) => (kind !== "generic" && agentKindSchema.safeParse(kind).success ? kind : undefined));
}

async function allGrants(api: OperatorApi): Promise<GrantView[]> {
  const grants: GrantView[] = [];
  for (;;) {
    const last = grants.at(-1);
    const page = await api.call("grants.list", { limit: PAGE, ...(last === undefined ? {} : { before_id: last.id }) });
    grants.push(...page);
    if (page.length < PAGE) return grants;
  }
}

function chosenGrants(all: readonly GrantView[], travelling: "all" | readonly number[]): GrantView[] {
  if (travelling === "all") return all.filter((grant) => whyItStays(grant) === null);
  return travelling.map((id) => {
    const grant = all.find((one) => one.id === id);
    const why = grant === undefined ? "there is no such grant in force" : whyItStays(grant);
    if (grant === undefined || why !== null)
      throw usageError(`grant ${id} can't travel: ${why}`, "nothing was exported");
    return grant;
  });
}

function whyItStays({ session, expires_at, target, agent_id, agent_name }: GrantView): string | null {
  if (session !== null) return "it ends with its session";
  if (expires_at !== null) return "it has an end";
  if (target.startsWith("mcp:")) return "it is bound to what a server of this machine says of its tool";
  return agent_id !== null && agent_name === null ? "its agent isn't paired" : null;
}

/** A path in the home folder, from there: the home of another machine may be elsewhere. */
function portable(capability: GrantView["capability"], target: string, home: string): string {
  const isPath = CAPABILITY_REGISTRY[capability].target_kind === "path_glob";
  return isPath && target.startsWith(`${home}/`) ? `~${target.slice(home.length)}` : target;
}
