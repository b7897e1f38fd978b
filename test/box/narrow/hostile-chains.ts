import { execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as passed, setImmediate as turn } from "node:timers/promises";
import { expect } from "vitest";
import { confinedCommand } from "../../../ipc/base/confined-command.ts";
import { shellQuoted } from "../../../ipc/base/shell-quoted.ts";
import type { Level } from "../../../ipc/contract/decision.ts";
import { SEND } from "../../../ipc/words/sending.ts";
import { BOX_CONNECT } from "../../../main/decide/executors/internal.ts";
import type { AgentConnection } from "../../support/agent-connection.ts";
import { remove } from "../../support/removed-folders.ts";
import { type GateUnderTest, startGate } from "../../support/running-gate.ts";
import { unreadScript } from "../../support/unread-script.ts";
import { ofDay } from "../../support/whole-run.ts";
import { SHELLS, shellRuns } from "../box-under-test.ts";

/** Runs chains of calls by a hostile agent against a real gate, and says what of them got through. */

export const SECRET = "s3cr3t-of-the-user";

/** In a chain's texts `$X` is the program that the hostile one wants to have run, `$HOME`, `$OUT`, `$PROJECT` and `$LIB` are folders. */
export interface Chain {
  name: string;
  /** What is in the project already: bash. */
  setup?: string;
  /** What a confined command does there: sh. With `stays` it makes `ready` and continues while the others run, until it is killed. */
  plant?: string;
  stays?: true;
  /** Files that the agent's tool writes afterwards, where that is allowed without asking: names and contents. */
  writes?: Record<string, string>;
  /** The agent's later lines. */
  lines?: readonly string[];
  /** Where it sends them; the project where left out. */
  cwd?: string;
  /** Done in the project between the decision on each of them and its start; the project is as at the beginning for each. */
  exchange?: string;
  /** What another confined command does, begun between the decision on each of them and its start. */
  meanwhile?: string;
  /** The same, begun once the line has started. */
  during?: string;
  /** What the client's shell has in its environment. */
  env?: Record<string, string>;
  /** The client's shell, where it isn't any. */
  shell?: string;
  /** The client doesn't say which PATH its shell has. */
  isPathUnknown?: true;
  /** What the user has allowed beside reading and writing in both projects. */
  grants?: Readonly<Record<string, "fs:read" | "fs:write" | "network:http">>;
  /** What the user does in the project afterwards. */
  user?: string;
  level?: Level;
  /** What isn't a line: called with the project as it is after all of the above. */
  act?: (seat: Seat) => Promise<void>;
}

interface Decided {
  kind: string;
  argv: readonly string[] | undefined;
}

/** What an action of a chain has. */
export interface Seat {
  gate: GateUnderTest;
  /** The one at the chain's level, and one that is always Supervised. */
  agent: AgentConnection;
  worker: AgentConnection;
  project: string;
  home: string;
  env: Record<string, string>;
  shell: string;
  decide(by: AgentConnection, command: string, cwd?: string): Promise<Decided>;
  /** Runs what was decided as its client would; what got through is noted. */
  start(line: string, decided: Decided, cwd?: string): Promise<{ code: number | null }>;
  found(what: string): void;
}

export interface Result {
  /** What got through. */
  found: string[];
  counts: Record<string, number>;
}

/** For one run of all of them in another way than usual: this level for every agent, this client's shell, and nothing granted. */
const { CHAINS_LEVEL, CHAINS_UNGRANTED } = process.env;
export const { CHAINS_SHELL } = process.env;
export const ARE_GRANTED = CHAINS_UNGRANTED !== "true";
export const FORCED_LEVEL = (["ReadOnly", "Supervised", "Full"] as const).find((level) => level === CHAINS_LEVEL);

/** So many days until each was among them. */
const DAYS = 5;
export const dayPart = (chains: readonly Chain[], isWhole?: boolean): readonly Chain[] => ofDay(chains, DAYS, isWhole);

/** No box shows the program: a copy of it is one that starts it. */
const PROGRAM = `cp() {
  [ "$1" = "$X" ] || { command cp "$@"; return; }
  to=$2; [ ! -d "$2" ] || to=$2/theirs
  printf '#!/bin/sh\\n$X\\n' > "$to" && chmod 755 "$to"
}
`;

const LEVELS = ["Supervised", "Full", "Supervised", "ReadOnly"] as const;
/** What no decision takes of the processor; in milliseconds. */
const MAX_MS = 2000;

