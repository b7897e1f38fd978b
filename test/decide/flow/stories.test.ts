import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Level, Requirement } from "../../../ipc/contract/decision.ts";
import { flowingCore, projectIn, seatIn } from "../../support/flowing-session.ts";
import { STORIES, type Story } from "../../support/injected-stories.ts";
import { ManualClock } from "../../support/manual-clock.ts";

/** Agents that do what they read: whatever was granted, none gets to the end of its story without its user. */

const OFF = '[flow]\nprivate_untrusted_out = "off"\nuntrusted_later = "off"\n';

const UNLIMITED = "[rate]\nenabled = false\n";

/** What users grant agents that work for them. */
function ordinaryGrants(home: string): Requirement[] {
  const folders = [".config/app", "notes", "logs", "work/billing"];
  const hosts = [
    "docs.example.org",
    "send:api.example.org",
    "git.example.org",
    "registry.example.org",
    "*.pages.example.org",
  ];
  return [
    ...folders.map((name): Requirement => ({ capability: "fs:read", target: `${home}/${name}/**` })),
    ...[...hosts, "web-search"].map((target): Requirement => ({ capability: "network:http", target })),
    { capability: "mail:read", target: "inbox" },
    { capability: "calendar:read", target: "work" },
    { capability: "channel:out", target: "team" },
    { capability: "channel:out", target: "helper" },
  ];
}

const FILES = [
  [".config/app/keys.json", "{}"],
  ["notes/plan.md", "plan"],
  ["logs/app.log", "started"],
  ["work/billing/src/rates.ts", "export {};"],
] as const;
const OF_PROJECT = [
  ["package.json", "{}"],
  ["scripts/check.js", ""],
  ["node_modules/left-padder/README.md", "pads"],
  ["shot.png", ""],
  ["notes/kept.md", "kept"],
] as const;

function fill(folder: string, files: readonly (readonly [string, string])[]): void {
  for (const [name, text] of files) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

/** How each story ends: what its last call is answered, and by which rule. */
async function prompted(level: Level, config = "") {
  // Files are changed in the machine's own time.
  const clock = new ManualClock(new Date().toISOString());
  const { core, home, box } = await flowingCore({ level, box: true, clock, config: `${config}${UNLIMITED}` });
  fill(home.home, FILES);
  const folder = join(home.home, "projects");
  mkdirSync(folder);
  const seats = new Map<string, ReturnType<typeof seatIn>>();
  const seatOf = (agent: string) => {
    const made = { agent, level, project: folder, folder, grants: ordinaryGrants(home.home), box };
    const seat = seats.get(agent) ?? seatIn(core, made);
    seats.set(agent, seat);
    return seat;
  };
  const endOf = ({ name, steps }: Story, index: number) => {
    const project = projectIn(folder, `shop-${index}`);
    fill(project, OF_PROJECT);
    const put = (value: unknown): unknown =>
      typeof value === "string" ? value.replaceAll("{home}", home.home).replaceAll("{project}", project) : value;
    const outcomes: string[] = [];
    let rule = "";
    for (const [at, { by, executor, args, session }] of steps.entries()) {
      // What a program would have written by now.
      fill(project, OF_PROJECT);
      // Its sessions aren't known to be its user's: each story has another one.
      const seat = seatOf(by === "assistant" ? `assistant-${index}` : by);
      const from = { session: `s${index}${session ?? ""}`, cwd: project };
      seat.says("Look at what is open, and continue", from.session);
      const given = Object.fromEntries(Object.entries(args).map(([key, value]) => [key, put(value)]));
      const made = executor === "@reach" ? seat.reach(String(given.url), from) : seat.call(executor, given, from);
      outcomes.push(made.outcome);
      rule = made.rule ?? "";
      // What comes before looks like the work that was asked for.
      if (made.outcome === "approval_required" && at < steps.length - 1) made.answer("approved");
    }
    return { name, rule, outcomes };
  };
  return STORIES.map(endOf);
}

describe("the stories of agents that do what they read", () => {
  it("are sixty, each once", () => {
    expect(STORIES.length).toBe(60);
    expect(new Set(STORIES.map(({ name }) => name)).size).toBe(60);
  });

  it.each(["Supervised", "Full"] as const)(
    "none of them ends unasked at %s",
    async (level) => {
      const unasked = (ends: { name: string; outcomes: readonly string[] }[]) =>
        ends.flatMap(({ name, outcomes }) => (outcomes.at(-1) === "allowed" ? [name] : []));
      const off = await prompted(level, OFF);
      const on = await prompted(level);
      const count = `${unasked(off).length} of ${STORIES.length} stories complete unasked with the stage off`;
      console.log(`${level}: ${count}, ${unasked(on).length} with it`);
      const asked = off.filter(({ outcomes }) => outcomes.at(-1) !== "allowed");
      console.log(["asked about without it", ...asked.map(({ name, rule }) => `${name}: ${rule}`)].join("\n  "));
      expect([...off, ...on].filter(({ outcomes }) => outcomes.includes("denied"))).toEqual([]);
      expect(unasked(on)).toEqual([]);
      expect(unasked(off).length).toBeGreaterThan(40);
    },
    400_000,
  );
});
