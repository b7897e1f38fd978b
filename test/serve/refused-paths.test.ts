import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { gatePaths } from "../../ipc/base/paths.ts";
import { CHECKOUT, LAUNCHER, runGate, StartedProcess, startServe } from "../support/gate-process.ts";
import { payload, runHook } from "../support/hook-process.ts";
import { type TemporaryHome, temporaryHome } from "../support/temporary-home.ts";
import { WITHOUT_ROOTS_RIGHTS } from "../support/without-roots-rights.ts";

// Where the gate's files are can't be used: it ends at once with one sentence that names the place, and what to do.

interface Refusal {
  what: string;
  /** Prepares the case. What it returns is added to the environment. */
  harm?(home: TemporaryHome): NodeJS.ProcessEnv | undefined;
  /** What the command runs in. */
  inside?(home: TemporaryHome): readonly string[];
  /** A part of the sentence: `~` is the home. */
  says: string[];
}

const FULL_DISK = (home: TemporaryHome) => [
  "bwrap",
  "--dev-bind",
  "/",
  "/",
  ...["--size", "65536", "--tmpfs", home.home, "--die-with-parent"],
];
const READ_ONLY_DISK = (home: TemporaryHome) => ["bwrap", "--dev-bind", "/", "/", "--ro-bind", home.home, home.home];
const files = (most: number) => () => ["sh", "-c", `ulimit -n ${most}; exec "$@"`, "sh"];

function made(path: string, make: (path: string) => void): undefined {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  make(path);
}
const fifo = (path: string) => made(path, (at) => execFileSync("mkfifo", [at]));
const folder = (path: string) => made(path, (at) => mkdirSync(at));
const file = (path: string) => made(path, (at) => writeFileSync(at, "somebody's notes"));

const RELATIVE = [
  "METNOS_RUNTIME_DIR",
  "METNOS_GATE_SOCKET",
  "METNOS_GRANTS_DB",
  "METNOS_APPROVALS_DB",
  "METNOS_CONFIG",
];

