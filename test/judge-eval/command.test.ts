import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { gatePaths } from "../../ipc/base/paths.ts";
import { measuredText } from "../../ipc/words/judge-words.ts";
import { OUR_CALLS } from "../../judge-eval/arguments.ts";
import { readCalls } from "../../judge-eval/formats/formats.ts";
import { loadConfig } from "../../main/config/config.ts";
import { measuredOf } from "../../main/judges/judge-results.ts";
import { JUDGE_PROMPT_VERSION } from "../../main/judges/reviews/model-judge/prompt.ts";
import { type ModelServer, modelServer, type ReceivedRequest, type Scripted } from "../support/model-server.ts";
import { tempFolder } from "../support/temp-folder.ts";

// The judge is scripted: its figures are no judge's quality. They are kept in a home of the test alone.

const RUN = resolve(import.meta.dirname, "../../judge-eval/run.ts");
const CALLS = readCalls("ours", [OUR_CALLS]);
const LABELS = new Map(CALLS.map(({ intent, label }) => [intent, label]));

function newHome(toml: string) {
  const env = { HOME: tempFolder(), PATH: process.env.PATH ?? "" };
  const paths = gatePaths(env);
  mkdirSync(dirname(paths.configFile), { recursive: true });
  writeFileSync(paths.configFile, toml);
  const measured = () =>
    measuredOf(paths.judgeResults, loadConfig(paths.configFile, env), "local", JUDGE_PROMPT_VERSION);
  return { env, paths, measured };
}

async function run(
  env: NodeJS.ProcessEnv,
  ...args: string[]
): Promise<{ code: number; stdout: string; stderr: string }> {
  try {
    return { code: 0, ...(await promisify(execFile)(process.execPath, [RUN, ...args], { env })) };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, stdout, stderr };
  }
}

function intentOf({ messages }: ReceivedRequest): string {
  const line = /^intent: (.*)$/m.exec(messages[0]?.text ?? "")?.[1];
  return JSON.parse(line ?? '""') as string;
}

const answer = (score: number): Scripted => ({
  text: JSON.stringify({ score, reason: "by the table" }),
  input_tokens: 1000,
  output_tokens: 100,
});

/** Knows every label, and is wrong in so many calls of each. */
function knowing(wrong: { missed: number; alarms: number; silent: number }): (request: ReceivedRequest) => Scripted {
  const of = (label: string) => CALLS.filter((call) => call.label === label).map(({ intent }) => intent);
  const missed = new Set(of("refuse").slice(0, wrong.missed));
  const silent = new Set(of("refuse").slice(wrong.missed, wrong.missed + wrong.silent));
  const alarms = new Set(of("allow").slice(0, wrong.alarms));
  return (request) => {
    const intent = intentOf(request);
    const label = LABELS.get(intent);
    if (label === undefined) throw new Error(`no such call: ${intent}`);
    if (silent.has(intent)) return "I would rather not say.";
    return answer(missed.has(intent) || (label === "allow" && !alarms.has(intent)) ? 0.9 : 0.1);
  };
}

function toml(server: ModelServer, ...more: string[]): string {
  return server.toml("local", "openai", "input_price = 2", "output_price = 10", ...more);
}

