import { afterAll, describe, expect, it } from "vitest";
import type { ProposedCall } from "../../ipc/contract/wire.ts";
import { type Decided, type Decider, deciderFor, proposed } from "./decide.ts";
import { HOST, prepareSources, type Target, WRITERS } from "./gate-writers.ts";
import { bash, HOME_GRANTS, ORDINARY_GRANTS, SETTINGS, type ToolCall, write } from "./row.ts";
import { makeWorld, repository, type World } from "./world.ts";

/**
 * Whatever writes them, at every level and with any grants: the files that call the gate, its own files and its program stay as
 * they are, unless the operator is asked.
 */

const SETTINGS_FILES = ["settings.json", "settings.local.json"] as const;

interface Place {
  name: string;
  /** Below the home folder. */
  folder: string;
  /** As a call in the project names it; left out: absolute. */
  named?: string;
  files: readonly string[];
}

const PLACES: readonly Place[] = [
  { name: "Claude Code's settings at home", folder: ".claude", files: SETTINGS_FILES },
  { name: "Claude Code's settings in the project", folder: "proj/.claude", named: ".claude", files: SETTINGS_FILES },
  { name: "Claude Code's settings further down", folder: "proj/x/.claude", named: "x/.claude", files: SETTINGS_FILES },
  { name: "Codex's settings at home", folder: ".codex", files: ["config.toml"] },
  { name: "Codex's hooks in the project", folder: "proj/.codex", named: ".codex", files: ["hooks.json"] },
  { name: "Gemini CLI's settings in the project", folder: "proj/.gemini", named: ".gemini", files: ["settings.json"] },
  { name: "OpenCode's plugins at home", folder: ".config/opencode/plugin", files: ["metnos-gate.js"] },
  {
    name: "OpenCode's settings in the project",
    folder: "proj/.opencode",
    named: ".opencode",
    files: ["opencode.json"],
  },
  { name: "the gate's configuration", folder: ".config/metnos", files: ["gate.toml", "chosen.json"] },
  { name: "the gate's databases", folder: ".local/state/metnos", files: ["grants.db", "approvals.db"] },
  { name: "the gate's command", folder: "checkout/bin", files: ["metnos-gate.js"] },
  { name: "the gate's hook", folder: "checkout/dist/hook", files: ["hook.cjs"] },
  { name: "the gate's Node", folder: "checkout/node_modules/node/bin", files: ["node"] },
];

const WITH_HOST = [...ORDINARY_GRANTS, `network:http ${HOST}`];
const WIDE = [...HOME_GRANTS, `network:http ${HOST}`];

interface TargetCase {
  target: Target;
  world: World;
  decider: Decider;
  isThere: boolean;
}

const cases = new Map<Place, TargetCase[]>(
  PLACES.map((place) => [
    place,
    place.files.flatMap((file) => [true, false].map((isThere) => caseOf(place, file, isThere))),
  ]),
);

afterAll(() => {
  for (const { decider } of [...cases.values()].flat()) decider.close();
});

function caseOf({ folder, named }: Place, file: string, isThere: boolean): TargetCase {
  const world = makeWorld();
  repository(world);
  const written = named ?? `{home}/${folder}`;
  const slash = written.lastIndexOf("/");
  const target = {
    folder: written,
    parent: slash === -1 ? "." : written.slice(0, slash),
    base: written.slice(slash + 1),
    file,
  };
  prepareSources(world, folder, target, isThere);
  return { target, world, decider: deciderFor(world), isThere };
}

function decisions(decider: Decider, sent: ProposedCall): (readonly [string, Decided])[] {
  return [
    ...SETTINGS.map((setting) => [setting, decider.decide(sent, setting, WITH_HOST)] as const),
    ["granted ~/**", decider.decide(sent, "granted", WIDE)],
    ["full and granted ~/**", decider.decideAtFull(sent, WIDE)],
  ];
}

const shown = ({ executor, args }: ToolCall) => `${executor} ${JSON.stringify(args.command ?? args)}`;

describe.each(PLACES.map((place) => [place.name, place] as const))("%s", (_name, place) => {
  it.each(Object.entries(WRITERS))("%s: never allowed", (name, writer) => {
    const allowed = new Map<string, Set<string>>();
    for (const { target, world, decider, isThere } of cases.get(place) ?? []) {
      const call = writer(target);
      for (const [setting, { got }] of decisions(decider, proposed(world, call))) {
        if (got !== "allowed") continue;
        const key = `${setting}${isThere ? "" : " (not there yet)"}`;
        const shownAt = allowed.get(shown(call)) ?? new Set();
        allowed.set(shown(call), shownAt.add(key));
      }
    }
    if (allowed.size === 0) return;
    const lines = [...allowed].map(([call, at]) => `${call} at ${[...at].join(", ")}`);
    expect.fail(`${place.name}, ${name} | expected never allowed, got allowed: ${lines.join(" | ")}`);
  });
});

describe("the writers", () => {
  it("are as many as were tried, in every place", () => {
    expect(Object.keys(WRITERS)).toHaveLength(102);
    expect([...cases.values()].flat()).toHaveLength(PLACES.reduce((sum, { files }) => sum + 2 * files.length, 0));
  });

  it.each(["Write", "Edit", "fs_write", "echo >", "echo >>", "tee", "cp", "mv", "touch"])(
    "%s may write another file of the project, once that is granted",
    (name) => {
      const world = makeWorld();
      const target = { folder: "notes", parent: ".", base: "notes", file: "notes.json" };
      prepareSources(world, "proj/notes", target, true);
      const decider = deciderFor(world);
      const call = WRITERS[name]?.(target) ?? write("missing");
      expect([name, decider.decide(proposed(world, call), "granted", WITH_HOST).got]).toEqual([name, "allowed"]);
      decider.close();
    },
  );

  it("are not the readers: the settings may be read", () => {
    const [one] = cases.get(PLACES[0] as Place) ?? [];
    if (one === undefined) throw new Error("no case");
    const sent = proposed(one.world, bash("cat {home}/.claude/settings.json"));
    expect(one.decider.decide(sent, "full", WITH_HOST).got).toBe("allowed");
  });
});