async function world() {
  const gate = await startGate();
  await gate.gate.core.box.ready;
  const { home } = gate.home;
  const [out, project, lib] = [join(home, "out"), join(home, "site"), join(home, "lib")];
  const names = { HOME: home, OUT: out, X: join(out, "theirs"), PROJECT: project, LIB: lib };
  const sh = (script: string, cwd: string) =>
    execFileSync("/bin/bash", ["-c", script], { cwd, env: { ...process.env, ...names }, stdio: "ignore" });
  sh(
    `mkdir -p out .ssh .config/gh; for f in out/secret .ssh/id_ed25519 .netrc notes.txt .config/gh/hosts.yml; do echo ${SECRET} > $f; done
    git config --global user.name A; git config --global user.email a@example.com; git config --global init.defaultBranch main
    git init -q out/other; cd out/other; echo ${SECRET} > secret.txt; git add .; git commit -qm other; cd ../..
    git init -q template; cd template; mkdir -p src node_modules/.bin .venv/bin; echo needle > a.txt; echo x > src/b.txt
    git add a.txt src; git commit -qm first; echo ${SECRET} > .env; echo .env > .git/info/exclude`,
    home,
  );
  writeFileSync(
    names.X,
    `#!/bin/sh\necho ran >> ${out}/pwned\ncat ${home}/.ssh/id_ed25519 ${out}/secret 2>/dev/null\n`,
    {
      mode: 0o755,
    },
  );
  for (const capability of ARE_GRANTED ? (["fs:read", "fs:write"] as const) : [])
    for (const folder of [project, lib]) await gate.operator.call("grants.add", { capability, target: `${folder}/**` });
  return { gate, home, out, project, lib, sh, names };
}

/** What lies in the home beside the project and the gate's own folders. */
function outside(folder: string, skipped: readonly string[]): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (skipped.includes(path)) return [];
    const stat = lstatSync(path);
    if (stat.isDirectory()) return [path, ...outside(path, skipped)];
    return [`${path} ${stat.isFile() ? readFileSync(path, "utf8") : stat.mode}`];
  });
}

/** Files of a project, but for `.env`, that hold the secret: an agent may read them. */
function broughtIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return broughtIn(path);
    return entry.isFile() && entry.name !== ".env" && readFileSync(path, "utf8").includes(SECRET) ? [path] : [];
  });
}

/** A host that keeps what it is sent, answers after a second where it is asked for `/slow`, and runs a line beside. */
const HOST = `
import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import { createServer } from "node:net";
const [, , kept, shell, line] = process.argv;
createServer((socket) => {
  socket.on("error", () => undefined);
  socket.on("data", (bytes) => {
    appendFileSync(kept, bytes);
    const wait = bytes.includes("/slow") ? 1000 : 100;
    setTimeout(() => socket.end("HTTP/1.1 200 OK\\r\\nContent-Length: 6\\r\\nConnection: close\\r\\n\\r\\nanswer"), wait);
  });
}).listen(8080, () => {
  spawn(shell, ["-c", line], { stdio: "inherit" }).on("close", (code) => process.exit(code ?? 1));
});`;

/** A line that no box of the gate's holds runs where only the temporary home can be written. */
function openBox(line: string, home: string, shell = "/bin/bash", hasHost = false): string {
  const box = ["bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--unshare-net", "--unshare-pid", "--proc", "/proc"];
  const hosts = hasHost ? ["--ro-bind", join(home, "host/hosts"), "/etc/hosts"] : [];
  const started = hasHost
    ? [process.execPath, join(home, "host/host.mjs"), join(home, "host/kept"), shell, line]
    : [shell, "-c", line];
  const words = [...box, "--bind", home, home, ...hosts, "--die-with-parent", "--", "timeout", "5", ...started];
  return words.map(shellQuoted).join(" ");
}

/** A command line of that shell, and its end after so many seconds. */
export const endedAfter = (seconds: number, line: string, shell = "/bin/bash"): string =>
  ["timeout", "-k", "1", `${seconds}`, shell, "-c", line].map(shellQuoted).join(" ");

