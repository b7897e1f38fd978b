import type { ApprovalView } from "../contract/operator-api.ts";

/** Requests of one agent that come all at once: on the page and in the terminal they are one thing to look at. Plain values. */

/** From this many of one agent within `BURST_MS` on they are together. */
const BURST_FROM = 6;
const BURST_MS = 10_000;

/** Such a call is looked at by itself: it is dangerous, of a tool that has changed, or asked about as it is made again and again. */
export function isApart({ description, repeated, mcp }: ApprovalView): boolean {
  const isOtherTool = mcp?.state === "changed" || mcp?.is_too_long === true;
  const isMarked = description?.changes.some(({ hunks }) =>
    hunks.some(({ lines }) => lines.some(({ risk }) => risk !== undefined)),
  );
  return repeated !== null || isOtherTool || isMarked === true || (description?.hazards.length ?? 0) > 0;
}

/** The tokens of every request that was asked within ten seconds together with at least five others of its agent. */
export function burstTokens(views: readonly ApprovalView[]): Set<string> {
  const tokens = new Set<string>();
  for (const own of Map.groupBy(views, ({ agent_name }) => agent_name).values()) {
    const ordered = own.toSorted((a, b) => a.created_at.localeCompare(b.created_at));
    const times = ordered.map(({ created_at }) => Date.parse(created_at));
    let first = 0;
    for (let last = 0; last < ordered.length; last++) {
      while ((times[last] ?? 0) - (times[first] ?? 0) > BURST_MS) first++;
      if (last - first + 1 < BURST_FROM) continue;
      for (let index = first; index <= last; index++) {
        const view = ordered[index];
        if (view !== undefined) tokens.add(view.token);
      }
    }
  }
  return tokens;
}
