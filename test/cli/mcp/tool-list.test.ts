import { expect, it } from "vitest";
import { sourceOf, ToolList } from "../../../cli/mcp/tool-list.ts";

const page = (id: unknown, tools: string, more = "") =>
  Buffer.from(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"tools":${tools}${more}}}\n`);
const LOOK =
  '{"name":"look","description":"d","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true},"icons":[]}';
const KNOWN = { name: "look", description: "d", input_schema: { type: "object" }, annotations: { readOnlyHint: true } };

function listed(...lines: Buffer[]) {
  const list = new ToolList();
  list.requested("1", true);
  return lines.map((line) => list.answered(line)).at(-1);
}

it("the tools of each page are known, and those of the pages before, by the answers to the client's own requests alone", () => {
  const list = new ToolList();
  expect(list.isExpected).toBe(false);
  list.requested('"a"', true);
  expect(list.answered(page("b", `[${LOOK}]`))).toBeUndefined();
  expect(list.answered(Buffer.from("no message\n"))).toBeUndefined();
  expect(list.answered(page("a", `[${LOOK}]`, ',"nextCursor":"2"'))).toEqual([KNOWN]);
  list.requested("2", false);
  expect(list.answered(page(2, '[{"name":"other","title":"t"}]'))).toEqual([
    KNOWN,
    { name: "other", title: "t", input_schema: {} },
  ]);
  list.requested("2", false);
  expect(list.answered(page(2, `[${LOOK}]`))).toEqual([]);
  // A new list is another one.
  list.requested("3", true);
  expect(list.answered(page(3, `[${LOOK}]`))).toEqual([KNOWN]);
  expect(list.answered(page(3, `[${LOOK}]`))).toBeUndefined();
});

it("a list that could be read in two ways describes nothing, and takes back what was described", () => {
  expect(listed(page(1, `[${LOOK}]`))).toEqual([KNOWN]);
  for (const tools of [
    '[{"name":"look","description":"shown","description":"read"}]',
    '[{"name":"look","inputSchema":{"n":9007199254740993}}]',
    '[{"name":"look","__proto__":{}}]',
    '[{"name":7}]',
    '"none"',
    `[{"name":"${"n".repeat(257)}"}]`,
    `[{"name":"look","description":"${"d".repeat(800_000)}"}]`,
    JSON.stringify(Array.from({ length: 1025 }, (_, n) => ({ name: `t${n}` }))),
  ])
    expect(listed(page(1, tools)), tools.slice(0, 60)).toEqual([]);
  const not_text = Buffer.concat([
    Buffer.from('{"id":1,"result":{"tools":[{"name":"look","description":"'),
    Buffer.of(0xff),
    Buffer.from('"}]}}'),
  ]);
  expect(listed(not_text)).toEqual([]);
  // Of two of one name the client may have taken the other one.
  expect(listed(page(1, `[${LOOK},{"name":"x"},{"name":"x","description":"other"}]`))).toEqual([]);
  const list = new ToolList();
  expect(list.missed()).toBeUndefined();
  list.requested("1", true);
  expect([list.missed(), list.isExpected]).toEqual([[], false]);
});

it("what a server is depends on each of the words that start it", () => {
  expect(sourceOf(["a", "b"])).toMatch(/^[0-9a-f]{64}$/);
  expect(new Set([["a", "b"], ["a b"], ["b", "a"], ["a"]].map(sourceOf)).size).toBe(4);
});
