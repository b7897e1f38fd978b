/** The first message of a TLS connection, as far as it says which host is meant (RFC 8446 §4.1.2, RFC 6066 §3). */

export type ClientHello =
  /** More bytes are needed. */
  | { state: "partial" }
  /** It isn't one, or says it in a way that isn't clear. */
  | { state: "refused"; why: string; isTls: boolean }
  /** `server_name` in lower case, without a dot at the end; null where it names none. */
  | { state: "read"; server_name: string | null };

const HANDSHAKE = 22;
const CLIENT_HELLO = 1;
const MAX_RECORD = 16_384;
/** Of the whole message; with keys for after quantum computers it has about 2 KB. */
export const MAX_CLIENT_HELLO = 32_768;
/** That it may be cut into: clients that cut it at all make two or three. Each new byte has it read again. */
const MAX_RECORDS = 64;
const SERVER_NAME = 0;
/** Encrypted: the name that counts would be another one, and unknown. */
const ENCRYPTED_CLIENT_HELLO = 0xfe0d;
/** An earlier form of the same. */
const ENCRYPTED_SERVER_NAME = 0xffce;

const PARTIAL: ClientHello = { state: "partial" };
const NOT_TLS: ClientHello = { state: "refused", why: "it isn't TLS", isTls: false };
const refused = (why: string): ClientHello => ({ state: "refused", why, isTls: true });

/** Reads what a client has sent so far, from its first byte. */
export function readClientHello(bytes: Buffer): ClientHello {
  const message = handshakeOf(bytes);
  if (!Buffer.isBuffer(message)) return message;
  try {
    return serverNameOf(new Fields(message));
  } catch (error) {
    if (error instanceof Malformed) return refused("its first message isn't well formed");
    throw error;
  }
}

/** The message's body, out of the records that it is cut into. */
function handshakeOf(bytes: Buffer): Buffer | ClientHello {
  let message: Buffer = Buffer.alloc(0);
  for (let at = 0, records = 0; ; records++) {
    const head = bytes.subarray(at, at + 5);
    if (head.length > 0 && head[0] !== HANDSHAKE) return NOT_TLS;
    if (head.length > 1 && head[1] !== 3) return NOT_TLS;
    if (head.length < 5) return PARTIAL;
    if (records === MAX_RECORDS) return refused("its first message is cut into too many records");
    const size = head.readUInt16BE(3);
    if (size === 0 || size > MAX_RECORD) return refused("a record of this length isn't TLS");
    const part = bytes.subarray(at + 5, at + 5 + size);
    message = records === 0 ? part : Buffer.concat([message, part]);
    if (message.length > 0 && message[0] !== CLIENT_HELLO) return refused("it doesn't begin with a client's greeting");
    if (message.length >= 4) {
      const body = message.readUIntBE(1, 3);
      if (body + 4 > MAX_CLIENT_HELLO) return refused("its first message is too long");
      if (message.length >= body + 4) return message.subarray(4, body + 4);
    }
    if (part.length < size) return PARTIAL;
    at += 5 + size;
  }
}

function serverNameOf(hello: Fields): ClientHello {
  hello.skip(2 + 32);
  hello.vector(1);
  hello.vector(2);
  hello.vector(1);
  if (hello.isAtEnd()) return { state: "read", server_name: null };
  const extensions = new Fields(hello.vector(2));
  if (!hello.isAtEnd()) throw new Malformed();
  const seen = new Set<number>();
  let serverName: string | null = null;
  while (!extensions.isAtEnd()) {
    const type = extensions.number(2);
    const data = extensions.vector(2);
    if (seen.has(type)) return refused("it says the same twice");
    seen.add(type);
    if (type === ENCRYPTED_CLIENT_HELLO || type === ENCRYPTED_SERVER_NAME)
      return refused("it hides the name of its host (ECH)");
    if (type !== SERVER_NAME) continue;
    const name = oneName(new Fields(data));
    if (name === null) return refused("the name of its host isn't clear");
    serverName = name;
  }
  return { state: "read", server_name: serverName };
}

/** The one name in the list, or null. */
function oneName(extension: Fields): string | null {
  const list = new Fields(extension.vector(2));
  const isHost = list.number(1) === 0;
  const name = list.vector(2).toString("latin1").toLowerCase();
  if (!isHost || !list.isAtEnd() || !extension.isAtEnd()) return null;
  return /^[a-z0-9._-]{1,253}$/.test(name) ? name.replace(/\.$/, "") : null;
}

class Malformed extends Error {}

/** Reads lengths and what they measure, one behind the other. */
class Fields {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  skip(count: number): Buffer {
    const end = this.#at + count;
    if (end > this.#bytes.length) throw new Malformed();
    const skipped = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return skipped;
  }

  number(size: 1 | 2): number {
    return this.skip(size).readUIntBE(0, size);
  }

  /** What follows a length of so many bytes. */
  vector(size: 1 | 2): Buffer {
    return this.skip(this.number(size));
  }
}
