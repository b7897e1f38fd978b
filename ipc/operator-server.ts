import { createHash, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import type { FileIdentity } from "./file-identity.ts";
import { encodeFrame, type Frame } from "./frames.ts";
import { GateError } from "./gate-error.ts";
import type { LineConnection } from "./line-connection.ts";
import { LineServer, type LineServerSettings } from "./line-server.ts";
import {
  type OperatorApi,
  type OperatorEventType,
  type OperatorMethod,
  operatorEvents,
  operatorMethods,
} from "./operator-api.ts";

/** operator.sock: the human's own tools, after they proved that they hold the operator's token. */

const greetingSchema = z.object({ token: z.string().max(256) });
const requestSchema = z.object({ id: z.number().int(), method: z.string().max(64), params: z.unknown() });

const EVENT_TYPES = Object.keys(operatorEvents) as [OperatorEventType, ...OperatorEventType[]];
const subscriptionSchema = z.object({ types: z.array(z.enum(EVENT_TYPES)).max(64).optional() });

interface Client {
  connection: LineConnection;
  is_operator: boolean;
  types: Set<OperatorEventType>;
  unsubscribe: (() => void) | undefined;
}

export class OperatorServer {
  readonly #api: OperatorApi;
  readonly #token_hash: Buffer;
  readonly #server: LineServer;
  readonly #clients = new Map<number, Client>();
  readonly #failed: (what: string, error: unknown) => void;

  /** `token` is what the operator's token file holds. */
  constructor(
    settings: LineServerSettings,
    token: string,
    api: OperatorApi,
    failed: (what: string, error: unknown) => void,
  ) {
    this.#api = api;
    this.#token_hash = digest(token);
    this.#failed = failed;
    this.#server = new LineServer(settings, {
      opened: (connection) =>
        this.#clients.set(connection.id, { connection, is_operator: false, types: new Set(), unsubscribe: undefined }),
      received: (connection, next) => this.#received(connection, next),
      turned: () => undefined,
      unadmitted: () => refusal("not_authorised", "the operator's token did not come in time"),
      closed: (connection) => {
        this.#clients.get(connection.id)?.unsubscribe?.();
        this.#clients.delete(connection.id);
      },
      dropped: (reason) => failed("operator socket", new Error(reason)),
    });
  }

  /** Resolves with the socket's file. */
  listen(): Promise<FileIdentity> {
    return this.#server.listen();
  }

  close(): Promise<void> {
    for (const client of this.#clients.values()) client.unsubscribe?.();
    return this.#server.close();
  }

  /** One message at a time: a call's result is there before the next one is looked at. */
  #received(connection: LineConnection, next: () => Frame | undefined): Promise<void> | undefined {
    const client = this.#clients.get(connection.id);
    const frame = next();
    if (client === undefined || frame === undefined) {
      connection.ignore();
      return undefined;
    }
    if (!frame.ok) {
      connection.end(refusal("bad_frame", "not a message of the operator's protocol"));
      return undefined;
    }
    const { type, data } = frame.message;
    if (!client.is_operator) this.#greet(client, type, data);
    else if (type === "call") return this.#call(client, data);
    else if (type === "subscribe") this.#subscribe(client, data);
    else connection.end(refusal("unknown_type", "there is no message of this type"));
    return undefined;
  }

  #greet(client: Client, type: unknown, data: unknown): void {
    const greeting = greetingSchema.safeParse(data);
    if (
      type === "operator.hello" &&
      greeting.success &&
      timingSafeEqual(digest(greeting.data.token), this.#token_hash)
    ) {
      client.is_operator = true;
      client.connection.admit("operator");
      client.connection.send(encodeFrame("operator.ok", {}));
    } else client.connection.end(refusal("not_authorised", "the operator's token is needed here"));
  }

  /** What was subscribed to before stays subscribed. */
  #subscribe(client: Client, data: unknown): void {
    const wanted = subscriptionSchema.safeParse(data);
    if (!wanted.success) return client.connection.end(refusal("invalid_message", "there are no such events"));
    for (const type of wanted.data.types ?? EVENT_TYPES) client.types.add(type);
    client.unsubscribe?.();
    client.unsubscribe = this.#api.subscribe(
      (event) => client.connection.send(encodeFrame("event", event)),
      [...client.types],
    );
    client.connection.send(encodeFrame("subscribed", {}));
  }

  async #call(client: Client, data: unknown): Promise<void> {
    const request = requestSchema.safeParse(data);
    if (!request.success)
      return client.connection.end(refusal("invalid_message", "a call needs id, method and params"));
    const { id, method, params } = request.data;
    try {
      if (!Object.hasOwn(operatorMethods, method)) throw new GateError("unknown_method", "there is no such method");
      const result = await this.#api.call(method as OperatorMethod, params as never);
      client.connection.send(encodeFrame("result", { id, result }));
    } catch (error) {
      const known = error instanceof GateError;
      if (!known) this.#failed(`operator ${method}`, error);
      const { code, message, hint } = known
        ? error
        : { code: "internal", message: "the gate failed", hint: "its own log says more" };
      client.connection.send(encodeFrame("failure", { id, code, message, hint }));
    }
  }
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text.trim()).digest();
}

function refusal(code: string, message: string): string {
  return encodeFrame("failure", { code, message, hint: "" });
}
