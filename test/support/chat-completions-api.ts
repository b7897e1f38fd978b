import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { ToolUse } from "../../cli/agents/pretended-model/messages-api.ts";

interface ChatRequest {
  tools?: unknown[];
  messages: { role: string; content: unknown }[];
}

/** A chat completions API on loopback whose model makes the given calls, one a turn, and then ends. Requests without tools get a word. */
export class ChatCompletionsApi {
  readonly #server: Server;
  readonly #script: readonly ToolUse[];
  /** What the tools gave back, in the order of their calls. */
  results: string[] = [];

  private constructor(script: readonly ToolUse[]) {
    this.#script = script;
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error: unknown) => response.destroy(error as Error));
    });
  }

  static async start(script: readonly ToolUse[]): Promise<ChatCompletionsApi> {
    const api = new ChatCompletionsApi(script);
    await new Promise<void>((resolve) => api.#server.listen(0, "127.0.0.1", resolve));
    return api;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { tools = [], messages } = JSON.parse(await text(request)) as ChatRequest;
    const results = messages.filter(({ role }) => role === "tool").map(({ content }) => JSON.stringify(content));
    const next = tools.length === 0 ? undefined : this.#script[results.length];
    if (tools.length > 0) this.results = results;
    const call = (use: ToolUse) => ({
      index: 0,
      id: `call_${results.length}`,
      type: "function",
      function: { name: use.name, arguments: JSON.stringify(use.input) },
    });
    const delta = next === undefined ? { content: "done" } : { tool_calls: [call(next)] };
    const chunk = (choice: object) => ({
      id: "c1",
      object: "chat.completion.chunk",
      created: 1,
      model: "m1",
      choices: [choice],
    });
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const choice of [
      { index: 0, delta: { role: "assistant", ...delta }, finish_reason: null },
      { index: 0, delta: {}, finish_reason: next === undefined ? "stop" : "tool_calls" },
    ])
      response.write(`data: ${JSON.stringify(chunk(choice))}\n\n`);
    response.end("data: [DONE]\n\n");
  }
}
