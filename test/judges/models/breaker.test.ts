import { expect, it, onTestFinished, vi } from "vitest";
import { Breaker, FAILURES, OPEN_MS, type Try } from "../../../main/judges/models/provider-model.ts";
import { ModelBusy } from "../../../main/judges/reviews/judge-ports.ts";
import { type Fault, modelServer } from "../../support/model-server.ts";
import { failureOf, openedModel, QUESTION } from "../../support/opened-models.ts";

const never = new AbortController().signal;

function begun(breaker: Breaker): Try {
  const attempt = breaker.begin();
  if (attempt === undefined) throw new Error("it is open");
  return attempt;
}

it("three failures in a row open the breaker for half a minute; then one try, and no second one beside it", () => {
  let now = 0;
  const breaker = new Breaker(() => now);
  begun(breaker).failed();
  begun(breaker).failed();
  begun(breaker).succeeded();
  for (let count = 1; count < FAILURES; count++) begun(breaker).failed();
  expect(breaker.isOpen).toBe(false);
  begun(breaker).failed();
  expect(breaker.isOpen).toBe(true);
  now += OPEN_MS - 1;
  expect(breaker.begin()).toBeUndefined();
  now += 1;
  expect(breaker.isOpen).toBe(false);
  const only = begun(breaker);
  expect(breaker.begin()).toBeUndefined();
  only.failed();
  expect(breaker.begin()).toBeUndefined();
  now += OPEN_MS;
  // Given up: the next one may try.
  begun(breaker).dropped();
  begun(breaker).succeeded();
  expect([breaker.isOpen, breaker.hasOpened]).toEqual([false, false]);
});

it("after three failures a model isn't asked, an alarm says so, and the first answer ends it", async () => {
  const now = vi.spyOn(performance, "now");
  onTestFinished(() => now.mockRestore());
  const server = await modelServer({ fault: "status", status: 500, retry_after: "60" });
  const { model, alarms } = openedModel(server);
  for (let count = 0; count < FAILURES; count++) {
    expect(alarms.list()).toEqual([]);
    await failureOf(model.ask(QUESTION, never));
  }
  expect(model.problem).toBe("breaker-open");
  expect(await failureOf(model.ask(QUESTION, never))).toMatchObject({ problem: "breaker-open" });
  expect(server.requests).toHaveLength(FAILURES);
  expect(alarms.list()).toMatchObject([
    { code: "judge_unavailable", subject: "judge", message: expect.stringContaining("it answers 500") },
  ]);
  now.mockReturnValue(performance.now() + OPEN_MS);
  expect(model.problem).toBeNull();
  server.always('{"score": 1, "reason": "fine"}');
  await model.ask(QUESTION, never);
  expect(alarms.list()).toEqual([]);
});

it.each<Fault>([{ fault: "refusal" }, { fault: "status", status: 400 }, { fault: "status", status: 413 }])(
  "what a call itself can bring about ($fault $status) never opens the breaker for the others",
  async (fault) => {
    const server = await modelServer(fault);
    const { model, alarms } = openedModel(server);
    for (let count = 0; count < 2 * FAILURES; count++)
      expect(await failureOf(model.ask(QUESTION, never))).toMatchObject({ problem: "refused" });
    expect(model.problem).toBeNull();
    expect(alarms.list()).toEqual([]);
  },
);

it("a refused key opens it", async () => {
  const server = await modelServer({ fault: "status", status: 401 });
  const { model } = openedModel(server);
  for (let count = 0; count < FAILURES; count++) await failureOf(model.ask(QUESTION, never));
  expect(model.problem).toBe("breaker-open");
});

it("questions given up by those who asked never open it", async () => {
  const server = await modelServer({ fault: "hang-before-headers" });
  const { model } = openedModel(server, { config: { timeout_seconds: 60 } });
  for (let count = 0; count < 2 * FAILURES; count++) {
    const stop = new AbortController();
    const asked = failureOf(model.ask(QUESTION, stop.signal));
    await server.received(count + 1);
    stop.abort(new Error("given up"));
    await asked;
  }
  expect(model.problem).toBeNull();
});

it("a server of this machine is looked for in the background, at no cost, and found once it is there", async () => {
  const server = await modelServer();
  const { models, model, alarms } = openedModel(server);
  models.begin();
  await server.until(() => server.others.length === 1);
  expect(server.others).toEqual(["GET /v1/models"]);
  expect([server.requests.length, model.spentToday.calls]).toEqual([0, 0]);

  vi.useFakeTimers({ toFake: ["setTimeout"] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const port = server.port;
  await server.close();
  for (let count = 0; count < FAILURES; count++) await failureOf(model.ask(QUESTION, never));
  expect(alarms.list()).toMatchObject([{ code: "judge_unavailable" }]);
  const again = await modelServer(undefined, port);
  const now = performance.now();
  const spy = vi.spyOn(performance, "now").mockReturnValue(now + OPEN_MS);
  onTestFinished(() => spy.mockRestore());
  vi.advanceTimersByTime(10_000);
  await again.until(() => again.others.length === 1);
  await vi.waitFor(() => expect(alarms.list()).toEqual([]));
});

it("a provider on another machine is never contacted before something is to be judged", async () => {
  const server = await modelServer();
  const { models } = openedModel(server, { config: { base_url: server.onlineUrl } });
  models.begin();
  models.close();
  expect(server.connectionsEver).toBe(0);
});

it("a model that is busy with others' questions isn't one that fails", async () => {
  const server = await modelServer(() => ({ text: "fine", after: 700 }));
  const { model } = openedModel(server, { config: { timeout_seconds: 1 } });
  const asked = await Promise.allSettled(Array.from({ length: 24 }, () => model.ask(QUESTION, never)));
  const failures = asked.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
  expect(failures).toHaveLength(16);
  expect(failures.every((error) => error instanceof ModelBusy)).toBe(true);
  expect([model.failure, model.problem]).toEqual([null, null]);
  expect(server.requests).toHaveLength(8);
});

it("one that waits for its turn waits no longer than its own time limit", async () => {
  const server = await modelServer({ fault: "hang-before-headers" });
  const { model } = openedModel(server, { config: { timeout_seconds: 0.3 } });
  const begun = performance.now();
  const errors = await Promise.all(Array.from({ length: 12 }, () => failureOf(model.ask(QUESTION, never))));
  expect(performance.now() - begun).toBeLessThan(2000);
  expect(errors.slice(0, 8).map(({ message }) => message)).toEqual(Array(8).fill("no answer within 0.3 s"));
  // The first ones may have opened the breaker by then.
  for (const error of errors.slice(8))
    expect(error.message).toMatch(/^too many questions to it were waiting$|^it failed several times/);
  expect(server.requests).toHaveLength(8);
});
