import { z } from "zod";
import { ModelError } from "../reviews/judge-ports.ts";
import type { Dialect } from "./dialect.ts";

/** OpenAI's chat completions, as Ollama, llama.cpp, LM Studio, vLLM and OpenRouter answer them, too. */

const tokens = z.number().int().min(0).nullish();

const answerSchema = z.object({
  choices: z
    .array(
      z.object({
        message: z.object({ content: z.string().nullish(), refusal: z.string().nullish() }),
        finish_reason: z.string().nullish(),
      }),
    )
    .min(1),
  usage: z.object({ prompt_tokens: tokens, completion_tokens: tokens }).nullish(),
});

/** OpenAI's own models: the newer ones refuse `max_tokens` and a temperature, which the other servers take (and not all its successor). */
function isOpenAi(host: string): boolean {
  return host === "api.openai.com" || host.endsWith(".openai.com") || host.endsWith(".openai.azure.com");
}

export function openai(host: string): Dialect {
  return {
    path: "/chat/completions",
    headers: (key): Record<string, string> => (key === undefined ? {} : { authorization: `Bearer ${key}` }),
    body: ({ system, messages, schema, max_tokens }, model, withSchema) => ({
      model,
      ...(isOpenAi(host) ? { max_completion_tokens: max_tokens } : { max_tokens, temperature: 0 }),
      messages: [{ role: "system", content: system }, ...messages.map(({ role, text }) => ({ role, content: text }))],
      stream: false,
      ...(schema !== undefined && withSchema
        ? { response_format: { type: "json_schema", json_schema: { name: "answer", strict: true, schema } } }
        : {}),
    }),
    read(json) {
      const parsed = answerSchema.safeParse(json);
      const [choice] = parsed.data?.choices ?? [];
      if (choice === undefined)
        throw new ModelError("malformed", "its answer has another form than the chat completions'");
      const { message, finish_reason } = choice;
      if (message.refusal || finish_reason === "content_filter")
        throw new ModelError("refused", "the model refused to answer");
      return {
        text: message.content ?? "",
        input_tokens: parsed.data?.usage?.prompt_tokens ?? null,
        output_tokens: parsed.data?.usage?.completion_tokens ?? null,
      };
    },
  };
}