describe("npm run judge-eval", () => {
  it("finds a scripted judge exactly as good as it is, and keeps that for this configuration", async () => {
    const server = await modelServer(knowing({ missed: 8, silent: 4, alarms: 7 }));
    const home = newHome(toml(server));
    const { code, stdout } = await run(home.env, "--model", "local", "--json");
    expect(code).toBe(0);
    const found = JSON.parse(stdout) as { calls: unknown[] };
    expect(found).toMatchObject({
      data: "ours",
      send: "redacted",
      endedEarly: null,
      notAsked: {},
      figures: {
        judge: {
          true_positives: 63,
          false_negatives: 12,
          false_positives: 7,
          true_negatives: 68,
          precision: { hits: 63, of: 70, value: 0.9 },
          recall: { hits: 63, of: 75, value: 0.84 },
          accuracy: { hits: 131, of: 150 },
        },
        refuseEverything: { precision: { value: 0.5 }, recall: { value: 1 }, accuracy: { value: 0.5 } },
        allowEverything: { precision: null, recall: { value: 0 }, accuracy: { value: 0.5 } },
        fallbacks: 4,
      },
    });
    expect(found.calls).toHaveLength(150);
    expect(server.requests).toHaveLength(150);
    expect(measuredText(home.measured(), "en")).toMatch(
      /^measured on ours \(150 calls, 4 without an answer, \d{4}-\d\d-\d\d\): precision 0\.90, recall 0\.84$/,
    );
    expect(statSync(home.paths.judgeResults).mode & 0o777).toBe(0o600);
    // Beside the gate: its databases aren't there.
    expect(existsSync(home.paths.activity_db)).toBe(false);
  });

  it("says a part and what was spent in words, and another configuration isn't measured", async () => {
    const server = await modelServer(knowing({ missed: 0, silent: 0, alarms: 0 }));
    const home = newHome(toml(server));
    const { code, stdout } = await run(
      home.env,
      "--model",
      "local",
      "--limit",
      "30",
      "--send",
      "full",
      "--at-once",
      "1",
    );
    expect([code, stdout.split("\n").slice(0, 9)]).toEqual([
      0,
      [
        `local: test-model at 127.0.0.1:${server.port} (openai), send full, refuses below 0.45`,
        "ours: 30 of 150 calls, 15 to refuse, 15 to allow",
        "",
        "                    precision                   recall                      accuracy",
        "local               1.00 (15/15, 0.80 to 1.00)  1.00 (15/15, 0.80 to 1.00)  1.00 (30/30, 0.89 to 1.00)",
        "rule-based-v1       -                           0.00 (0/15, 0.00 to 0.20)   0.50 (15/30, 0.33 to 0.67)",
        "refuse everything   0.50 (15/30, 0.33 to 0.67)  1.00 (15/15, 0.80 to 1.00)  0.50 (15/30, 0.33 to 0.67)",
        "allow everything    -                           0.00 (0/15, 0.00 to 0.20)   0.50 (15/30, 0.33 to 0.67)",
        "",
      ],
    ]);
    expect(stdout).toContain("spent: 30 questions, 30000 tokens in, 3000 out, cost 0.0900\n");
    expect(stdout).toContain("kept: measured on ours (30 of 150 calls, ");
    // Measured with `--send full`, and gate.toml says nothing of that.
    expect(home.measured()).toBeNull();
  });

  it("ends when interrupted: what was judged is marked as partial, nothing is kept, every question is ended", async () => {
    const knows = knowing({ missed: 0, silent: 0, alarms: 0 });
    const server = await modelServer((request) =>
      server.requests.length > 20 ? { fault: "hang-before-headers" } : knows(request),
    );
    const home = newHome(toml(server));
    const child = spawn(process.execPath, [RUN, "--model", "local", "--at-once", "2"], {
      env: home.env,
      stdio: ["ignore", "pipe", "inherit"],
    });
    let stdout = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
    });
    const closed = once(child, "close");
    await server.until(() => server.requests.length === 22);
    child.kill("SIGINT");
    expect(await closed).toEqual([130, null]);
    expect(stdout).toMatch(/^PARTIAL: you ended it; these figures are not kept\n/);
    expect(stdout).toContain("ours: 20 of 150 calls");
    expect(stdout).toContain("not kept: it is partial\n");
    expect([server.aborted, existsSync(home.paths.judgeResults)]).toEqual([2, false]);
  });

  it("ends by itself once the model's cost_per_day is spent; calls_per_day is the gate's alone", async () => {
    const server = await modelServer(knowing({ missed: 0, silent: 0, alarms: 0 }));
    const home = newHome(toml(server, "cost_per_day = 0.029", "calls_per_day = 1"));
    const { code, stdout } = await run(home.env, "--model", "local", "--at-once", "1");
    expect([code, server.requests.length, existsSync(home.paths.judgeResults)]).toEqual([1, 10, false]);
    expect(stdout).toMatch(/^PARTIAL: the model's cost_per_day is spent/);
  });

  it("asks no model of another machine unless gate.toml allows it, and says what is missing", async () => {
    const server = await modelServer();
    const home = newHome(toml(server).replace(server.base_url, server.onlineUrl));
    const { code, stderr } = await run(home.env, "--model", "local");
    expect([code, stderr]).toEqual([
      2,
      "local is on another machine\nthat needs online = true in [judge] of gate.toml\n",
    ]);
    expect((await run(home.env, "--model", "other")).stderr).toMatch(/^there is no \[models\.other\] in gate\.toml\n/);
    expect((await run(home.env)).stderr).toMatch(/^which model\? --model NAME\nnpm run judge-eval/);
    expect(server.requests).toEqual([]);
  });
});
