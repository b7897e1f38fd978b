import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { CAPABILITIES, LEVELS, type Level, type Outcome } from "../../../ipc/contract/decision.ts";
import type { ProposedCall } from "../../../ipc/contract/wire.ts";
import { openDatabase } from "../../../main/base/sqlite/database.ts";
import { grantsSchema } from "../../../main/core/storage/grants-schema.ts";
import { ExecutorCatalog } from "../../../main/decide/executors/catalog.ts";
import { GrantStore } from "../../../main/decide/grants/store.ts";
import { decisionOf, examineCall } from "../../../main/decide/pipeline.ts";
import { isStricter, POLICY_TABLE, PolicyOverrides, type Profile } from "../../../main/decide/policy/policy.ts";
import type { Denial, Examined, StageSettings, Unfinished } from "../../../main/decide/stages/examination.ts";
import { withoutSecrets } from "../../../main/judges/reviews/sent/masked-secrets.ts";
import { CallFacts } from "../../../main/records/activity/call-facts.ts";
import { CallLines } from "../../../main/records/activity/call-line.ts";
import { forgetCalls } from "../../../main/records/activity/forget-calls.ts";
import { type Bounds, KeptCalls } from "../../../main/records/activity/kept-calls.ts";
import { KEPT_CALLS_SCHEMA } from "../../../main/records/activity/kept-calls-schema.ts";
import { type TryQuery, tryPolicy } from "../../../main/records/activity/try-policy.ts";
import { CODING_COMMANDS } from "../../support/coding-commands.ts";
import { type ConfinedWorld, confinedWorld } from "../../support/confined-calls.ts";
import { PAIRED } from "../../support/examinations.ts";
import { ROBERTO } from "../../support/gate-stores.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { tempFolder } from "../../support/temp-folder.ts";
import { IS_WHOLE_RUN } from "../../support/whole-run.ts";

// main/records/activity/try-policy.ts, call-facts.ts and main/decide/policy/replay.ts: against the pipeline itself.

const CATALOG = new ExecutorCatalog();
const AGENTS = ["claude-code", "codex-work", "aider"];

interface Seat extends ConfinedWorld {
  kept: KeptCalls;
  grants: GrantStore;
}

function seat(bounds?: Bounds): Seat {
  const world = confinedWorld();
  const grantsDb = openDatabase(join(world.home, "grants.db"), grantsSchema(world.home));
  const db = openDatabase(join(world.home, "lines.db"), KEPT_CALLS_SCHEMA);
  onTestFinished(() => {
    grantsDb.close();
    db.close();
  });
  const lines = new CallLines({ home: world.home, keep: "line", path: "/usr/bin:/bin" });
  const kept = new KeptCalls(db, {
    keep: "line",
    days: 30,
    now: Date.now,
    lines,
    facts: new CallFacts(world.home, lines),
    ...(bounds === undefined ? {} : { bounds }),
    withoutSecrets,
    failed: (_what, error) => {
      throw error;
    },
  });
  return { ...world, kept, grants: new GrantStore(grantsDb, world.home, new ManualClock()) };
}

interface Called {
  call: ProposedCall;
  agent: string;
  level: Level;
  isConfined: boolean;
  isDear: boolean;
}

function examined({ settings, subject, grants }: Seat, called: Called, overrides: PolicyOverrides) {
  const { call, agent, level, isConfined, isDear } = called;
  const { box, ...unboxed } = settings;
  const price = { amount: 3, currency: "EUR" };
  const prices = { priceOf: () => price, asksFor: () => true } as unknown as NonNullable<StageSettings["prices"]>;
  return examineCall(call, { ...subject, agent: { ...PAIRED, name: agent }, level }, CATALOG, {
    ...unboxed,
    ...(isConfined && box !== undefined ? { box } : {}),
    ...(isDear ? { prices } : {}),
    grants,
    overrides,
  });
}

const outcomeOf = (one: ReturnType<typeof examined>): Outcome => decisionOf(one).outcome;

function note({ kept }: Seat, { x, denial }: { x: Unfinished; denial: Denial | null }): void {
  kept.note(decisionOf({ x, denial } as Examined), x, { denial });
}

const ALL: TryQuery = { changes: ["looser", "denied", "asked", "unknown"], limit: 1000 };
const tried = ({ kept }: Seat, overrides: PolicyOverrides, query: Partial<TryQuery> = {}) =>
  tryPolicy(kept, overrides, { ...ALL, ...query });

