import { utimesSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { OVERRIDE_COLUMNS, POLICY_COLUMNS, SPENT_COLUMNS } from "../../cli/listings.ts";
import { tableLines } from "../../cli/table.ts";
import { localPrincipal } from "../../ipc/base/paths.ts";
import { LEVELS } from "../../ipc/contract/decision.ts";
import { loadPolicyOverrides } from "../../main/config/policy-overrides-file.ts";
import { POLICY_TABLE, PolicyOverrides } from "../../main/decide/policy/policy.ts";
import { runGate } from "../support/gate-process.ts";
import { startGate } from "../support/running-gate.ts";
import { type TemporaryHome, temporaryHome } from "../support/temporary-home.ts";

const PROFILES = `[[profile]]
agent = "codex"
[profile.Full]
"fs:write" = "denied"

[[profile]]
principal = "local:${localPrincipal().sender_id}"
[profile.Full]
"llm:online" = "approval_required"
`;

function homeWith(profiles: string, config = ""): TemporaryHome {
  const home = temporaryHome(config);
  writeFileSync(home.paths.policy_overrides, profiles, { mode: 0o600 });
  return home;
}

describe("without a running gate", () => {
  it("table and check are as they are for the agent that is named, and leave nothing behind", async () => {
    const home = homeWith(PROFILES);
    const [table, plain, ...checks] = await Promise.all([
      runGate(home, ["policy", "table", "--agent", "Codex"]),
      runGate(home, ["policy", "table"]),
      runGate(home, ["policy", "check", "Full", "fs:write", "--agent", "codex"]),
      runGate(home, ["policy", "check", "Full", "fs:write", "--agent", "other"]),
      runGate(home, ["policy", "check", "Full", "llm:online"]),
    ]);
    expect(table.lines[2]).toEqual({
      level: "Full",
      ...POLICY_TABLE.Full,
      "fs:write": "denied",
      "llm:online": "approval_required",
      overrides: {
        "fs:write": { profile: "agent codex", line: 4 },
        "llm:online": { profile: `principal local:${localPrincipal().sender_id}`, line: 9 },
      },
    });
    expect(plain.lines).toEqual(LEVELS.map((level) => ({ level, ...POLICY_TABLE[level] })));
    expect(checks.map(({ stdout }) => stdout)).toEqual(["denied\n", "allowed\n", "approval_required\n"]);
  });

  it("a name that no agent can have, and a file that loosens, are refused", async () => {
    const home = homeWith(PROFILES.replace('"denied"', '"allowed"'));
    const [name, file, doctor] = await Promise.all([
      runGate(home, ["policy", "table", "--agent", "c\u043edex"]),
      runGate(home, ["policy", "check", "Full", "fs:write", "--agent", "codex"]),
      runGate(home, ["doctor"]),
    ]);
    expect([name.code, name.stderr]).toEqual([2, expect.stringContaining("is not an agent's name")]);
    expect([file.code, file.stdout]).toEqual([1, ""]);
    expect(file.stderr).toContain(
      "policy_overrides.toml, line 4: profile.0.Full.fs:write: the table says allowed already",
    );
    expect(doctor.lines.find(({ check }) => check === "profiles")).toMatchObject({
      ok: false,
      detail: expect.stringContaining("line 4"),
      fix: "see docs/profiles.md",
    });
  });
});

describe("with a running gate", () => {
  it("tighten makes a cell stricter at once, for one agent or all; table, check and overrides show it, and loosen takes it back", async () => {
    const gate = await startGate();
    const run = (...words: string[]) => runGate(gate.home, ["policy", ...words]);
    const own = await run("tighten", "full", "network:http", "denied", "--agent", "codex");
    expect([own.code, own.lines]).toEqual([0, [{ id: 1, before: null }]]);
    expect(own.stderr).toContain("network:http at level Full is denied for codex now");
    const all = await run("tighten", "Full", "network:http", "approval_required");
    expect(all.stderr).toContain("is approval_required for every agent now");
    expect((await run("check", "Full", "network:http", "--agent", "codex")).stdout).toBe("denied\n");
    expect((await run("check", "Full", "network:http")).stdout).toBe("approval_required\n");
    const table = await run("table", "--agent", "codex");
    expect(table.lines[2]).toMatchObject({ overrides: { "network:http": { profile: "agent codex", id: 1 } } });
    const listed = (await run("overrides")).lines;
    expect(listed.map(({ profile, by_hand }) => [profile, by_hand])).toEqual([
      ["agent codex", expect.objectContaining({ id: 1 })],
      ["all agents", expect.objectContaining({ id: 2 })],
    ]);
    const refused = [
      await run("tighten", "Full", "network:http", "allowed"),
      await run("tighten", "Full", "network", "denied"),
      await run("tighten", "Full", "fs:read", "denied", "--agent", "../codex"),
      await run("loosen", "x"),
    ];
    expect(refused.map(({ code, stdout }) => [code, stdout])).toEqual(refused.map(() => [2, ""]));
    expect((await run("tighten", "ReadOnly", "code:exec", "denied")).code).toBe(4);
    expect([(await run("loosen", "1")).stdout, (await run("loosen", "1")).stdout]).toEqual(["loosened\n", "no-op\n"]);
    expect((await run("check", "Full", "network:http", "--agent", "codex")).stdout).toBe("approval_required\n");
  });

  it("check with a target counts the agent's profile and its own grants; doctor says what is configured, and what is stale", async () => {
    const config = '[[prices]]\nexecutor = "llm_onlin"\nper_call = 1\n';
    const home = homeWith(PROFILES, config);
    const gate = await startGate({ home });
    await gate.operator.call("agents.pair", { name: "other", level: "Full" });
    await gate.operator.call("grants.add", { capability: "fs:write", target: "/srv/**", agent: "other" });
    const check = (agent: string, level: string) =>
      runGate(home, ["policy", "check", level, "fs:write", "--agent", agent, "--target", "/srv/a.txt"]);
    const later = new Date(Date.now() + 60_000);
    utimesSync(home.paths.policy_overrides, later, later);
    const [codex, other, nobody, overrides, costs, doctor] = await Promise.all([
      check("codex", "Full"),
      check("other", "Supervised"),
      check("nobody", "Supervised"),
      runGate(home, ["policy", "overrides"]),
      runGate(home, ["costs"]),
      runGate(home, ["doctor"]),
    ]);
    expect([codex, other, nobody].map(({ stdout }) => stdout)).toEqual([
      "denied\n",
      "allowed\n",
      "approval_required\n",
    ]);
    expect(overrides.lines).toMatchObject([
      { profile: "agent codex", line: 4, agents: [] },
      { capability: "llm:online", line: 9, agents: ["other"] },
    ]);
    expect([costs.stdout, costs.stderr]).toEqual(["", "no call with a price was allowed since midnight\n"]);
    const detail = (name: string) => doctor.lines.find((found) => found.check === name)?.detail;
    expect(detail("profiles")).toBe(
      `2 in ${home.paths.policy_overrides}, 2 cells made stricter; no agent named codex is paired`,
    );
    expect(detail("prices")).toBe(`1 in ${home.paths.configFile}; nothing describes a tool named llm_onlin`);
    expect(detail("configuration in force")).toBe(
      "policy_overrides.toml was changed after this gate was started, and doesn't count yet",
    );
  });
});

it("doctor and the gate's start name the paired agents that no profile of a kind is for, where there is one of a kind", async () => {
  const kinds = '[[profile]]\nagent_kind = ["generic", "claude-code"]\n[profile.Full]\n"mail:send" = "denied"\n';
  const home = homeWith("");
  const first = await startGate({ home });
  for (const name of ["gemini", "my-agent", "claude-code", "codex", "gone"])
    await first.operator.call("agents.pair", { name, level: "Full" });
  await first.operator.call("agents.revoke", { name: "gone" });
  await first.gate.close();
  const started = async (profiles: string) => {
    writeFileSync(home.paths.policy_overrides, profiles, { mode: 0o600 });
    const gate = await startGate({ home });
    const doctor = await runGate(home, ["doctor"]);
    await gate.gate.close();
    const said = gate.log.filter((line) => line.includes("no profile of a kind"));
    return [said, doctor.lines.find(({ check }) => check === "profiles")?.detail];
  };
  expect(await started(kinds)).toEqual([
    ["policy_overrides.toml: no profile of a kind is for codex, gemini"],
    `1 in ${home.paths.policy_overrides}, 1 cells made stricter; no profile of a kind is for codex, gemini`,
  ]);
  expect(await started(kinds.replace('["generic", "claude-code"]', '"any-other"'))).toEqual([
    [],
    `1 in ${home.paths.policy_overrides}, 1 cells made stricter`,
  ]);
  expect(await started(PROFILES)).toEqual([[], expect.not.stringContaining("of a kind")]);
});

describe("on a terminal", () => {
  it("the table marks what is stricter with its line, and stays aligned", () => {
    const home = homeWith(PROFILES);
    const own = loadPolicyOverrides(home.paths.policy_overrides).policyFor({
      agent: { name: "codex" },
      principal: localPrincipal(),
    });
    const lines = tableLines(
      POLICY_COLUMNS,
      [
        { capability: "fs:write", own },
        { capability: "mail:send", own },
      ],
      80,
    );
    expect(lines).toEqual([
      "           ReadOnly  Supervised  Full",
      "fs:write   denied    asks        denied *4",
      "mail:send  denied    asks        asks",
    ]);
  });

  it("of what was made stricter by hand the mark is its ID", () => {
    const overrides = new PolicyOverrides([]);
    const cell = { level: "Full", capability: "fs:write", before: "allowed", outcome: "denied", line: null } as const;
    const byHand = { id: 7, set_at: "2026-05-04T10:00:00Z" };
    overrides.setByHand([{ holder: { by: "all" }, cells: [{ ...cell, profile: "all agents", by_hand: byHand }] }]);
    const own = overrides.policyFor({ agent: null, principal: localPrincipal() });
    expect(tableLines(POLICY_COLUMNS, [{ capability: "fs:write", own }], 80)[1]).toBe(
      "fs:write  denied    asks        denied *ID 7",
    );
    const [heading, line = ""] = tableLines(
      OVERRIDE_COLUMNS,
      [{ ...cell, profile: "all agents", by_hand: byHand, agents: [] }],
      80,
    );
    expect([heading, line]).toEqual([expect.stringMatching(/^ID {2}FOR/), expect.stringMatching(/^ 7 {2}all agents/)]);
  });

  it("overrides and costs are tables that fit", () => {
    const cell = {
      profile: `principal local:${"x".repeat(60)}`,
      level: "Full" as const,
      capability: "network:http" as const,
      before: "allowed" as const,
      outcome: "denied" as const,
      line: 12,
      agents: ["codex", "gemini"],
    };
    const [heading, line = ""] = tableLines(OVERRIDE_COLUMNS, [cell], 80);
    expect(heading).toMatch(/^LINE {2}FOR .* LEVEL {2}CAPABILITY {4}TABLE {4}HERE {4}AGENTS$/);
    expect([line.length <= 80, line.includes("…")]).toEqual([true, true]);
    const spent = { agent_id: "a", agent_name: "codex", amount: 0.0042, currency: "USD", calls: 3 };
    expect(tableLines(SPENT_COLUMNS, [spent, { ...spent, amount: 12.5, calls: 10 }], 80)).toEqual([
      "AGENT  CALLS       TODAY",
      "codex      3  0.0042 USD",
      "codex     10   12.50 USD",
    ]);
  });
});
