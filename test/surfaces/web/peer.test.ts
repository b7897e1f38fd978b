import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { createConnection, createServer, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import { canIdentifyPeer, isOwnUsersPeer } from "../../../main/surfaces/web/request-checks.ts";
import { linkTo } from "../../support/page-visitor.ts";
import { startGate } from "../../support/running-gate.ts";

const CAN_TELL = canIdentifyPeer();
if (!CAN_TELL) console.log("skipped: this system doesn't tell whose program connects (no /proc/net/tcp)");

const NOBODY = 65_534;
const PYTHON = "/usr/bin/python3";
const CAN_BE_NOBODY = CAN_TELL && process.getuid?.() === 0;
if (!CAN_BE_NOBODY) console.log("skipped: only root can start a program as another user of this machine");

/** Both ends of a loopback connection. */
async function connection(host: string): Promise<{ accepted: Socket; ownPort: number; client: Socket }> {
  const server = createServer().listen(0, "::");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  const client = createConnection(port, host);
  const [accepted] = (await once(server, "connection")) as [Socket];
  onTestFinished(() => {
    client.destroy();
    accepted.destroy();
    server.close();
  });
  return { accepted, ownPort: port, client };
}

describe.skipIf(!CAN_TELL)("whose program connects", () => {
  it("is known for one of this user's, over a socket of either version", async () => {
    const { accepted, ownPort } = await connection("127.0.0.1");
    expect(isOwnUsersPeer(accepted.remotePort ?? 0, ownPort)).toBe(true);
    const mapped = await connection("::ffff:127.0.0.1");
    expect(isOwnUsersPeer(mapped.accepted.remotePort ?? 0, mapped.ownPort)).toBe(true);
  });

  it("is unknown where no such connection is open", async () => {
    const { accepted, ownPort, client } = await connection("127.0.0.1");
    const port = accepted.remotePort ?? 0;
    expect(isOwnUsersPeer(port, ownPort + 1)).toBe(false);
    expect(isOwnUsersPeer(ownPort, ownPort)).toBe(false);
    client.destroy();
    await once(accepted.resume(), "close");
    expect(isOwnUsersPeer(port, ownPort)).toBe(false);
  });
});

describe.skipIf(!CAN_BE_NOBODY)("another user of the machine", () => {
  const SCRIPT = [
    "import socket, sys",
    "s = socket.create_connection(('127.0.0.1', int(sys.argv[1])))",
    "s.sendall(('GET %s HTTP/1.1\\r\\nHost: 127.0.0.1:%s\\r\\nConnection: close\\r\\n\\r\\n' % (sys.argv[2], sys.argv[1])).encode())",
    "s.settimeout(5)",
    "try: print(s.recv(100).decode() or 'closed')",
    "except ConnectionResetError: print('closed')",
  ].join("\n");

  async function askAs(uid: number, port: number, path: string): Promise<string> {
    const child = spawn(PYTHON, ["-c", SCRIPT, String(port), path], { uid, gid: uid, cwd: "/", stdio: "pipe" });
    onTestFinished(() => {
      child.kill("SIGKILL");
    });
    return await text(child.stdout);
  }

  it("can't use a link, not even the right one: the connection is closed, the link is still good", async () => {
    execFileSync(PYTHON, ["--version"]);
    const gate = await startGate({ web: true });
    const { port, path } = await linkTo(gate);
    expect(await askAs(NOBODY, port, path)).toBe("closed\n");
    expect(gate.log).toContain("page: a connection was refused: it is another user's, or already gone");
    expect(await askAs(0, port, path)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it("may read the figures where they are enabled, and still can't use a link", async () => {
    const gate = await startGate({ web: true, config: "[metrics]\nenabled = true\n" });
    const { port, path } = await linkTo(gate);
    expect(await askAs(NOBODY, port, "/metrics")).toMatch(/^HTTP\/1\.1 200 /);
    expect(await askAs(NOBODY, port, path)).toMatch(/^HTTP\/1\.1 403 /);
    expect(await askAs(0, port, path)).toMatch(/^HTTP\/1\.1 200 /);
  });
});
