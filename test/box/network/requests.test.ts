import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { createServer } from "node:net";
import { describe, expect, it } from "vitest";
import { BY, echoTls, firstWords, openedNetwork, plainServer } from "../../support/confined-network.ts";

const HOST = "deb.example.org";

/** A granted host with a plain server that says what it was asked, and a run that may reach it. */
async function granted(limits = {}) {
  const net = await openedNetwork(limits);
  const seen: { request: IncomingMessage; body: string }[] = [];
  const port = await net.serve(
    plainServer((request, response) => {
      let body = "";
      request.on("data", (chunk) => {
        body += chunk;
      });
      request.on("end", () => {
        seen.push({ request, body });
        response.writeHead(200, { "X-Kept": "1", Connection: "X-Hop", "X-Hop": "no", "Keep-Alive": "timeout=5" });
        response.end(`${request.method} ${request.url}|${body}\n`);
      });
    }),
    HOST,
  );
  net.grant(HOST);
  return { net, seen, port, at: `${HOST}:${port}`, run: net.run("apt-get update") };
}

describe("the relay of a box", () => {
  it("gets the name of each host that waits for the user in its normal form, and nothing else, and no other gets any", async () => {
    const net = await openedNetwork({ tellMs: 1 });
    const run = net.run("npm install");
    const relay = await run.connect();
    relay.socket.write("GET /waiting HTTP/1.0\r\n\r\n");
    await relay.until("\r\n\r\n");
    expect(await run.send("GET /waiting HTTP/1.0\r\n\r\n")).toMatch(/^HTTP\/1\.\d 400 /);
    for (const target of ["a\x1b[2J.example.org:443", "say.yes!.org:443", "a%0ab.example.org:443", "a\u0000b.org:443"])
      expect((await run.tunnel(target)).status).not.toContain("200");
    const asked = net.question();
    const waits = run.tunnel("Git.Example.ORG:443");
    await asked;
    const [head, names] = (await relay.until("git.example.org\n")).split("\r\n\r\n");
    expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(names).toBe("git.example.org\n");
    net.core.gate.answer({ token: net.waiting()[0]?.token ?? "", decision: "rejected" }, BY);
    expect((await waits).status).toContain("403");
    expect(net.failures).toEqual([]);
  });
});

describe("a relay that is gone", () => {
  it("gets nothing, which is no error; another one in its place is", async () => {
    const net = await openedNetwork({ tellMs: 1 });
    const run = net.run("npm install");
    const relay = await run.connect();
    relay.socket.write("GET /waiting HTTP/1.0\r\n\r\n");
    await relay.until("\r\n\r\n");
    relay.socket.destroy();
    const first = run.tunnel("git.example.org:443");
    await net.question();
    let next = await run.connect();
    await expect
      .poll(async () => {
        next = await run.connect();
        next.socket.write("GET /waiting HTTP/1.0\r\n\r\n");
        return next.until("\r\n\r\n");
      })
      .toMatch(/^HTTP\/1\.1 200 OK/);
    const second = run.tunnel("git.example.net:443");
    expect(await next.until("git.example.net\n")).toContain("\r\n\r\n");
    for (const { token } of net.waiting()) net.core.gate.answer({ token, decision: "rejected" }, BY);
    for (const { status } of await Promise.all([first, second])) expect(status).toContain("403");
    expect(net.failures).toEqual([]);
  });
});

