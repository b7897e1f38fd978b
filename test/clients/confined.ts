import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { AdapterName } from "../../cli/agents/adapter.ts";
import { testClient } from "../../cli/agents/client-test/client-test.ts";
import type { LoopbackApi } from "../../cli/agents/pretended-model/loopback-api.ts";
import { writeLauncher } from "../../cli/hook/launcher.ts";
import { recordTestedClient, type TestedClient } from "../../ipc/base/tested-clients.ts";
import type { AlarmCode } from "../../ipc/contract/alarms.ts";
import { withoutBox } from "../box/box-under-test.ts";
import { type GateUnderTest, startGate } from "../support/running-gate.ts";
import { temporaryHome } from "../support/temporary-home.ts";
import { unreadScript } from "../support/unread-script.ts";
import { Pty } from "../support/watched.ts";
import { answerCards } from "./answer-cards.ts";
import { CLIENTS, type ClientName } from "./clients.ts";
import { installedClient } from "./installed-client.ts";
import { expectAllBack } from "./taken-back.ts";

/** What must hold of the confined commands of every real client, which the real gate confines with the real bubblewrap. */

/** A client, connected to a gate, in a project of the gate's home. */
interface Seat {
  readonly gate: GateUnderTest;
  readonly project: string;
}

interface InTerminal {
  api: LoopbackApi;
  words: readonly string[];
  env: Record<string, string>;
  /** Typed once the model has ended, where its screen has what it ran in a view of its own. */
  key?: string;
  /** What its screen says of a call that is denied: to the user, where that is something else, and what its model reads. */
  notice?: string;
  denied: string;
}

export interface ConfinableClient<S extends Seat> {
  agent: AdapterName;
  client: ClientName;
  /** Paired and connected. `process.env.HOME` may be the gate's from then on. */
  seat(gate: GateUnderTest, program: string): Promise<S>;
  /** Has its model run these command lines, one a turn. `results`: what the tools gave back; `received`: all that its model was sent. */
  run(seat: S, lines: readonly string[]): Promise<{ results: string[]; received: string }>;
  /** Has its model change a file by its own tool for that; left out: it isn't tried. */
  edit?(seat: S, edited: { file: string; before: string; after: string }): Promise<unknown>;
  /** Has something of the project or the client run `touch replaced.txt` in the place of every call. @returns how it is then run, where not as above */
  replace(seat: S): ConfinableClient<S>["run"] | undefined;
  /** Raised then. */
  alarms: readonly AlarmCode[];
  /** How it is started in a terminal, to have its model run these command lines, one a turn. */
  inTerminal(seat: S, lines: readonly string[]): Promise<InTerminal>;
  /** What a result says of a command that ended with this code; undefined where its model isn't informed of it. */
  code?: (code: number) => string;
}

/** What the tests of one client share. */
export class Confined<S extends Seat> {
  seat!: S;
  tested!: TestedClient;
  readonly #agent: AdapterName;

  constructor(agent: AdapterName) {
    this.#agent = agent;
  }

