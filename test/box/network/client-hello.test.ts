import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { type ConnectionOptions, connect as connectTls } from "node:tls";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readClientHello } from "../../../main/box/network/client-hello.ts";

/** What Node's own TLS sends first. */
async function helloOf(options: ConnectionOptions): Promise<Buffer> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const accepted = once(server, "connection");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const client = connectTls({ socket, ...options });
  client.on("error", () => undefined);
  const [end] = await accepted;
  const [bytes] = await once(end, "data");
  client.destroy();
  end.destroy();
  server.close();
  return bytes;
}

const u16 = (value: number) => Buffer.from([value >> 8, value & 255]);
const vector16 = (bytes: Buffer) => Buffer.concat([u16(bytes.length), bytes]);
const name = (text: string, type = 0) => Buffer.concat([Buffer.from([type]), vector16(Buffer.from(text, "latin1"))]);
const extension = (type: number, data: Buffer) => Buffer.concat([u16(type), vector16(data)]);
const sni = (...names: Buffer[]) => extension(0, vector16(Buffer.concat(names)));

function handshake(extensions: Buffer | null, kind = 1): Buffer {
  const body = Buffer.concat([
    Buffer.from([3, 3]),
    Buffer.alloc(32, 1),
    Buffer.from([0]),
    vector16(Buffer.from([0x13, 0x01])),
    Buffer.from([1, 0]),
    ...(extensions === null ? [] : [vector16(extensions)]),
  ]);
  return Buffer.concat([Buffer.from([kind, 0]), u16(body.length), body]);
}
const record = (bytes: Buffer) => Buffer.concat([Buffer.from([22, 3, 1]), u16(bytes.length), bytes]);
const greeting = (...extensions: Buffer[]) => record(handshake(Buffer.concat(extensions)));

const READ = { state: "read", server_name: "registry.example.org" };

describe("the first message of TLS", () => {
  it.each([{ maxVersion: "TLSv1.2" }, { minVersion: "TLSv1.3" }] as const)(
    "of a real client (%o) names its host",
    async (versions) => {
      expect(readClientHello(await helloOf({ servername: "Registry.example.org", ...versions }))).toEqual(READ);
    },
  );

  it("of a real client without a name names none", async () => {
    expect(readClientHello(await helloOf({}))).toEqual({ state: "read", server_name: null });
  });

  it("is refused where it is cut into a great many records: each new byte would have all of them read again", async () => {
    const bytes = handshake(sni(name("registry.example.org")));
    const cut = Buffer.concat([...bytes].map((byte) => record(Buffer.from([byte]))));
    expect(readClientHello(cut)).toMatchObject({ state: "refused", isTls: true });
    expect(readClientHello(cut.subarray(0, 64 * 6))).toEqual({ state: "partial" });
  });

  it("is read the same however it is cut into records, and not before it is whole", async () => {
    const whole = await helloOf({ servername: "registry.example.org" });
    const message = whole.subarray(5);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: message.length - 1 }), { maxLength: 5 }), (cuts) => {
        const at = [0, ...[...new Set(cuts)].sort((a, b) => a - b), message.length];
        const bytes = Buffer.concat(at.slice(1).map((end, index) => record(message.subarray(at[index], end))));
        expect(readClientHello(bytes)).toEqual(READ);
        expect(readClientHello(bytes.subarray(0, -1))).toEqual({ state: "partial" });
      }),
      { numRuns: 50 },
    );
    for (let length = 0; length < whole.length; length += 7)
      expect(readClientHello(whole.subarray(0, length))).toEqual({ state: "partial" });
  });

  it("may be followed by more", () => {
    expect(
      readClientHello(Buffer.concat([greeting(sni(name("registry.example.org"))), Buffer.from("early data")])),
    ).toEqual(READ);
  });

  it.each([
    ["HTTP", Buffer.from("GET / HTTP/1.1\r\n"), false],
    ["SSH", Buffer.from("SSH-2.0-OpenSSH_9\r\n"), false],
    ["SSL 2", Buffer.from([0x80, 0x2e, 1, 0, 2]), false],
    ["another version of records", Buffer.from([22, 2, 0, 0, 5]), false],
    ["another message", record(handshake(null, 2)), true],
    ["two names", greeting(sni(name("registry.example.org"), name("evil.test"))), true],
    ["a name of another kind", greeting(sni(name("registry.example.org", 1))), true],
    ["the extension twice", greeting(sni(name("registry.example.org")), sni(name("evil.test"))), true],
    ["a name with a NUL", greeting(sni(name("registry.example.org\0.evil.test"))), true],
    ["an empty name", greeting(sni(name(""))), true],
    ["an empty list", greeting(extension(0, u16(0))), true],
    ["an encrypted name", greeting(sni(name("registry.example.org")), extension(0xfe0d, Buffer.alloc(8))), true],
    [
      "an encrypted name of the earlier kind",
      greeting(sni(name("registry.example.org")), extension(0xffce, Buffer.alloc(8))),
      true,
    ],
    [
      "bytes behind its extensions",
      record(Buffer.concat([Buffer.from([1, 0]), u16(60), handshake(Buffer.alloc(0)).subarray(4), Buffer.alloc(60)])),
      true,
    ],
    ["a length past its end", greeting(Buffer.concat([u16(0), u16(400), name("a.test")])), true],
    ["an empty record", record(Buffer.alloc(0)), true],
    ["a record that is too long", Buffer.from([22, 3, 1, 0x40, 1]), true],
    ["a message that is too long", record(Buffer.from([1, 0xff, 0xff, 0xff])), true],
  ])("is refused where it is %s", (_what, bytes, isTls) => {
    expect(readClientHello(bytes)).toMatchObject({ state: "refused", isTls });
  });

  it("never fails, whatever the bytes", () => {
    const valid = greeting(sni(name("registry.example.org")));
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 200 }),
        fc.array(fc.tuple(fc.nat(valid.length - 1), fc.nat(255)), { maxLength: 4 }),
        (bytes, changes) => {
          const changed = Buffer.from(valid);
          for (const [at, value] of changes) changed[at] = value;
          for (const text of [Buffer.from(bytes), changed, record(Buffer.from(bytes))])
            expect(["partial", "refused", "read"]).toContain(readClientHello(text).state);
        },
      ),
      { numRuns: 500 },
    );
  });
});
