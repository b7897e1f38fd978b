import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import type { AdapterName } from "../../cli/agents/adapter.ts";
import { LAUNCHER, StartedProcess } from "../support/gate-process.ts";
import type { GateUnderTest } from "../support/running-gate.ts";
import { unreadScript } from "../support/unread-script.ts";

/** A gate, a user's key that no agent may read, and a project for an agent that runs in a box as a whole. */
export class BoxedSeat {
  readonly gate: GateUnderTest;
  readonly agent: string;
  readonly project: string;
  /** The names in the folder of agents' sockets, each time that they were looked at. */
  readonly sockets: string[][] = [];

  private constructor(gate: GateUnderTest, agent: string) {
    this.gate = gate;
    this.agent = agent;
    this.project = join(gate.home.home, "project");
    this.write(".ssh/id_rsa", "the key\n");
    execFileSync("git", ["init", "--quiet", this.project]);
  }

  static async take(gate: GateUnderTest, agent: string): Promise<BoxedSeat> {
    const seat = new BoxedSeat(gate, agent);
    await gate.operator.call("agents.pair", { name: agent, level: "Supervised" });
    for (const capability of ["fs:read", "fs:write"] as const)
      await gate.operator.call("grants.add", { capability, target: `${seat.project}/**` });
    await gate.gate.core.box.ready;
    return seat;
  }

  /** @param name below the home */
  write(name: string, content: string | object): string {
    const file = join(this.gate.home.home, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
    return file;
  }

  /** A command that runs a script of the project: what that does isn't clear to the gate. */
  script(text: string, name: string): string {
    writeFileSync(join(this.project, name), `${text}\n`);
    return `sh ${name}`;
  }

  /** A script that tries what no box lets through, and then writes in the project. @param settings the agent's own, below the home */
  look(settings: string): string {
    const { runtimeDir } = this.gate.paths;
    const lines = [
      `cat ~/.s*/id_rsa; ls ${runtimeDir}; echo x > ~/${settings}; echo x > .git/hooks/pre-commit`,
      "mv /run/metnos-gate /run/other; rm -f ~/.local/state/metnos/hook/metnos-gate-hook; echo made > made.txt",
      "curl -sS -m 5 https://example.com 2>&1 | head -1",
    ];
    return this.script(unreadScript(lines.join("\n")), "look.sh");
  }

  /** That it found nothing of the machine, reached no host, and wrote in its project. @param said by `look` */
  expectHeld(said: string | undefined): void {
    expect(said).not.toContain("the key");
    expect(said?.match(/Read-only|busy|No such file/g)?.length, said).toBeGreaterThanOrEqual(5);
    expect(said).toContain("403");
    expect(readFileSync(join(this.project, "made.txt"), "utf8")).toBe("made\n");
  }

  noteSockets(): void {
    this.sockets.push(readdirSync(join(this.gate.paths.state_dir, "box/agents")));
  }

  /** The command as the user types it, in the project. @param options of `run`; @param words the agent's own */
  start(
    client: string,
    {
      options = [],
      words,
      env,
    }: { options?: readonly string[]; words: readonly string[]; env: Record<string, string> },
  ): StartedProcess {
    const run = [LAUNCHER, "run", this.agent as AdapterName, "--box", "--client", client, ...options, "--", ...words];
    const started = new StartedProcess(process.execPath, run, {
      env: { ...this.gate.home.env, ...env },
      cwd: this.project,
    });
    started.child.stdin?.end();
    return started;
  }

  /** For clients that take hooks from their settings alone. */
  async connect(client: string): Promise<void> {
    const words = [LAUNCHER, "connect", this.agent, "--client", client, "--untested"];
    const { exited } = new StartedProcess(process.execPath, words, { env: this.gate.home.env });
    expect(await exited).toBe(0);
  }

  async decisions() {
    return (await this.gate.operator.call("status", {})).decisions;
  }
}
