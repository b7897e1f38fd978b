import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { explanationLines, statusLines } from "../../cli/commands/box.ts";
import { boxCheck } from "../../cli/doctor-checks.ts";
import { approvalColumns } from "../../cli/listings.ts";
import { arranged } from "../../cli/watch/screen.ts";
import { appeared, EMPTY } from "../../cli/watch/state.ts";
import { BOX_PROBLEMS, type BoxAgent, type BoxStatus, UNCONFINED_REASONS } from "../../ipc/contract/box.ts";
import { LANGUAGES } from "../../ipc/contract/language.ts";
import type { ApprovalView } from "../../ipc/contract/operator-api.ts";
import { boxAgentWords, boxProblemWords, confinedParts, unconfinedText } from "../../ipc/words/box-words.ts";
import { withoutBox } from "../box/box-under-test.ts";
import { approvalView } from "../support/approval-view.ts";
import { WORKING_BOX } from "../support/box-status.ts";
import { runs } from "../support/card-views.ts";
import { runGate } from "../support/gate-process.ts";
import { startGate } from "../support/running-gate.ts";

const WELL: BoxStatus = { ...WORKING_BOX, running: 1 };
const NOW = new Date(2026, 10, 22, 12, 0).getTime();

describe("the words of confined execution", () => {
  it("each reason, problem and state has its own words, in each language", () => {
    const agents: BoxAgent[] = (["confined", "untested", "failed", "read-only"] as const).flatMap((state) =>
      ["claude-code", "a"].flatMap((name) =>
        [null, "claude 2"].map((client) => ({ name, state, client, tested_at: null })),
      ),
    );
    const texts = LANGUAGES.flatMap((language) => [
      ...UNCONFINED_REASONS.map((reason) => unconfinedText(reason, "", language)),
      ...BOX_PROBLEMS.map((problem) => boxProblemWords(problem, language).what),
      ...new Set(agents.map((agent) => boxAgentWords(agent, language).what)),
    ]);
    expect(new Set(texts).size).toBe(texts.length);
    expect(texts.filter((text) => text === "" || text.endsWith("."))).toEqual([]);
  });

  it("what they are about is shortened, and a folder has the home's short name", () => {
    expect(unconfinedText("leaves-the-box", "x".repeat(5000), "en").length).toBeLessThan(200);
    expect(confinedParts({ project: "/home/ada/p\u202e", network: false }, "/home/ada", "en").join(", ")).toBe(
      "Confined to ~/p\\u{202e}, no network",
    );
    expect(confinedParts({ project: "/srv/p", network: true }, null, "it").join(", ")).toBe(
      "Confinato a /srv/p, rete: ti viene chiesto ogni host",
    );
  });
});

describe("box status", () => {
  it("says whether commands can be confined, each agent's state with what to do, and what was set aside", () => {
    const agent = { name: "claude-code", client: "claude 2.1.330", tested_at: new Date(NOW).toISOString() };
    const lines = statusLines(
      {
        ...WELL,
        agents: [
          { ...agent, state: "confined" },
          { ...agent, state: "untested" },
          { name: "claude-code", state: "untested", client: null, tested_at: null },
          { name: "codex", state: "untested", client: null, tested_at: null },
        ],
        set_aside: [
          { path: "/srv/p/.envrc", kept_at: "/srv/k/1/.envrc", at: agent.tested_at, agent_name: "claude-code" },
        ],
      },
      NOW,
    );
    expect(lines).toEqual([
      "commands can be confined here (bubblewrap 0.8.0); 1 runs confined now",
      "claude-code: Commands run confined (claude 2.1.330, tested today 12:00)",
      "claude-code: Not confined: its client has changed since it was tested (claude 2.1.330, tested today 12:00). Test it: connect it again",
      "claude-code: Not confined: its client was never tested. Test it: connect it again",
      "codex: Not confined: it hasn't said that it runs what it is given",
      "set aside after a command, as their content would have run later:",
      "  /srv/p/.envrc is now /srv/k/1/.envrc (claude-code, today 12:00)",
    ]);
  });

  it("says why there is no box, and the lines that mend it as they are", () => {
    const problem = { ...WELL, is_available: false, maker: null, problem: "user-namespaces-restricted" } as const;
    const agents = [{ name: "my-script", state: "confined", client: null, tested_at: null } as const];
    expect(statusLines({ ...problem, agents, detail: "uid map: denied", fix: "first\nsecond" }, NOW)).toEqual([
      "no command is confined: The system doesn't let ordinary users make user namespaces",
      "  uid map: denied",
      "  first",
      "  second",
    ]);
    expect(statusLines({ ...problem, problem: "unsupported-system" }, NOW)).toEqual([
      "no command is confined: This version confines commands on Linux only",
    ]);
  });
});

