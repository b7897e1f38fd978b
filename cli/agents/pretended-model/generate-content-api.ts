import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { LoopbackApi } from "./loopback-api.ts";
import type { ToolResult, ToolUse } from "./messages-api.ts";

interface Part {
  text?: string;
  functionCall?: { name: string; args: Record<string, unknown> };
  functionResponse?: { name: string; response: Record<string, unknown> };
}

interface Content {
  role: string;
  parts: Part[];
}

interface GenerateRequest {
  contents: Content[];
  tools?: { functionDeclarations?: { name: string }[] }[];
}

/** What the pretended model does: a turn is one call, or several at once. */
export interface GenerateScript {
  turns: readonly (ToolUse | readonly ToolUse[])[];
  /** Of a subagent, which then ends. */
  subagent?: readonly ToolUse[];
  /** Called before a turn's answer is sent, with the turn's number from 0. */
  beforeTurn?: (turn: number) => void | Promise<void>;
}

/** The tool by which a subagent of Gemini CLI hands back its result: nobody else has it. */
const END_OF_SUBAGENT = "complete_task";

/** A Gemini API on loopback whose model makes the given calls, and then ends. Requests without tools get a word. */
export class GenerateContentApi extends LoopbackApi {
  readonly #script: GenerateScript;
  /** Results in the order of their calls, without those of subagents. */
  results: ToolResult[] = [];
  /** The names of the tools that the client offers. */
  tools: string[] = [];

  private constructor(script: GenerateScript) {
    super();
    this.#script = script;
  }

  static async start(script: GenerateScript): Promise<GenerateContentApi> {
    return await new GenerateContentApi(script).listening();
  }

  protected override async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const [, method] = /:(\w+)(?:\?|$)/.exec(request.url ?? "") ?? [];
    if (method === "countTokens") {
      response.writeHead(200, { "content-type": "application/json" }).end('{"totalTokens":1}');
      return;
    }
    if (method !== "streamGenerateContent" && method !== "generateContent") {
      response.writeHead(404).end();
      return;
    }
    const answer = JSON.stringify(generated(await this.#parts(JSON.parse(body) as GenerateRequest)));
    if (method === "generateContent") response.writeHead(200, { "content-type": "application/json" }).end(answer);
    else response.writeHead(200, { "content-type": "text/event-stream" }).end(`data: ${answer}\n\n`);
  }

  async #parts({ contents, tools = [] }: GenerateRequest): Promise<Part[]> {
    const names = tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations.map(({ name }) => name));
    if (names.length === 0) return [{ text: "ok" }];
    const turns = contents.filter(({ role, parts }) => role === "model" && parts.some(isCall)).length;
    if (names.includes(END_OF_SUBAGENT)) {
      const next = this.#script.subagent?.[turns] ?? { name: END_OF_SUBAGENT, input: { result: "done" } };
      return [call(next)];
    }
    this.tools = names;
    this.results = contents.flatMap(({ parts }) => parts.flatMap(resultsOf));
    await this.#script.beforeTurn?.(turns);
    const next = this.#script.turns[turns];
    if (next === undefined) return [{ text: "done" }];
    return [next].flat().map(call);
  }
}

const isCall = ({ functionCall }: Part): boolean => functionCall !== undefined;

const call = ({ name, input }: ToolUse): Part => ({ functionCall: { name, args: input } });

function resultsOf({ functionResponse }: Part): ToolResult[] {
  if (functionResponse === undefined) return [];
  const { output, error } = functionResponse.response;
  return [{ text: String(error ?? output ?? ""), is_error: error !== undefined }];
}

function generated(parts: Part[]): object {
  return {
    candidates: [{ content: { role: "model", parts }, finishReason: "STOP", index: 0 }],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
    modelVersion: "gemini-2.5-pro",
  };
}
