import { expect, it } from "vitest";
import { GateError } from "../../ipc/contract/gate-error.ts";
import type { OperatorHandler, OperatorMethod } from "../../ipc/contract/operator-api.ts";
import { dispatch } from "../../ipc/socket/operator-dispatch.ts";

function contract(handle: () => Promise<unknown>) {
  const handled: [OperatorMethod, unknown][] = [];
  const failures: [string, unknown][] = [];
  const api: OperatorHandler = {
    call: () => Promise.reject(new Error("a transport's parameters are not checked yet")),
    handle: (method, params) => {
      handled.push([method, params]);
      return handle();
    },
    subscribe: () => () => undefined,
    close: async () => undefined,
  };
  return { api, handled, failures, failed: (method: string, error: unknown) => failures.push([method, error]) };
}

it("a call is handed on as it came, and its result comes back", async () => {
  const { api, handled, failed } = contract(async () => ({ pid: 7 }));
  expect(await dispatch(api, "status", { any: "thing" }, { failed })).toEqual({ ok: true, result: { pid: 7 } });
  expect(handled).toEqual([["status", { any: "thing" }]]);
});

it.each(["agents.become_root", "constructor", "toString", "__proto__", ""])(
  "%j is no method: only the contract's own names are",
  async (method) => {
    const { api, handled, failed } = contract(async () => ({}));
    expect(await dispatch(api, method, {}, { failed })).toMatchObject({
      ok: false,
      failure: { code: "unknown_method" },
    });
    expect(handled).toEqual([]);
  },
);

it("what the contract refuses is a value with its code, sentence and hint, and is not logged", async () => {
  const { api, failures, failed } = contract(() => Promise.reject(new GateError("unknown_agent", "nobody", "see")));
  expect(await dispatch(api, "agents.revoke", { name: "x" }, { failed })).toEqual({
    ok: false,
    failure: { code: "unknown_agent", message: "nobody", hint: "see" },
  });
  expect(failures).toEqual([]);
});

it("an unexpected failure is logged, and the caller gets nothing of its message", async () => {
  const error = new TypeError("the value of the secret is 1234");
  const { api, failures, failed } = contract(() => Promise.reject(error));
  const answer = await dispatch(api, "status", {}, { failed });
  expect(answer).toMatchObject({ ok: false, failure: { code: "internal" } });
  expect(JSON.stringify(answer)).not.toContain("1234");
  expect(failures).toEqual([["status", error]]);
});

it("a method that a transport refuses never reaches the contract", async () => {
  const { api, handled, failed } = contract(async () => ({}));
  const refusal = (method: string) =>
    method === "web.link" ? new GateError("not_available", "a page makes no links") : undefined;
  expect(await dispatch(api, "web.link", {}, { failed, refusal })).toMatchObject({
    failure: { code: "not_available" },
  });
  expect(await dispatch(api, "status", {}, { failed, refusal })).toMatchObject({ ok: true });
  expect(handled).toEqual([["status", {}]]);
});
