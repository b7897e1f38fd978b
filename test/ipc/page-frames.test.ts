import fc from "fast-check";
import { expect, it } from "vitest";
import { GateError } from "../../ipc/contract/gate-error.ts";
import { readAnswer } from "../../ipc/socket/page-frames.ts";

it("a result, a failure and an event are read as what they are", () => {
  expect(readAnswer('{"id":1,"result":{"pid":7}}')).toEqual({ id: 1, result: { pid: 7 } });
  expect(readAnswer('{"id":1,"result":null}')).toEqual({ id: 1, result: null });
  expect(readAnswer('{"event":{"type":"settings.changed","data":[]}}')).toEqual({
    event: { type: "settings.changed", data: [] },
  });
  const failed = readAnswer('{"id":2,"failure":{"code":"unknown_agent","message":"nobody","hint":"see"}}');
  expect(failed).toEqual({ id: 2, error: new GateError("unknown_agent", "nobody", "see") });
  expect(failed).toMatchObject({ error: { code: "unknown_agent", hint: "see" } });
});

it("a code that this page doesn't know is unexpected, with the gate's own sentence", () => {
  expect(readAnswer('{"id":2,"failure":{"code":"from_the_future","message":"no","hint":"see"}}')).toMatchObject({
    error: { code: "unexpected", message: "no" },
  });
});

it.each([
  ["no JSON", "nonsense"],
  ["nothing", ""],
  ["a number", "7"],
  ["null", "null"],
  ["a list", "[]"],
  ["an object that is none of them", "{}"],
  ["an id alone", '{"id":1}'],
  ["a result without an id", '{"result":{}}'],
  ["an id that is text", '{"id":"1","result":{}}'],
  ["a failure that is text", '{"id":1,"failure":"no"}'],
  ["a failure without a code", '{"id":1,"failure":{"message":"a","hint":"b"}}'],
  ["a failure whose hint is none", '{"id":1,"failure":{"code":"a","message":"b","hint":null}}'],
  ["an event that is null", '{"event":null}'],
  ["an event without a type", '{"event":{"data":{}}}'],
  ["an event without data", '{"event":{"type":"decision"}}'],
])("%s is no frame of the page's", (_what, text) => {
  expect(readAnswer(text)).toBeUndefined();
});

it("no text makes it throw", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      expect(() => readAnswer(text)).not.toThrow();
    }),
  );
});