describe("a box from which no host can be reached, as there is no Node for the relay", () => {
  const status: BoxStatus = { ...WELL, hosts_problem: "no-node" };

  it("is said by box status and doctor, with what to do", () => {
    expect(statusLines(status, NOW)).toContain("Hosts can't be reached from the box: no Node program found");
    expect(statusLines(WELL, NOW).join("\n")).not.toContain("Hosts");
    expect(boxCheck(status)).toMatchObject({
      ok: false,
      detail: "Hosts can't be reached from the box: no Node program found",
      fix: expect.stringContaining("Install Node"),
    });
    expect(boxCheck(WELL).ok).toBe(true);
  });
});

describe("box explain", () => {
  it("says what a confined command could read and write, and of another one why it isn't", () => {
    const declaration = { project: "/srv/p", reads: ["/srv/lib"], writes: ["/srv/repo/.git"], network: false };
    expect(explanationLines({ reason: null, about: "", declaration })).toEqual([
      "would run confined to /srv/p",
      "  reads   /srv/p, /srv/repo/.git, /srv/lib, and the system's programs",
      "  writes  /srv/p, /srv/repo/.git",
      "  network none",
    ]);
    expect(explanationLines({ reason: "outside-by-nature", about: "ssh", declaration: null })).toEqual([
      "would not be confined: ssh needs what no box has: other machines, system services, root, or other processes",
      "  it is asked about as running code (code:exec)",
    ]);
    expect(explanationLines({ reason: "clear", about: "", declaration: null })).toHaveLength(1);
  });
});

const NO_BOX = withoutBox();
if (NO_BOX !== undefined) console.log(`skipped: ${NO_BOX}`);

describe.skipIf(NO_BOX !== undefined)("box run", () => {
  it("runs a command of the user's confined, with its input, output and exit code, and says why another one isn't", async () => {
    const gate = await startGate();
    await gate.gate.core.box.ready;
    const project = join(gate.home.home, "site");
    mkdirSync(join(project, ".git"), { recursive: true });
    writeFileSync(join(project, ".git/HEAD"), "ref: refs/heads/main\n");
    writeFileSync(join(gate.home.home, "outside.txt"), "private");
    writeFileSync(join(project, "run.sh"), 'cat > made.txt; cat ../outside.txt; echo "$1" >&2; exit 7\n');
    const run = (...words: string[]) => runGate(gate.home, ["box", "run", "--", ...words], "given\n", project);
    const [words, line, refused] = await Promise.all([
      run("bash", "run.sh", "two words"),
      run("echo a | tr a b; bash -c 'exit 3' || echo $?"),
      run("ssh", "example.com"),
    ]);
    expect(words).toMatchObject({ code: 7, stdout: "" });
    expect(words.stderr).toMatch(/outside\.txt: No such file[\s\S]*\ntwo words\n$/);
    expect(readFileSync(join(project, "made.txt"), "utf8")).toBe("given\n");
    expect(line).toMatchObject({ code: 0, stdout: "b\n3\n" });
    expect(refused).toMatchObject({ code: 4, stdout: "" });
    expect(refused.stderr).toContain("ssh needs what no box has");
  });

  it("box status and box explain tell of the running gate, as JSON where they are piped", async () => {
    const gate = await startGate();
    // At once: the answer waits until it is known whether there is a box.
    const project = join(gate.home.home, "site");
    mkdirSync(join(project, ".git"), { recursive: true });
    writeFileSync(join(project, ".git/HEAD"), "ref: refs/heads/main\n");
    await gate.operator.call("agents.pair", { name: "reader", level: "ReadOnly" });
    const [status, would, words, asked, level] = await Promise.all([
      runGate(gate.home, ["box", "status"]),
      runGate(gate.home, ["box", "explain", "npm test", "--cwd", project]),
      runGate(gate.home, ["box", "explain", "--cwd", project, "--", "cat", "no such file", "a;b"]),
      runGate(gate.home, ["box", "explain", "metnos-gate outside -- npm test", "--cwd", project]),
      runGate(gate.home, ["box", "explain", "npm test", "--cwd", project, "--agent", "reader"]),
    ]);
    expect(status.lines[0]).toMatchObject({ is_available: true, agents: [{ name: "reader", state: "read-only" }] });
    expect(status.stderr).toContain("reader: Read only: it runs no commands");
    expect(would.lines[0]).toMatchObject({ reason: null, declaration: { project, network: expect.any(Boolean) } });
    expect(would.stderr).toContain("would run confined to ~/site");
    // Words are no line: `a;b` is one file's name.
    expect(words.lines[0]).toMatchObject({ declaration: { kind: "needs" } });
    expect(asked.lines[0]).toMatchObject({ reason: "asked-for", declaration: null });
    expect(level.lines[0]).toMatchObject({ reason: "level", declaration: null });
  });
});

