import { describe, expect, it } from "vitest";
import { ParamHeaders } from "../../../cli/mcp/http-server.ts";

const mark = (header: unknown, type: unknown = "string") => ({ type, "x-mcp-header": header });

function headersOf(properties: object, args: Record<string, unknown>, more: object = {}) {
  const headers = new ParamHeaders();
  headers.learn({ tools: [{ name: "look", inputSchema: { type: "object", properties, ...more } }] });
  return headers.of("look", args);
}

describe("what a schema marks", () => {
  it.each([
    ["a text", { a: mark("A") }, { a: "x y" }, { "mcp-param-A": "x y" }],
    ["an empty text", { a: mark("A") }, { a: "" }, { "mcp-param-A": "=?base64??=" }],
    ["a text with a line's end", { a: mark("A") }, { a: "x\r\ny: z" }, { "mcp-param-A": "=?base64?eA0KeTogeg==?=" }],
    [
      "a number and a boolean",
      { a: mark("A", "integer"), b: mark("B", "boolean") },
      { a: -1, b: false },
      { "mcp-param-A": "-1", "mcp-param-B": "false" },
    ],
    [
      "an argument that isn't there, is null or an object",
      { a: mark("A"), b: mark("B"), c: mark("C") },
      { b: null, c: {} },
      {},
    ],
    ["what an object inherits", { toString: mark("A"), constructor: { properties: { name: mark("B") } } }, {}, {}],
    ["a property that is called so", { "x-mcp-header": { type: "string" } }, { "x-mcp-header": "x" }, {}],
    ["a default that looks so", { a: { type: "object", default: mark("A b") } }, { a: {} }, {}],
  ])("%s", (_what, properties, args, expected) => {
    expect(headersOf(properties, args)).toEqual(expected);
  });

  it.each([
    ["is empty", { a: mark("") }],
    ["is no text", { a: mark(1) }],
    ["has a space", { a: mark("A b") }],
    ["has a line's end", { a: mark("A\r\nx") }],
    ["has letters of another alphabet", { a: mark("Région") }],
    ["is on an object", { a: mark("A", "object") }],
    ["is on a number", { a: mark("A", "number") }],
    ["is on several types", { a: mark("A", ["string", "null"]) }],
    ["is there twice", { a: mark("Region"), b: mark("rEGION") }],
    ["is within the items of a list", { a: { type: "array", items: mark("A") } }],
    ["is within a choice", { a: { anyOf: [mark("A")] } }],
    [
      "is too deep",
      { a: Array.from({ length: 80 }).reduce((inner: object) => ({ properties: { a: inner } }), mark("A")) },
    ],
  ])("isn't called where a mark %s", (_what, properties) => {
    expect(headersOf(properties, { a: "x" })).toBeUndefined();
  });

  it("isn't called where lists lie in lists, more than can be followed", () => {
    const lists: unknown = JSON.parse(`${"[".repeat(200_000)}${"]".repeat(200_000)}`);
    expect(headersOf({ a: { anyOf: lists } }, { a: "x" })).toBeUndefined();
  });

  it("isn't called where a mark is on the whole of the arguments, or on a definition", () => {
    expect(headersOf({}, {}, { "x-mcp-header": "A" })).toBeUndefined();
    expect(headersOf({}, {}, { $defs: { a: mark("A") } })).toBeUndefined();
  });

  it("is as the server has said it last, by tool", () => {
    const headers = new ParamHeaders();
    const tools = (properties: object) => ({
      tools: [1, { name: "look", inputSchema: { properties } }, { name: "plain" }],
    });
    headers.learn(tools({ a: mark("A b") }));
    headers.learn(tools({ a: mark("A") }));
    expect(headers.of("look", { a: "x" })).toEqual({ "mcp-param-A": "x" });
    headers.learn(tools({ a: { type: "string" } }));
    expect([headers.of("look", { a: "x" }), headers.of("plain", {}), headers.of("unknown", {})]).toEqual([{}, {}, {}]);
  });
});
