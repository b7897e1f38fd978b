import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, onTestFinished } from "vitest";
import { openDatabase } from "../../../main/base/sqlite/database.ts";
import { ACTIVITY_SCHEMA } from "../../../main/records/activity/activity.ts";
import { ModelSpending } from "../../../main/records/activity/spending.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { HARMLESS_ANSWER, modelServer } from "../../support/model-server.ts";
import { failureOf, openedModel, QUESTION } from "../../support/opened-models.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const never = new AbortController().signal;

// Midnight is the user's: this zone's, two hours before Greenwich's in summer.
let zone: string | undefined;
beforeEach(() => {
  zone = process.env.TZ;
  process.env.TZ = "Europe/Rome";
});
afterEach(() => {
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
});

const clockAt = (iso: string) => new ManualClock(iso);

function opened(file: string, clock: ManualClock): { spending: ModelSpending; failures: string[]; close(): void } {
  const db = openDatabase(file, ACTIVITY_SCHEMA);
  const failures: string[] = [];
  const spending = new ModelSpending(db, clock.now, (what) => failures.push(what));
  const close = () => {
    db.close();
  };
  onTestFinished(close);
  return { spending, failures, close };
}

it("beyond the calls of a day a model isn't asked until midnight, one alarm says so, and it is over by itself", async () => {
  const clock = clockAt("2026-05-04T10:00:00Z");
  const server = await modelServer();
  const { model, alarms } = openedModel(server, { clock, config: { calls_per_day: 2 } });
  await model.ask(QUESTION, never);
  expect(model.problem).toBeNull();
  await model.ask(QUESTION, never);
  expect(model.problem).toBe("over-budget");
  expect(alarms.list()).toMatchObject([
    { code: "judge_over_budget", subject: "judge", message: expect.stringContaining("2 of 2 calls") },
  ]);
  expect(await failureOf(model.ask(QUESTION, never))).toMatchObject({ problem: "over-budget" });
  expect([server.requests.length, alarms.list().length]).toEqual([2, 1]);
  clock.jump((Date.parse("2026-05-04T21:59:59Z") - clock.ms) / 1000);
  expect(model.problem).toBe("over-budget");
  clock.advance(1);
  expect([model.problem, model.spentToday.calls]).toEqual([null, 0]);
  await model.ask(QUESTION, never);
  expect(alarms.list()).toEqual([]);
});

it("the alarm says for which agent a model was asked most today", async () => {
  const clock = clockAt("2026-05-04T10:00:00Z");
  const { model, alarms } = openedModel(await modelServer(), { clock, config: { calls_per_day: 4 } });
  for (const askedFor of ["claude", "codex", "codex"]) await model.ask({ ...QUESTION, asked_for: askedFor }, never);
  await model.ask(QUESTION, never);
  expect(alarms.list()[0]?.message).toContain("4 of 4 calls; most for codex, 2 calls");
  clock.advance(86_400);
  for (const askedFor of ["claude", "codex", "claude", "claude"])
    await model.ask({ ...QUESTION, asked_for: askedFor }, never);
  expect(alarms.list()[0]?.message).toContain("4 of 4 calls; most for claude, 3 calls");
});

it("beyond the money of a day, too: by the configured prices and the tokens that the provider counts", async () => {
  const server = await modelServer({ text: HARMLESS_ANSWER, input_tokens: 1000, output_tokens: 100 });
  const config = { input_price: 3, output_price: 15, cost_per_day: 0.005 };
  const { model, alarms } = openedModel(server, { config });
  expect((await model.ask(QUESTION, never)).cost).toBeCloseTo(0.0045, 12);
  expect(model.problem).toBeNull();
  await model.ask(QUESTION, never);
  expect(model.spentToday).toMatchObject({ calls: 2, input_tokens: 2000, output_tokens: 200 });
  expect(model.spentToday.cost).toBeCloseTo(0.009, 12);
  expect(model.problem).toBe("over-budget");
  expect(alarms.list()).toMatchObject([{ message: expect.stringContaining("0.009 of 0.005") }]);
});

it("a provider that counts no tokens: a fourth of the characters, both ways", async () => {
  const server = await modelServer({ text: "x".repeat(41), input_tokens: null });
  const { model } = openedModel(server, { config: { input_price: 1_000_000 } });
  const answer = await model.ask(
    { ...QUESTION, system: "s".repeat(40), messages: [{ role: "user", text: "u" }] },
    never,
  );
  expect(answer).toMatchObject({ input_tokens: null, output_tokens: null, cost: 11 });
  expect(model.spentToday).toMatchObject({ input_tokens: 11, output_tokens: 11 });
});

it("what failed after it was sent counts, and so does what nobody waits for any more", async () => {
  const server = await modelServer({ fault: "status", status: 404 });
  const { model } = openedModel(server, { config: { input_price: 1_000_000, timeout_seconds: 60 } });
  await failureOf(model.ask(QUESTION, never));
  expect(model.spentToday).toMatchObject({ calls: 1, cost: 0 });
  server.always({ fault: "hang-after-headers" });
  const stop = new AbortController();
  const asked = failureOf(model.ask(QUESTION, stop.signal));
  await server.received(2);
  stop.abort(new Error("given up"));
  await asked;
  expect(model.spentToday.calls).toBe(2);
  expect(model.spentToday.cost).toBeGreaterThan(1);
});

