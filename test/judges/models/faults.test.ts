import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import type { ModelProblem } from "../../../ipc/contract/judges.ts";
import { ModelError } from "../../../main/judges/reviews/judge-ports.ts";
import { type Fault, HARMLESS_ANSWER, modelServer } from "../../support/model-server.ts";
import { failureOf, openedModel, QUESTION } from "../../support/opened-models.ts";

const never = new AbortController().signal;

const KEY = "sk-test-0123456789abcdef";
const VALUE = "PASSWORD_segreto_8841";
const SECRET_QUESTION = { ...QUESTION, messages: [{ role: "user" as const, text: `rm ${VALUE}` }] };

/** Each way in which a provider goes wrong, what the gate says then, and how many requests it sends. */
const FAULTS: [name: string, fault: Fault, problem: ModelProblem, requests: number][] = [
  ["hangs before its headers", { fault: "hang-before-headers" }, "not-answering", 1],
  ["hangs after its headers", { fault: "hang-after-headers" }, "not-answering", 1],
  ["sends half a JSON", { fault: "half-json" }, "malformed", 1],
  ["sends no JSON", { fault: "not-json" }, "malformed", 1],
  ["sends another form of JSON", { fault: "wrong-shape", body: { note: `${VALUE} ${KEY}` } }, "malformed", 1],
  ["answers 500, twice", { fault: "status", status: 500, body: `${VALUE} ${KEY}` }, "not-answering", 2],
  ["answers 429, twice", { fault: "status", status: 429, retry_after: "0" }, "not-answering", 2],
  ["wants to be asked in an hour", { fault: "status", status: 429, retry_after: "3600" }, "not-answering", 1],
  ["answers 401", { fault: "status", status: 401, body: KEY }, "refused", 1],
  ["answers 403", { fault: "status", status: 403 }, "refused", 1],
  ["answers 404", { fault: "status", status: 404 }, "refused", 1],
  ["answers 400 with and without a schema", { fault: "status", status: 400, body: VALUE }, "refused", 2],
  ["streams for ever", { fault: "stream-forever" }, "not-answering", 1],
  ["sends 100 MB", { fault: "huge" }, "malformed", 1],
  ["sends a gzip bomb", { fault: "gzip-bomb" }, "malformed", 1],
  ["says that it isn't JSON", { fault: "wrong-content-type" }, "malformed", 1],
  ["resets the connection", { fault: "reset" }, "unreachable", 1],
  ["refuses to answer", { fault: "refusal" }, "refused", 1],
];

