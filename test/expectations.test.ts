import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAst } from "rolldown/parseAst";
import { expect, it } from "vitest";

// A test without an expectation only fails by a time-out, or never.

const ROOT = join(import.meta.dirname, "..");

interface Call {
  type: "CallExpression";
  start: number;
  callee: unknown;
  arguments: unknown[];
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
const isCall = (value: unknown): value is Call => isObject(value) && value.type === "CallExpression";

/** `it(...)`, `it.each(...)(...)`, `test.skipIf(...)(...)`: the name that all of it begins with. */
function nameOf(callee: unknown): unknown {
  if (!isObject(callee)) return undefined;
  if (callee.type === "Identifier") return callee.name;
  return nameOf(callee.type === "MemberExpression" ? callee.object : (callee.callee ?? callee.tag));
}

function* callsIn(node: unknown): Generator<Call> {
  if (Array.isArray(node)) for (const one of node) yield* callsIn(one);
  else if (isObject(node)) {
    if (isCall(node)) yield node;
    for (const key in node) yield* callsIn(node[key]);
  }
}

/** The text of each test's function, with the line that it begins at. */
function testsIn(text: string): { line: number; body: string }[] {
  return [...callsIn(parseAst(text, { lang: "ts" }))].flatMap(({ start, callee, arguments: given }) => {
    if (nameOf(callee) !== "it" && nameOf(callee) !== "test") return [];
    const body = given.find((one) => isObject(one) && /^(?:Arrow)?Function/.test(String(one.type)));
    if (!isObject(body)) return [];
    const line = text.slice(0, start).split("\n").length;
    return [{ line, body: text.slice(Number(body.start), Number(body.end)) }];
  });
}

/** In these words: `expect`, a function of the file that expects (`expectRefused`), or one that all its tests share. */
const EXPECTS = /\bexpect|\bawait (?:story|mustHold|inAllSituations<\w+>)\(/;

it("each test expects something", () => {
  const tests = globSync("test/**/*.test.ts", { cwd: ROOT }).flatMap((file) =>
    testsIn(readFileSync(join(ROOT, file), "utf8")).map((test) => ({ file, ...test })),
  );
  expect(tests.length).toBeGreaterThan(1000);
  expect(tests.filter(({ body }) => !EXPECTS.test(body)).map(({ file, line }) => `${file}:${line}`)).toEqual([]);
});

it("one that expects nothing is found, however it is called", () => {
  const without = 'it("a", () => { wait(); }); test.each([1])("b", async (one) => await look(one));';
  const found = testsIn(`${without} it("c", () => { expect(1).toBe(1); });`);
  expect(found.map(({ body }) => EXPECTS.test(body))).toEqual([false, false, true]);
});