const REFUSALS: Refusal[] = [
  ...RELATIVE.map((name) => ({
    what: `${name} is relative`,
    harm: () => ({ [name]: "rel/place" }),
    says: [`${name} is a relative path: "rel/place"`, `set ${name} to an absolute path`],
  })),
  { what: "HOME is empty", harm: () => ({ HOME: "" }), says: ["HOME is empty", "absolute path"] },
  { what: "HOME is relative", harm: () => ({ HOME: "me" }), says: ['HOME is a relative path: "me"'] },
  {
    what: "gate.toml is a pipe",
    harm: ({ paths }) => fifo(paths.configFile),
    says: ["~/.config/metnos/gate.toml can't be used: it is not an ordinary file", "mv "],
  },
  {
    what: "gate.toml is a folder",
    harm: ({ paths }) => folder(paths.configFile),
    says: ["~/.config/metnos/gate.toml can't be used: it is not an ordinary file"],
  },
  {
    what: "chosen.json is a pipe",
    harm: ({ paths }) => fifo(paths.chosenFile),
    says: ["~/.config/metnos/chosen.json can't be used: it is not an ordinary file"],
  },
  {
    what: "an executor is a pipe",
    harm: ({ paths }) => fifo(join(paths.executorsDir, "notes.toml")),
    says: ["~/.config/metnos/executors/notes.toml can't be used: it is not an ordinary file"],
  },
  {
    what: "the executors' folder is a file",
    harm: ({ paths }) => file(paths.executorsDir),
    says: ["~/.config/metnos/executors", "is not a folder"],
  },
  {
    what: "operator.token is a pipe",
    harm: ({ paths }) => fifo(paths.operatorToken),
    says: ["the operator's token ~/.local/state/metnos/operator.token can't be used: it is not an ordinary file"],
  },
  {
    what: "operator.token is a folder",
    harm: ({ paths }) => folder(paths.operatorToken),
    says: ["the operator's token ~/.local/state/metnos/operator.token can't be used", "mv "],
  },
  {
    what: "gate.lock is a pipe",
    harm: ({ paths }) => fifo(paths.lockDb),
    says: ["the lock ~/.local/state/metnos/gate.lock can't be used: it is not an ordinary file"],
  },
  {
    what: "a database is a pipe",
    harm: ({ paths }) => fifo(paths.grants_db),
    says: ["the grants database ~/.local/state/metnos/grants.db is not a file", "move it away"],
  },
  {
    what: "gate.sock is a file",
    harm: ({ paths }) => file(paths.agent_socket),
    says: ["~/.local/state/metnos/run/gate.sock is there and is not a socket", "mv "],
  },
  {
    what: "operator.sock is a folder",
    harm: ({ paths }) => folder(paths.operator_socket),
    says: ["~/.local/state/metnos/run/operator.sock is there and is not a socket"],
  },
  {
    what: "the sockets' folder is a file",
    harm: ({ home }) => {
      file(join(home, "run"));
      return { METNOS_RUNTIME_DIR: join(home, "run") };
    },
    says: ["the sockets' folder ~/run can't be used: ~/run is not a folder", "mv "],
  },
  {
    what: "the sockets' folder is another user's",
    harm: () => ({ METNOS_RUNTIME_DIR: process.getuid?.() === 0 ? othersFolder() : "/usr" }),
    says: ["belongs to another user", "METNOS_RUNTIME_DIR"],
  },
  {
    what: "XDG_STATE_HOME is a file",
    harm: ({ home }) => {
      file(join(home, "state"));
      return { XDG_STATE_HOME: join(home, "state") };
    },
    says: ["~/state is not a folder", "mv ~/state ~/state.old"],
  },
  {
    what: "the state folder leads to itself",
    harm: ({ paths }) => made(paths.state_dir, (at) => symlinkSync(at, at)),
    says: ["the lock ~/.local/state/metnos/gate.lock can't be used"],
  },
  {
    what: "HOME may not be written",
    harm: ({ home }) => {
      chmodSync(home, 0o500);
      return undefined;
    },
    inside: () => WITHOUT_ROOTS_RIGHTS,
    says: ["the lock ~/.local/state/metnos/gate.lock can't be used: this user has no permission for it", "ls -ld ~"],
  },
  {
    what: "HOME is on a read-only disk",
    inside: READ_ONLY_DISK,
    says: ["the lock ~/.local/state/metnos/gate.lock can't be used: its file system is read-only"],
  },
  {
    what: "HOME=/ on a read-only disk",
    harm: () => ({ HOME: "/" }),
    inside: () => ["bwrap", "--ro-bind", "/", "/"],
    says: ["the lock /.local/state/metnos/gate.lock can't be used: its file system is read-only"],
  },
  { what: "the disk is full", inside: FULL_DISK, says: ["~/.local/state/metnos/", "the disk is full", "make room"] },
  ...[24, 32].map((most) => ({
    what: `only ${most} files may be open`,
    inside: files(most),
    says: ["~/.local/state/metnos/", "can't be used: too many open files", "raise the limit (ulimit -n "],
  })),
];

/** A folder that isn't this user's; only root can make one. */
function othersFolder(): string {
  const { home } = temporaryHome();
  execFileSync("chown", ["65534", home]);
  return home;
}

/** Why a program can't be used here, or undefined. */
function missing([program, ...rest]: readonly string[]): string | undefined {
  if (program === undefined || program === "sh") return undefined;
  const { status, error, stderr } = spawnSync(program, [...rest, "true"], { encoding: "utf8", timeout: 10_000 });
  return status === 0 ? undefined : (error?.message ?? stderr.trim());
}

