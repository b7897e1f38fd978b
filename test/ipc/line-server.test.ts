import { once } from "node:events";
import { createConnection } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { Frame } from "../../ipc/socket/frames.ts";
import type { LineConnection } from "../../ipc/socket/line-connection.ts";
import { LineServer } from "../../ipc/socket/line-server.ts";
import { tempFolder } from "../support/temp-folder.ts";

const BEGUN = 900_000;
/** More than enough begun lines to use up what a server holds of them, if they were not given back. */
const ROUNDS = 120;

it("a client that is dropped gives back what its begun line held: others can still send long ones", async () => {
  const path = join(tempFolder(), "line.sock");
  let newest: LineConnection | undefined;
  let dropped = 0;
  const received: Frame[] = [];
  const server = new LineServer(
    {
      path,
      max_connections: 10,
      unread: { pauseBytes: 100_000, total_bytes: 10_000_000, maxBytes: 1_000_000, patienceMs: 1 },
    },
    {
      opened(connection) {
        newest = connection;
        connection.admit("");
      },
      received(_, next) {
        for (let frame = next(); frame !== undefined; frame = next()) received.push(frame);
        return undefined;
      },
      turned: () => undefined,
      unadmitted: () => "",
      closed: () => undefined,
      dropped() {
        dropped++;
      },
    },
  );
  await server.listen();
  onTestFinished(() => server.close());

  for (let round = 1; round <= ROUNDS; round++) {
    const deaf = createConnection(path);
    await once(deaf, "connect");
    deaf.pause();
    deaf.on("error", () => deaf.destroy());
    await new Promise((resolve) => deaf.write(`"${"b".repeat(BEGUN)}`, resolve));
    newest?.send("x".repeat(2_000_000));
    await expect.poll(() => dropped, { interval: 1 }).toBe(round);
    deaf.destroy();
  }

  const agent = createConnection(path);
  onTestFinished(() => {
    agent.destroy();
  });
  await once(agent, "connect");
  agent.write(`{"type":"ping","data":{"text":"${"c".repeat(500_000)}"}}\n`);
  await expect.poll(() => received.length).toBe(1);
  expect(received[0]).toMatchObject({ ok: true });
});
