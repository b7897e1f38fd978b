import { LEVELS, type Level } from "../../ipc/contract/decision.ts";
import type { AgentView, OperatorApi, OperatorResult } from "../../ipc/contract/operator-api.ts";
import { isStricter, POLICY_TABLE } from "../../main/decide/policy/policy.ts";
import { grantTarget } from "../../main/targets/pattern.ts";
import type { PolicyFile } from "./policy-file.ts";

/** What a policy file would change here, each of it an act that the user could do by hand, and what it would not. */

export type Change =
  | { what: "cell"; whom: string | null; detail: string; from: string; to: string; isLooser: false; act: Act }
  | { what: "level"; whom: string; detail: string; from: Level; to: Level; isLooser: boolean; act: Act }
  | { what: "grant"; whom: string | null; detail: string; from: string; to: string; isLooser: true; act: Act };
type Act = (api: OperatorApi) => Promise<unknown>;

export interface Plan {
  changes: Change[];
  /** A sentence for each entry that waits for its agent to be paired. */
  left: string[];
}

/** @param home of the user, for paths that begin with `~/` */
export async function planOf(api: OperatorApi, file: PolicyFile, home: string): Promise<Plan> {
  const { overrides } = await api.call("policy.overrides", {});
  const { agents } = await api.call("agents.list", {});
  const paired: Paired = new Map(
    agents.filter(({ revoked_at }) => revoked_at === null).map((agent) => [agent.name.toLowerCase(), agent]),
  );
  const known = file.grants.length === 0 ? new Set<string>() : await grantsHere(api);
  return {
    changes: [
      ...file.cells.flatMap((cell) => cellChange(cell, overrides)),
      ...file.levels.flatMap((entry) => levelChange(entry, paired)),
      ...file.grants.flatMap((entry) => grantChange(entry, paired, known, home)),
    ],
    left: leftOf(file, paired),
  };
}

type Paired = ReadonlyMap<string, AgentView>;
type Overrides = OperatorResult<"policy.overrides">["overrides"];

/** What is as strict here stays as it is: a file makes no cell looser. */
function cellChange({ agent, ...cell }: PolicyFile["cells"][number], overrides: Overrides): Change[] {
  const { level, capability, outcome } = cell;
  const profile = agent === null ? "all agents" : `agent ${agent.toLowerCase()}`;
  const byHand = overrides.find(
    (one) =>
      one.by_hand !== undefined &&
      one.level === level &&
      one.capability === capability &&
      one.profile.toLowerCase() === profile,
  );
  const before = byHand?.outcome ?? POLICY_TABLE[level][capability];
  if (!isStricter(outcome, before)) return [];
  return [
    {
      what: "cell",
      whom: agent,
      detail: `${capability} at level ${level}`,
      from: before,
      to: outcome,
      isLooser: false,
      act: (by) => by.call("policy.tighten", { ...cell, ...(agent === null ? {} : { agent }) }),
    },
  ];
}

function levelChange({ agent, level }: PolicyFile["levels"][number], paired: Paired): Change[] {
  const found = paired.get(agent.toLowerCase());
  if (found === undefined || found.level === level) return [];
  return [
    {
      what: "level",
      whom: found.name,
      detail: "",
      from: found.level,
      to: level,
      isLooser: LEVELS.indexOf(level) > LEVELS.indexOf(found.level),
      act: (by) => by.call("agents.level", { name: found.name, level }),
    },
  ];
}

/** @param known the grants that are here, and those before it in the file: it is added to them */
function grantChange(
  { agent, capability, target }: PolicyFile["grants"][number],
  paired: Paired,
  known: Set<string>,
  home: string,
): Change[] {
  const found = agent === null ? null : paired.get(agent.toLowerCase());
  if (found === undefined) return [];
  const key = keyOf(found?.name ?? null, capability, grantTarget(capability, target, home).target);
  if (known.has(key)) return [];
  known.add(key);
  return [
    {
      what: "grant",
      whom: found?.name ?? null,
      detail: `${capability} on ${target}`,
      from: "asked",
      to: "allowed",
      isLooser: true,
      act: (by) => by.call("grants.add", { capability, target, ...(found === null ? {} : { agent: found.name }) }),
    },
  ];
}

function leftOf({ levels, grants }: PolicyFile, paired: Paired): string[] {
  const names = [...levels, ...grants].flatMap(({ agent }) =>
    agent === null || paired.has(agent.toLowerCase()) ? [] : [agent],
  );
  return [...new Set(names)].map((name) => {
    const level = levels.find(({ agent }) => agent === name);
    const count = grants.filter(({ agent }) => agent === name).length;
    const what = [
      ...(level === undefined ? [] : [`level ${level.level}`]),
      ...(count === 0 ? [] : [count === 1 ? "1 grant" : `${count} grants`]),
    ].join(" and ");
    return `${name} isn't paired here, so its ${what} can't be set: connect it, then import the file again`;
  });
}

async function grantsHere(api: OperatorApi): Promise<Set<string>> {
  const keys = new Set<string>();
  let beforeId: number | undefined;
  for (;;) {
    const page = await api.call("grants.list", {
      limit: 10_000,
      ...(beforeId === undefined ? {} : { before_id: beforeId }),
    });
    for (const { agent_id, agent_name, capability, target, session, expires_at } of page)
      if (session === null && expires_at === null && (agent_id === null || agent_name !== null))
        keys.add(keyOf(agent_name, capability, target));
    beforeId = page.at(-1)?.id;
    if (page.length < 10_000) return keys;
  }
}

const keyOf = (...parts: (string | null)[]) => JSON.stringify(parts);
