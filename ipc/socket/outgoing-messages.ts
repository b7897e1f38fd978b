import type { LineConnection } from "./line-connection.ts";

interface Answers {
  encode: (() => string)[];
  /** The connection is ended after these messages. */
  is_last: boolean;
}

/** A turn's outgoing messages: encoded and sent together at its end, in one write for each connection. */
export class OutgoingMessages {
  #answers = new Map<LineConnection, Answers>();

  get hasSome(): boolean {
    return this.#answers.size > 0;
  }

  add(connection: LineConnection, encode: () => string): void {
    this.#to(connection).encode.push(encode);
  }

  /** The last message that this client gets. */
  end(connection: LineConnection, encode: () => string): void {
    const answers = this.#to(connection);
    answers.encode.push(encode);
    answers.is_last = true;
  }

  /** Drops the queued messages. */
  clear(): void {
    this.#answers.clear();
  }

  send(): void {
    if (!this.hasSome) return;
    const all = this.#answers;
    this.#answers = new Map();
    for (const [connection, { encode, is_last }] of all) {
      const lines = encode.map((line) => line()).join("");
      if (is_last) connection.end(lines);
      else connection.send(lines);
    }
  }

  #to(connection: LineConnection): Answers {
    let answers = this.#answers.get(connection);
    if (answers === undefined) {
      answers = { encode: [], is_last: false };
      this.#answers.set(connection, answers);
    }
    return answers;
  }
}
