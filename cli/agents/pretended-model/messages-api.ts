import { randomUUID } from "node:crypto";
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

/** One call, or several at once. */
export type ToolTurn = ToolUse | readonly ToolUse[];

/** The tool by which Claude Code starts a subagent, whose first words are its prompt. */
const SUBAGENT_TOOL = "Agent";

/**
 * An Anthropic Messages API on loopback whose model makes the given calls, turn by turn, and then ends. Requests without tools (titles,
 * summaries) get a word.
 */
export class MessagesApi extends LoopbackApi {
  /** May grow while the client waits for the user. */
  readonly #script: readonly ToolTurn[];
  /** Called before a turn's answer is sent, with the turn's number from 0. */
  readonly #beforeTurn: (turn: number) => void | Promise<void>;
  /** Of a subagent, which then ends. */
  readonly #subagent: readonly ToolUse[];
  /** Results in the order of their calls. */
  results: ToolResult[] = [];
  /** All messages that the model has received, as JSON. */
  conversation = "";

  private constructor(
    script: readonly ToolTurn[],
    beforeTurn: (turn: number) => void | Promise<void>,
    subagent: readonly ToolUse[],
  ) {
    super();
    this.#script = script;
    this.#beforeTurn = beforeTurn;
    this.#subagent = subagent;
  }

  static async start(
    script: readonly ToolTurn[],
    beforeTurn: (turn: number) => void | Promise<void> = () => undefined,
    subagent: readonly ToolUse[] = [],
  ): Promise<MessagesApi> {
    return await new MessagesApi(script, beforeTurn, subagent).listening();
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
    const blocks = await this.#turn(asked);
    if (asked.stream === true) stream(response, asked.model, blocks);
    else whole(response, asked.model, blocks);
  }

  async #turn({ tools = [], messages }: MessagesRequest): Promise<AnswerBlock[]> {
    if (tools.length === 0) return [{ type: "text", text: "ok" }];
    const turn = messages.filter(isCalling).length;
    if (this.#isSubagent(messages)) return blocksOf(this.#subagent[turn], `sub_${turn}`);
    this.results = messages.flatMap(resultsOf);
    this.conversation = JSON.stringify(messages);
    await this.#beforeTurn(turn);
    return blocksOf(this.#script[turn], `toolu_${turn}`);
  }

  #isSubagent([first]: readonly Message[]): boolean {
    const words = JSON.stringify(first?.content);
    return this.#script
      .flat()
      .some(({ name, input }) => name === SUBAGENT_TOOL && words.includes(String(input.prompt)));
  }
}

type AnswerBlock = { type: string } & Record<string, unknown>;

function blocksOf(turn: ToolTurn | undefined, id: string): AnswerBlock[] {
  if (turn === undefined) return [{ type: "text", text: "done" }];
  return [turn].flat().map((call, index) => ({ type: "tool_use", id: `${id}_${index}`, ...call }));
}

function isCalling({ role, content }: Message): boolean {
  return role === "assistant" && typeof content !== "string" && content.some(({ type }) => type === "tool_use");
}

function resultsOf({ role, content }: Message): ToolResult[] {
  if (role !== "user" || typeof content === "string") return [];
  return content
    .filter((block) => block.type === "tool_result")
    .map((block) => ({ text: textOf(block.content), is_error: block.is_error === true }));
}

export function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part: { text?: unknown }) => (typeof part.text === "string" ? part.text : "")).join("");
}

function message(model: string, content: readonly unknown[], stopReason: string | null): Record<string, unknown> {
  const usage = { input_tokens: 1, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  // Claude Code takes messages with the same id for one.
  return {
    id: `msg_${randomUUID()}`,
    type: "message",
    role: "assistant",
    model,
    content,
    stop_reason: stopReason,
    stop_sequence: null,
    usage,
  };
}

const stopReason = (blocks: readonly AnswerBlock[]) =>
  blocks.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn";

function whole(response: ServerResponse, model: string, blocks: readonly AnswerBlock[]): void {
  response
    .writeHead(200, { "content-type": "application/json" })
    .end(JSON.stringify(message(model, blocks, stopReason(blocks))));
}

function stream(response: ServerResponse, model: string, blocks: readonly AnswerBlock[]): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (type: string, data: Record<string, unknown>) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  send("message_start", { message: message(model, [], null) });
  for (const [index, block] of blocks.entries()) {
    const isCall = block.type === "tool_use";
    send("content_block_start", { index, content_block: isCall ? { ...block, input: {} } : { ...block, text: "" } });
    send("content_block_delta", {
      index,
      delta: isCall
        ? { type: "input_json_delta", partial_json: JSON.stringify(block.input) }
        : { type: "text_delta", text: block.text },
    });
    send("content_block_stop", { index });
  }
  send("message_delta", {
    delta: { stop_reason: stopReason(blocks), stop_sequence: null },
    usage: { output_tokens: 1 },
  });
  send("message_stop", {});
  response.end();
}
