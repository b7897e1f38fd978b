import { expect, it } from "vitest";
import { tokenOf } from "../../support/agent-connection.ts";
import { filesWith, type JudgedGate, judgedGate } from "../../support/judged-gate.ts";
import { type ModelServer, modelServer, type ReceivedRequest } from "../../support/model-server.ts";

/** A value of each call, at a place of its own. None may be found anywhere else, nor a judge's words that quote it. */
const VALUES = {
  shell_exec: "kestrel-zq81-command",
  fs_write: "marigold-hb52-content",
  mail_send: "turbine-wx07-body",
  unknown_tool: "lantern-pf93-argument",
};
const MARKS = /kestrel-zq81|marigold-hb52|turbine-wx07|lantern-pf93/;

const judgeSays = (score: number, value: string) =>
  JSON.stringify({ score, reason: `it says ${value} and I repeat ${value}` });
const agentSays = (score: number, value: string) =>
  JSON.stringify({
    score,
    confidence: 1,
    reasoning: `it says ${value}`,
    signals: [{ category: value, score, message: value }],
    metadata: { [value]: value },
  });

const CALLS: readonly { executor: keyof typeof VALUES; intent: string; args: Record<string, unknown> }[] = [
  {
    executor: "shell_exec",
    intent: `deploy with ${VALUES.shell_exec}`,
    args: { command: `deploy --stage ${VALUES.shell_exec}` },
  },
  {
    executor: "fs_write",
    intent: `note ${VALUES.fs_write}`,
    args: { path: "/srv/notes/a.txt", content: `stage: ${VALUES.fs_write}\n` },
  },
  {
    executor: "mail_send",
    intent: VALUES.mail_send,
    args: { to: "anna@example.org", subject: "notes", body: VALUES.mail_send },
  },
  { executor: "unknown_tool", intent: VALUES.unknown_tool, args: { anything: VALUES.unknown_tool } },
];

const config = (judge: ModelServer, validator: ModelServer, more = "") => `[metrics]
enabled = true
[judge]
kind = "llm-v1"
model = "m"
${more}
${judge.toml("m", "openai", "timeout_seconds = 2", 'key_env = "JUDGE_KEY"')}
${validator.toml("v", "anthropic", "timeout_seconds = 2", 'key_env = "JUDGE_KEY"')}
[judge_agents.quoting]
kind = "model"
model = "v"
prompt = "look at the call"
[judge_agents.printing]
kind = "command"
command = ["/bin/sh", "-c", "cat; cat >&2"]
[[validators]]
type = "semantic"
judge_agent = "quoting"
criteria = "be careful"
[[validators]]
type = "semantic"
judge_agent = "printing"
criteria = "be careful"
when = { agents = ["printed"] }
`;

const KEY = "sk-the-key-of-the-model";

/** What Activity shows of a call itself, from memory, with and without judges: what it needs, how its command was read, and what it is for. */
const OF_THE_CALL: ReadonlySet<string> = new Set(["capabilities", "readings", "intent"]);

/** All that a surface can be shown of what was decided, once nothing waits any more. */
async function shownOf({ operator }: JudgedGate): Promise<string> {
  const entries = (await operator.call("activity.list", { limit: 500 })).entries;
  const opened = await Promise.all(entries.map(({ decision_id }) => operator.call("activity.open", { decision_id })));
  const shown = [
    entries,
    opened,
    await operator.call("approvals.history", {}),
    await operator.call("audit.tail", { lines: 1000 }),
    await operator.call("status", {}),
    await operator.call("judge.status", {}),
  ];
  return JSON.stringify(shown, (key, value: unknown) => (OF_THE_CALL.has(key) ? undefined : value));
}

async function metricsOf({ operator }: JudgedGate): Promise<string> {
  const { page_url } = await operator.call("status", {});
  const answer = await fetch(new URL("/metrics", page_url ?? ""));
  expect(answer.status).toBe(200);
  return await answer.text();
}

const headersAndAddress = ({ headers }: ReceivedRequest) => JSON.stringify(headers);

