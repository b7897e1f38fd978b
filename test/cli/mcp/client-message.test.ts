import { describe, expect, it } from "vitest";
import { readClientLine } from "../../../cli/mcp/client-message.ts";

const read = (text: string) => readClientLine(Buffer.from(`${text}\n`));
const CALL = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"look","arguments":{}}}';

describe("a line that some servers would read as a call, or as another one", () => {
  it.each([
    ["one end of a line is white space to JSON", `{"method":"notifications/x","params":\r${CALL}\r}`],
    ["the key of its method in capitals", CALL.replace('"method"', '"Method"')],
    ["another method in capitals behind its own", CALL.replace('"tools/call"', '"ping","METHOD":"tools/call"')],
    ["a letter that folds to one of its method's key", CALL.replace('"params"', '"param\u017f"')],
    ["a key that ends at its NUL", CALL.replace('"method"', '"method\\u0000x"')],
    ["its method in capitals", CALL.replace("tools/call", "Tools/Call")],
    ["its method with white space", CALL.replace("tools/call", " tools/call ")],
    ["a method that ends at its NUL", CALL.replace("tools/call", "tools/call\\u0000")],
    ["a second name", CALL.replace('"name":"look"', '"name":"look","Name":"delete"')],
    ["second arguments", CALL.replace('"arguments":{}', '"arguments":{},"ARGUMENTS":{"all":true}')],
    ["a call in a list in a list", `[[${CALL}]]`],
    ["a call in capitals in a list", `[${CALL.replace('"method"', '"Method"')}]`],
  ])("is refused: %s", (_, text) => {
    expect(read(text).kind).toBe("refused");
  });

  it("is none of those whose keys and ends are their own", () => {
    expect(read(`${CALL}\r`).kind).toBe("call");
    const args = CALL.replace('"arguments":{}', '"arguments":{"name":"a","Name":"b","method":"tools/call"}');
    expect(read(args).kind).toBe("call");
    expect(read('{"jsonrpc":"2.0","id":2,"method":"prompts/get","params":{"Name":"x"}}').kind).toBe("other");
  });

  it("is read without an exception, however deep its id is", () => {
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    expect(read(`{"method":"tools/list","id":${deep}}`).kind).toBe("other");
    expect(read(`{"method":"notifications/cancelled","params":{"requestId":${deep}}}`).kind).toBe("other");
  });
});
