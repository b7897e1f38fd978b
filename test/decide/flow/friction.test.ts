import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as passed } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { CODING_COMMANDS } from "../../support/coding-commands.ts";
import { flowingCore, projectIn, seatIn } from "../../support/flowing-session.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { ORDINARY_SESSIONS } from "../../support/ordinary-sessions.ts";
import { makeReadingProject } from "../../support/reading-project.ts";

/** How often its user is asked more, in ordinary work, for what a session has seen. */

const OFF = '[flow]\nprivate_untrusted_out = "off"\nuntrusted_later = "off"\n';
const UNLIMITED = "[rate]\nenabled = false\n";
/** What lines change of what runs later. */
const CHANGED: readonly [line: RegExp, files: readonly string[]][] = [
  [/^npm (?:i|install) ./, ["package.json", "package-lock.json"]],
  [/^(?:npm|pnpm|yarn|cargo) /, ["package-lock.json"]],
  [/^git (?:pull|merge|checkout|switch|rebase|stash)/, ["Makefile", "CLAUDE.md"]],
];

const clockNow = () => new ManualClock(new Date().toISOString());

/** Where programs fetch from that name no host. */
const OWN_HOSTS: Readonly<Record<string, string>> = { npm: "registry.example.org", npx: "registry.example.org" };

/** How often a user is asked in the list of steps who answers as widely as the session lets them, and about what for the session's sake. */
async function codingSession(config: string, first: string | null = null) {
  const { call, reach, says, project, home, box, put } = await flowingCore({
    level: "Supervised",
    box: true,
    clock: clockNow(),
    config: `${config}${UNLIMITED}`,
  });
  makeReadingProject(project);
  says("Fix the bug, then add a cache, and push it");
  const asked: string[] = [];
  const flows: string[] = [];
  const answered = (made: ReturnType<typeof call>, what: string) => {
    if (made.outcome !== "approval_required") return;
    asked.push(what);
    if (made.rule?.startsWith("flow.") === true) flows.push(`${made.rule}: ${what.split("\n")[0]}`);
    const { choices } = made.view();
    const inSession = choices.flatMap(({ scope, reach: wide }) => (scope === "session" && wide !== null ? [wide] : []));
    const wider = (["project", "tree", "host", "exact", "destination"] as const).find((one) => inSession.includes(one));
    if (wider === undefined) made.answer("approved");
    else made.answer("approved", "session", wider);
  };
  put(`${home.home}/notes/plan.md`, "plan");
  for (const command of [...(first === null ? [] : [first]), ...CODING_COMMANDS]) {
    const line = command.replaceAll("~/project", project).replaceAll("/home/ada/project", project);
    const runs = box?.prepared.length ?? 0;
    answered(call("Bash", { command: line.replaceAll("~/", `${home.home}/`) }), command);
    const run = box?.prepared[runs];
    if (run?.declaration.network !== true) continue;
    const program = command.split(" ")[0] ?? "";
    const named = /https?:\/\/([\w.-]+)/.exec(command)?.[1];
    answered(reach(`https://${named ?? OWN_HOSTS[program] ?? "git.example.org"}`), `${program}: a host`);
  }
  return { asked, flows };
}

describe("what is asked more for what a session has seen", () => {
  it("is at most twice in a coding session of 200 steps", async () => {
    expect(CODING_COMMANDS.length).toBeGreaterThanOrEqual(190);
    const without = await codingSession(OFF);
    const withIt = await codingSession("");
    console.log(
      [
        `${CODING_COMMANDS.length} steps: ${without.asked.length} questions without, ${withIt.asked.length} with it`,
        ...withIt.flows,
      ].join("\n  "),
    );
    expect(withIt.asked.length).toBeGreaterThan(0);
    expect(withIt.flows).toEqual([]);
    expect(withIt.asked.length - without.asked.length).toBeLessThanOrEqual(2);
  }, 400_000);

  it("is no more than a question for each host where such a session has read the user's own notes first", async () => {
    const first = "cat ~/notes/plan.md";
    const [without, withIt] = [await codingSession(OFF, first), await codingSession("", first)];
    const more = withIt.asked.filter((one) => !without.asked.includes(one));
    console.log(
      [`${withIt.asked.length - without.asked.length} questions more after notes`, ...withIt.flows].join("\n  "),
    );
    expect(withIt.flows.length).toBeGreaterThan(0);
    expect(more.length).toBeLessThanOrEqual(4);
  }, 400_000);

  it("is at most once in each of twenty ordinary sessions", async () => {
    expect(ORDINARY_SESSIONS.length).toBe(20);
    const { core, home, box } = await flowingCore({ box: true, clock: clockNow(), config: UNLIMITED });
    const folder = join(home.home, "projects");
    const asked = ORDINARY_SESSIONS.map(({ name, asked: words, steps }, index) => {
      const project = projectIn(folder, `shop-${index}`);
      const file = join(project, "package.json");
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, "{}");
      const put = (value: unknown): unknown =>
        typeof value === "string" ? value.replaceAll("{home}", home.home).replaceAll("{project}", project) : value;
      const flows: string[] = [];
      for (const { by, executor, args } of steps) {
        const agent = by === "assistant" ? `assistant-${index}` : by;
        const seat = seatIn(core, { agent, level: "Full", project, folder, box });
        const from = { session: `o${index}`, cwd: project };
        seat.says(words, from.session);
        const given = Object.fromEntries(Object.entries(args).map(([key, value]) => [key, put(value)]));
        const made = executor === "@reach" ? seat.reach(String(given.url), from) : seat.call(executor, given, from);
        expect([name, made.decision.reason, made.outcome]).not.toContain("denied");
        if (made.outcome !== "approval_required") continue;
        const isFlow = made.rule?.startsWith("flow.") === true;
        const known = made.view().choices.some(({ scope }) => scope === "session");
        // What is code without a box is asked about each time, with or without what the session has seen.
        if (isFlow && known) flows.push(`${made.rule} ${executor} ${JSON.stringify(args)}`.slice(0, 160));
        made.answer("approved", ...(isFlow && known ? (["session"] as const) : []));
      }
      return { name, flows };
    });
    console.log(asked.map(({ name, flows }) => [`${flows.length} ${name}`, ...flows].join("\n    ")).join("\n"));
    expect(asked.filter(({ flows }) => flows.length > 1)).toEqual([]);
    expect(asked.filter(({ flows }) => flows.length === 1).length).toBeGreaterThan(2);
    // The same sessions' runs, now that each has taken in all that it does, where these change what they do in life.
    const alarmed: string[] = [];
    let known = 0;
    for (const run of box?.prepared ?? []) {
      await core.later.beforeRun(run);
      const made = CHANGED.find(([line]) => line.test(run.line))?.[1] ?? [];
      for (const name of made) writeFileSync(join(run.declaration.project, name), run.line);
      if (made.length > 0) known += 1;
      core.later.afterRun(run);
      await passed(20);
      for (const { code, subject } of core.alarms.list()) {
        if (code !== "untrusted_changed_later") continue;
        alarmed.push(`${run.session}: ${run.line}`);
        core.alarms.clear(code, subject);
      }
    }
    console.log(
      `${box?.prepared.length} runs, ${known} of which change what runs later; alarms: ${alarmed.join(", ")}`,
    );
    expect(known).toBeGreaterThan(1);
    expect(alarmed).toEqual([]);
  }, 400_000);
});
