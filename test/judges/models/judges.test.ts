import { describe, expect, it } from "vitest";
import { ManualClock } from "../../support/manual-clock.ts";
import { HARMLESS_ANSWER, modelServer } from "../../support/model-server.ts";
import { startGate } from "../../support/running-gate.ts";

const LLM_V1 = ["[judge]", 'kind = "llm-v1"', 'model = "small"'];
const CALL = { executor: "fs_write", args: { path: "/srv/notes/a.txt", content: "x" }, intent: "write a note" };

function lines(...parts: string[]): string {
  return `${parts.join("\n")}\n`;
}

describe("a gate with a model as judge", () => {
  it("asks it before the user is asked: a low score denies, and names the judge", async () => {
    const server = await modelServer('{"score": 0.1, "reason": "nobody asked for it"}');
    const gate = await startGate({ config: lines(...LLM_V1, server.toml("small")) });
    const agent = await gate.agent();
    const { decision } = await agent.ask(CALL);
    expect(decision).toMatchObject({
      outcome: "denied",
      stage: "judge",
      verdict: { judge_kind: "llm-v1", score: 0.1 },
    });
    expect(server.requests).toHaveLength(1);
    server.always(HARMLESS_ANSWER);
    const second = await agent.ask({ ...CALL, args: { path: "/srv/notes/b.txt", content: "x" } });
    expect(second.decision).toMatchObject({
      outcome: "approval_required",
      verdict: { judge_kind: "llm-v1", score: 0.9 },
    });
  });

  it("starts without waiting for a model that hangs, ends at once, and leaves no connection", async () => {
    const server = await modelServer({ fault: "hang-before-headers" });
    const gate = await startGate({ config: lines(...LLM_V1, server.toml("small", "openai", "timeout_seconds = 120")) });
    const agent = await gate.agent();
    agent.send("tool.call", { id: "1", ...CALL });
    await server.received(1);
    const begun = performance.now();
    await gate.close();
    expect(performance.now() - begun).toBeLessThan(2000);
    await server.until(() => server.openConnections === 0);
  });

  it("says in one answer whether the model works, how long it took and what it cost", async () => {
    const server = await modelServer({ text: HARMLESS_ANSWER, input_tokens: 900, output_tokens: 30 });
    const prices = ["input_price = 3", "output_price = 15"];
    const gate = await startGate({ config: lines(...LLM_V1, server.toml("small", "anthropic", ...prices)) });
    const found = await gate.operator.call("judge.test", {});
    expect(found).toMatchObject({ name: "small", ok: true, problem: null, sentence: "fits the intent", score: 0.9 });
    expect(found).toMatchObject({ input_tokens: 900, output_tokens: 30, cost: 0.00315 });
    expect(found.ms).toBeLessThan(5000);
    server.next("I would say it is fine.", { fault: "refusal" }, { fault: "status", status: 401 });
    expect(await gate.operator.call("judge.test", { model: "small" })).toMatchObject({
      ok: false,
      problem: "malformed",
    });
    expect(await gate.operator.call("judge.test", {})).toMatchObject({ ok: false, problem: "refused" });
    expect(await gate.operator.call("judge.test", {})).toMatchObject({
      ok: false,
      problem: "refused",
      sentence: "the key is refused (401)",
    });
    await expect(gate.operator.call("judge.test", { model: "large" })).rejects.toMatchObject({ code: "no_such_model" });
    const status = await gate.operator.call("judge.status", {});
    expect(status.models).toMatchObject([
      { name: "small", dialect: "anthropic", problem: "refused", calls_today: 4, measured: null, is_online: false },
    ]);
  });

  it("over its budget calls are judged by the rules until midnight, the status says so, one alarm", async () => {
    const clock = new ManualClock();
    const server = await modelServer();
    const gate = await startGate({
      clock,
      config: lines(...LLM_V1, server.toml("small", "openai", "calls_per_day = 1")),
    });
    const agent = await gate.agent();
    const ask = async (name: string) =>
      (await agent.ask({ ...CALL, args: { path: `/srv/notes/${name}`, content: "x" } })).decision;
    expect(await ask("a")).toMatchObject({ verdict: { judge_kind: "llm-v1" } });
    const now = async () => (await gate.operator.call("judge.status", {})).kind_now;
    expect(await now()).toBe("rule-based-v1");
    const second = await ask("b");
    expect(second).toMatchObject({ outcome: "approval_required", verdict: { judge_kind: "rule-based-v1" } });
    expect(server.requests).toHaveLength(1);
    const { alarms } = await gate.operator.call("status", {});
    expect(alarms).toMatchObject([{ code: "judge_over_budget", subject: "small" }]);
    clock.advance(24 * 3600);
    expect(await now()).toBe("llm-v1");
    expect(await ask("c")).toMatchObject({ verdict: { judge_kind: "llm-v1" } });
    expect(server.requests).toHaveLength(2);
    // The new day's, as its one call is used up, too.
    expect((await gate.operator.call("status", {})).alarms).toMatchObject([{ since: "2026-05-05T10:00:00Z" }]);
  });

  it("that has none: every answer is the fallback, and an alarm says why", async () => {
    const gate = await startGate({ config: lines("[judge]", 'kind = "llm-v1"') });
    const agent = await gate.agent();
    expect((await agent.ask(CALL)).decision).toMatchObject({
      outcome: "approval_required",
      verdict: { score: 0.5, degraded: true, reason: "approved: score 0.50 (llm-judge fallback (router missing))" },
    });
    expect((await gate.operator.call("status", {})).alarms).toMatchObject([
      { code: "judge_unavailable", subject: "llm-v1", message: "the judge llm-v1 has no model: it asks nobody" },
    ]);
    await expect(gate.operator.call("judge.test", {})).rejects.toMatchObject({ code: "no_such_model" });
  });

  it("counts questions and reviews for the metrics", async () => {
    const server = await modelServer();
    const gate = await startGate({ config: lines(...LLM_V1, server.toml("small", "openai", "input_price = 10000")) });
    const agent = await gate.agent();
    await agent.ask(CALL);
    server.always({ fault: "status", status: 404 });
    await agent.ask({ ...CALL, args: { path: "/srv/notes/b.txt", content: "y" } });
    const { text } = await gate.operator.call("metrics", {});
    expect(text).toContain('metnos_gate_model_calls_total{model="small",outcome="answered"} 1');
    expect(text).toContain('metnos_gate_model_calls_total{model="small",outcome="refused"} 1');
    expect(text).toContain('metnos_gate_model_cost_total{model="small"} 1');
    expect(text).toContain('metnos_gate_model_call_duration_seconds_count{model="small"} 1');
    expect(text).toContain('metnos_gate_reviews_total{stage="judge",outcome="passed"} 1');
    expect(text).toContain('metnos_gate_reviews_total{stage="judge",outcome="fallback"} 1');
    expect(text).toContain('metnos_gate_review_duration_seconds_count{stage="judge"} 2');
    expect(text).toContain('metnos_gate_reviews_total{stage="validators",outcome="rejected"} 0');
    expect(text).not.toContain("srv/notes");
  });
});

it("a gate whose configuration names nobody to ask has no figures of them", async () => {
  const gate = await startGate();
  expect((await gate.operator.call("metrics", {})).text).not.toMatch(/metnos_gate_(model|review)/);
  expect(await gate.operator.call("judge.status", {})).toMatchObject({ kind: "rule-based-v1", models: [] });
});

it("a model on another machine isn't tested either before online = true is set", async () => {
  const server = await modelServer();
  const config = server.toml("far").replace(server.base_url, server.onlineUrl);
  const gate = await startGate({ config });
  await expect(gate.operator.call("judge.test", { model: "far" })).rejects.toMatchObject({ code: "not_available" });
  expect(server.connectionsEver).toBe(0);
  const online = await startGate({ config: `[judge]\nonline = true\n${config}` });
  expect(await online.operator.call("judge.test", { model: "far" })).toMatchObject({ ok: true });
});
