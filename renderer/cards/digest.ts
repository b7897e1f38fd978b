import type { Capability, Reach } from "../../ipc/contract/decision.ts";
import type { ApprovalView, Choice } from "../../ipc/contract/operator-api.ts";
import { isShownWhole, type ShownCall } from "../../ipc/words/shown-call.ts";
import type { Asked } from "../../ipc/words/waiting.ts";
import { callRows } from "./call-text.ts";
import { covers } from "./wider-answer.ts";

/** From this many cards of one agent within `BURST_MS` on they become one. */
const BURST_FROM = 6;
const BURST_MS = 10_000;

export type Shown = { kind: "card"; asked: Asked } | { kind: "digest"; agent: string; views: readonly ApprovalView[] };

/** What is on the screen: cards, and in place of a burst's first card one for all of it. `apart`: agents whose burst is shown one by one. */
export function bundled(asked: readonly Asked[], apart: ReadonlySet<string>): Shown[] {
  const bursts = burstTokens(asked.map(({ view }) => view).filter((view) => !isApart(view)));
  const shown: Shown[] = [];
  const begun = new Map<string, ApprovalView[]>();
  for (const one of asked) {
    const { agent_name, token } = one.view;
    if (apart.has(agent_name) || !bursts.has(token)) {
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

/** Such a call is looked at by itself: it is dangerous, of a tool that has changed, or asked about as it is made again and again. */
function isApart({ description, repeated, mcp }: ApprovalView): boolean {
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

export interface Group {
  /** What they need first; of calls that run in a box that says nothing of them. */
  doing: Capability | "confined" | "none";
  views: readonly ApprovalView[];
  /** The folder that all of them are below, or the one host; null where there is none. */
  location: string | null;
}

/** The bundle by what its requests have in common, the most frequent first. */
export function groupsOf(views: readonly ApprovalView[]): Group[] {
  const groups = Map.groupBy(views, ({ capabilities, confined }): Group["doing"] =>
    confined === null ? (capabilities[0]?.capability ?? "none") : "confined",
  );
  return [...groups]
    .map(([doing, own]) => ({ doing, views: own, location: commonLocation(own.map(locationText)) }))
    .sort((a, b) => b.views.length - a.views.length);
}

const NARROW_FIRST: readonly Reach[] = ["exact", "file", "folder", "tree", "project", "host", "subdomains", "any"];

/** The narrowest answer for this session that covers every one of these, and the request that offers it; null where there is none. */
export function commonChoice(views: readonly ApprovalView[]): { view: ApprovalView; choice: Choice } | null {
  const found = views.flatMap((view) =>
    view.choices
      .filter((choice) => choice.scope === "session" && views.every((one) => covers(choice, one)))
      .map((choice) => ({ view, choice })),
  );
  const length = ({ choice }: { choice: Choice }) => choice.grants[0]?.target.length ?? 0;
  const width = ({ choice }: { choice: Choice }) => NARROW_FIRST.indexOf(choice.reach ?? "any");
  return found.toSorted((a, b) => width(a) - width(b) || length(b) - length(a))[0] ?? null;
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

/** What has more rows than this is longer than a list shows. */
const ROWS_IN_LIST = 6;

/** Whether a bundle's list shows the whole of it: then one yes may be for all of them. */
export function isWholeInRow({ view, shown }: { view: ApprovalView; shown: ShownCall }): boolean {
  const { commands = [], changes = [], stands_for = [] } = view.description ?? {};
  const printed = { args: new Set(Object.keys(view.args ?? {})), changes: true, scripts: new Set(stands_for) };
  if (!isShownWhole(view, printed)) return false;
  const texts = [
    ...commands.flatMap(({ text }) => text.split("\n")),
    ...changes.flatMap(({ hunks }) => hunks.flatMap(({ lines }) => lines.map(({ text }) => text))),
    ...stands_for.flatMap(({ lines }) => lines),
    ...callRows(shown.beside).map(({ name, text }) => `${name} ${text}`),
  ];
  return texts.reduce((sum, text) => sum + Math.ceil((text.length + 1) / 42), 0) <= ROWS_IN_LIST;
}
