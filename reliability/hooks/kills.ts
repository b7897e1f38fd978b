import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type BenchHome, benchHome, type GateProcess, startGate } from "../../bench/gate-process.ts";
import { launcherText } from "../../cli/hook/launcher-text.ts";
import { Seeded } from "../../fuzz/seeded.ts";
import { OperatorClient } from "../../ipc/socket/operator-client.ts";
import { pipesFolder } from "../../main/hooks/pipes-folder.ts";
import { MONTH_FILE } from "../../main/records/audit/chain.ts";

/** Hooks ask a real gate, and at seeded random moments one of those that take part is killed. What is left is looked at. */

export const VICTIMS = ["launcher", "child", "gate", "program", "client"] as const;
type Victim = (typeof VICTIMS)[number];

export interface KillOptions {
  shell: string;
  victim: Victim;
  rounds: number;
  seed: number;
}

interface Asked {
  number: number;
  kind: "allowed" | "denied" | "approved" | "rejected" | "left";
  client: ChildProcess;
  output: string;
  closed: Promise<unknown>;
}

const HOOK = new URL("../../dist/hook/hook.cjs", import.meta.url).pathname;
const KINDS = ["allowed", "denied", "approved", "rejected", "left"] as const;
const [AT_ONCE, PAIRS] = [8, 64];
/** In which a request is withdrawn whose hook has gone, and processes of it end. In milliseconds. */
const [WITHDRAWN_MS, ENDED_MS] = [2000, 8000];
/** A pair that was taken by a killed launcher is given up by then. */
const PAIRS_MS = 25_000;
/** The trail, receipts and what is kept of them are opened as they are first needed. */
const OPENED_LATER = 4;
/** Kills are within so much of a call's beginning: what takes a program takes longer. */
const WITHIN_MS: Record<Victim, number> = { launcher: 120, child: 80, gate: 150, program: 400, client: 120 };
/** What is denied without a decision of a gate about the call: the last one by the hook's own guard, which says in brackets what to do instead. */
const UNDECIDED =
  /no gate is running|nobody answered within|the hook failed|hook's input is not|hook's input is empty| \(work on another path/;

/** Gives what isn't as it must be, in a sentence each. */
export async function killHooks({ shell, victim, rounds, seed }: KillOptions): Promise<string[]> {
  const granted = Array.from({ length: rounds }, (_, number) => `/srv/granted-${number}-`);
  const home = benchHome(granted, "claude-code");
  const run = new KilledHooks(home, { shell, victim, random: new Seeded(seed) });
  try {
    await run.begin();
    for (let done = 0; done < rounds; done += AT_ONCE) await run.batch(done, Math.min(AT_ONCE, rounds - done));
    await run.lookAtRest();
  } finally {
    await run.end();
    home.remove();
  }
  return run.violations;
}

class KilledHooks {
  readonly violations: string[] = [];
  readonly #home: BenchHome;
  readonly #options: { shell: string; victim: Victim; random: Seeded };
  readonly #launcher: string;
  #gate: GateProcess | undefined;
  #operator: OperatorClient | undefined;
  #openFiles = 0;
  #answered = new Set<number>();

  constructor(home: BenchHome, options: { shell: string; victim: Victim; random: Seeded }) {
    this.#home = home;
    this.#options = options;
    this.#launcher = join(home.home, "metnos-gate-hook");
    const script = join(home.home, "program.cjs");
    writeFileSync(script, `require(${JSON.stringify(HOOK)}).runHook(process.argv.slice(3));`);
    const text = launcherText({
      env: { HOME: home.home, PATH: home.env.PATH ?? "" },
      program: { nodes: [process.execPath], scripts: [script] },
      // Without pipes its program asks each time.
      pipesDir: options.victim === "program" ? join(home.home, "none") : pipesFolder(home.paths.state_dir),
    });
    writeFileSync(this.#launcher, text.replace("/bin/sh", options.shell), { mode: 0o700 });
  }

  async begin(): Promise<void> {
    await this.#start();
    await this.#becomes(PAIRS_MS, () => this.#wrongPairs());
    this.#openFiles = this.#gate?.openFiles() ?? 0;
  }

  async batch(first: number, count: number): Promise<void> {
    const { random, victim } = this.#options;
    const all = Array.from({ length: count }, (_, index) => this.#ask(first + index, random.pick(KINDS)));
    const answering = new AbortController();
    const answers = this.#answer(all, answering.signal);
    const moments = all.map(() => random.real(WITHIN_MS[victim]));
    if (victim === "gate") {
      await delay(moments[0]);
      await this.#gate?.kill();
      await this.#start();
    } else await Promise.all(all.map(({ client }, index) => this.#kill(client, moments[index] ?? 0)));
    await Promise.all(all.map(({ closed }) => closed));
    await this.#expect(ENDED_MS, "processes are left", () =>
      this.#processes()
        .map(({ text }) => text)
        .join(", "),
    );
    answering.abort();
    await answers;
    await this.#expect(WITHDRAWN_MS, "requests wait for hooks that have gone", async () =>
      (await this.#waiting()).map(({ target_summary }) => target_summary).join(", "),
    );
    const trail = this.#trail();
    for (const asked of all) this.#check(asked, trail);
  }

  async lookAtRest(): Promise<void> {
    await this.#expect(PAIRS_MS, "the folder of pipes holds", () => this.#wrongPairs());
    await this.#expect(PAIRS_MS, `more files are open than the ${this.#openFiles} before`, () =>
      (this.#gate?.openFiles() ?? 0) > this.#openFiles + OPENED_LATER ? String(this.#gate?.openFiles()) : "",
    );
  }

  async end(): Promise<void> {
    for (const { pid } of this.#processes()) process.kill(pid, "SIGKILL");
    await this.#operator?.close();
    await this.#gate?.kill();
  }

  async #start(): Promise<void> {
    this.#gate = await startGate(this.#home, ["--no-notifications"]);
    const { operator_socket, operatorToken } = this.#home.paths;
    this.#operator = await OperatorClient.connect(operator_socket, operatorToken);
  }

  #ask(number: number, kind: Asked["kind"]): Asked {
    const folder = join(this.#home.home, "asked");
    mkdirSync(folder, { recursive: true });
    const [input, output] = [join(folder, `${number}.in`), join(folder, `${number}.out`)];
    const [toolName, toolInput] =
      kind === "allowed"
        ? ["Read", { file_path: `/srv/granted-${number}-/a` }]
        : kind === "denied"
          ? ["Bash", { command: `cat ~/.ssh/id_${number}` }]
          : ["Write", { file_path: `/srv/asked-${number}-`, content: "x".repeat(number % 4 === 0 ? 100_000 : 10) }];
    const said = {
      session_id: "s",
      cwd: "/srv",
      hook_event_name: "PreToolUse",
      tool_name: toolName,
      tool_input: toolInput,
    };
    writeFileSync(input, JSON.stringify({ ...said, tool_use_id: `use-${number}` }));
    const wait = kind === "left" && this.#options.victim !== "gate" ? "1" : "100";
    const client = spawn(
      "/bin/sh",
      [
        "-c",
        '"$1" hook claude-code --offline deny --wait "$4" <"$2" >"$3" 2>/dev/null; echo $? >"$3.code"',
        "client",
      ].concat(this.#launcher, input, output, wait),
      { stdio: "ignore", env: { PATH: "/usr/bin:/bin" } },
    );
    return { number, kind, client, output, closed: new Promise((resolve) => client.once("close", resolve)) };
  }

  async #kill(client: ChildProcess, afterMs: number): Promise<void> {
    const { victim } = this.#options;
    await delay(afterMs);
    if (victim === "client") return void client.kill("SIGKILL");
    while (client.exitCode === null && client.signalCode === null) {
      const launchers = childrenOf(client.pid);
      const found =
        victim === "launcher"
          ? launchers
          : victim === "child"
            ? launchers.flatMap(childrenOf)
            : launchers.flatMap(childrenOf).flatMap((pid) => [pid, ...childrenOf(pid)]);
      const chosen = found.length === 0 ? undefined : this.#options.random.pick(found);
      if (chosen !== undefined) return killed(chosen);
      await delay(1);
    }
  }

  async #answer(all: readonly Asked[], signal: AbortSignal): Promise<void> {
    const kinds = new Map(all.map(({ number, kind }) => [number, kind]));
    for (; !signal.aborted; await delay(20)) {
      for (const { token, target_summary } of await this.#waiting()) {
        const number = Number(/asked-(\d+)-/.exec(target_summary)?.[1]);
        const decision = kinds.get(number);
        if (decision !== "approved" && !(decision === "rejected" || this.#options.victim === "gate")) continue;
        const operator = this.#operator;
        if (decision === "approved") this.#answered.add(number);
        await operator
          ?.call("approvals.resolve", { token, decision: decision === "approved" ? decision : "rejected" })
          .catch(() => undefined); // withdrawn meanwhile
      }
    }
  }

  /** None where the gate has been killed just now. */
  async #waiting() {
    return await (this.#operator?.call("approvals.list", {}).catch(() => []) ?? []);
  }

  /** What was printed, and counts, is what the gate has decided about this very call. */
  #check({ number, kind, output }: Asked, trail: string): void {
    const code = existsSync(`${output}.code`) ? readFileSync(`${output}.code`, "utf8").trim() : "0";
    const text = existsSync(output) ? readFileSync(output, "utf8") : "";
    const says = (what: string) => this.violations.push(`call ${number} (${kind}) ${what}: ${code} ${text}`);
    if (code !== "0" || text === "") {
      if (code === "0" && existsSync(`${output}.code`)) says("ended with 0 without an answer");
      return;
    }
    let said: Record<string, string> | undefined;
    try {
      said = JSON.parse(text).hookSpecificOutput;
    } catch {
      // says so below
    }
    const reason = said?.permissionDecisionReason?.replace(/^Metnos Gate: /, "").split(";")[0] ?? "";
    if (said?.permissionDecision === "allow") {
      const isOwn = kind === "allowed" ? reason === `allowed by grant ${number + 1}` : this.#answered.has(number);
      if (!isOwn || kind === "denied") says("was allowed by no decision of its own");
      if (!trail.includes(kind === "allowed" ? `"reason":"${reason}"` : `"status":"approved"`))
        says("isn't in the trail");
    } else if (said?.permissionDecision !== "deny") says("has no answer");
    else if (!UNDECIDED.test(reason) && kind === "denied" && !trail.includes(JSON.stringify(reason)))
      says("was denied as the trail doesn't have it");
    else if (kind === "allowed" && !UNDECIDED.test(reason)) says("was denied");
  }

  #trail(): string {
    const { auditDir } = this.#home.paths;
    if (!existsSync(auditDir)) return "";
    const files = readdirSync(auditDir).filter((name) => MONTH_FILE.test(name));
    return files.map((name) => readFileSync(join(auditDir, name), "utf8")).join("");
  }

  #wrongPairs(): string {
    const folder = pipesFolder(this.#home.paths.state_dir);
    const names = existsSync(folder) ? readdirSync(folder) : [];
    const pipes = names.filter((name) => lstatSync(join(folder, name), { throwIfNoEntry: false })?.isFIFO());
    const isRight = [".up", ".down"].every((end) => pipes.filter((name) => name.endsWith(end)).length === PAIRS);
    return isRight && names.length === 2 * PAIRS ? "" : `${pipes.length} pipes of ${names.length} names`;
  }

  /** The launchers, and what they have started. */
  #processes(): { pid: number; text: string }[] {
    const found: { pid: number; text: string }[] = [];
    for (const pid of readdirSync("/proc").map(Number)) {
      if (!(pid > 1) || pid === process.pid || pid === this.#gate?.child.pid) continue;
      try {
        const [words, env, stat] = ["cmdline", "environ", "stat"].map((name) =>
          readFileSync(`/proc/${pid}/${name}`, "utf8"),
        );
        const isGates = Number(stat?.slice(stat.lastIndexOf(")") + 4).split(" ")[0]) === this.#gate?.child.pid;
        const isHooks = words?.includes(this.#launcher) || env?.split("\0").includes(`HOME=${this.#home.home}`);
        if (isHooks && !isGates) found.push({ pid, text: words?.replaceAll("\0", " ").slice(0, 60) ?? "" });
      } catch {} // it has ended
    }
    return found;
  }

  async #becomes(withinMs: number, wrong: () => string | Promise<string>): Promise<string> {
    for (const until = performance.now() + withinMs; ; await delay(20)) {
      const what = await wrong();
      if (what === "" || performance.now() > until) return what;
    }
  }

  async #expect(withinMs: number, what: string, wrong: () => string | Promise<string>): Promise<void> {
    const found = await this.#becomes(withinMs, wrong);
    if (found !== "") this.violations.push(`${what}: ${found}`);
  }
}

function childrenOf(pid: number | undefined): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

function killed(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {} // it has ended
}