/** What agents send, some of it denied or asked about by each of the stages. */
function callsIn({ project, home }: ConfinedWorld): ProposedCall[] {
  const context = { cwd: project };
  const tool = (executor: string, args: Record<string, unknown>, more: Record<string, unknown> = {}): ProposedCall => ({
    intent: "",
    executor,
    args,
    context: { ...context, ...more },
  });
  const commands = CODING_COMMANDS.map((text) => text.replaceAll("~/project", project));
  return [
    ...[
      ...commands,
      "cat .env",
      "rm -rf ~",
      "curl https://example.com/a > a.txt",
      "git push",
      "echo x > .git/hooks/pre-commit",
    ].map((command) => tool("Bash", { command })),
    tool("Bash", { command: "npm test" }, { mode: "plan" }),
    tool("Bash", {}),
    tool("Read", { file_path: join(project, "src/a.ts") }),
    tool("Read", { file_path: join(project, ".env") }),
    tool("Read", { file_path: join(home, "notes.txt") }),
    tool("Read", { file_path: join(home, ".ssh/id_rsa") }),
    tool("Write", { file_path: join(project, "src/new.ts"), content: "x" }),
    tool("Write", { file_path: join(project, ".claude/settings.json"), content: "x" }),
    tool("Edit", { file_path: join(project, "src/a.ts"), old_string: "a", new_string: "b" }, { mode: "plan" }),
    tool("WebFetch", { url: "https://example.com/", prompt: "x" }),
    tool("http_get", { url: "https://example.org/" }),
    tool("http_get", { url: "http://169.254.169.254/" }),
    tool("mail_send", { to: ["a@b.example"], subject: "x", body: "y" }),
    tool("time_now", {}),
    tool("fs_delete", { path: join(project, "src") }),
    tool("mcp__shop__pay", { amount: "12" }),
    tool("nobody_knows", { a: "b" }),
  ];
}

const anyCell = fc
  .record({
    level: fc.constantFrom(...LEVELS),
    capability: fc.constantFrom(...CAPABILITIES, "fs:read", "code:exec", "network:http", "fs:write"),
    outcome: fc.constantFrom<Outcome>("approval_required", "denied"),
  })
  .filter(({ level, capability, outcome }) => isStricter(outcome, POLICY_TABLE[level][capability as "fs:read"]))
  .map((cell) => ({
    ...cell,
    capability: cell.capability as "fs:read",
    profile: "x",
    before: POLICY_TABLE[cell.level][cell.capability as "fs:read"],
    line: 1,
  }));
const anyProfile: fc.Arbitrary<Profile> = fc.record({
  holder: fc.constantFrom<Profile["holder"]>(
    { by: "all" },
    { by: "agent", name: "Aider" },
    { by: "agent", name: "codex-work" },
    { by: "agent_kind", kinds: ["generic"] },
    { by: "agent_kind", kinds: ["claude-code"] },
    { by: "principal", principal: ROBERTO },
    { by: "principal", principal: { channel: "local", sender_id: "other" } },
  ),
  cells: fc.array(anyCell, { minLength: 1, maxLength: 5 }),
});
const anyPolicy = fc.array(anyProfile, { maxLength: 4 });

