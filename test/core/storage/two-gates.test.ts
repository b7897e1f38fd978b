import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { EXIT } from "../../../cli/output.ts";
import type { GatePaths } from "../../../ipc/base/paths.ts";
import { LAUNCHER, runGate, StartedProcess, startServe } from "../../support/gate-process.ts";
import { tempFolder } from "../../support/temp-folder.ts";
import { type TemporaryHome, temporaryHome } from "../../support/temporary-home.ts";
import { Hammer } from "./hammer.ts";

const DATABASES = ["grants_db", "approvals_db", "agents_db", "safety_db"] as const;

function locksOf(paths: GatePaths): string[] {
  return [paths.lockDb, ...DATABASES.map((name) => `${paths[name]}.lock`)];
}

function remove(...paths: string[]): void {
  for (const path of paths) {
    expect(existsSync(path), path).toBe(true);
    rmSync(path, { recursive: true });
  }
}

/** Starts a gate as soon as one can be started. */
async function startAsSoonAsPossible(home: TemporaryHome, args: readonly string[]): Promise<void> {
  for (;;) {
    const started = new StartedProcess(process.execPath, [LAUNCHER, "serve", ...args], { env: home.env });
    const isRunning = started.printed(/the audit trail is/).then(
      () => true,
      () => false,
    );
    if (await isRunning) return;
  }
}

/** The second may have made another lock by the time the first checks. */
const ENDING =
  /gate\.lock was (removed or moved|replaced by another file): the gate has ended, as another one may run in its place/;

const HARM: Record<string, { harm(paths: GatePaths): void; args?: string[]; trailProblems?: string[] }> = {
  "the state folder's lock is deleted": {
    harm: ({ lockDb }) => remove(lockDb),
  },
  "every lock is deleted": {
    harm: (paths) => remove(...locksOf(paths)),
  },
  "locks and sockets are deleted": {
    harm: (paths) => remove(...locksOf(paths), paths.agent_socket, paths.operator_socket),
  },
  "the state folder is moved away": {
    harm: ({ state_dir }) => renameSync(state_dir, `${state_dir}.old`),
    args: ["--accept-empty", "grants", "approvals", "agents", "safety"],
    // What records the trail's end was moved away, too: the new gate may have to note a gap.
    trailProblems: ["gap"],
  },
};

describe("never two gates decide, when beside a running one", () => {
  it.each(Object.entries(HARM))(
    "%s: the first has ended before the second decides",
    async (_, { harm, args = [], trailProblems = [] }) => {
      const home = temporaryHome();
      const first = await startServe(home);
      const atFirst = await Hammer.begin(home.paths);
      await expect.poll(() => atFirst.allowed.length).toBeGreaterThan(10);
      harm(home.paths);
      await startAsSoonAsPossible(home, args);
      const atSecond = await Hammer.begin(home.paths);
      await expect.poll(() => atSecond.allowed.length).toBeGreaterThan(10);
      await atFirst.closed;
      expect(await atFirst.farewell).toMatchObject({
        type: "error",
        data: { code: "closing", message: expect.stringMatching(ENDING) },
      });
      expect(atFirst.allowed.at(-1)).toBeLessThan(atSecond.allowed[0] ?? 0);
      expect(await first.exited).toBe(EXIT.replaced);
      expect(first.stderr).toMatch(ENDING);
      // What the first removed when it ended was its own.
      const later = await Hammer.begin(home.paths, "newcomer");
      await expect.poll(() => later.allowed.length).toBeGreaterThan(10);
      const { lines } = await runGate(home, ["audit", "verify"]);
      const kinds = lines.flatMap(({ kind }) => (kind === undefined ? [] : [String(kind)]));
      expect(kinds.filter((kind) => !trailProblems.includes(kind))).toEqual([]);
      expect(lines.at(-1)).toMatchObject({ ok: kinds.length === 0, lines: expect.any(Number) });
    },
  );

  it("it was stopped meanwhile: what was sent to it is not answered", async () => {
    const home = temporaryHome();
    const first = await startServe(home);
    const atFirst = await Hammer.begin(home.paths);
    await expect.poll(() => atFirst.allowed.length).toBeGreaterThan(10);
    first.child.kill("SIGSTOP");
    const { lockDb, agent_socket, operator_socket } = home.paths;
    remove(lockDb);
    expect((await runGate(home, ["serve"])).stderr).toContain("another gate uses the grants database");
    remove(...locksOf(home.paths).slice(1));
    expect((await runGate(home, ["serve"])).stderr).toMatch(
      /a gate is already running: it listens at .*gate\.sock, though its lock .*gate\.lock was removed/,
    );
    remove(agent_socket, operator_socket);
    await startServe(home);
    const atSecond = await Hammer.begin(home.paths);
    await expect.poll(() => atSecond.allowed.length).toBeGreaterThan(10);
    const allowed = atFirst.allowed.length;
    first.child.kill("SIGCONT");
    await atFirst.closed;
    expect(atFirst.allowed).toHaveLength(allowed);
    expect(await atFirst.farewell).toMatchObject({ type: "error", data: { code: "closing" } });
    expect(await first.exited).toBe(EXIT.replaced);
    const { code, stdout } = await runGate(home, ["audit", "verify"]);
    expect(code, stdout).toBe(0);
  });
});

describe("a database that gates with different state folders share", () => {
  it("is one gate's alone, by whatever name it is reached; another program may read and write it", async () => {
    const shared = join(tempFolder(), "shared/grants.db");
    mkdirSync(dirname(shared));
    const link = join(tempFolder(), "link.db");
    symlinkSync(shared, link);
    const sharing = (file: string): TemporaryHome => {
      const home = temporaryHome();
      return { ...home, env: { ...home.env, METNOS_GRANTS_DB: file } as TemporaryHome["env"] };
    };
    const home = sharing(shared);
    await startServe(home);
    for (const file of [shared, link]) {
      const { code, stderr } = await runGate(sharing(file), ["serve"]);
      expect(code).toBe(1);
      expect(stderr).toContain(`another gate uses the grants database ${shared}`);
    }
    const hammer = await Hammer.begin(home.paths);
    await expect.poll(() => hammer.allowed.length).toBeGreaterThan(10);
  });
});
