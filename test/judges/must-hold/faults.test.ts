import { expect, it } from "vitest";
import type { AgentConnection } from "../../support/agent-connection.ts";
import { tokenOf } from "../../support/agent-connection.ts";
import { type JudgedGate, judgedGate, type Proposed } from "../../support/judged-gate.ts";
import {
  type Dialect,
  type Fault,
  HARMLESS_ANSWER,
  type ModelServer,
  modelServer,
} from "../../support/model-server.ts";

/** Of one question, in seconds. */
const TIMEOUT = 1;
/** What a machine that is busy with something else may add to a second, in milliseconds. */
const LATE = 8000;
/** Bytes of all answers together: some megabytes of each are on their way before its end is seen. */
const MOST_READ = 80 * 1024 * 1024;
const DIALECTS: readonly Dialect[] = ["anthropic", "openai"];

function faults(elsewhere: ModelServer): Record<string, Fault> {
  return {
    "hangs-before-headers": { fault: "hang-before-headers" },
    "hangs-after-headers": { fault: "hang-after-headers" },
    "half-json": { fault: "half-json" },
    "not-json": { fault: "not-json" },
    "wrong-shape": { fault: "wrong-shape" },
    "status-500": { fault: "status", status: 500 },
    "status-429": { fault: "status", status: 429, retry_after: "60" },
    "status-401": { fault: "status", status: 401 },
    refuses: { fault: "refusal" },
    "streams-for-ever": { fault: "stream-forever" },
    "100-MB": { fault: "huge", megabytes: 100 },
    "100-MB-in-gzip": { fault: "gzip-bomb" },
    redirects: { fault: "redirect", to: `${elsewhere.base_url}/chat/completions` },
    "redirects-by-GET": { fault: "redirect", to: `${elsewhere.base_url}/messages`, status: 302 },
    "html-type": { fault: "wrong-content-type" },
    resets: { fault: "reset" },
    "is-cut": { fault: "cut", text: '{"score": 0.9, "rea' },
  };
}

const model = (server: ModelServer, name: string, dialect: Dialect, id = name) => `[models.${name}]
dialect = "${dialect}"
base_url = "${server.base_url}"
model = "${id}"
timeout_seconds = ${TIMEOUT}
`;

/** A call that nobody looks at, of this agent: answered while a review is under way. */
async function othersGoOn(gate: JudgedGate, agents: readonly AgentConnection[]): Promise<number> {
  const started = performance.now();
  for (const agent of agents)
    expect((await gate.propose(agent, { executor: "time_now" }).decision).outcome).toBe("allowed");
  return performance.now() - started;
}

it.each(DIALECTS)(
  "the judge whose provider fails is a fallback in time, on card and trail, and others' calls are answered: %s",
  async (dialect) => {
    const elsewhere = await modelServer();
    const server = await modelServer();
    const gate = await judgedGate(`[judge]\nkind = "llm-v1"\nmodel = "m"\n${model(server, "m", dialect)}`);
    const [agent, other] = [await gate.agent("asked", "Supervised"), await gate.agent("other")];
    for (const [name, fault] of Object.entries(faults(elsewhere))) {
      // Every second question is answered: three failures in a row, and the next would not be asked at all.
      server.always(HARMLESS_ANSWER);
      const answered = await gate.propose(agent, gate.write()).decision;
      expect(answered.verdict, name).toMatchObject({ judge_kind: "llm-v1", score: 0.9 });
      expect(answered.verdict?.degraded, name).toBeUndefined();
      server.always(fault);
      const askedBefore = server.requests.length;
      const started = performance.now();
      const proposed = gate.propose(agent, gate.write());
      await server.received(askedBefore + 1);
      expect(await othersGoOn(gate, [agent, other]), name).toBeLessThan(LATE);
      const decision = await proposed.decision;
      expect(performance.now() - started, name).toBeLessThan(TIMEOUT * 1000 + LATE);
      expect(decision, name).toMatchObject({
        outcome: "approval_required",
        verdict: { approved: true, judge_kind: "llm-v1", score: 0.5, degraded: true },
        reviews: [{ stage: "judge", name: "m", outcome: "fallback" }],
      });
      const sentence = decision.reviews?.[0]?.sentence;
      expect(sentence, name).toMatch(/^llm-judge fallback \((?:parse fail|chat failed)\)$/);
      expect(await gate.card(tokenOf(decision)), name).toMatchObject({
        judge: { score: 0.5, degraded: true },
        reviews: [{ outcome: "fallback", sentence }],
      });
      expect(gate.line(decision), name).toMatchObject({
        judge_kind: "llm-v1",
        score: 0.5,
        degraded: true,
        reviews: [{ stage: "judge", name: "m", outcome: "fallback" }],
      });
    }
    expect([elsewhere.connectionsEver, elsewhere.requests]).toEqual([0, []]);
    expect(server.bytesSent).toBeLessThan(MOST_READ);
  },
);

it("a validator whose provider fails rejects in time, with a reason, and others' calls are answered", async () => {
  const elsewhere = await modelServer();
  const failing = faults(elsewhere);
  const server = await modelServer(({ body }) => failing[String(body.model)] ?? HARMLESS_ANSWER);
  // As many as there may be validators: the last faults in one dialect.
  const rows = Object.keys(failing)
    .flatMap((fault) => DIALECTS.map((dialect) => ({ fault, dialect, name: `${fault}-${dialect}` })))
    .filter(({ dialect }, index) => index < 30 || dialect === "openai");
  const sections = rows.map(
    ({ fault, dialect, name }) => `${model(server, name, dialect, fault)}
[judge_agents.${name}]
kind = "model"
model = "${name}"
prompt = "look at the call"
[[validators]]
type = "semantic"
judge_agent = "${name}"
criteria = "be careful"
timeout_seconds = ${TIMEOUT + 0.5}
when = { agents = ["${name.toLowerCase()}"] }
`,
  );
  const gate = await judgedGate(sections.join("\n"));
  const other = await gate.agent("other");
  const agents = await Promise.all(rows.map(({ name }) => gate.agent(name.toLowerCase())));
  const started = performance.now();
  const proposed: Proposed[] = agents.map((agent) => gate.propose(agent, gate.write()));
  await server.received(1);
  expect(await othersGoOn(gate, [other, ...agents])).toBeLessThan(LATE);
  const decisions = await Promise.all(proposed.map(({ decision }) => decision));
  expect(performance.now() - started).toBeLessThan(TIMEOUT * 1000 + LATE);
  for (const [index, { name }] of rows.entries()) {
    expect(decisions[index], name).toMatchObject({
      outcome: "denied",
      stage: "validators",
      explain: {
        rule: expect.stringMatching(/^validators\.(?:failed|timed-out|unusable-answer)$/),
        instead: expect.any(String),
      },
      reviews: [{ stage: "validators", name, outcome: "rejected" }],
    });
  }
  expect([elsewhere.connectionsEver, elsewhere.requests]).toEqual([0, []]);
  expect(server.bytesSent).toBeLessThan(MOST_READ);
});