describe("doctor", () => {
  it("fails over a box that is missing only where something can be done about it", () => {
    const missing = { ...WELL, is_available: false, maker: null };
    expect(boxCheck(WELL)).toEqual({ check: "box", ok: true, detail: "commands can be confined, by bubblewrap 0.8.0" });
    expect(boxCheck({ ...missing, problem: "bubblewrap-missing" })).toEqual({
      check: "box",
      ok: false,
      detail: "no command is confined: Bubblewrap isn't installed",
      fix: "Install the package bubblewrap, then start the gate again",
    });
    expect(boxCheck({ ...missing, problem: "disabled" })).toMatchObject({ ok: true });
    expect(boxCheck({ ...missing, problem: "unsupported-system" })).toMatchObject({ ok: true });
  });
});

describe("a confined request in the terminal", () => {
  const confined = (change: Partial<ApprovalView> = {}) =>
    runs("npm test", { confined: { project: "/srv/website", network: false }, ...change });
  const effect = (view: ApprovalView) => approvalColumns([view], NOW).at(-1)?.text(view);
  const screen = (view: ApprovalView) =>
    JSON.stringify(arranged(appeared(EMPTY, view, 0), { columns: 100, rows: 40 }, NOW));

  it("is named so by approvals list and by watch, which don't say that it can change anything", () => {
    expect(effect(confined())).toBe("Runs this project's tests; confined");
    expect(effect(runs("npm test"))).toBe("Runs this project's tests");
    expect(screen(confined())).toContain("Confined to /srv/website, no network");
    expect(screen(confined())).not.toContain("can change anything");
    expect(screen(runs("npm test"))).toContain("Runs this project's tests");
  });

  it("one for a host names the host in its question and the confined command below, and no name of the gate's own", () => {
    const line = "npm install left-pad";
    const wanted = approvalView({
      executor: "@box_connect",
      intent: line,
      args: { url: "https://registry.example.org" },
      card: { form: "full", lines: ["May I connect to registry.example.org?"], buttons: [] },
    });
    expect(screen(wanted)).toContain("May I connect to registry.example.org?");
    expect(screen(wanted)).toContain(`The confined command: ${line}`);
    expect(screen(wanted)).toContain("the whole call: confined command");
    expect(screen(wanted)).not.toContain("@box_connect");
  });

  it("one that asks to run outside the box has the agent's reason in the listing", () => {
    expect(effect(runs("metnos-gate outside --reason 'the network' -- npm install left-pad"))).toMatch(
      /; Outside the box\. The agent's reason: “the network”$/,
    );
    expect(effect(approvalView())).toBe("");
  });
});
