import { describe, expect, it } from "vitest";
import { isDenial } from "../../../main/decide/stages/examination.ts";
import { validation } from "../../../main/decide/stages/validation.ts";
import { examinationOf, manifestOf, type Situation } from "../../support/examinations.ts";

/** The validation's result for a call whose needs are not known yet. */
function validated(situation: Situation) {
  const x = examinationOf(situation);
  const found = validation(x);
  return isDenial(found) ? { x, denial: found, needs: undefined } : { x, denial: null, needs: found.needs };
}

const reasonOf = (situation: Situation) => validated(situation).denial?.reason;

describe("the arguments against the executor's schema", () => {
  it("what fits passes, and from here on the needs are known", () => {
    const { x, denial, needs } = validated({ executor: "Read", args: { file_path: "/srv/a.txt" } });
    expect(denial).toBeNull();
    expect(needs).toMatchObject([{ capability: "fs:read", target: { kind: "path", lexical: "/srv/a.txt" } }]);
    expect(x.trace).toEqual([{ stage: "validation", outcome: "passed", detail: "the arguments fit" }]);
  });

  it("an executor that nothing describes passes, and the trace says so", () => {
    const { x, denial } = validated({ executor: "mcp__box__run", args: { anything: [1] } });
    expect(denial).toBeNull();
    expect(x.trace).toEqual([{ stage: "validation", outcome: "passed", detail: "nothing describes this executor" }]);
  });

  it("what doesn't fit is denied by the argument's name, never its value, and has no needs", () => {
    const { x, denial, needs } = validated({ executor: "Read", args: { file_path: "/srv/a", offset: "SECRET-4711" } });
    expect(denial).toEqual({
      stage: "validation",
      reason: "validation failed: offset: expected number",
      explain: { rule: "validation.invalid-arguments", instead: "send the arguments that the executor declares" },
    });
    expect(needs).toBeUndefined();
    expect(x.trace).toEqual([
      { stage: "validation", outcome: "denied", detail: denial?.reason, rule: denial?.explain.rule },
    ]);
  });

  it("an argument that is missing is denied", () => {
    expect(reasonOf({ executor: "Read" })).toBe("validation failed: file_path: expected string");
  });
});

describe("what no schema says of a path", () => {
  const HIDES = "/srv/a.txt\0/etc/shadow";
  const LIST = manifestOf({ needs: [{ capability: "fs:read", target: { from: "path", arg: "paths" } }] });

  it.each<[string, Situation]>([
    ["path", { executor: "fs_read", args: { path: HIDES } }],
    ["pattern", { executor: "Glob", args: { pattern: HIDES } }],
    ["path", { executor: "Glob", args: { pattern: "*.ts", path: HIDES } }],
    ["paths", { executor: "box", args: { paths: ["/srv/a.txt", HIDES] }, own: [LIST] }],
  ])("a NUL byte hides the rest of it: %s, %j", (name, situation) => {
    const { denial, needs } = validated(situation);
    expect(denial?.stage).toBe("validation");
    expect(denial?.reason).toBe(`validation failed: ${name}: holds a NUL byte`);
    expect(denial?.explain.rule).toBe("validation.unusable-path");
    expect(needs).toBeUndefined();
  });

  it("in what is only content a NUL byte is a byte", () => {
    expect(reasonOf({ executor: "Write", args: { file_path: "/srv/a.bin", content: "a\0b" } })).toBeUndefined();
  });

  it("longer than the system takes is denied, as long as that is not", () => {
    const path = (length: number) => `/${`${"a".repeat(30)}/`.repeat(length)}`.slice(0, length);
    expect(reasonOf({ executor: "fs_read", args: { path: path(4096) } })).toBeUndefined();
    expect(reasonOf({ executor: "fs_read", args: { path: path(4097) } })).toBe(
      "validation failed: path: longer than 4096 characters",
    );
  });

  it("deeper than anybody works is denied, as a file and as the working directory", () => {
    const path = (names: number) => "/a".repeat(names);
    const read = { executor: "fs_read", args: { path: path(255) } };
    const why = "lies in too many folders, one in another";
    expect(reasonOf({ ...read, context: { cwd: path(255) } })).toBeUndefined();
    expect(reasonOf({ ...read, context: { cwd: path(256) } })).toBe(`validation failed: the working directory ${why}`);
    expect(reasonOf({ executor: "fs_read", args: { path: path(256) } })).toBe(`validation failed: path: ${why}`);
  });
});

describe("what the needs come to", () => {
  it("more targets than a user could read are denied", () => {
    const call = (count: number) => ({ executor: "mail_send", args: { to: Array(count).fill("a@b.example") } });
    expect(validated(call(1000)).denial).toBeNull();
    expect(validated(call(1001)).denial).toMatchObject({
      stage: "validation",
      reason: "validation failed: more than 1000 targets in one call",
      explain: { instead: "send several calls" },
    });
  });

  it.each(["file:///etc/hosts", "example.com/x", "https://", "ftp://example.com/"])(
    "an argument that should be a web address is denied where it is none: %s",
    (url) => {
      expect(validated({ executor: "http_get", args: { url } }).denial).toMatchObject({
        stage: "validation",
        reason: "validation failed: url: expected an http or https URL",
        explain: { instead: "send a whole URL" },
      });
    },
  );

  it("a host that can't be known is no bad argument where no argument is an address", () => {
    expect(reasonOf({ executor: "http_get", args: { url: "https://example.com/x" } })).toBeUndefined();
    expect(
      reasonOf({ executor: "fs_read", args: { path: "/srv/a" }, context: { capability: "network:http" } }),
    ).toBeUndefined();
  });
});