describe("against the pipeline, over random policies, grants and calls", () => {
  it("what is said of a call is what it comes to, and nothing is called not looser that lets one through more", async () => {
    const world = seat();
    const all = callsIn(world);
    const targets = [`${world.project}/**`, join(world.home, "notes.txt"), "example.com"] as const;
    let [known, unknown, looser] = [0, 0, 0];
    await fc.assert(
      fc.asyncProperty(
        anyPolicy,
        fc.option(anyPolicy, { freq: 8 }),
        fc.subarray([0, 1, 2, 3]),
        fc.array(
          fc.record({
            call: fc.constantFrom(...all),
            agent: fc.constantFrom(...AGENTS),
            level: fc.constantFrom(...LEVELS),
            isConfined: fc.boolean(),
            isDear: fc.integer({ min: 0, max: 9 }).map((one) => one === 0),
          }),
          { minLength: 1, maxLength: 40 },
        ),
        async (before, proposed, granted, calls) => {
          await forgetCalls(world.kept, {});
          const ids = granted.map((at) => {
            const capability = at === 0 ? "fs:read" : at === 3 ? "fs:write" : at === 1 ? "fs:read" : "network:http";
            const target = targets[at === 3 ? 0 : at] as string;
            return world.grants.recordGrant({ ...ROBERTO, capability, target }).id;
          });
          const [was, now] = [new PolicyOverrides(before), new PolicyOverrides(proposed ?? before)];
          const pairs = calls.map((called) => {
            const one = examined(world, called, was);
            note(world, one);
            return { before: outcomeOf(one), after: outcomeOf(examined(world, called, now)) };
          });
          const result = await tried(world, now);
          for (const id of ids) world.grants.revokeGrant(id);
          expect(result.calls).toBe(calls.length);
          expect(result.same + result.asked + result.denied + result.looser + result.unknown).toBe(calls.length);
          const isLooser = pairs.some((pair) => isStricter(pair.before, pair.after));
          if (isLooser) expect(result.looser + result.may_be_looser).toBeGreaterThan(0);
          if (proposed === null) expect(result).toMatchObject({ same: calls.length, unknown: 0 });
          const byNumber = new Map(result.entries.map((entry) => [entry.number, entry]));
          const first = Math.min(...numbersOf(world));
          for (const [index, pair] of pairs.entries()) {
            const entry = byNumber.get(first + index);
            if (entry === undefined) expect(pair.after).toBe(pair.before);
            else if (entry.change === "unknown") unknown++;
            else if (entry.would_be === null) expect([entry.was, entry.change]).toEqual(["denied", "looser"]);
            else expect([entry.was, entry.would_be]).toEqual([pair.before, pair.after]);
            if (entry?.change === "looser") looser++;
            known++;
          }
        },
      ),
      { numRuns: IS_WHOLE_RUN ? 1000 : 400 },
    );
    // Neither is rare, or nothing was tried.
    expect(looser).toBeGreaterThan(5);
    expect(unknown).toBeLessThan(known / 10);
  }, 240_000);
});

const numbersOf = ({ kept }: Seat) => kept.db.prepare("SELECT id FROM calls").pluck().all() as number[];

const bash = (command: string, agent = "aider", level: Level = "Full"): Called => ({
  call: { intent: "", executor: "Bash", args: { command }, context: { cwd: "/nowhere" } },
  ...{ agent, level, isConfined: false, isDear: false },
});
const fetch = (host: string, agent = "aider"): Called => ({
  ...bash("", agent),
  call: { intent: "", executor: "http_get", args: { url: `https://${host}/` } },
});
const NOTHING = new PolicyOverrides([]);
const cellOf = (capability: "fs:read" | "network:http", outcome: Outcome): PolicyOverrides =>
  new PolicyOverrides([
    {
      holder: { by: "all" },
      cells: [{ profile: "x", level: "Full", capability, outcome, before: POLICY_TABLE.Full[capability], line: 1 }],
    },
  ]);
const factsIn = ({ kept }: Seat) => kept.db.prepare("SELECT fact FROM facts ORDER BY id").pluck().all() as string[];