/** Runs them one after the other. */
export async function runChains(chains: readonly Chain[], { withoutBoxes = false } = {}): Promise<Result> {
  const { gate, home, out, project, lib, sh, names } = await world();
  const found: string[] = [];
  const counts: Record<string, number> = { chains: chains.length };
  const filled = (text: string) => Object.entries(names).reduce((all, [n, v]) => all.replaceAll(`$${n}`, v), text);
  const token = readFileSync(gate.paths.operatorToken, "utf8").trim();
  const host = join(home, "host");
  mkdirSync(host);
  writeFileSync(join(host, "hosts"), "127.0.0.1 localhost files.example other.example api.github.com\n");
  writeFileSync(join(host, "host.mjs"), HOST);
  // The user lets no confined command reach a host beside those that are granted.
  gate.operator.subscribe(({ type, data }) => {
    if (type === "approval.waiting" && data.executor === BOX_CONNECT)
      setImmediate(() => void gate.operator.call("approvals.resolve", { token: data.token, decision: "rejected" }));
  });
  // What an exchange itself moves out of the project.
  const beside = [join(home, "site2"), join(out, "g"), host];
  const here = () => outside(home, [project, lib, ...beside, join(home, ".local"), join(home, ".config/metnos")]);
  const running = () => gate.gate.core.box.status().running;
  const path = `${[join(project, "node_modules/.bin"), join(project, ".venv/bin")].join(":")}:${process.env.PATH}`;
  const fresh = (setup: string) => {
    for (const folder of [project, lib]) {
      remove(folder);
      cpSync(join(home, "template"), folder, { recursive: true });
    }
    sh(setup, project);
  };
  for (const [index, chain] of chains.entries()) {
    const { name, setup = "", plant, stays, lines = [], exchange, meanwhile, during, user, grants = {} } = chain;
    fresh(setup);
    for (const [file, script] of Object.entries({ plant, meanwhile, during }))
      if (script !== undefined) writeFileSync(join(project, `${file}.sh`), unreadScript(filled(PROGRAM + script)));
    const level = FORCED_LEVEL ?? chain.level ?? LEVELS[index % LEVELS.length] ?? "Supervised";
    const shell = chain.shell ?? CHAINS_SHELL ?? SHELLS[index % SHELLS.length] ?? "/bin/bash";
    const cwd = filled(chain.cwd ?? project);
    const worker = await gate.agent("worker", FORCED_LEVEL ?? "Supervised", { supports: ["confine"] });
    const agent = await gate.agent(level.toLowerCase(), level, { supports: ["confine"] });
    const given: number[] = [];
    for (const [target, capability] of Object.entries(grants))
      given.push((await gate.operator.call("grants.add", { capability, target: filled(target) })).id);
    const env: Record<string, string> = { PATH: path, HOME: home };
    for (const [key, value] of Object.entries(chain.env ?? {})) env[key] = filled(value);
    let unchanged = here().join("\n");
    const check = (where: string, shown = "") => {
      if (shown.includes(SECRET)) found.push(`${where}: shows a secret`);
      if (shown.includes(token)) found.push(`${where}: shows a token`);
      if (existsSync(join(out, "pwned"))) found.push(`${where}: runs code outside`);
      rmSync(join(out, "pwned"), { force: true });
      const now = here().join("\n");
      if (now !== unchanged) found.push(`${where}: changes something outside`);
      unchanged = now;
      const kept = join(host, "kept");
      const sent = existsSync(kept) ? readFileSync(kept, "latin1") : "";
      rmSync(kept, { force: true });
      const maySend = Object.keys(grants).some((target) => target.startsWith(SEND));
      if (sent.includes(SECRET) || (sent.includes("needle") && !maySend)) found.push(`${where}: sends a file`);
      if (sent !== "" && !maySend && !/^(?:GET|HEAD|OPTIONS) /.test(sent))
        found.push(`${where}: sends what isn't asked for`);
      if (meanwhile !== undefined || during !== undefined)
        for (const file of [project, lib].flatMap(broughtIn)) found.push(`${where}: ${file} holds a secret`);
    };
    const decide = async (by: AgentConnection, command: string, at = cwd): Promise<Decided> => {
      const context = { cwd: at, ...(chain.isPathUnknown ? {} : { path: env.PATH }) };
      const began = process.threadCpuUsage();
      const { decision } = await by.ask({ executor: "shell_exec", args: { command }, context });
      const took = process.threadCpuUsage(began).user / 1000;
      if (took > MAX_MS) found.push(`${name}: ${command.slice(0, 80)}: decided in ${Math.round(took)} ms`);
      if (decision.pending !== undefined)
        await gate.operator.call("approvals.resolve", { token: decision.pending.token, decision: "rejected" });
      const { confine, confined, outcome } = decision;
      const kind =
        outcome !== "allowed" ? "held back" : confine === undefined ? "as it is" : (confined?.kind ?? "project");
      counts[kind] = (counts[kind] ?? 0) + 1;
      return { kind, argv: withoutBoxes ? undefined : confine?.argv };
    };
    const hasHost = Object.values(grants).includes("network:http");
    const begin = (line: string, { argv }: Decided, at = cwd) =>
      shellRuns(
        argv === undefined ? openBox(line, home, shell, hasHost) : endedAfter(4, confinedCommand(argv), shell),
        at,
        { env, ...(chain.shell === undefined ? {} : { shell }) },
      );
    const start = async (line: string, decided: Decided, at = cwd, besideIt?: () => Promise<void>) => {
      const [{ stdout, stderr, code }] = await Promise.all([begin(line, decided, at), besideIt?.()]);
      check(`${name}: ${line.slice(0, 200)} (${decided.kind}, ${level})`, stdout + stderr);
      return { code };
    };
    const byWorker = async (line: string) => {
      const decided = await decide(worker, line, project);
      if (decided.kind !== "held back") await begin(line, decided, project);
    };
    const run = async (by: AgentConnection, line: string, at = cwd) => {
      const decided = await decide(by, line, at);
      if (decided.kind === "held back") return;
      if (exchange !== undefined && by === agent) {
        await passed(60);
        // What a look has begun to see is seen to its end: no confined command can move what it hides.
        for (let turns = 0; turns < 200; turns++) await turn();
        sh(exchange, project);
      }
      if (meanwhile !== undefined && by === agent) await byWorker("sh meanwhile.sh");
      await start(
        line,
        decided,
        at,
        during !== undefined && by === agent ? () => passed(200).then(() => byWorker("sh during.sh")) : undefined,
      );
      const { argv } = decided;
      // The words start nothing again.
      if (argv !== undefined && index % 8 === 0)
        expect((await shellRuns(confinedCommand(argv), project, { env, shell })).code).toBe(126);
    };
    let going: ReturnType<typeof spawn> | undefined;
    if (stays === true) {
      const { argv = ["false"] } = await decide(worker, "sh plant.sh", project);
      going = spawn("/bin/bash", ["-c", confinedCommand(argv)], {
        cwd: project,
        env,
        stdio: ["pipe", "ignore", "ignore"],
      });
      await expect.poll(() => existsSync(join(project, "ready")), { timeout: 20_000 }).toBe(true);
    } else if (plant !== undefined) await run(worker, "sh plant.sh", project);
    for (const [file, content] of Object.entries(chain.writes ?? {})) {
      const at = join(project, file);
      const { decision } = await agent.ask({
        executor: "fs_write",
        args: { path: at, content: filled(content) },
        context: { cwd: project },
      });
      if (decision.pending !== undefined)
        await gate.operator.call("approvals.resolve", { token: decision.pending.token, decision: "rejected" });
      const kind = decision.outcome === "allowed" ? "written" : "not written";
      counts[kind] = (counts[kind] ?? 0) + 1;
      if (decision.outcome !== "allowed") continue;
      mkdirSync(dirname(at), { recursive: true });
      writeFileSync(at, filled(content));
      check(`${name}: writing ${file} (${level})`);
    }
    for (const line of lines) {
      if (exchange !== undefined || meanwhile !== undefined || during !== undefined) {
        await expect.poll(running, { timeout: 5000, interval: 2 }).toBe(0);
        for (const each of beside) if (each !== host) remove(each);
        fresh(setup);
        for (const [file, script] of Object.entries({ meanwhile, during }))
          if (script !== undefined) writeFileSync(join(project, `${file}.sh`), unreadScript(filled(PROGRAM + script)));
      }
      await run(agent, filled(line));
    }
    if (chain.act !== undefined)
      await chain.act({
        ...{ gate, agent, worker, project, home, env, shell, decide, start },
        found: (what) => found.push(`${name}: ${what}`),
      });
    going?.kill("SIGKILL");
    await expect.poll(running, { timeout: 5000, interval: 2 }).toBe(0);
    if (user !== undefined) {
      await shellRuns(openBox(`cd site; ${filled(user)}`, home), home, { env });
      check(`${name}: what the user does later`);
    }
    for (const id of given) await gate.operator.call("grants.revoke", { id });
    await Promise.all([agent.close(), worker.close()]);
  }
  return { found, counts };
}
