import { expect, it } from "vitest";
import { undoCheck } from "../../cli/doctor-checks.ts";

it("doctor says when nothing can be taken back, and what to do", () => {
  expect(undoCheck(true, null)).toMatchObject({ check: "undo", ok: true });
  expect(undoCheck(false, "git is not installed")).toEqual({ check: "undo", ok: true, detail: "switched off" });
  expect(undoCheck(true, "git is older than 2.20")).toEqual({
    check: "undo",
    ok: false,
    detail: "nothing can be taken back: git is older than 2.20",
    fix: "install git 2.20 or newer",
  });
});
