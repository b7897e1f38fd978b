import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { createInterface } from "node:readline";
import { isObject, type Json, parseObject } from "../ipc/base/json-object.ts";

/** A server over stdio whose requests come from several HTTP clients: ids of its own, and each message where it belongs. */

interface Open {
  /** As the client wrote it. */
  id: unknown;
  progressToken: unknown;
  response: ServerResponse;
  statuses: Readonly<Record<number, number>>;
}

const SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId";
/** How long a program may continue once its input has ended, in milliseconds. */
const GRACE_MS = 5000;

export class BridgedProgram {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  /** By the id that the program got. */
  readonly #open = new Map<number, Open>();
  #listening: ServerResponse | undefined;
  #nextId = 1;

  constructor([program = "", ...args]: readonly string[], env: NodeJS.ProcessEnv) {
    this.#child = spawn(program, args, { env, stdio: ["pipe", "pipe", "inherit"] });
    this.#exited = once(this.#child, "exit");
    this.#child.stdin?.on("error", () => this.#child.stdin?.destroy()); // it has ended: its clients get nothing more
    if (this.#child.stdout !== null)
      createInterface({ input: this.#child.stdout }).on("line", (line) => this.#said(line));
  }

  /** @param statuses which HTTP status an error has, by its code; left out: each is 200 */
  send(message: Json, response: ServerResponse, statuses: Open["statuses"] = {}): void {
    if (typeof message.method !== "string" || message.id === undefined) {
      this.#write(message);
      response.writeHead(202).end();
      return;
    }
    const id = this.#nextId++;
    const { params } = message;
    const meta = isObject(params) && isObject(params._meta) ? params._meta : undefined;
    const progressToken = meta?.progressToken;
    this.#open.set(id, { id: message.id, progressToken, response, statuses });
    response.once("close", () => {
      if (!this.#open.delete(id)) return;
      this.#write({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } });
    });
    const token =
      progressToken === undefined ? {} : { params: { ...(params as Json), _meta: { ...meta, progressToken: id } } };
    this.#write({ ...message, id, ...token });
  }

  /** Where it says what no request has asked for. */
  listen(response: ServerResponse): void {
    stream(response);
    this.#listening = response;
  }

  async close(): Promise<void> {
    this.#child.stdin?.end();
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), GRACE_MS);
    await this.#exited;
    clearTimeout(timer);
  }

  #write(message: Json): void {
    this.#child.stdin?.write(`${JSON.stringify(message)}\n`);
  }

  #said(line: string): void {
    const message = parseObject(line);
    if (message === undefined) return;
    if (message.method !== undefined) return this.#saidByItself(message);
    const open = this.#open.get(Number(message.id));
    if (open === undefined) return;
    this.#open.delete(Number(message.id));
    const { response, statuses } = open;
    const answer = JSON.stringify({ ...message, id: open.id });
    const code = isObject(message.error) ? Number(message.error.code) : 0;
    if (response.headersSent) response.end(eventOf(answer));
    else response.writeHead(statuses[code] ?? 200, { "content-type": "application/json" }).end(answer);
  }

  /** On the stream of the request that it belongs to; where it doesn't say, that is the last one of those that wait. */
  #saidByItself(message: Json): void {
    const params = isObject(message.params) ? message.params : {};
    const meta = isObject(params._meta) ? params._meta : {};
    const subscription = this.#open.get(Number(meta[SUBSCRIPTION]));
    const progressing = this.#open.get(Number(params.progressToken));
    const open = subscription ?? progressing ?? [...this.#open.values()].at(-1);
    const response = open?.response ?? this.#listening;
    if (response === undefined) return;
    stream(response);
    const ownParams = {
      ...params,
      ...(progressing === undefined ? {} : { progressToken: progressing.progressToken }),
      ...(subscription === undefined ? {} : { _meta: { ...meta, [SUBSCRIPTION]: subscription.id } }),
    };
    response.write(eventOf(JSON.stringify(message.params === undefined ? message : { ...message, params: ownParams })));
  }
}

function stream(response: ServerResponse): void {
  if (response.headersSent) return;
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  response.flushHeaders();
}

function eventOf(data: string): string {
  return `event: message\ndata: ${data}\n\n`;
}
