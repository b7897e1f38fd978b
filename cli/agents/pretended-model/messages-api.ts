import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { LoopbackApi } from "./loopback-api.ts";

/** One call that the pretend model makes. */
export interface ToolUse {
  name: string;
  input: Record<string, unknown>;
}

/** What the client gave back for a call. */
export interface ToolResult {
  text: string;
  is_error: boolean;
}

interface Block {
  type: string;
  content?: unknown;
  is_error?: boolean;
}

interface Message {
  role: string;
  content: string | Block[];
}

interface MessagesRequest {
  model: string;
  stream?: boolean;
  tools?: unknown[];
  messages: Message[];
}

/**
 * An Anthropic Messages API on loopback whose model makes the given calls, one a turn, and then ends. Requests without tools (titles,
 * summaries) get a word.
 */
export class MessagesApi extends LoopbackApi {
  readonly #script: readonly ToolUse[];
  /** Called before a turn's answer is sent, with the turn's number from 0. */
  readonly #beforeTurn: (turn: number) => void | Promise<void>;
  /** Results in the order of their calls. */
  results: ToolResult[] = [];
  /** All messages that the model has received, as JSON. */
  conversation = "";

  private constructor(script: readonly ToolUse[], beforeTurn: (turn: number) => void | Promise<void>) {
    super();
    this.#script = script;
    this.#beforeTurn = beforeTurn;
  }

  static async start(
    script: readonly ToolUse[],
    beforeTurn: (turn: number) => void | Promise<void> = () => undefined,
  ): Promise<MessagesApi> {
    return await new MessagesApi(script, beforeTurn).listening();
  }

  protected override async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    if (request.method !== "POST" || !request.url?.startsWith("/v1/messages")) {
      response.writeHead(request.method === "HEAD" ? 200 : 404).end();
      return;
    }
    if (request.url.startsWith("/v1/messages/count_tokens")) {
      response.writeHead(200, { "content-type": "application/json" }).end('{"input_tokens":1}');
      return;
    }
    const asked = JSON.parse(body) as MessagesRequest;
    const block = await this.#turn(asked);
    if (asked.stream === true) stream(response, asked.model, block);
    else whole(response, asked.model, block);
  }

  async #turn(asked: MessagesRequest): Promise<Record<string, unknown>> {
    if (asked.tools === undefined || asked.tools.length === 0) return { type: "text", text: "ok" };
    const results = asked.messages.flatMap(resultsOf);
    this.results = results;
    this.conversation = JSON.stringify(asked.messages);
    await this.#beforeTurn(results.length);
    const next = this.#script[results.length];
    if (next === undefined) return { type: "text", text: "done" };
    return { type: "tool_use", id: `toolu_${results.length}`, ...next };
  }
}

function resultsOf({ role, content }: Message): ToolResult[] {
  if (role !== "user" || typeof content === "string") return [];
  return content
    .filter((block) => block.type === "tool_result")
    .map((block) => ({ text: textOf(block.content), is_error: block.is_error === true }));
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part: { text?: unknown }) => (typeof part.text === "string" ? part.text : "")).join("");
}

function message(model: string, content: unknown[], stop_reason: string | null): Record<string, unknown> {
  const usage = { input_tokens: 1, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  return { id: "msg_1", type: "message", role: "assistant", model, content, stop_reason, stop_sequence: null, usage };
}

const stopReason = (block: Record<string, unknown>) => (block.type === "tool_use" ? "tool_use" : "end_turn");

function whole(response: ServerResponse, model: string, block: Record<string, unknown>): void {
  response
    .writeHead(200, { "content-type": "application/json" })
    .end(JSON.stringify(message(model, [block], stopReason(block))));
}

function stream(response: ServerResponse, model: string, block: Record<string, unknown>): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (type: string, data: Record<string, unknown>) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  send("message_start", { message: message(model, [], null) });
  const is_call = block.type === "tool_use";
  send("content_block_start", { index: 0, content_block: is_call ? { ...block, input: {} } : { ...block, text: "" } });
  send("content_block_delta", {
    index: 0,
    delta: is_call
      ? { type: "input_json_delta", partial_json: JSON.stringify(block.input) }
      : { type: "text_delta", text: block.text },
  });
  send("content_block_stop", { index: 0 });
  send("message_delta", {
    delta: { stop_reason: stopReason(block), stop_sequence: null },
    usage: { output_tokens: 1 },
  });
  send("message_stop", {});
  response.end();
}
