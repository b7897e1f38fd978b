import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { startGate } from "../support/running-gate.ts";
import { type TemporaryHome, temporaryHome } from "../support/temporary-home.ts";

const PROFILE = `[[profile]]
agent = "aider"

[profile.Full]
"network:http" = "denied"
"channel:out" = "approval_required"
`;

function homeWith(text: string): TemporaryHome {
  const home = temporaryHome("");
  writeFileSync(home.paths.policy_overrides, text, { mode: 0o600 });
  return home;
}

const FETCH = { executor: "http_get", args: { url: "https://example.com" } };

describe("a profile", () => {
  it("counts for its agent from the start on, for no other one, and is listed with its lines", async () => {
    const gate = await startGate({ home: homeWith(PROFILE) });
    const aider = await gate.agent("aider", "Full");
    const goose = await gate.agent("goose", "Full");
    expect((await aider.ask(FETCH)).decision).toMatchObject({
      outcome: "denied",
      stage: "policy",
      explain: { rule: "policy.override-denies", matched: "policy_overrides.toml, line 5" },
    });
    expect((await goose.ask(FETCH)).decision.outcome).toBe("allowed");
    expect(await gate.operator.call("policy.overrides", {})).toEqual({
      file: gate.paths.policy_overrides,
      overrides: [
        {
          profile: "agent aider",
          level: "Full",
          capability: "network:http",
          before: "allowed",
          outcome: "denied",
          line: 5,
          agents: ["aider"],
        },
        {
          profile: "agent aider",
          level: "Full",
          capability: "channel:out",
          before: "allowed",
          outcome: "approval_required",
          line: 6,
          agents: ["aider"],
        },
      ],
    });
  });

  it("an agent whose name was revoked and is paired anew has its profile again, whatever capitals it is paired in", async () => {
    const gate = await startGate({ home: homeWith(PROFILE) });
    const first = await gate.agent("aider", "Full");
    expect((await first.ask(FETCH)).decision.outcome).toBe("denied");
    await gate.operator.call("agents.revoke", { name: "aider" });
    const again = await gate.agent("AIDER", "Full");
    expect((await again.ask(FETCH)).decision.explain.rule).toBe("policy.override-denies");
  });

  it("what it asks about can be granted by the card, as the table's own", async () => {
    const gate = await startGate({ home: homeWith(PROFILE.replace("channel:out", "fs:read")) });
    const aider = await gate.agent("aider", "Full");
    const read = { executor: "fs_read", args: { path: "/srv/notes/a.txt" } };
    const asked = await aider.ask(read);
    expect(asked.decision.explain.rule).toBe("policy.override-asks");
    const [token = ""] = await gate.waiting();
    expect((await gate.request(token)).choices.map(({ scope }) => scope)).toContain("permanent");
    await gate.operator.call("approvals.resolve", { token, decision: "approved", scope: "permanent" });
    expect((await asked.final()).outcome).toBe("allowed");
    expect((await aider.ask(read)).decision.explain.rule).toBe("policy.grant-allows");
  });

  it("check and matrix are as they are for the agent that is named", async () => {
    const gate = await startGate({ home: homeWith(PROFILE) });
    const check = (more: object) =>
      gate.operator.call("policy.check", { level: "Full", capability: "network:http", ...more });
    expect(await Promise.all([check({}), check({ agent: "aider" }), check({ agent: "goose" })])).toEqual([
      "allowed",
      "denied",
      "allowed",
    ]);
    const cells = async (params: { agent?: string }) =>
      (await gate.operator.call("policy.matrix", params)).find(({ capability }) => capability === "network:http")
        ?.cells;
    expect((await cells({ agent: "aider" }))?.Full).toMatchObject({
      outcome: "denied",
      rule: "network:http is made stricter for agent aider: policy_overrides.toml, line 5",
      override: { line: 5, profile: "agent aider", before: "allowed" },
    });
    expect((await cells({}))?.Full).toMatchObject({ outcome: "allowed" });
    expect((await cells({}))?.Full).not.toHaveProperty("override");
  });
});

describe("the file", () => {
  it.each([
    [
      "a cell that loosens",
      '[[profile]]\nagent = "aider"\n[profile.Full]\n"code:exec" = "allowed"\n',
      "line 4: profile.0.Full.code:exec: allowed is looser than the table",
    ],
    ["no TOML", "[[profile", "line 1"],
  ])("%s keeps the gate from starting, and nothing is made", async (_, text, said) => {
    const home = homeWith(text);
    await expect(startGate({ home })).rejects.toMatchObject({
      code: "invalid_config",
      message: expect.stringContaining(`${home.paths.policy_overrides}, ${said}`),
    });
    expect(existsSync(home.paths.state_dir)).toBe(false);
  });

  it("can be neither read nor written by an agent, whatever was granted, nor by where it is a link to", async () => {
    const home = temporaryHome("");
    const kept = join(home.home, "dotfiles/profiles.toml");
    mkdirSync(dirname(kept));
    writeFileSync(kept, PROFILE, { mode: 0o600 });
    symlinkSync(kept, home.paths.policy_overrides);
    const gate = await startGate({ home });
    await gate.operator.call("grants.add", { capability: "fs:write", target: `${home.home}/dotfiles/**` });
    const agent = await gate.agent("goose", "Full");
    const outcomeOf = async (executor: string, args: Record<string, unknown>) => {
      const { decision } = await agent.ask({ executor, args, context: { cwd: home.home } });
      return [decision.outcome, decision.stage];
    };
    for (const path of [home.paths.policy_overrides, kept]) {
      expect(await outcomeOf("fs_write", { path, content: "" })).toEqual(["denied", "guard"]);
      expect(await outcomeOf("fs_read", { path })).toEqual(["denied", "guard"]);
      expect(await outcomeOf("shell_exec", { command: `rm ${path}` })).toEqual(["denied", "guard"]);
    }
    expect(readFileSync(kept, "utf8")).toBe(PROFILE);
  });
});
