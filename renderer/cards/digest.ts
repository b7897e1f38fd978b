import type { Capability } from "../../ipc/decision.ts";
import type { ApprovalView } from "../../ipc/operator-api.ts";
import type { Asked } from "../../ipc/waiting.ts";

/** More cards than this of one agent within `BURST_MS` become one. */
const BURST_MORE_THAN = 3;
const BURST_MS = 10_000;

export type Shown = { kind: "card"; asked: Asked } | { kind: "digest"; agent: string; views: readonly ApprovalView[] };

/** What is on the screen: cards, and in place of a burst's first card one for all of it. `apart`: agents whose burst is shown one by one. */
export function bundled(asked: readonly Asked[], apart: ReadonlySet<string>): Shown[] {
  const bursts = burstTokens(asked.filter(({ ended }) => ended === null).map(({ view }) => view));
  const shown: Shown[] = [];
  const begun = new Map<string, ApprovalView[]>();
  for (const one of asked) {
    const { agent_name, token } = one.view;
    if (one.ended !== null || apart.has(agent_name) || !bursts.has(token)) {
      shown.push({ kind: "card", asked: one });
      continue;
    }
    const views = begun.get(agent_name);
    if (views !== undefined) {
      views.push(one.view);
      continue;
    }
    const first = [one.view];
    begun.set(agent_name, first);
    shown.push({ kind: "digest", agent: agent_name, views: first });
  }
  return shown;
}

/** The tokens of every request that was asked within ten seconds together with more than two others of its agent. */
export function burstTokens(views: readonly ApprovalView[]): Set<string> {
  const tokens = new Set<string>();
  for (const own of Map.groupBy(views, ({ agent_name }) => agent_name).values()) {
    const ordered = own.toSorted((a, b) => a.created_at.localeCompare(b.created_at));
    const times = ordered.map(({ created_at }) => Date.parse(created_at));
    let first = 0;
    for (let last = 0; last < ordered.length; last++) {
      while ((times[last] ?? 0) - (times[first] ?? 0) > BURST_MS) first++;
      if (last - first + 1 <= BURST_MORE_THAN) continue;
      for (let index = first; index <= last; index++) {
        const view = ordered[index];
        if (view !== undefined) tokens.add(view.token);
      }
    }
  }
  return tokens;
}

export interface Group {
  capability: Capability | "none";
  count: number;
  /** The folder that all of them are below, or the one host; null where there is none. */
  location: string | null;
}

/** The bundle by capability, the most frequent first. */
export function groupsOf(views: readonly ApprovalView[]): Group[] {
  const groups = Map.groupBy(views, ({ capabilities }): Group["capability"] => capabilities[0]?.capability ?? "none");
  return [...groups]
    .map(([capability, own]) => ({ capability, count: own.length, location: commonLocation(own.map(locationText)) }))
    .sort((a, b) => b.count - a.count);
}

/** `fs_read:~/project/src/*` -> `~/project/src`: as the gate names the place, with the home folder shortened. */
function locationText({ capability_class }: ApprovalView): string | null {
  const location = /^[a-z_]+:([^,]+)/.exec(capability_class)?.[1];
  return location?.replace(/(?:\/\*{1,2})+$/, "") ?? null;
}

function commonLocation(locations: readonly (string | null)[]): string | null {
  const [first, ...rest] = locations;
  if (first === undefined || first === null || rest.includes(null)) return null;
  let common = first.split("/");
  for (const location of rest) {
    const parts = (location ?? "").split("/");
    const differs = common.findIndex((part, index) => part !== parts[index]);
    if (differs !== -1) common = common.slice(0, differs);
  }
  const text = common.join("/");
  return text === "" || text === "~" ? null : text;
}
