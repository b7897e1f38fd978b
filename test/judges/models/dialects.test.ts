import { expect, it } from "vitest";
import { anthropic } from "../../../main/judges/models/anthropic.ts";
import { openai } from "../../../main/judges/models/openai.ts";
import { HARMLESS_ANSWER, modelServer } from "../../support/model-server.ts";
import { openedModel, QUESTION } from "../../support/opened-models.ts";

const never = new AbortController().signal;
const KEY = "sk-test-0123456789abcdef";

it("Anthropic's Messages API: key and version in their headers, the schema without what it refuses", async () => {
  const server = await modelServer();
  const config = { key_env: "KEY", input_price: 3, output_price: 15 };
  const { model } = openedModel(server, { dialect: "anthropic", config, env: { KEY } });
  const answer = await model.ask(QUESTION, never);
  expect(answer).toMatchObject({ text: HARMLESS_ANSWER, input_tokens: 100, output_tokens: 20 });
  expect(answer.cost).toBeCloseTo((100 * 3 + 20 * 15) / 1e6, 12);
  const { headers, body } = server.last;
  expect(headers).toMatchObject({ "x-api-key": KEY, "anthropic-version": "2023-06-01" });
  expect(headers).not.toHaveProperty("authorization");
  expect(headers).not.toHaveProperty("cookie");
  expect(body).toEqual({
    model: "test-model",
    max_tokens: 64,
    system: QUESTION.system,
    messages: [{ role: "user", content: "Is it harmless to print the date?" }],
    output_config: {
      format: {
        type: "json_schema",
        schema: {
          type: "object",
          properties: { score: { type: "number" }, reason: { type: "string" } },
          required: ["score", "reason"],
          additionalProperties: false,
        },
      },
    },
  });
});

it("chat completions: key as bearer, the schema strict, max_tokens as local servers know it", async () => {
  const server = await modelServer();
  const { model } = openedModel(server, { config: { key_env: "KEY" }, env: { KEY } });
  expect(await model.ask(QUESTION, never)).toMatchObject({ text: HARMLESS_ANSWER, input_tokens: 100, cost: 0 });
  const { headers, body } = server.last;
  expect(headers.authorization).toBe(`Bearer ${KEY}`);
  expect(headers).not.toHaveProperty("x-api-key");
  expect(body).toEqual({
    model: "test-model",
    max_tokens: 64,
    temperature: 0,
    messages: [
      { role: "system", content: QUESTION.system },
      { role: "user", content: "Is it harmless to print the date?" },
    ],
    stream: false,
    response_format: { type: "json_schema", json_schema: { name: "answer", strict: true, schema: QUESTION.schema } },
  });
});

it("OpenAI's own models get max_completion_tokens, and no temperature", () => {
  for (const host of ["api.openai.com", "ours.openai.azure.com"]) {
    const body = openai(host).body(QUESTION, "some-model", true);
    expect(body).toMatchObject({ max_completion_tokens: 64 });
    expect(Object.keys(body)).not.toContain("max_tokens");
    expect(Object.keys(body)).not.toContain("temperature");
  }
  expect(openai("openrouter.ai").body(QUESTION, "some-model", true)).toMatchObject({ max_tokens: 64 });
});

it("without a key no header of one is sent, and without a schema none is asked for", async () => {
  for (const dialect of ["anthropic", "openai"] as const) {
    const server = await modelServer();
    const { model } = openedModel(server, { dialect });
    const { schema: _, ...question } = QUESTION;
    await model.ask(question, never);
    expect(Object.keys(server.last.headers)).not.toEqual(expect.arrayContaining(["x-api-key"]));
    expect(Object.keys(server.last.headers)).not.toEqual(expect.arrayContaining(["authorization"]));
    expect(server.last.schema).toBeUndefined();
  }
});

it("text of several blocks is one text, thinking isn't part of it, cached input counts as input", () => {
  expect(
    anthropic.read({
      content: [
        { type: "thinking", thinking: "hm", signature: "x" },
        { type: "text", text: '{"score"' },
        { type: "text", text: ": 1}" },
      ],
      stop_reason: "end_turn",
      usage: { input_tokens: 10, cache_creation_input_tokens: 5, cache_read_input_tokens: 100, output_tokens: 7 },
    }),
  ).toEqual({ text: '{"score": 1}', input_tokens: 115, output_tokens: 7 });
});

it("what a provider's own filter stops is a refusal", () => {
  const read = () =>
    openai("127.0.0.1").read({ choices: [{ message: { content: "" }, finish_reason: "content_filter" }] });
  expect(read).toThrow("the model refused to answer");
});

it.each([
  ["a negative number of tokens", { choices: [{ message: { content: "x" } }], usage: { prompt_tokens: -5 } }],
  ["no choice", { choices: [] }],
  ["text that is none", { choices: [{ message: { content: { a: 1 } } }] }],
  ["null", null],
])("an answer with %s is malformed", (_name, json) => {
  expect(() => openai("127.0.0.1").read(json)).toThrow(expect.objectContaining({ problem: "malformed" }));
});

it("a connection to this machine isn't kept, one to another is", async () => {
  const server = await modelServer();
  const { model } = openedModel(server);
  for (let count = 0; count < 3; count++) await model.ask(QUESTION, never);
  expect(server.connectionsEver).toBe(3);
  const online = openedModel(server, { config: { base_url: server.onlineUrl } }).model;
  expect(online.is_online).toBe(true);
  for (let count = 0; count < 3; count++) await online.ask(QUESTION, never);
  expect(server.connectionsEver).toBeLessThan(6);
});
