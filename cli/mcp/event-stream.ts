/** A stream of server-sent events, read as bytes: what each one's data is, and how it is continued where it ends early. */

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const SPACE = 0x20;
const COLON = 0x3a;
/** A server that wants none would be asked without end. */
const MIN_RETRY_MS = 100;

export class EventStream {
  readonly #maxBytes: number;
  #rest: Buffer[] = [];
  #restBytes = 0;
  #data: Buffer[] = [];
  #dataBytes = 0;
  #id: string | undefined;
  #retryMs: number | undefined;

  /** @param maxBytes of one event; a longer one is an exception */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The last event's, which the server continues behind; undefined where it gives none. */
  get lastId(): string | undefined {
    return this.#id;
  }

  /** After how long the server wants to be asked again, in milliseconds. */
  get retryMs(): number | undefined {
    return this.#retryMs;
  }

  /** It was cut off: what was begun is no event. */
  cut(): void {
    this.#rest = [];
    this.#restBytes = 0;
    this.#data = [];
    this.#dataBytes = 0;
  }

  /** The data of the events that `chunk` completes: each as one line, without its end. @throws RangeError for one that is too long */
  push(chunk: Buffer): Buffer[] {
    const events: Buffer[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      const line = Buffer.concat([...this.#rest, chunk.subarray(start, end)]);
      this.#rest = [];
      this.#restBytes = 0;
      this.#line(line.at(-1) === RETURN ? line.subarray(0, -1) : line, events);
      start = end + 1;
    }
    if (start < chunk.length) this.#rest.push(chunk.subarray(start));
    this.#restBytes += chunk.length - start;
    if (this.#restBytes + this.#dataBytes > this.#maxBytes) throw new RangeError("an event is too long");
    return events;
  }

  #line(line: Buffer, events: Buffer[]): void {
    if (line.length === 0) {
      if (this.#data.length > 0) events.push(onOneLine(Buffer.concat(this.#data)));
      this.#data = [];
      this.#dataBytes = 0;
      return;
    }
    const colon = line.indexOf(COLON);
    const field = line.subarray(0, colon === -1 ? line.length : colon).toString("latin1");
    const from = colon === -1 ? line.length : colon + (line[colon + 1] === SPACE ? 2 : 1);
    if (field === "id" || field === "retry") this.#set(field, line.toString("latin1", from));
    if (field !== "data") return;
    // Data of several lines is one text with their ends in between.
    if (this.#data.length > 0) this.#data.push(Buffer.of(NEWLINE));
    this.#data.push(line.subarray(from));
    this.#dataBytes += line.length;
  }

  #set(field: "id" | "retry", value: string): void {
    if (field === "retry" && /^\d{1,9}$/.test(value)) this.#retryMs = Math.max(Number(value), MIN_RETRY_MS);
    // It goes into a header, as these bytes.
    if (field === "id" && /^[\x20-\x7e\x80-\xff]{0,1024}$/.test(value)) this.#id = value === "" ? undefined : value;
  }
}

/** JSON on one line: the end of a line can only be white space in it. */
export function onOneLine(json: Buffer): Buffer {
  if (!json.includes(NEWLINE) && !json.includes(RETURN)) return json;
  return Buffer.from(json.map((byte) => (byte === NEWLINE || byte === RETURN ? SPACE : byte)));
}
