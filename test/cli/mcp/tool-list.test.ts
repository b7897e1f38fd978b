import { expect, it } from "vitest";
import { ToolList } from "../../../cli/mcp/tool-list.ts";

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
  const notText = Buffer.concat([
    Buffer.from('{"id":1,"result":{"tools":[{"name":"look","description":"'),
    Buffer.of(0xff),
    Buffer.from('"}]}}'),
  ]);
  expect(listed(notText)).toEqual([]);
  // Of two of one name the client may have taken the other one.
  expect(listed(page(1, `[${LOOK},{"name":"x"},{"name":"x","description":"other"}]`))).toEqual([]);
  const list = new ToolList();
  expect(list.missed()).toBeUndefined();
  list.requested("1", true);
  expect([list.missed(), list.isExpected]).toEqual([[], false]);
});

it("an answer that some clients take for the page, and others don't, describes nothing, nor does what follows it", () => {
  const read = page(1, '[{"name":"look","description":"read by the model"}]').toString().trim();
  const shown = page(1, `[${LOOK}]`);
  for (const first of [
    read.replace('"id":1', '"id":"1"'),
    read.replace('"id":1', '"id":1.0,"ID":7'),
    read.replace('"id":1', '"id":7,"Id":1'),
    read.replace('"id":1', '"id":1,"id":7'),
    `\ufeff${read}`,
    `[${read}]`,
    `no message\r${read}\r`,
    read.replace('"id":1', '"id":1,"method":"ping"'),
    read.replace('"id":1', '"id":1,"error":{"code":1,"message":"no"}'),
  ])
    expect(listed(Buffer.from(`${first}\n`), shown) ?? [], first).toEqual([]);
  for (const tools of [
    '[{"name":"look","description":"shown","Description":"read"}]',
    '[{"name":"look","inputSchema":{},"INPUTSCHEMA":{"x":1}}]',
    `[{"name":"look","inputSchema":${"[".repeat(9000)}${"]".repeat(9000)}}]`,
  ])
    expect(listed(page(1, tools)), tools.slice(0, 60)).toEqual([]);
  expect(listed(page(1, `[${LOOK}]`, ',"Tools":[{"name":"other"}]'))).toEqual([]);
  // What is no answer of it at all changes nothing.
  const other = Buffer.from('{"method":"notifications/message","params":{"n":9007199254740993}}\n');
  expect(listed(Buffer.from("[info] it listens\n"), other, shown)).toEqual([KNOWN]);
});