describe.each(["anthropic", "openai"] as const)("a provider of the dialect %s", (dialect) => {
  it.each(FAULTS)(
    "that %s: a sentence without key and values, within the time limit",
    async (...[, fault, problem, requests]) => {
      const server = await modelServer(fault);
      const { model } = openedModel(server, {
        dialect,
        config: { timeout_seconds: 0.6, key_env: "KEY" },
        env: { KEY },
      });
      const begun = performance.now();
      const error = await failureOf(model.ask(SECRET_QUESTION, never));
      expect(error).toBeInstanceOf(ModelError);
      expect(error).toMatchObject({ problem });
      expect(performance.now() - begun).toBeLessThan(3000);
      expect(server.requests).toHaveLength(requests);
      for (const secret of [KEY, VALUE]) expect(inspect(error, { depth: 10 })).not.toContain(secret);
      expect(model.spentToday.calls).toBe(requests);
      expect(model.failure).toBe(error);
    },
  );

  it("that redirects: the other host gets nothing, and no key", async () => {
    const other = await modelServer();
    for (const status of [301, 302, 303, 307, 308]) {
      const server = await modelServer({ fault: "redirect", to: `${other.base_url}/messages`, status });
      const { model } = openedModel(server, { dialect, config: { key_env: "KEY" }, env: { KEY } });
      expect(await failureOf(model.ask(QUESTION, never))).toMatchObject({ problem: "unreachable" });
      expect(server.requests).toHaveLength(1);
    }
    expect(other.connectionsEver).toBe(0);
  });

  it("that sends 100 MB, plain or compressed: no more than the limit is read of it", async () => {
    const server = await modelServer();
    const { model } = openedModel(server, { dialect, config: { timeout_seconds: 10 } });
    const before = process.memoryUsage().rss;
    for (const fault of ["huge", "gzip-bomb"] as const) {
      server.next({ fault });
      expect(await failureOf(model.ask(QUESTION, never))).toMatchObject({ problem: "malformed" });
    }
    // What fills the sockets' buffers was sent.
    expect(server.bytesSent).toBeLessThan(30 * 1024 * 1024);
    await server.until(() => server.openConnections === 0);
    expect((process.memoryUsage().rss - before) / 1024 / 1024).toBeLessThan(60);
  });

  it("that hangs: other questions are answered meanwhile", async () => {
    const server = await modelServer();
    const { model } = openedModel(server, { dialect, config: { timeout_seconds: 5 } });
    server.next(...Array<Fault>(7).fill({ fault: "hang-before-headers" }));
    const stop = new AbortController();
    const hanging = Array.from({ length: 7 }, () => failureOf(model.ask(QUESTION, stop.signal)));
    await server.received(7);
    for (let count = 0; count < 5; count++) expect((await model.ask(QUESTION, never)).text).toBe(HARMLESS_ANSWER);
    stop.abort(new Error("enough"));
    for (const error of await Promise.all(hanging)) expect(error.message).toBe("enough");
  });

  it("that is asked no more: the connection is closed at once", async () => {
    const server = await modelServer({ fault: "hang-after-headers" });
    const { model } = openedModel(server, { dialect, config: { timeout_seconds: 60 } });
    const stop = new AbortController();
    const asked = failureOf(model.ask(QUESTION, stop.signal));
    await server.received(1);
    const begun = performance.now();
    stop.abort(new Error("cancelled by its agent"));
    expect((await asked).message).toBe("cancelled by its agent");
    await server.until(() => server.aborted === 1 && server.openConnections === 0);
    expect(performance.now() - begun).toBeLessThan(1000);
    // Given up by the asker: nothing is wrong with the model.
    expect(model.failure).toBeNull();
  });

  it("is asked once more after 429 or 500, when it says, and its second answer counts", async () => {
    const server = await modelServer();
    const { model } = openedModel(server, { dialect, config: { timeout_seconds: 5 } });
    server.next({ fault: "status", status: 429, retry_after: "1" });
    const answer = await model.ask(QUESTION, never);
    expect(answer.text).toBe(HARMLESS_ANSWER);
    expect(answer.ms).toBeGreaterThanOrEqual(990);
    server.next({ fault: "status", status: 503, retry_after: new Date(Date.now() - 1000).toUTCString() });
    expect((await model.ask(QUESTION, never)).text).toBe(HARMLESS_ANSWER);
    expect(model.spentToday.calls).toBe(4);
  });

  it("that knows no schema is asked without one from then on", async () => {
    const server = await modelServer(({ schema }) =>
      schema === undefined ? HARMLESS_ANSWER : { fault: "status", status: 400 },
    );
    const { model } = openedModel(server, { dialect });
    await model.ask(QUESTION, never);
    await model.ask(QUESTION, never);
    expect(server.requests.map(({ schema }) => schema !== undefined)).toEqual([true, false, false]);
  });
});

it("a server that isn't there: unreachable, with the system's code alone", async () => {
  const server = await modelServer();
  const { model } = openedModel(server);
  await server.close();
  expect(await failureOf(model.ask(QUESTION, never))).toMatchObject({
    problem: "unreachable",
    message: "it can't be reached (ECONNREFUSED)",
  });
});

it("once closed, everything that is being asked or waits for its turn ends, and no connection is left", async () => {
  const server = await modelServer({ fault: "hang-before-headers" });
  const opened = openedModel(server, { config: { timeout_seconds: 60 } });
  const asked = Array.from({ length: 20 }, () => failureOf(opened.model.ask(QUESTION, never)));
  await server.received(8);
  expect(server.requests).toHaveLength(8);
  opened.close();
  for (const error of await Promise.all(asked))
    expect(error).toMatchObject({ problem: "unreachable", message: "the gate ends" });
  await server.until(() => server.openConnections === 0);
  expect(server.requests).toHaveLength(8);
});
