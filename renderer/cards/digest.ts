import type { Capability, Reach } from "../../ipc/contract/decision.ts";
import type { ApprovalView, Choice } from "../../ipc/contract/operator-api.ts";
import { burstTokens, isApart } from "../../ipc/words/bursts.ts";
import { isShownWhole, type ShownCall } from "../../ipc/words/shown-call.ts";
import type { Asked } from "../../ipc/words/waiting.ts";
import { callRows } from "./call-text.ts";
import { covers } from "./wider-answer.ts";

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