describe("facts", () => {
  it("are kept once for all calls that have the same, and go with the last of these: forgotten, or beyond the bounds", async () => {
    const world = seat({ calls: 3000, bytes: 300_000_000 });
    for (let index = 0; index < 50; index++) note(world, examined(world, fetch(`api-${index % 5}.test`), NOTHING));
    note(world, examined(world, fetch("other.test", "codex-work"), NOTHING));
    world.kept.flush();
    expect(factsIn(world)).toHaveLength(6);
    expect(await forgetCalls(world.kept, { agent: "aider" })).toBe(50);
    expect(factsIn(world).join()).toContain("other.test");
    expect(factsIn(world).join()).not.toContain("api-");
    // What the facts that are left name is left, too.
    const names = world.kept.db.prepare("SELECT name FROM names").pluck().all() as string[];
    expect(names.filter((name) => /^[0-9a-f]{64}$/.test(name))).toHaveLength(1);
    for (let index = 0; index < 6000; index++) note(world, examined(world, bash("pwd"), NOTHING));
    world.kept.flush();
    world.kept.flush();
    expect(factsIn(world).join()).not.toContain("other.test");
    expect((await tried(world, NOTHING)).calls).toBe(world.kept.size);
  });

  it("of an earlier version's calls there are none, and they are listed and summed up all the same", async () => {
    const file = join(tempFolder(), "lines.db");
    const [first] = KEPT_CALLS_SCHEMA.migrations;
    if (first === undefined) throw new Error("no migration");
    const old = openDatabase(file, { ...KEPT_CALLS_SCHEMA, migrations: [first] });
    old.exec("INSERT INTO texts VALUES (1, 'npm test', '', ''); INSERT INTO names VALUES (1, 'aider'), (2, 'Bash')");
    old.exec("INSERT INTO calls VALUES (1, 1800000000000, x'00', 1, 0, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0)");
    old.close();
    const db = openDatabase(file, KEPT_CALLS_SCHEMA);
    onTestFinished(() => void db.close());
    const settings = { keep: "line", days: 3000, now: Date.now, withoutSecrets, failed: () => undefined } as const;
    const kept = new KeptCalls(db, { ...settings, lines: { lineOf: () => ({}) as never } });
    const result = await tryPolicy(kept, NOTHING, ALL);
    expect(result).toMatchObject({ calls: 1, unknown: 1, may_be_looser: 0, why_unknown: { no_facts: 1 } });
    expect(result.entries).toMatchObject([{ line: "npm test", change: "unknown", was: null, would_be: null }]);
  });

  it("say what a need is on by its class alone", () => {
    const world = seat();
    const { project, home } = world;
    const at = (called: Called) => ({ ...called, call: { ...called.call, context: { cwd: project } } });
    const tool = (executor: string, args: Record<string, unknown>) => {
      const called = at(bash(""));
      return { ...called, call: { ...called.call, executor, args } };
    };
    const placesOf = (called: Called): unknown[] => {
      note(world, examined(world, called, NOTHING));
      world.kept.flush();
      const [, , , , , , , , , , needs] = JSON.parse(factsIn(world).at(-1) ?? "[]");
      return needs.map(([, , , place, name]: unknown[]) => [place, name].join(" ").trim());
    };
    const [own, outside, host, program, secret, later, settings] = [1, 3, 4, 6, 7, 8, 9];
    expect(placesOf(tool("Read", { file_path: join(project, "src/a.ts") }))).toEqual([`${own}`]);
    expect(placesOf(tool("Read", { file_path: join(home, "notes.txt") }))).toEqual([`${outside}`]);
    expect(placesOf(tool("Read", { file_path: join(project, ".env") }))).toEqual([`${secret}`]);
    expect(placesOf(fetch("example.test"))).toEqual([`${host} example.test`]);
    expect(placesOf(at(bash("git commit -m hello && ./x.sh hello")))).toContain(`${program} git commit; …`);
    const planted = tool("Write", { file_path: join(project, ".git/hooks/pre-commit"), content: "x" });
    expect(new Set(placesOf(planted))).toEqual(new Set([`${later}`]));
    expect(placesOf(tool("Write", { file_path: join(project, ".claude/settings.json"), content: "x" }))).toContain(
      `${settings}`,
    );
  });
});

describe("what came before", () => {
  it("what was asked about for what calls before it did is unknown as soon as one of its agent would end otherwise", async () => {
    const world = seat();
    const { x, denial } = examined(world, fetch("example.test"), NOTHING);
    note(world, examined(world, bash("cat a.txt"), NOTHING));
    note(world, { x: { ...x, outcome: "approval_required", rule: "flow.private-untrusted-out" }, denial });
    expect(await tried(world, NOTHING)).toMatchObject({ same: 2, unknown: 0 });
    const result = await tried(world, cellOf("fs:read", "denied"));
    expect(result).toMatchObject({ denied: 1, unknown: 1, may_be_looser: 1, why_unknown: { earlier_calls: 1 } });
    expect(result.entries.map(({ change, unknown }) => [change, unknown])).toEqual([
      ["unknown", "earlier_calls"],
      ["denied", undefined],
    ]);
    // Asked about by the policy, too.
    expect(await tried(world, cellOf("network:http", "approval_required"))).toMatchObject({ same: 2, unknown: 0 });
  });
});

it("only the calls of one agent, or of a time, are looked at where that is wanted, and a page of them is listed", async () => {
  const world = seat();
  for (const agent of ["one", "two", "aider"])
    for (let index = 0; index < 4; index++) note(world, examined(world, fetch("a.test", agent), NOTHING));
  const denied = cellOf("network:http", "denied");
  expect(await tried(world, denied, { agent: "AIDER" })).toMatchObject({ calls: 4, denied: 4 });
  expect(await tried(world, denied, { agent: "nobody" })).toMatchObject({ calls: 0, denied: 0, entries: [] });
  expect(await tried(world, denied, { since: Date.now() + 60_000 })).toMatchObject({ calls: 0 });
  const { entries, denied: count } = await tried(world, denied, { limit: 5 });
  expect([count, entries.length, entries[0]?.agent_name]).toEqual([12, 5, "aider"]);
  expect(entries.map(({ number }) => number)).toEqual([12, 11, 10, 9, 8]);
});