describe("a request over plain HTTP", () => {
  it("reaches its host with its path, headers and body, without what is between the client and the proxy", async () => {
    const { run, at, seen } = await granted();
    const answer = await run.send(
      `POST http://${at}/a/%2e%2e/b?c=d HTTP/1.1\r\nHost: ${at}\r\nX-Mine: 1\r\nX-Hop: 2\r\nConnection: close, X-Hop\r\nProxy-Authorization: Basic eA==\r\nProxy-Connection: keep-alive\r\nTE: trailers\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1.1 200 OK\r\n/);
    expect(answer).toContain("POST /a/%2e%2e/b?c=d|hello");
    expect(answer).toContain("X-Kept: 1");
    expect(answer).not.toMatch(/X-Hop|timeout=5/);
    expect(seen[0]?.request.headers).toEqual({
      host: at,
      "x-mine": "1",
      "transfer-encoding": "chunked",
      connection: "close",
    });
  });

  it("is decided on by itself on a connection that is kept: another host is another question", async () => {
    const { net, run, at, port } = await granted();
    net.names.set("evil.example.net", ["127.0.0.1"]);
    const wire = await run.connect();
    wire.socket.write(`GET http://${at}/one HTTP/1.1\r\nHost: ${at}\r\n\r\n`);
    expect(await wire.until("GET /one|")).toContain("200 OK");
    const asked = net.answerNext("rejected");
    wire.socket.write(`GET http://evil.example.net:${port}/two HTTP/1.1\r\nHost: evil.example.net:${port}\r\n\r\n`);
    expect((await asked).capabilities).toEqual([{ capability: "network:http", target: "evil.example.net" }]);
    expect(await wire.rest()).toContain("403 Metnos Gate: the user said no");
    expect(net.lookedUp).not.toContain("evil.example.net");
  });

  it("whose client waits for a word before its body gets it once the host is allowed", async () => {
    const { run, at, net } = await granted();
    const wire = await run.connect();
    wire.socket.write(
      `PUT http://${at}/ HTTP/1.1\r\nHost: ${at}\r\nContent-Length: 2\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n`,
    );
    expect(await wire.until("\r\n\r\n")).toBe("HTTP/1.1 100 Continue\r\n\r\n");
    wire.socket.write("ok");
    expect(await wire.rest()).toContain("PUT /|ok");
    const refused = net.answerNext("rejected");
    const other = await run.connect();
    other.socket.write(
      "PUT http://b.example.org/ HTTP/1.1\r\nHost: b.example.org\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n",
    );
    expect(await other.rest()).toMatch(/^HTTP\/1.1 403 /);
    await refused;
  });

  it.each(["HTTP/1.1 200 a\x01b", "HTTP/1.1 000 x", "HTTP/1.1 099 x"])(
    "whose host answers with what may not be written on (%j) is a failure of that request alone",
    async (firstLine) => {
      const net = await openedNetwork({});
      const server = createServer((socket) => {
        socket.on("error", () => socket.destroy());
        socket.once("data", () => socket.end(`${firstLine}\r\nContent-Length: 0\r\n\r\n`));
      });
      const at = `${HOST}:${await net.serve(server, HOST)}`;
      net.grant(HOST);
      const answer = await net
        .run("apt-get update")
        .send(`GET http://${at}/ HTTP/1.1\r\nHost: ${at}\r\nConnection: close\r\n\r\n`);
      expect(answer).toMatch(/^HTTP\/1.1 502 Metnos Gate: deb\.example\.org didn't answer\r\n/);
    },
  );

  it("behind one that isn't answered yet ends its connection: a single one can't open any number of ways to hosts", async () => {
    const net = await openedNetwork({});
    let connections = 0;
    const server = createServer((socket) => {
      connections++;
      socket.on("error", () => socket.destroy());
    });
    const at = `${HOST}:${await net.serve(server, HOST)}`;
    net.grant(HOST);
    const many = `GET http://${at}/ HTTP/1.1\r\nHost: ${at}\r\n\r\n`.repeat(200);
    expect(await net.run("apt-get update").send(many)).toBe("");
    expect(connections).toBeLessThan(3);
  });

  /** Each would be one request for one reader and another, or two, for another one. */
  const SMUGGLED: readonly (readonly [string, (at: string) => string])[] = [
    [
      "Content-Length and Transfer-Encoding",
      (at) =>
        `POST http://${at}/ HTTP/1.1\r\nHost: ${at}\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET http://evil/ HTTP/1.1\r\n\r\n`,
    ],
    [
      "Transfer-Encoding and Content-Length",
      (at) =>
        `POST http://${at}/ HTTP/1.1\r\nHost: ${at}\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n`,
    ],
    [
      "two lengths",
      (at) => `POST http://${at}/ HTTP/1.1\r\nHost: ${at}\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nabcde`,
    ],
    [
      "the same length twice",
      (at) => `POST http://${at}/ HTTP/1.1\r\nHost: ${at}\r\nContent-Length: 4\r\nContent-Length: 4\r\n\r\nabcd`,
    ],
    ["a list of lengths", (at) => `POST http://${at}/ HTTP/1.1\r\nHost: ${at}\r\nContent-Length: 4, 4\r\n\r\nabcd`],
    ["a signed length", (at) => `POST http://${at}/ HTTP/1.1\r\nHost: ${at}\r\nContent-Length: +4\r\n\r\nabcd`],
    [
      "another coding",
      (at) => `POST http://${at}/ HTTP/1.1\r\nHost: ${at}\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
    ],
    [
      "a coding that only looks like one",
      (at) => `POST http://${at}/ HTTP/1.1\r\nHost: ${at}\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`,
    ],
    [
      "codings twice",
      (at) =>
        `POST http://${at}/ HTTP/1.1\r\nHost: ${at}\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n`,
    ],
    [
      "a blank before the colon",
      (at) => `POST http://${at}/ HTTP/1.1\r\nHost: ${at}\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n`,
    ],
    [
      "a folded header",
      (at) => `GET http://${at}/ HTTP/1.1\r\nHost: ${at}\r\nX: 1\r\n Transfer-Encoding: chunked\r\n\r\n`,
    ],
    ["bare line feeds", (at) => `GET http://${at}/ HTTP/1.1\nHost: ${at}\n\n`],
    ["a bare line feed between headers", (at) => `GET http://${at}/ HTTP/1.1\r\nHost: ${at}\nX: 1\r\n\r\n`],
    ["a bare carriage return in a header", (at) => `GET http://${at}/ HTTP/1.1\r\nHost: ${at}\r\nX: 1\rY: 2\r\n\r\n`],
    ["a NUL in a header", (at) => `GET http://${at}/ HTTP/1.1\r\nHost: ${at}\r\nX: a\0b\r\n\r\n`],
    [
      "a chunk with a wrong size",
      (at) =>
        `POST http://${at}/ HTTP/1.1\r\nHost: ${at}\r\nTransfer-Encoding: chunked\r\n\r\n0x5\r\nhello\r\n0\r\n\r\n`,
    ],
    [
      "a chunk that ends in a line feed",
      (at) => `POST http://${at}/ HTTP/1.1\r\nHost: ${at}\r\nTransfer-Encoding: chunked\r\n\r\n5\nhello\n0\n\n`,
    ],
    [
      "chunks before HTTP/1.1",
      (at) => `POST http://${at}/ HTTP/1.0\r\nHost: ${at}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ["another Host", (at) => `GET http://${at}/ HTTP/1.1\r\nHost: evil.test\r\n\r\n`],
    ["another port in Host", (at) => `GET http://${at}/ HTTP/1.1\r\nHost: ${at.split(":")[0]}\r\n\r\n`],
    ["two Hosts", (at) => `GET http://${at}/ HTTP/1.1\r\nHost: ${at}\r\nHost: evil.test\r\n\r\n`],
    ["no Host", (at) => `GET http://${at}/ HTTP/1.1\r\n\r\n`],
    ["the host's own form", (at) => `GET / HTTP/1.1\r\nHost: ${at}\r\n\r\n`],
    ["https in a plain request", (at) => `GET https://${at}/ HTTP/1.1\r\nHost: ${at}\r\n\r\n`],
    ["a user in its address", (at) => `GET http://user@${at}/ HTTP/1.1\r\nHost: ${at}\r\n\r\n`],
    ["Connection over Host", (at) => `GET http://${at}/ HTTP/1.1\r\nHost: ${at}\r\nConnection: Host\r\n\r\n`],
    [
      "Connection over the length",
      (at) =>
        `POST http://${at}/ HTTP/1.1\r\nHost: ${at}\r\nContent-Length: 4\r\nConnection: content-length\r\n\r\nabcd`,
    ],
    ["TRACE", (at) => `TRACE http://${at}/ HTTP/1.1\r\nHost: ${at}\r\n\r\n`],
    ["another protocol's greeting", () => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
    ["HTTP/2.0", (at) => `GET http://${at}/ HTTP/2.0\r\nHost: ${at}\r\n\r\n`],
    ["a body to CONNECT", (at) => `CONNECT ${at} HTTP/1.1\r\nHost: ${at}\r\nContent-Length: 4\r\n\r\nabcd`],
    ["another Host to CONNECT", (at) => `CONNECT ${at} HTTP/1.1\r\nHost: evil.test\r\n\r\n`],
    ["two Hosts to CONNECT", (at) => `CONNECT ${at} HTTP/1.1\r\nHost: ${at}\r\nHost: ${at}\r\n\r\n`],
  ];

  it("is refused where it is ambiguous, and its host receives nothing of it", async () => {
    const { run, at, seen, net } = await granted();
    const passed: string[] = [];
    for (const [what, text] of SMUGGLED) {
      const wire = await run.connect();
      wire.socket.write(Buffer.from(text(at), "latin1"));
      const answer = await wire.until("\r\n\r\n");
      if (!/^HTTP\/1\.1 40[0-9] /.test(answer)) passed.push(`${what}: ${answer}`);
    }
    expect(passed).toEqual([]);
    // A body may turn out to be wrong once its request is on its way: it isn't answered, and nothing follows it.
    expect(seen.map(({ request }) => request.url)).toEqual([]);
    expect(net.waiting()).toEqual([]);
  });

  it("with a head of more than it may have is refused", async () => {
    const { run, at, seen } = await granted();
    const many = Array.from({ length: 400 }, (_, index) => `X-${index}: ${"y".repeat(60)}\r\n`).join("");
    expect(await run.get(`http://${at}/`, many)).toMatch(/^HTTP\/1.1 431 /);
    expect(await run.get(`http://${at}/${"a".repeat(20_000)}`)).toMatch(/^HTTP\/1.1 (?:431|414|400) /);
    expect(seen).toEqual([]);
  });

  it("to the gate's own page and to other loopback servers is refused, grant or not", async () => {
    const { net, run } = await granted();
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const connected: unknown[] = [];
    server.on("connection", (socket) => connected.push(socket));
    const { port } = server.address() as { port: number };
    net.names.set("mine.example.org", ["127.0.0.1"]);
    for (const host of ["mine.example.org", "127.0.0.1", "0.0.0.0"]) net.grant(host);
    for (const host of [
      "localhost",
      "mine.example.org",
      "127.0.0.1",
      "0.0.0.0",
      "127.1",
      "[::1]",
      "[::ffff:127.0.0.1]",
    ]) {
      expect([host, await run.get(`http://${host}:${port}/`)]).toEqual([
        host,
        expect.stringMatching(/^HTTP\/1.1 40[03] /),
      ]);
      expect((await run.tunnel(`${host}:${port}`)).status).toMatch(/^HTTP\/1.1 40[03] /);
    }
    expect(connected).toEqual([]);
    server.close();
  });

  it("goes to the address that was checked: a name that resolves anew is looked up and checked anew", async () => {
    const { net, run, at } = await granted();
    net.names.set(HOST, [["127.0.0.1"], ["10.0.0.1"], ["127.0.0.1", "169.254.169.254"]]);
    expect(await run.get(`http://${at}/`)).toMatch(/^HTTP\/1.1 200 /);
    expect(net.lookedUp).toEqual([HOST]);
    for (let times = 0; times < 2; times++)
      expect(await run.get(`http://${at}/`)).toContain(
        "403 Metnos Gate: deb.example.org leads to an address that isn't public",
      );
  });

  it("gets a plain answer where its host can't be reached", async () => {
    const { net, run } = await granted();
    const port = await net.serve(
      createServer((socket) => socket.destroy()),
      HOST,
    );
    expect(await run.get(`http://${HOST}:${port}/`)).toMatch(
      /^HTTP\/1.1 502 Metnos Gate: deb.example.org didn't answer/,
    );
    net.servers.add(1025);
    expect(await run.get(`http://${HOST}:1025/`)).toMatch(
      /^HTTP\/1.1 502 Metnos Gate: deb.example.org can't be reached/,
    );
  });
});

describe("a tunnel", () => {
  async function tunnelled(limits = {}) {
    const net = await openedNetwork(limits);
    const port = await net.serve(echoTls(), HOST);
    net.grant(HOST);
    return { net, run: net.run("git fetch"), at: `${HOST}:${port}` };
  }

  it("takes TLS for its own host, in whatever case it is written", async () => {
    const { run, at } = await tunnelled();
    expect(await firstWords(await run.tls(at, "DEB.example.org"))).toBe("hello DEB.example.org\n");
  });

  it.each([
    ["another host", "evil.example.net", /unrecognized.name/i],
    ["no host", undefined, /access.denied/i],
  ])("is ended with a word of TLS where its client means %s", async (_what, servername, words) => {
    const { run, at } = await tunnelled();
    await expect(run.tls(at, servername)).rejects.toThrow(words);
  });

  it("is ended where its client doesn't speak TLS", async () => {
    const { run, at } = await tunnelled();
    for (const text of ["GET / HTTP/1.1\r\nHost: evil.test\r\n\r\n", "SSH-2.0-x\r\n", "\x16\x02"]) {
      const { wire, status } = await run.tunnel(at);
      expect(status).toBe("HTTP/1.1 200 Connection established");
      wire.socket.write(text);
      expect(await wire.rest()).toBe("HTTP/1.1 200 Connection established\r\n\r\n");
    }
  });

  it("is ended where its client says nothing, or never ends its head", async () => {
    const { run, at } = await tunnelled({ headMs: 100 });
    const silent = await run.tunnel(at);
    const half = await run.connect();
    half.socket.write("CONNECT deb.example.org:443 HTTP/1.1\r\nHost:");
    const nothing = await run.connect();
    expect(await silent.wire.rest()).toBe("HTTP/1.1 200 Connection established\r\n\r\n");
    expect(await half.rest()).toMatch(/^(?:HTTP\/1.1 408 |$)/);
    expect(await nothing.rest()).toMatch(/^(?:HTTP\/1.1 408 |$)/);
  });

  it("is one of no more than some: further connections are closed at once", async () => {
    const { run, at } = await tunnelled({ connections: 4 });
    const open = await Promise.all([1, 2, 3, 4].map(() => run.tunnel(at)));
    expect(open.map(({ status }) => status).every((status) => status.includes(" 200 "))).toBe(true);
    expect((await run.tunnel(at)).status).toBe("");
    open[0]?.wire.socket.destroy();
    await expect.poll(async () => (await run.tunnel(at)).status).toContain(" 200 ");
  });

  it("takes no more than a first message before it is open", async () => {
    const { net, run } = await tunnelled();
    const wire = await run.connect();
    const asked = net.question();
    const closed = new Promise((resolve) => wire.socket.once("close", resolve));
    wire.socket.write("CONNECT c.example.org:443 HTTP/1.1\r\nHost: c.example.org\r\n\r\n");
    await asked;
    wire.socket.write(Buffer.alloc(200_000, 22));
    await closed;
    expect(net.failures).toEqual([]);
  });

  it("carries more than a buffer holds in both directions, and ends when both have ended", async () => {
    const { run, at } = await tunnelled();
    const secure = await run.tls(at, HOST);
    const sent = Buffer.alloc(4 * 1024 * 1024, "abcdefgh");
    let received = 0;
    secure.on("data", (chunk: Buffer) => {
      received += chunk.length;
      if (received === sent.length + `hello ${HOST}\n`.length) secure.end();
    });
    const ended = once(secure, "close");
    secure.write(sent);
    await ended;
    expect(received).toBe(sent.length + `hello ${HOST}\n`.length);
  });
});