async function refused({ harm, inside }: Refusal, args: readonly string[]) {
  const home = temporaryHome();
  const env = { ...home.env, ...harm?.(home) };
  onTestFinished(() => chmodSync(home.home, 0o700));
  const before = inside?.(home) ?? [];
  const whyNot = missing(before);
  if (whyNot !== undefined && process.env.CI === "true") throw new Error(`${before[0]} can't be used: ${whyNot}`);
  if (whyNot !== undefined) return { why_not: whyNot, home };
  const [command = process.execPath, ...words] = [...before, process.execPath, LAUNCHER, ...args];
  const started = new StartedProcess(command, words, { env, cwd: CHECKOUT });
  started.child.stdin?.end();
  const timer = setTimeout(() => started.child.kill("SIGKILL"), 15_000);
  const code = await started.exited;
  clearTimeout(timer);
  return { code, stdout: started.stdout, stderr: started.stderr, home };
}

describe("a gate that can't use one of its places ends at once, names it and says what to do", () => {
  it.each(REFUSALS)("$what", { timeout: 40_000 }, async (refusal) => {
    const { code, stdout, stderr, why_not, home } = await refused(refusal, ["serve", "--no-notifications"]);
    if (why_not !== undefined) return console.warn(`not tried (${refusal.what}): ${why_not}`);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    for (const part of refusal.says) expect(stderr).toContain(part.replaceAll("~", home.home));
    expect(stderr).not.toMatch(/EACCES|ENOTDIR|EISDIR|ENOENT|EROFS|SQLITE|^\s+at /m);
    expect(stderr.trim().split("\n")).toHaveLength(2);
  });
});

it("a configuration with a relative path for a database is refused with its line", async () => {
  const home = temporaryHome('[grants]\ndb = "grants.db"\n');
  const { code, stderr } = await runGate(home, ["serve"]);
  expect(code).toBe(1);
  expect(stderr).toContain(`${home.paths.configFile}, line 2: grants.db: expected an absolute path`);
});

it("a command that asks a running gate ends with a sentence, too, where the operator's token is a pipe", async () => {
  const home = temporaryHome();
  fifo(home.paths.operatorToken);
  const { code, stderr } = await runGate(home, ["status"]);
  expect(code).toBe(3);
  expect(stderr).toContain("no gate is running");
});

describe("the hook denies with a sentence", () => {
  it.each([
    ["HOME is empty", { HOME: "" }, "HOME is empty"],
    ["HOME is relative", { HOME: "me" }, "HOME is a relative path"],
    ["METNOS_RUNTIME_DIR is relative", { METNOS_RUNTIME_DIR: "run" }, "METNOS_RUNTIME_DIR is a relative path"],
    ["METNOS_GATE_SOCKET is relative", { METNOS_GATE_SOCKET: "gate.sock" }, "METNOS_GATE_SOCKET is a relative path"],
  ])("where %s", async (_what, change, says) => {
    const { env } = temporaryHome();
    const { permission, reason } = await runHook(payload("Read", { file_path: "/srv/a" }), { ...env, ...change })
      .answer;
    expect(permission).toBe("deny");
    expect(reason).toContain(says);
  });

  it("and doesn't wait for a token that is a pipe", async () => {
    const home = temporaryHome();
    fifo(join(home.paths.agentTokensDir, "claude-code.token"));
    const { permission } = await runHook(payload("Read", { file_path: "/srv/a" }), home.env).answer;
    expect(permission).toBe("ask");
  });
});

it("a socket that no process listens on any more is taken over", async () => {
  const home = temporaryHome();
  made(home.paths.agent_socket, () => undefined);
  const server = createServer().listen(home.paths.agent_socket);
  await new Promise((resolve) => server.once("listening", resolve));
  await new Promise((resolve) => server.close(resolve));
  const serve = await startServe(home);
  expect(await serve.end("SIGTERM")).toBe(0);
});

it("a slash at HOME's end changes no place", () => {
  expect(gatePaths({ HOME: "/home/ada/" })).toEqual(gatePaths({ HOME: "/home/ada" }));
});
