import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { isObject, type Json, parseObject } from "../../../ipc/base/json-object.ts";
import { LoopbackApi } from "./loopback-api.ts";

/** One call that the pretend model makes. A text as its input: a tool that takes a text instead of arguments. */
export interface ResponsesCall {
  name: string;
  input: Json | string;
  /** Of a tool that belongs to a group of them. */
  namespace?: string;
}

/** Calls that are made at once. */
type ResponsesTurn = readonly ResponsesCall[];

export interface ResponsesOptions {
  /** What the model calls, turn by turn, before it ends. */
  script: readonly ResponsesTurn[];
  /** The same for each further conversation: a subagent's. */
  subagent?: readonly ResponsesTurn[];
  /** Called before an answer to the first conversation is sent, with the turn's number from 0. */
  beforeTurn?: (turn: number) => void | Promise<void>;
}

interface Conversation {
  script: readonly ResponsesTurn[];
  turn: number;
}

/** An OpenAI Responses API on loopback, as Codex uses it. */
export class ResponsesApi extends LoopbackApi {
  readonly #options: ResponsesOptions;
  readonly #conversations = new Map<string, Conversation>();
  /** What the tools of the first conversation gave back, in the order of their calls. */
  results: string[] = [];
  /** All that the model was sent last, as JSON. */
  conversation = "";
  /** The names of the tools that the first request offers, with their group in front. */
  tools: string[] = [];

  private constructor(options: ResponsesOptions) {
    super();
    this.#options = options;
  }

  static async start(options: ResponsesOptions): Promise<ResponsesApi> {
    return await new ResponsesApi(options).listening();
  }

  override get url(): string {
    return `${super.url}/v1`;
  }

  protected override async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked = parseObject(await text(request));
    if (request.method !== "POST" || !request.url?.endsWith("/responses") || asked === undefined) {
      response.writeHead(404).end();
      return;
    }
    const items = await this.#turn(asked);
    response.writeHead(200, { "content-type": "text/event-stream" });
    const send = (type: string, data: Json) =>
      response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
    send("response.created", { response: { id: "resp" } });
    for (const [outputIndex, item] of items.entries())
      send("response.output_item.done", { output_index: outputIndex, item });
    const usage = {
      input_tokens: 1,
      input_tokens_details: null,
      output_tokens: 1,
      output_tokens_details: null,
      total_tokens: 2,
    };
    send("response.completed", { response: { id: "resp", usage } });
    response.end();
  }

  async #turn(asked: Json): Promise<Json[]> {
    const id = threadOf(asked);
    const isFirst = this.#conversations.size === 0 || this.#conversations.keys().next().value === id;
    const conversation = this.#conversations.get(id) ?? {
      script: isFirst ? this.#options.script : (this.#options.subagent ?? []),
      turn: 0,
    };
    this.#conversations.set(id, conversation);
    const { turn } = conversation;
    const input = Array.isArray(asked.input) ? asked.input.filter(isObject) : [];
    if (isFirst) {
      if (turn === 0) this.tools = toolNames(asked.tools);
      this.results = input
        .filter(({ type }) => String(type).endsWith("call_output"))
        .map(({ output }) => textOf(output));
      this.conversation = JSON.stringify(input);
      await this.#options.beforeTurn?.(turn);
    }
    const calls = conversation.script[turn];
    // Without a call it isn't a turn: the user says something next, and the script may have grown.
    if (calls !== undefined) conversation.turn += 1;
    if (calls === undefined)
      return [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "done" }] }];
    return calls.map((call, index) => itemOf(call, `call_${turn}_${index}`));
  }
}

/** A subagent's requests are those of another thread. */
function threadOf({ client_metadata }: Json): string {
  const { thread_id, "x-codex-turn-metadata": more } = isObject(client_metadata) ? client_metadata : {};
  if (typeof thread_id === "string") return thread_id;
  return String(typeof more === "string" ? parseObject(more)?.thread_id : undefined);
}

function itemOf({ name, input, namespace }: ResponsesCall, callId: string): Json {
  if (typeof input === "string") return { type: "custom_tool_call", call_id: callId, name, input };
  const group = namespace === undefined ? {} : { namespace };
  return { type: "function_call", call_id: callId, name, ...group, arguments: JSON.stringify(input) };
}

function toolNames(tools: unknown, group = ""): string[] {
  return (Array.isArray(tools) ? tools.filter(isObject) : []).flatMap(({ type, name, tools: inner }) =>
    inner === undefined ? [`${group}${String(name ?? type)}`] : toolNames(inner, `${String(name)}/`),
  );
}

function textOf(output: unknown): string {
  if (typeof output === "string") return output;
  if (!Array.isArray(output)) return "";
  return output.map((part: unknown) => (isObject(part) && typeof part.text === "string" ? part.text : "")).join("");
}
