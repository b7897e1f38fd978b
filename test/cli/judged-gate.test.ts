import { utimesSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { EXIT } from "../../cli/output.ts";
import { runGate } from "../support/gate-process.ts";
import { HARMLESS_ANSWER, type ModelServer, modelServer } from "../support/model-server.ts";
import { startGate } from "../support/running-gate.ts";
import { temporaryHome } from "../support/temporary-home.ts";

/** The judges' commands at a real gate, whose model is a server on loopback. */

const LOW = '{"score": 0.1, "reason": "nobody asked for it"}';
const CALL = { executor: "fs_write", args: { path: "/srv/notes/a.txt", content: "x" }, intent: "write a note" };

function judged(server: ModelServer, ...more: string[]): string {
  return ["[judge]", 'kind = "llm-v1"', 'model = "small"', ...more, server.toml("small")].join("\n");
}

describe("judge test", () => {
  it("exits with 0 where the model works and with 1 where it doesn't, in a line each, with what to do", async () => {
    const server = await modelServer({ text: HARMLESS_ANSWER, input_tokens: 900, output_tokens: 30 });
    const gate = await startGate({ config: judged(server) });
    const works = await runGate(gate.home, ["judge", "test"]);
    expect(works.code).toBe(EXIT.ok);
    expect(works.stderr).toMatch(/^small works: \d+ ms, cost 0\.00 \(900 tokens there, 30 back\); score 0\.90: .+\n$/);
    server.always({ fault: "status", status: 401 });
    const fails = await runGate(gate.home, ["judge", "test", "small"]);
    expect([fails.code, fails.lines]).toMatchObject([EXIT.failed, [{ ok: false, problem: "refused" }]]);
    expect(fails.stderr).toMatch(
      /^small does not work: the key is refused \(401\); \d+ ms, cost 0\.00\n {2}correct .+\n$/,
    );
    const doctor = await runGate(gate.home, ["doctor"]);
    expect(doctor.lines).toContainEqual(expect.objectContaining({ check: "judge", ok: false }));
  });

  it("says so where gate.toml was changed since the gate has read it, as doctor does", async () => {
    const server = await modelServer();
    const gate = await startGate({ config: judged(server) });
    const later = new Date(Date.now() + 60_000);
    utimesSync(gate.home.paths.configFile, later, later);
    for (const words of [["judge", "test"], ["judge", "status"], ["doctor"]])
      expect((await runGate(gate.home, words)).stderr).toContain(
        "gate.toml was changed after this gate was started, and doesn't count yet",
      );
  });

  it("asks from here where no gate runs, and says so", async () => {
    const server = await modelServer();
    const home = temporaryHome(judged(server));
    const { code, stderr } = await runGate(home, ["judge", "test"]);
    expect([code, server.requests.length]).toEqual([EXIT.ok, 1]);
    expect(stderr).toMatch(/^small works: .+; asked from here, as no gate is running\n$/);
  });
});

describe("what the model refuses", () => {
  it("is listed, allowed once, and passes when it is sent again; dismissed it isn't listed any more", async () => {
    const server = await modelServer(LOW);
    const gate = await startGate({ config: judged(server, "override = true") });
    const agent = await gate.agent("tester", "Full");
    expect((await agent.ask(CALL)).decision.outcome).toBe("denied");
    const listed = await runGate(gate.home, ["judge", "refusals"]);
    expect(listed.lines).toMatchObject([
      { agent_name: "tester", review: { name: "small", sentence: "nobody asked for it" }, can_override: true },
    ]);
    const id = String(listed.lines[0]?.id);
    const allowed = await runGate(gate.home, ["judge", "override", id.slice(0, 6)]);
    expect(allowed.code).toBe(EXIT.ok);
    expect(allowed.stderr).toContain("You allowed it once: it passes when the agent sends it again within 10 minutes");
    expect((await agent.ask(CALL)).decision.outcome).toBe("allowed");
    expect((await runGate(gate.home, ["judge", "dismiss", id])).lines).toEqual([{ dismissed: true }]);
    expect((await runGate(gate.home, ["judge", "refusals"])).stderr).toBe("no refusal\n");
  });

  it("can't be allowed where gate.toml doesn't say so", async () => {
    const server = await modelServer(LOW);
    const gate = await startGate({ config: judged(server) });
    const agent = await gate.agent("tester", "Full");
    await agent.ask(CALL);
    const { lines } = await runGate(gate.home, ["judge", "refusals"]);
    expect(lines).toMatchObject([{ can_override: false }]);
    const refused = await runGate(gate.home, ["judge", "override", String(lines[0]?.id)]);
    expect(refused.code).toBe(EXIT.refused);
    expect(refused.stderr).toContain("override = true");
  });
});

it("explain says that no judge was asked, and asks none; with --review the gate's judge says its sentence", async () => {
  const server = await modelServer(LOW);
  const gate = await startGate({ config: judged(server) });
  const question = JSON.stringify({ ...CALL, level: "Full" });
  const alone = await runGate(gate.home, ["explain", question]);
  expect(server.requests).toHaveLength(0);
  expect(alone.stdout).toContain("review: not run");
  const reviewed = await runGate(gate.home, ["explain", "--review", question]);
  expect([reviewed.code, server.requests.length]).toEqual([EXIT.ok, 1]);
  expect(reviewed.lines).toMatchObject([
    { outcome: "denied", reviews: [{ name: "small", outcome: "rejected", sentence: "nobody asked for it" }] },
  ]);
  const { lines } = await runGate(gate.home, ["judge", "refusals"]);
  expect(lines).toEqual([]);
  for (const words of [["--stdin"], ["[]"], ["not json"]])
    expect((await runGate(gate.home, ["explain", "--review", ...words])).code).toBe(EXIT.usage);
});
