import { chmodSync, chownSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isOwnSocket } from "../../ipc/socket/own-socket.ts";
import { startGate } from "../support/running-gate.ts";
import { tempFolder } from "../support/temp-folder.ts";

/** A user who isn't root, also where the tests run as root. */
const ME = 12_345;

describe("another user's socket is not asked", () => {
  it("one in a folder that others can write, whatever its owner", () => {
    const top = tempFolder();
    const path = join(top, "gate.sock");
    writeFileSync(path, "");
    // Root's folders are not checked: as root, the folder is given to another user.
    const uid = process.getuid?.() || ME;
    if (process.getuid?.() === 0) for (const owned of [top, path]) chownSync(owned, ME, ME);
    for (const [mode, isOwn] of [
      [0o700, true],
      [0o755, true],
      [0o777, false],
      [0o1777, false],
      [0o775, false],
    ] as const) {
      chmodSync(top, mode);
      expect([mode, isOwnSocket(path, uid)]).toEqual([mode, isOwn]);
    }
  });

  it("one that is another user's", () => {
    const top = tempFolder();
    mkdirSync(join(top, "run"), { mode: 0o700 });
    const path = join(top, "run/gate.sock");
    writeFileSync(path, "");
    expect(isOwnSocket(path, ME)).toBe(false);
    expect(isOwnSocket(path, 0)).toBe(true);
  });

  it("where nothing is, connecting reports it; where our gate listens, it is asked", async () => {
    expect(isOwnSocket("/nowhere/gate.sock", ME)).toBe(true);
    const gate = await startGate();
    expect(isOwnSocket(gate.paths.agent_socket, statSync(gate.paths.agent_socket).uid)).toBe(true);
  });
});
