import { describe, expect, it, onTestFinished } from "vitest";
import { GateError } from "../../ipc/contract/gate-error.ts";
import type { OperatorEvent } from "../../ipc/contract/operator-api.ts";
import { connectToGate, type GateSources, UsersGate } from "../../main/desktop/users-gate.ts";
import { type ServeOptions, serveGate } from "../../main/serve.ts";
import { startGate } from "../support/running-gate.ts";
import { type TemporaryHome, temporaryHome } from "../support/temporary-home.ts";

// The app's gate: its own, or another process's. (That other process is this test's own here.)

const OPTIONS: ServeOptions = { notifications: false };

/** A process that holds the lock of `home`, as a command does for a moment: it refuses the first `times` starts. */
function sources(home: TemporaryHome, times = 0): GateSources & { lines: string[]; serves: number } {
  const made = {
    lines: [] as string[],
    serves: 0,
    retryMs: 20,
    openingMs: 300,
    log: (line: string) => void made.lines.push(line),
    connect: () => connectToGate(home.paths),
    serve: () => {
      if (++made.serves <= times) throw new GateError("already_running", "a gate is already running for this user");
      return serveGate({ ...OPTIONS, env: home.env });
    },
  };
  return made;
}

async function opened(from: GateSources): Promise<UsersGate> {
  const gate = await UsersGate.open(from);
  onTestFinished(() => gate.close());
  return gate;
}

describe("the user's gate", () => {
  it("is started here where none runs, also where a command has the lock for a moment", async () => {
    const gate = await opened(sources(temporaryHome(), 2));
    expect(gate.mode).toBe("own");
    expect(await gate.handle("status", {})).toMatchObject({ pid: process.pid });
  });

  it("is the one that runs, with its events, also after it was started again; only who unsubscribed gets nothing", async () => {
    const first = await startGate();
    const { home } = first;
    const gate = await opened(sources(home));
    const [got, ended]: [string[], string[]] = [[], []];
    const into = (list: string[]) => (event: OperatorEvent) => void list.push(event.type);
    gate.subscribe(into(got), ["settings.changed"]);
    gate.subscribe(into(ended))();
    const modes: string[] = [];
    gate.onMode((mode) => modes.push(mode));
    const choose = (value: string) => gate.call("settings.set", { key: "language", value });
    await choose("it");
    await expect.poll(() => got).toEqual(["settings.changed"]);
    await first.close();
    await expect.poll(() => modes).toEqual(["away"]);
    await expect(choose("en")).rejects.toMatchObject({ code: "connection_lost" });
    await startGate({ home });
    await expect.poll(() => modes).toEqual(["away", "attached"]);
    await choose("en");
    await expect.poll(() => got).toEqual(["settings.changed", "settings.changed"]);
    expect(ended).toEqual([]);
  });

  it("that has the lock but answers nobody is waited for, and used once it answers", async () => {
    const home = temporaryHome();
    const from = sources(home, Number.POSITIVE_INFINITY);
    const gate = await opened(from);
    expect(gate.mode).toBe("away");
    expect(from.lines).toEqual(["another process has the gate's lock, but no gate answers: waiting for it"]);
    await expect(gate.start()).rejects.toMatchObject({ code: "already_running" });
    await startGate({ home });
    await expect.poll(() => gate.mode).toBe("attached");
  });

  it("is never one that refuses the user's own token", async () => {
    const { home } = await startGate();
    const other = await startGate();
    const connect = () => connectToGate({ ...home.paths, operatorToken: other.paths.operatorToken });
    await expect(UsersGate.open({ ...sources(home), connect })).rejects.toMatchObject({ code: "not_authorised" });
  });

  it("what keeps a gate from starting is said, and nothing is waited for", async () => {
    await expect(UsersGate.open(sources(temporaryHome("nonsense = 1\n")))).rejects.toMatchObject({
      code: "invalid_config",
    });
  });

  it("checks what a page asks, whose ever it is", async () => {
    for (const mode of ["own", "attached"]) {
      const home = mode === "own" ? temporaryHome() : (await startGate()).home;
      const gate = await opened(sources(home));
      expect(gate.mode).toBe(mode);
      await expect(gate.handle("grants.revoke", { id: "one" })).rejects.toMatchObject({ code: "invalid_params" });
    }
  });
});