it("no value of a call is left anywhere, whatever its judges say: files, logs, surfaces, headers", async () => {
  const [judge, validator] = [await modelServer(), await modelServer()];
  const gate = await judgedGate(config(judge, validator), {
    args: ["--web"],
    env: { METNOS_DEBUG: "all", JUDGE_KEY: KEY },
  });
  const agent = await gate.agent("worker", "Supervised");
  const printed = await gate.agent("printed", "Supervised");
  let value = "";
  const judges = (score: number) => () => judgeSays(score, value);
  const validates = (score: number) => () => agentSays(score, value);
  const prose = () => `not an object: ${value}`;
  const echo = ({ text }: ReceivedRequest) => ({ fault: "status", status: 400, body: text }) as const;
  const wrong = ({ text }: ReceivedRequest) => ({ fault: "wrong-shape", body: { error: { message: text } } }) as const;
  // What fails comes last: after three failures a model isn't asked for a while.
  const rounds = [
    { judge: judges(0.9), validator: validates(1) },
    { judge: judges(0.1), validator: validates(1) },
    { judge: judges(0.9), validator: validates(0.1) },
    { judge: prose, validator: prose },
    { judge: echo, validator: echo },
    { judge: judges(0.9), validator: wrong },
  ];
  const seenOnCards = new Set<string>();
  for (const [round, says] of rounds.entries()) {
    judge.always(says.judge);
    validator.always(says.validator);
    for (const asking of [agent, printed])
      for (const call of CALLS) {
        value = VALUES[call.executor];
        const proposed = gate.propose(asking, { ...call, intent: `${call.intent} ${round}` });
        const decision = await proposed.decision;
        if (decision.pending === undefined) continue;
        const card = await gate.card(tokenOf(decision));
        if (JSON.stringify(card.reviews).includes(value)) seenOnCards.add(value);
        await gate.operator.call("approvals.resolve", { token: tokenOf(decision), decision: "rejected" });
        await proposed.final();
      }
  }
  // What the test looks for is there while it waits: a judge's sentence as it is, and the whole call in the question.
  expect([...seenOnCards].toSorted()).toEqual(Object.values(VALUES).toSorted());
  for (const one of Object.values(VALUES))
    expect(
      validator.requests.some(({ text }) => text.includes(one)),
      one,
    ).toBe(true);
  expect(await shownOf(gate)).not.toMatch(MARKS);
  const metrics = await metricsOf(gate);
  expect(metrics).toMatch(/judge/);
  expect(metrics).not.toMatch(MARKS);
  const sent = [...judge.requests, ...validator.requests];
  expect(sent.length).toBeGreaterThan(20);
  expect(sent.map(headersAndAddress).filter((text) => MARKS.test(text))).toEqual([]);
  expect([...judge.others, ...validator.others].filter((text) => MARKS.test(text))).toEqual([]);
  await expect.poll(() => filesWith(gate.home.home, MARKS)).toEqual([]);
  expect(filesWith(gate.home.home, new RegExp(KEY))).toEqual([]);
  await gate.serve.end("SIGTERM");
  expect(filesWith(gate.home.home, MARKS)).toEqual([]);
  const { stdout, stderr } = gate.serve;
  expect(stderr).toContain("judge");
  expect(stdout + stderr).not.toMatch(MARKS);
  expect(stdout + stderr).not.toContain(KEY);
});

it("with send = keys no value of an argument is in a question to the judge", async () => {
  const [judge, validator] = [await modelServer(), await modelServer(agentSays(1, "nothing"))];
  const gate = await judgedGate(config(judge, validator, 'send = "keys"'), { env: { JUDGE_KEY: KEY } });
  const agent = await gate.agent("worker", "Supervised");
  for (const call of CALLS) await gate.propose(agent, { ...call, intent: "weekly housekeeping" }).decision;
  expect(judge.requests).toHaveLength(CALLS.length);
  for (const { text } of judge.requests) {
    expect(text).toContain("weekly housekeeping");
    expect(text).not.toMatch(MARKS);
  }
  expect(judge.last.text).toContain("anything");
});

it("what looks like a secret is masked in questions to models on this machine, too", async () => {
  const [judge, validator] = [await modelServer(), await modelServer(agentSays(1, "nothing"))];
  const gate = await judgedGate(config(judge, validator), { env: { JUDGE_KEY: KEY } });
  const agent = await gate.agent("worker", "Supervised");
  const secret = "hunter2-Xk39-correct";
  const calls = [
    { executor: "shell_exec", args: { command: `deploy --token=${secret} --stage blue` } },
    { executor: "shell_exec", args: { command: `API_KEY=${secret} deploy --stage blue` } },
    { executor: "unknown_tool", args: { password: secret, stage: "blue" } },
  ];
  for (const call of calls) await gate.propose(agent, { ...call, intent: "deploy" }).decision;
  const asked = [...judge.requests, ...validator.requests].map(({ text }) => text);
  expect(asked).toHaveLength(2 * calls.length);
  for (const text of asked) {
    expect(text).toContain("blue");
    expect(text).not.toContain(secret);
  }
});
