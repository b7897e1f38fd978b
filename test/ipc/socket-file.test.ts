import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { isStillAt } from "../../ipc/base/file-identity.ts";
import { LineServer } from "../../ipc/socket/line-server.ts";
import { tempFolder } from "../support/temp-folder.ts";

function lineServer(path: string): LineServer {
  const nothing = () => undefined;
  const server = new LineServer(
    {
      path,
      max_connections: 10,
      unread: { pauseBytes: 100_000, total_bytes: 10_000_000, maxBytes: 1_000_000, patienceMs: 1 },
    },
    {
      opened: nothing,
      received: () => undefined,
      turned: nothing,
      unadmitted: () => "",
      closed: nothing,
      dropped: nothing,
    },
  );
  onTestFinished(() => server.close());
  return server;
}

describe("a listening socket's file", () => {
  it("is the only one in its folder, and is removed with its server", async () => {
    const folder = tempFolder();
    const server = lineServer(join(folder, "a.sock"));
    await server.listen();
    expect(readdirSync(folder)).toEqual(["a.sock"]);
    await server.close();
    expect(readdirSync(folder)).toEqual([]);
  });

  it("of another server that took the path is left to it by the one that closes", async () => {
    const path = join(tempFolder(), "a.sock");
    const first = lineServer(path);
    const one = await first.listen();
    const second = lineServer(path);
    const two = await second.listen();
    expect([isStillAt(path, one), isStillAt(path, two)]).toEqual([false, true]);
    await first.close();
    expect(isStillAt(path, two)).toBe(true);
    await second.close();
    expect(existsSync(path)).toBe(false);
  });

  it("never takes the place of something that is no socket", async () => {
    const folder = tempFolder();
    const path = join(folder, "a.sock");
    writeFileSync(path, "notes");
    const server = lineServer(path);
    await expect(server.listen()).rejects.toMatchObject({
      code: "socket_path_taken",
      message: expect.stringContaining(path),
      hint: expect.stringContaining("move it away"),
    });
    await server.close();
    expect([readFileSync(path, "utf8"), readdirSync(folder)]).toEqual(["notes", ["a.sock"]]);
  });
});
