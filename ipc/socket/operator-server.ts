import { createHash, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import type { FileIdentity } from "../base/file-identity.ts";
import type { ErrorCode } from "../contract/gate-error.ts";
import { OPERATOR_EVENTS, type OperatorEventType, type OperatorHandler } from "../contract/operator-api.ts";
import { encodeFrame, type Frame } from "./frames.ts";
import type { LineConnection } from "./line-connection.ts";
import { LineServer, type LineServerSettings } from "./line-server.ts";
import { dispatch, operatorRequestSchema } from "./operator-dispatch.ts";

/** operator.sock: the user's own tools, after they proved that they hold the operator's token. */

const greetingSchema = z.object({ token: z.string().max(256) });

const subscriptionSchema = z.object({ types: z.array(z.enum(OPERATOR_EVENTS)).max(64).optional() });

interface Client {
  connection: LineConnection;
  isOperator: boolean;
  types: Set<OperatorEventType>;
  unsubscribe: (() => void) | undefined;
}

export class OperatorServer {
  readonly #api: OperatorHandler;
  readonly #tokenHash: Buffer;
  readonly #server: LineServer;
  readonly #clients = new Map<number, Client>();
  readonly #failed: (what: string, error: unknown) => void;

  /** `token` is what the operator's token file holds. */
  constructor(
    settings: LineServerSettings,
    token: string,
    api: OperatorHandler,
    failed: (what: string, error: unknown) => void,
  ) {
    this.#api = api;
    this.#tokenHash = digest(token);
    this.#failed = failed;
    this.#server = new LineServer(settings, {
      opened: (connection) =>
        this.#clients.set(connection.id, { connection, isOperator: false, types: new Set(), unsubscribe: undefined }),
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
    if (!client.isOperator) this.#greet(client, type, data);
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
      timingSafeEqual(digest(greeting.data.token), this.#tokenHash)
    ) {
      client.isOperator = true;
      client.connection.admit("operator");
      client.connection.send(encodeFrame("operator.ok", {}));
    } else client.connection.end(refusal("not_authorised", "the operator's token is needed here"));
  }

  /** What was subscribed to before stays subscribed. */
  #subscribe(client: Client, data: unknown): void {
    const wanted = subscriptionSchema.safeParse(data);
    if (!wanted.success) return client.connection.end(refusal("invalid_message", "there are no such events"));
    for (const type of wanted.data.types ?? OPERATOR_EVENTS) client.types.add(type);
    client.unsubscribe?.();
    client.unsubscribe = this.#api.subscribe(
      (event) => client.connection.send(encodeFrame("event", event)),
      [...client.types],
    );
    client.connection.send(encodeFrame("subscribed", {}));
  }

  async #call(client: Client, data: unknown): Promise<void> {
    const request = operatorRequestSchema.safeParse(data);
    if (!request.success)
      return client.connection.end(refusal("invalid_message", "a call needs id, method and params"));
    const { id, method, params } = request.data;
    const failed = (what: string, error: unknown) => this.#failed(`operator ${what}`, error);
    const answer = await dispatch(this.#api, method, params, { failed });
    const frame = answer.ok
      ? encodeFrame("result", { id, result: answer.result })
      : encodeFrame("failure", { id, ...answer.failure });
    client.connection.send(frame);
  }
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text.trim()).digest();
}

function refusal(code: ErrorCode, message: string): string {
  return encodeFrame("failure", { code, message, hint: "" });
}
