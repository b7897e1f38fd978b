import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { LoopbackApi } from "./loopback-api.ts";
import { type ToolUse, textOf } from "./messages-api.ts";

interface Message {
  role: string;
  content?: unknown;
  tool_calls?: unknown[];
}

interface ChatRequest {
  messages: Message[];
  tools?: { function: { name: string } }[];
}

/** What the pretended model does: a turn is one call, or several at once. */
export interface ChatScript {
  turns: readonly (ToolUse | readonly ToolUse[])[];
  /** Of a subagent, which then ends. */
  subagent?: readonly ToolUse[];
  /** Called before a turn's answer is sent, with the turn's number from 0. */
  beforeTurn?: (turn: number) => void | Promise<void>;
}

/** The user's first words: any other conversation is a subagent's. */
export const FIRST_WORDS = "go";

/**
 * An OpenAI chat completions API on loopback whose model makes the given calls, and then ends. Requests without tools (titles) get a word.
 * Streams, as its client asks for it.
 */
export class ChatCompletionsApi extends LoopbackApi {
  readonly #script: ChatScript;
  /** What the tools gave back, in the order of their calls, without those of subagents. */
  results: string[] = [];
  /** What the tools gave back to subagents. */
  subagentResults: string[] = [];
  /** The names of the tools that the client offers. */
  tools: string[] = [];
  #calls = 0;

  private constructor(script: ChatScript) {
    super();
    this.#script = script;
  }

  static async start(script: ChatScript): Promise<ChatCompletionsApi> {
    return await new ChatCompletionsApi(script).listening();
  }

  override get url(): string {
    return `${super.url}/v1`;
  }

  protected override async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    if (request.method !== "POST" || !request.url?.endsWith("/chat/completions")) {
      response.writeHead(404).end();
      return;
    }
    const calls = await this.#turn(JSON.parse(body) as ChatRequest);
    const said = typeof calls === "string" ? { content: calls } : { tool_calls: calls };
    const reason = typeof calls === "string" ? "stop" : "tool_calls";
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const choice of [
      { delta: { role: "assistant", ...said }, finish_reason: null },
      { delta: {}, finish_reason: reason },
    ])
      response.write(`data: ${JSON.stringify(chunk({ index: 0, ...choice }))}\n\n`);
    response.end("data: [DONE]\n\n");
  }

  async #turn({ messages, tools = [] }: ChatRequest): Promise<string | object[]> {
    if (tools.length === 0) return "ok";
    const turns = messages.filter(({ role, tool_calls }) => role === "assistant" && tool_calls !== undefined).length;
    const results = messages.filter(({ role }) => role === "tool").map(({ content }) => textOf(content));
    const first = textOf(messages.find(({ role }) => role === "user")?.content);
    if (first.replaceAll('"', "").trim() !== FIRST_WORDS) {
      this.subagentResults = results;
      const next = this.#script.subagent?.[turns];
      return next === undefined ? "done" : [this.#call(next, 0)];
    }
    this.tools = tools.map(({ function: { name } }) => name);
    this.results = results;
    await this.#script.beforeTurn?.(turns);
    const next = this.#script.turns[turns];
    return next === undefined ? "done" : [next].flat().map((call, index) => this.#call(call, index));
  }

  #call({ name, input }: ToolUse, index: number): object {
    this.#calls += 1;
    return { index, id: `call_${this.#calls}`, type: "function", function: { name, arguments: JSON.stringify(input) } };
  }
}

function chunk(choice: object): object {
  return {
    id: "c1",
    object: "chat.completion.chunk",
    created: 1,
    model: "m1",
    choices: [choice],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  };
}