  /** A script of the project: what it does isn't clear to the gate. */
  script(text: string, name = "work.sh"): string {
    this.write(name, `${text}\n`);
    return `sh ${name}`;
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.seat.project, name), text);
  }

  has(name: string): boolean {
    return existsSync(join(this.seat.project, name));
  }

  async isPaused(): Promise<boolean> {
    const { agents } = await this.seat.gate.operator.call("agents.list", {});
    return agents.find(({ name }) => name === this.#agent)?.paused !== null;
  }

  async decisions() {
    return (await this.seat.gate.operator.call("status", {})).decisions;
  }

  async alarms(): Promise<string[]> {
    return (await this.seat.gate.operator.call("status", {})).alarms.map(({ code }) => code);
  }

  answer(decision: "approved" | "rejected") {
    return answerCards(this.seat.gate, [[decision]]);
  }

  /** From now on it is another version than the one that was tested. */
  update(): void {
    recordTestedClient(this.seat.gate.paths.state_dir, this.#agent, { ...this.tested, size: this.tested.size + 1 });
  }
}

/** @param more the client's own tests */
export function describeConfined<S extends Seat>(
  client: ConfinableClient<S>,
  more: (confined: Confined<S>) => void,
): void {
  const { agent } = client;
  const { title, version } = CLIENTS[client.client];
  describe(`the confined commands of ${title}`, () => {
    const program = installedClient(client.client);
    if (program === undefined) return;
    const reason = withoutBox();
    if (reason !== undefined) {
      it.runIf(process.env.CI === "true")("can be tried", () => expect.unreachable(reason));
      console.log(`skipped: ${reason}`);
      return;
    }

    const confined = new Confined<S>(agent);
    beforeAll(async () => {
      const { env } = temporaryHome();
      writeLauncher(env);
      const result = await testClient(agent, program, env);
      if (!("tested" in result)) throw new Error(result.untested);
      confined.tested = result.tested;
    });
    const home = process.env.HOME;
    beforeEach(async () => {
      const gate = await startGate();
      confined.seat = await client.seat(gate, program);
      const { project } = confined.seat;
      recordTestedClient(gate.paths.state_dir, agent, confined.tested);
      execFileSync("git", ["init", "--quiet", project]);
      for (const capability of ["fs:read", "fs:write"] as const)
        await gate.operator.call("grants.add", { capability, target: `${project}/**` });
      await gate.gate.core.box.ready;
      return () => {
        process.env.HOME = home;
      };
    });

    it("passes the test, and doctor and status can say so", async () => {
      const { tested, seat } = confined;
      expect(tested).toMatchObject({ file: program, version, passed: true, problem: null });
      const { is_available, agents } = await seat.gate.operator.call("box.status", {});
      const line = { name: agent, state: "confined", client: `${agents[0]?.client}`, tested_at: tested.tested_at };
      expect([is_available, agents]).toEqual([true, [line]]);
      expect(line.client).toMatch(new RegExp(` ${version}$`));
    });

    it("run without a question, each in the box of what it needs; the model reads which one that kept from something", async () => {
      const outside = join(confined.seat.gate.home.home, "outside.txt");
      writeFileSync(outside, "what is outside\n");
      confined.write("name.txt", outside);
      confined.write("package.json", JSON.stringify({ scripts: { test: "echo tests pass" } }));
      const lines = [
        confined.script(unreadScript('echo made > made.txt; ls -A "$HOME"; cat ~/.ssh/id_rsa; exit 3')),
        "npm test",
        "cat made.txt",
        "for f in m*.txt; do cat $f; done",
        confined.script("echo x > /usr/made-by-a-test; echo done", "refused.sh"),
        "cat $(cat name.txt)",
        "for f in n*.txt; do cat $(cat $f); done",
        // The words of this line are clear. What it reads is what the repository's own settings say.
        "git diff",
      ];
      for (const words of [
        ["config", "diff.orderFile", outside],
        ["add", "--intent-to-add", "name.txt"],
      ])
        execFileSync("git", ["-C", confined.seat.project, ...words]);
      const { results, received } = await client.run(confined.seat, lines);
      const [first = "", npm, clear, looking, refused, ...more] = results;
      if (client.code !== undefined) expect(first).toContain(client.code(3));
      expect(first).toContain("No such file");
      expect(first).not.toContain("the key");
      expect(readFileSync(join(confined.seat.project, "made.txt"), "utf8")).toBe("made\n");
      expect(npm).toContain("tests pass");
      for (const said of [clear, looking]) expect(said).toMatch(/\bmade$/m);
      expect(refused).toContain("done");
      expect(existsSync("/usr/made-by-a-test")).toBe(false);
      expect(more).toEqual(Array(3).fill(expect.stringContaining("No such file")));
      expect(received).not.toContain("what is outside");
      expect(timesIn(received, "ran confined to ~/project, with no network. If it failed for that")).toBe(1);
      expect(timesIn(received, "it tried to read or write outside of what was asked")).toBe(3);
      expect(timesIn(received, "outside --reason WHY -- COMMAND")).toBe(4);

      expect(await confined.decisions()).toMatchObject({ allowed: lines.length, denied: 0, asked: 0 });
      const listed = (await confined.seat.gate.operator.call("activity.list", {})).entries;
      const marks = listed.map(({ is_confined, reported }) => [is_confined, reported?.tried_more === true]);
      expect(marks.reverse()).toEqual(lines.map((_, at) => [true, at >= 5]));
      expect([await confined.isPaused(), await confined.alarms()]).toEqual([false, ["tried_more_than_said"]]);
    });

    it("are shown in the client's terminal as the model wrote them, each with what it printed", async () => {
      const { seat } = confined;
      const { home } = seat.gate.home;
      const files = {
        "made.txt": "of two words",
        "name.txt": join(home, "outside.txt"),
        "refused.sh": "echo x > /usr/x",
      };
      for (const [name, text] of Object.entries(files)) confined.write(name, text);
      writeFileSync(join(home, "outside.txt"), "what is outside\n");
      confined.write("package.json", JSON.stringify({ scripts: { test: "echo tests pass" } }));
      const shown = [
        ["cat made.txt", "of two words"],
        ["cat $(cat name.txt)", "No such file"],
        ["npm test", "tests pass"],
        ["sh refused.sh", "Read-only file system"],
        ["cat ~/.ssh/id_rsa", ""],
      ] as const;
      const start = await client.inTerminal(
        seat,
        shown.map(([line]) => line),
      );
      onTestFinished(() => start.api.close());
      const [first = "", ...rest] = program.endsWith(".js") ? [process.execPath, program] : [program];
      const pty = new Pty([...rest, ...start.words], { ...start.env, LANG: "C.UTF-8" }, 110, 70, {
        program: first,
        cwd: seat.project,
        asks: true,
      });
      await pty.finds(/^\W*done\b/m);
      if (start.key !== undefined) pty.type(start.key);
      // Its screen leaves out what its model reads of a reading command that fails or is denied.
      const hidesFailedReads = version === "2.1.197";
      if (hidesFailedReads) console.log(`${title} shows nothing of a reading command that fails`);
      for (const [line, said] of shown.slice(0, -1)) {
        await pty.shows(line);
        if (hidesFailedReads && line.startsWith("cat $(")) continue;
        // A screen is drawn piece by piece.
        await expect.poll(() => pty.screen.slice(pty.screen.indexOf(line)), { message: line }).toContain(said);
      }
      if (start.notice !== undefined) await pty.shows(start.notice);
      if (!hidesFailedReads) await pty.shows(start.denied);
      expect(pty.screen).not.toContain("r=0");
      expect(await confined.decisions()).toMatchObject({ allowed: 4, denied: 1, asked: 0 });
    });

    const { edit } = client;
    it.runIf(edit)("come back by the command and by the page, as an edit does", async () => {
      const { seat } = confined;
      await expectAllBack({
        ...seat,
        agent,
        edit: (edited) => edit?.(seat, edited) ?? Promise.resolve(),
        run: (lines) => client.run(seat, lines),
      });
    });

    it("are noticed where something else runs in their place: the agent is paused", async () => {
      const run = client.replace(confined.seat) ?? client.run;
      const { results } = await run(confined.seat, [confined.script("touch confined.txt"), "echo again"]);
      expect(["replaced.txt", "confined.txt"].map((name) => confined.has(name))).toEqual([true, false]);
      expect(await confined.isPaused()).toBe(true);
      await expect.poll(() => confined.alarms()).toEqual(expect.arrayContaining([...client.alarms]));
      expect(results[1]).toContain("paused");
    });

    it("are not confined in another version of the client than the one that was tested", async () => {
      confined.update();
      const answered = confined.answer("rejected");
      const { results } = await client.run(confined.seat, [confined.script("touch made.txt")]);
      await answered;
      expect(results[0]).toContain("the user said no");
      expect(confined.has("made.txt")).toBe(false);
    });

    more(confined);
  });
}

function timesIn(text: string, part: string): number {
  return text.split(part).length - 1;
}

/** A hook in the project that answers after the gate's: of two that change a call the last one counts. @returns its file */
export function lateHook(project: string, answer: object): string {
  const file = join(project, "other.sh");
  const late = `[ -e '${join(project, "replaced.txt")}' ] || sleep 3`;
  writeFileSync(file, `#!/bin/sh\n${late}\necho '${JSON.stringify(answer)}'\n`, { mode: 0o755 });
  return file;
}