it("the second try isn't sent once the budget is used up by the first", async () => {
  const server = await modelServer({ fault: "status", status: 500, retry_after: "0" });
  const { model } = openedModel(server, { config: { calls_per_day: 1 } });
  expect(await failureOf(model.ask(QUESTION, never))).toMatchObject({ problem: "over-budget" });
  expect(server.requests).toHaveLength(1);
});

it("a gate that starts with a used up budget says so at once, without asking a provider on another machine", async () => {
  const file = join(tempFolder(), "activity.db");
  const server = await modelServer();
  const options = { file, config: { calls_per_day: 1, base_url: server.onlineUrl } };
  const first = openedModel(server, options);
  await first.model.ask(QUESTION, never);
  first.close();
  const { models, alarms } = openedModel(server, options);
  models.begin();
  expect(alarms.list()).toMatchObject([{ code: "judge_over_budget", subject: "judge" }]);
  expect(server.requests).toHaveLength(1);
});

it("a restart continues the day", () => {
  const file = join(tempFolder(), "activity.db");
  const clock = clockAt("2026-05-04T10:00:00Z");
  const first = opened(file, clock);
  first.spending.sent("a");
  first.spending.cost("a", { input_tokens: 10, output_tokens: 5, cost: 0.25 });
  first.spending.sent("b");
  first.close();
  const second = opened(file, clock);
  expect(second.spending.today("a")).toEqual({ calls: 1, input_tokens: 10, output_tokens: 5, cost: 0.25 });
  expect(second.spending.today("b").calls).toBe(1);
});

it("a killed process loses nothing that it had counted", async () => {
  const file = join(tempFolder(), "activity.db");
  const program = `
    import { ACTIVITY_SCHEMA } from ${JSON.stringify(join(import.meta.dirname, "../../../main/records/activity/activity.ts"))};
    import { ModelSpending } from ${JSON.stringify(join(import.meta.dirname, "../../../main/records/activity/spending.ts"))};
    import { openDatabase } from ${JSON.stringify(join(import.meta.dirname, "../../../main/base/sqlite/database.ts"))};
    const spending = new ModelSpending(openDatabase(process.argv[1], ACTIVITY_SCHEMA), () => Date.parse("2026-05-04T10:00:00Z"), () => undefined);
    for (let count = 0; count < 100; count++) spending.sent("a");
    process.kill(process.pid, "SIGKILL");`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program, file], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  expect(await once(child, "exit")).toEqual([null, "SIGKILL"]);
  expect(opened(file, clockAt("2026-05-04T11:00:00Z")).spending.today("a").calls).toBe(100);
});

it("a clock that is set back doesn't give a second budget, neither on the same day nor over midnight nor after a restart", () => {
  const file = join(tempFolder(), "activity.db");
  const clock = clockAt("2026-05-04T00:30:00Z");
  const { spending, close } = opened(file, clock);
  spending.sent("a");
  clock.jump(-60);
  expect(spending.today("a").calls).toBe(1);
  clock.jump(-36 * 3600);
  expect(spending.today("a").calls).toBe(1);
  close();
  const again = opened(file, clock).spending;
  expect(again.today("a").calls).toBe(1);
  again.sent("a");
  clock.jump(36 * 3600 + 60);
  expect(again.today("a").calls).toBe(2);
  clock.advance(24 * 3600);
  expect(again.today("a").calls).toBe(0);
});

it("a clock that was months ahead by mistake doesn't keep the budget used up for months", () => {
  const file = join(tempFolder(), "activity.db");
  const clock = clockAt("2027-01-01T12:00:00Z");
  const { spending, close } = opened(file, clock);
  spending.sent("a");
  close();
  clock.jump(-200 * 24 * 3600);
  expect(opened(file, clock).spending.today("a").calls).toBe(0);
});

it("what the database can't take is counted all the same, and written the next time", () => {
  const file = join(tempFolder(), "activity.db");
  const clock = clockAt("2026-05-04T10:00:00Z");
  const db = openDatabase(file, ACTIVITY_SCHEMA);
  onTestFinished(() => {
    db.close();
  });
  const failures: string[] = [];
  const spending = new ModelSpending(db, clock.now, (what) => failures.push(what));
  db.pragma("query_only = 1");
  spending.sent("a");
  expect([spending.today("a").calls, failures]).toEqual([1, ["counting what models cost"]]);
  db.pragma("query_only = 0");
  spending.sent("a");
  expect(opened(file, clock).spending.today("a").calls).toBe(2);
});

it("days of more than two months ago are deleted", () => {
  const file = join(tempFolder(), "activity.db");
  const clock = clockAt("2026-05-04T10:00:00Z");
  const { spending, close } = opened(file, clock);
  spending.sent("a");
  close();
  clock.advance(63 * 24 * 3600);
  const db = openDatabase(file, ACTIVITY_SCHEMA);
  onTestFinished(() => {
    db.close();
  });
  new ModelSpending(db, clock.now, () => undefined).sent("b");
  expect(db.prepare("SELECT model FROM model_spending").pluck().all()).toEqual(["b"]);
});
