import { createConnection, type Socket } from "node:net";
import { z } from "zod";
import { ownCommand } from "../base/own-command.ts";
import { readRegularFile } from "../base/regular-file.ts";
import { GateError, receivedError } from "../contract/gate-error.ts";
import {
  type OperatorApi,
  type OperatorEvent,
  type OperatorEventType,
  type OperatorMethod,
  type OperatorParams,
  type OperatorResult,
  operatorEvents,
  operatorMethods,
} from "../contract/operator-api.ts";
import { encodeFrame, FrameReader } from "./frames.ts";

const failureSchema = z.object({ id: z.number().optional(), code: z.string(), message: z.string(), hint: z.string() });
const resultSchema = z.object({ id: z.number(), result: z.unknown() });
const eventSchema = z.object({
  type: z.enum(Object.keys(operatorEvents) as [keyof typeof operatorEvents]),
  data: z.unknown(),
});

interface Waiting {
  resolve(result: unknown): void;
  reject(error: GateError): void;
}

/** The operator's contract over operator.sock. */
export class OperatorClient implements OperatorApi {
  readonly #socket: Socket;
  readonly #waiting = new Map<number, Waiting>();
  readonly #listeners = new Map<(event: OperatorEvent) => void, readonly OperatorEventType[] | undefined>();
  readonly #closed: Promise<void>;
  #ready: Waiting | undefined;
  #nextId = 1;

  private constructor(socket: Socket) {
    this.#socket = socket;
    const reader = FrameReader.forAnswers();
    socket.setEncoding("utf8");
    socket.on("data", (text: string) => {
      for (const frame of reader.push(text)) if (frame.ok) this.#received(frame.message.type, frame.message.data);
    });
    this.#closed = new Promise((resolve) => {
      socket.once("close", () => {
        reader.close();
        this.#fail(new GateError("connection_lost", "the gate has gone", `see: ${ownCommand("status")}`));
        resolve();
      });
    });
  }

  /**
   * Connects with the token in `token_file`.
   * @param patienceMs how long the gate may take to take it; left out: any time
   * @throws GateError `not_running` where no gate listens, `not_answering` where it takes longer, `not_authorised` where the token isn't
   * the gate's
   */
  static async connect(path: string, tokenFile: string, patienceMs?: number): Promise<OperatorClient> {
    let token: string;
    try {
      token = readRegularFile(tokenFile).trim();
    } catch (error) {
      throw notRunning(error);
    }
    const socket = createConnection(path);
    socket.on("error", () => socket.destroy()); // 'close' follows and fails what waits
    const client = new OperatorClient(socket);
    const late = patienceMs === undefined ? undefined : setTimeout(() => client.#giveUp(), patienceMs);
    try {
      await new Promise<unknown>((resolve, reject) => {
        client.#ready = { resolve, reject };
        const noneListens = (error: Error) => reject(notRunning(error));
        socket.once("error", noneListens);
        socket.once("connect", () => {
          socket.off("error", noneListens);
          socket.write(encodeFrame("operator.hello", { token }));
        });
      });
    } finally {
      clearTimeout(late);
    }
    client.#ready = undefined;
    return client;
  }

  async call<M extends OperatorMethod>(method: M, params: OperatorParams<M>): Promise<OperatorResult<M>> {
    const id = this.#nextId++;
    const result = await new Promise<unknown>((resolve, reject) => {
      if (this.#socket.destroyed) {
        reject(new GateError("connection_lost", "the gate has gone", `see: ${ownCommand("status")}`));
        return;
      }
      this.#waiting.set(id, { resolve, reject });
      this.#socket.write(encodeFrame("call", { id, method, params }));
    });
    return operatorMethods[method].result.parse(result) as OperatorResult<M>;
  }

  subscribe(listener: (event: OperatorEvent) => void, types?: readonly OperatorEventType[]): () => void {
    this.#socket.write(encodeFrame("subscribe", types === undefined ? {} : { types }));
    this.#listeners.set(listener, types);
    return () => this.#listeners.delete(listener);
  }

  /** Resolves once the connection has ended, whoever ended it. */
  get closed(): Promise<void> {
    return this.#closed;
  }

  async close(): Promise<void> {
    this.#socket.end();
    await this.#closed;
  }

  #received(type: unknown, data: unknown): void {
    if (type === "operator.ok") return this.#ready?.resolve(undefined);
    if (type === "event") {
      const event = eventSchema.safeParse(data);
      if (event.success) this.#tell(event.data as OperatorEvent);
      return;
    }
    if (type === "result") {
      const { id, result } = resultSchema.parse(data);
      this.#waiting.get(id)?.resolve(result);
      this.#waiting.delete(id);
      return;
    }
    if (type !== "failure") return;
    const { id, ...failure } = failureSchema.parse(data);
    const error = receivedError(failure);
    if (id === undefined) return this.#fail(error);
    this.#waiting.get(id)?.reject(error);
    this.#waiting.delete(id);
  }

  #tell(event: OperatorEvent): void {
    for (const [listener, types] of this.#listeners) if (types?.includes(event.type) ?? true) listener(event);
  }

  #giveUp(): void {
    this.#ready?.reject(new GateError("not_answering", "the gate doesn't answer", "try again"));
    this.#socket.destroy();
  }

  #fail(error: GateError): void {
    this.#ready?.reject(error);
    for (const waiting of this.#waiting.values()) waiting.reject(error);
    this.#waiting.clear();
  }
}

function notRunning(cause: unknown): GateError {
  return new GateError("not_running", "no gate is running", `start it with: ${ownCommand("start")}`, { cause });
}
