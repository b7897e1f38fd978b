import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { Places } from "../../ipc/places.ts";
import { LAUNCHER, runGate, StartedProcess, startServe } from "../support/gate-process.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { type TemporaryHome, temporaryHome } from "../support/temporary-home.ts";
import { Hammer } from "./hammer.ts";

const DATABASES = ["grants_db", "approvals_db", "agents_db", "safety_db"] as const;

function locksOf(places: Places): string[] {
  return [places.lock_db, ...DATABASES.map((name) => `${places[name]}.lock`)];
}

function remove(...paths: string[]): void {
  for (const path of paths) {
    expect(existsSync(path), path).toBe(true);
    rmSync(path, { recursive: true });
  }
}

/** Starts a gate as soon as one can be started. What earlier attempts said is in `refusals`. */
async function startAsSoonAsPossible(home: TemporaryHome, args: readonly string[], refusals: string[]): Promise<void> {
  for (;;) {
    const started = new StartedProcess(process.execPath, [LAUNCHER, "serve", ...args], { env: home.env });
    const is_running = started.printed(/the audit trail is/).then(
      () => true,
      () => false,
    );
    if (await is_running) return;
    refusals.push(started.stderr);
  }
}

/** The second may have made another lock by the time the first looks. */
const ENDING =
  /gate\.lock was (removed or moved|replaced by another file): the gate has ended, as another one may run in its place/;

const HARM: Record<string, { harm(places: Places): void; args?: string[]; refusal?: RegExp; has_trail_end?: false }> = {
  "the state folder's lock is deleted": {
    harm: ({ lock_db }) => remove(lock_db),
    refusal: /another gate uses the grants database|a gate is already running/,
  },
  "every lock is deleted": {
    harm: (places) => remove(...locksOf(places)),
    refusal: /a gate is already running: it listens at .*gate\.sock, though its lock .*gate\.lock was removed/,
  },
  "locks and sockets are deleted": {
    harm: (places) => remove(...locksOf(places), places.agent_socket, places.operator_socket),
  },
  "the state folder is moved away": {
    harm: ({ state_dir }) => renameSync(state_dir, `${state_dir}.old`),
    args: ["--accept-empty", "grants", "approvals", "agents", "safety"],
    // What remembers the trail's end was moved away, too: the new gate notes a gap.
    has_trail_end: false,
  },
};

describe("never two gates decide, when beside a running one", () => {
  it.each(Object.entries(HARM))(
    "%s: the first has ended before the second decides",
    async (_, { harm, args = [], refusal, has_trail_end }) => {
      const home = temporaryHome();
      const first = await startServe(home);
      const at_first = await Hammer.begin(home.places);
      await expect.poll(() => at_first.allowed.length).toBeGreaterThan(10);
      harm(home.places);
      const refusals: string[] = [];
      await startAsSoonAsPossible(home, args, refusals);
      const at_second = await Hammer.begin(home.places);
      await expect.poll(() => at_second.allowed.length).toBeGreaterThan(10);
      await at_first.closed;
      expect(at_first.last).toMatchObject({
        type: "error",
        data: { code: "closing", message: expect.stringMatching(ENDING) },
      });
      expect(at_first.allowed.at(-1)).toBeLessThan(at_second.allowed[0] ?? 0);
      expect(await first.exited).toBe(1);
      expect(first.stderr).toMatch(ENDING);
      if (refusal !== undefined) expect(refusals.join("")).toMatch(refusal);
      // What the first took away when it ended was its own.
      const later = await Hammer.begin(home.places, "newcomer");
      await expect.poll(() => later.allowed.length).toBeGreaterThan(10);
      expect((await runGate(home, ["audit", "verify"])).code).toBe(has_trail_end === false ? 5 : 0);
    },
  );

  it("it stood still meanwhile: what was sent to it is answered by nobody", async () => {
    const home = temporaryHome();
    const first = await startServe(home);
    const at_first = await Hammer.begin(home.places);
    await expect.poll(() => at_first.allowed.length).toBeGreaterThan(10);
    first.child.kill("SIGSTOP");
    await after(100);
    const told = at_first.allowed.length;
    remove(...locksOf(home.places), home.places.agent_socket, home.places.operator_socket);
    await startServe(home);
    const at_second = await Hammer.begin(home.places);
    await expect.poll(() => at_second.allowed.length).toBeGreaterThan(10);
    first.child.kill("SIGCONT");
    await at_first.closed;
    expect(at_first.allowed).toHaveLength(told);
    expect(at_first.last).toMatchObject({ type: "error", data: { code: "closing" } });
    expect(await first.exited).toBe(1);
    expect((await runGate(home, ["audit", "verify"])).code).toBe(0);
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
    const hammer = await Hammer.begin(home.places);
    await expect.poll(() => hammer.allowed.length).toBeGreaterThan(10);
  });
});
