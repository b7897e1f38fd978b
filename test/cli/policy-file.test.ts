import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readPolicyFile } from "../../cli/policy/policy-file.ts";
import { localPrincipal } from "../../ipc/base/paths.ts";
import { GateError } from "../../ipc/contract/gate-error.ts";
import { runGate } from "../support/gate-process.ts";
import { type GateUnderTest, startGate } from "../support/running-gate.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { temporaryHome } from "../support/temporary-home.ts";

const EMPTY = { metnos_policy: 1, cells: [], levels: [], grants: [] };
const PROFILES = `[[profile]]
agent_kind = ["codex", "generic"]
[profile.Full]
"fs:write" = "denied"

[[profile]]
principal = "local:${localPrincipal().sender_id}"
[profile.Full]
"llm:online" = "approval_required"
`;

const written = (text: unknown) => {
  const file = join(tempFolder(), "policy.json");
  writeFileSync(file, typeof text === "string" ? text : JSON.stringify(text));
  return file;
};
const thrown = (act: () => unknown): unknown => {
  try {
    return act();
  } catch (error) {
    return error;
  }
};
const stateOf = async ({ operator }: GateUnderTest) => ({
  ...(await operator.call("policy.overrides", {})),
  ...(await operator.call("agents.list", {})),
  grants: await operator.call("grants.list", { include_revoked: true }),
});

async function filledGate() {
  const home = temporaryHome("");
  writeFileSync(home.paths.policy_overrides, PROFILES, { mode: 0o600 });
  mkdirSync(join(home.home, "shop"), { recursive: true });
  const gate = await startGate({ home });
  await gate.operator.call("agents.pair", { name: "codex", level: "Full" });
  await gate.operator.call("agents.pair", { name: "aider", level: "ReadOnly" });
  await gate.operator.call("policy.tighten", { level: "Full", capability: "network:http", outcome: "denied" });
  const tight = { level: "Full", capability: "fs:write", outcome: "approval_required", agent: "codex" } as const;
  await gate.operator.call("policy.tighten", tight);
  const shop = `${home.home}/shop/**`;
  await gate.operator.call("grants.add", { capability: "fs:write", target: shop, agent: "codex" });
  await gate.operator.call("grants.add", { capability: "network:http", target: "api.example.org" });
  const expiresAt = "2999-01-01T00:00:00Z";
  await gate.operator.call("grants.add", { capability: "fs:read", target: shop, expires_at: expiresAt });
  const { id } = await gate.operator.call("grants.add", { capability: "fs:read", target: "/srv/**" });
  await gate.operator.call("grants.revoke", { id });
  return gate;
}

describe("policy export", () => {
  it("writes what is made stricter and the levels, for its owner alone; no grant, unless it is marked to travel", async () => {
    const gate = await filledGate();
    const file = join(tempFolder(), "policy.json");
    const { code, stderr } = await runGate(gate.home, ["policy", "export", file]);
    expect(code).toBe(0);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({
      metnos_policy: 1,
      cells: [
        // Of the file and by hand: the strictest.
        { agent: "codex", level: "Full", capability: "fs:write", outcome: "denied" },
        { agent: null, level: "Full", capability: "llm:online", outcome: "approval_required" },
        { agent: null, level: "Full", capability: "network:http", outcome: "denied" },
      ],
      levels: [
        { agent: "codex", level: "Full" },
        { agent: "aider", level: "ReadOnly" },
      ],
      grants: [],
    });
    expect(stderr).toContain("stays here: what the profile of agent kind codex, generic says of other agents");
    const again = await runGate(gate.home, ["policy", "export", file]);
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining("is there already")]);
  });

  it("with --grants all that last travel, paths of the home from ~; with ids those alone, and none that ends", async () => {
    const gate = await filledGate();
    const grantsOf = ({ stdout }: { stdout: string }) => JSON.parse(stdout).grants;
    const codex = { agent: "codex", capability: "fs:write", target: "~/shop/**" };
    const host = { agent: null, capability: "network:http", target: "api.example.org" };
    expect(grantsOf(await runGate(gate.home, ["policy", "export", "--grants"]))).toEqual([host, codex]);
    expect(grantsOf(await runGate(gate.home, ["policy", "export", "--grants", "1"]))).toEqual([codex]);
    for (const [ids, why] of [
      ["3", "it has an end"],
      ["4", "no such grant in force"],
      ["1,x", "are not ids"],
    ] as const) {
      const { code, stdout, stderr } = await runGate(gate.home, ["policy", "export", "--grants", ids]);
      expect([ids, code, stdout]).toEqual([ids, 2, ""]);
      expect(stderr).toContain(why);
    }
  });
});

describe("policy import", () => {
  it("shows what it would change, and changes nothing where nobody was asked", async () => {
    const gate = await startGate();
    await gate.operator.call("agents.pair", { name: "codex", level: "ReadOnly" });
    const file = written({
      ...EMPTY,
      cells: [{ agent: null, level: "Full", capability: "fs:read", outcome: "denied" }],
      levels: [{ agent: "codex", level: "Full" }],
    });
    const before = await stateOf(gate);
    const { code, lines, stderr } = await runGate(gate.home, ["policy", "import", file]);
    expect(code).toBe(2);
    expect(lines).toEqual([
      { what: "cell", whom: null, detail: "fs:read at level Full", from: "allowed", to: "denied", isLooser: false },
      { what: "level", whom: "codex", detail: "", from: "ReadOnly", to: "Full", isLooser: true },
    ]);
    expect(stderr).toContain("1 of 2 let agents do more than now");
    expect(stderr).toContain("nobody can be asked here, and nothing was changed");
    expect(await stateOf(gate)).toEqual(before);
  });

  it("brings a policy to another machine, in another home; what waits for an agent is said, and comes the next time", async () => {
    const from = await filledGate();
    const file = join(tempFolder(), "policy.json");
    await runGate(from.home, ["policy", "export", file, "--grants"]);
    const to = await startGate();
    const first = await runGate(to.home, ["policy", "import", file, "--yes"]);
    expect(first.code).toBe(0);
    expect(first.stderr).toContain("codex isn't paired here, so its level Full and 1 grant can't be set");
    expect(first.lines.at(-1)).toEqual({ changed: 4 });
    expect((await to.operator.call("agents.list", {})).agents).toEqual([]);
    await to.operator.call("agents.pair", { name: "codex", level: "Supervised" });
    const second = await runGate(to.home, ["policy", "import", file, "--yes"]);
    expect(second.lines.at(-1)).toEqual({ changed: 2 });
    expect((await to.operator.call("agents.list", {})).agents).toMatchObject([{ name: "codex", level: "Full" }]);
    const grants = await to.operator.call("grants.list", {});
    expect(grants.map(({ agent_name, target, expires_at }) => [agent_name, target, expires_at])).toEqual([
      ["codex", `${to.home.home}/shop/**`, null],
      [null, "api.example.org", null],
    ]);
    const check = { level: "Full", capability: "fs:write", agent: "codex" } as const;
    expect(await to.operator.call("policy.check", check)).toBe("denied");
    const third = await runGate(to.home, ["policy", "import", file, "--yes"]);
    expect([third.code, third.stdout]).toEqual([0, ""]);
    expect(third.stderr).toContain("nothing to change");
  });

  it("makes no cell looser than it is here", async () => {
    const gate = await startGate();
    await gate.operator.call("policy.tighten", { level: "Full", capability: "fs:read", outcome: "denied" });
    const file = written({
      ...EMPTY,
      cells: [{ agent: null, level: "Full", capability: "fs:read", outcome: "approval_required" }],
    });
    const { stderr } = await runGate(gate.home, ["policy", "import", file, "--yes"]);
    expect(stderr).toContain("nothing to change");
    expect(await gate.operator.call("policy.check", { level: "Full", capability: "fs:read" })).toBe("denied");
  });

  it("refuses a hostile file as a whole, in one sentence that shows what is hidden in it", async () => {
    const cell = { agent: null, level: "Full", capability: "fs:read", outcome: "denied" };
    const grant = { agent: null, capability: "fs:read", target: "/srv/**" };
    const good = { ...EMPTY, cells: [cell] };
    const hostile: [string, unknown, string][] = [
      ["nothing", "", "it isn't JSON"],
      ["text", "hello", "it isn't JSON"],
      ["another shape", [], "expected object"],
      ["no version", { ...good, metnos_policy: undefined }, "reads format 1"],
      ["a newer version", { ...good, metnos_policy: 2 }, "reads format 1"],
      ["an unknown key", { ...good, guard: { enabled: false } }, "guard"],
      ["an unknown capability", { ...good, cells: [cell, { ...cell, capability: "root" }] }, "cells.1.capability"],
      ["an unknown level", { ...good, levels: [{ agent: "codex", level: "Root" }] }, "levels.0.level"],
      ["a cell that loosens", { ...good, cells: [{ ...cell, outcome: "allowed" }] }, "cells.0.outcome"],
      ["a cell as it is", { ...good, cells: [{ ...cell, level: "ReadOnly", capability: "code:exec" }] }, "cells.0"],
      ["hidden characters in a name", { ...good, levels: [{ agent: "co\u202edex", level: "Full" }] }, "levels.0.agent"],
      ["a name as a path", { ...good, levels: [{ agent: "../codex", level: "Full" }] }, "levels.0.agent"],
      ["one agent twice", { ...good, levels: ["a", "A"].map((agent) => ({ agent, level: "Full" })) }, "there twice"],
      [
        "a grant on running code",
        { ...good, grants: [{ ...grant, capability: "code:exec", target: "ls" }] },
        "grants.0",
      ],
      ["a grant on the whole disk", { ...good, grants: [{ ...grant, target: "/**" }] }, "whole disk"],
      ["a grant through ..", { ...good, grants: [{ ...grant, target: "~/../../etc/**" }] }, "can't hold .."],
      ["a relative grant", { ...good, grants: [{ ...grant, target: "etc/**" }] }, "not an absolute path"],
      ["a grant with an escape", { ...good, grants: [{ ...grant, target: "/srv/\u001b[2Ja" }] }, "control characters"],
      ["a grant with an end", { ...good, grants: [{ ...grant, expires_at: null }] }, "expires_at"],
      [
        "a tool's grant",
        { ...good, grants: [{ ...grant, capability: "channel:out", target: "mcp:a/b" }] },
        "MCP server",
      ],
      ["too many cells", { ...good, cells: Array.from({ length: 1001 }, () => cell) }, "cells: Too big"],
      ["a key with an escape", { ...good, "\u001b[31mred": 1 }, "\\u{1b}[31mred"],
      ["deep nesting", `${"[".repeat(100_000)}`, "it isn't JSON"],
      ["more than it may have", " ".repeat(1024 * 1024 + 1), "more than 1048576 bytes"],
    ];
    const gate = await startGate();
    const before = await stateOf(gate);
    for (const [what, text, why] of hostile) {
      const read = () => readPolicyFile(written(text), gate.home.home);
      expect([what, thrown(read)]).toEqual([what, expect.any(GateError)]);
      const { code, message } = thrown(read) as GateError;
      expect([what, code, message]).toEqual([what, "invalid_input", expect.stringContaining(why)]);
      expect([what, /\p{C}/u.test(message)]).toEqual([what, false]);
    }
    const hidden = written({ ...good, "\u001b[31mred": 1 });
    const { code, stdout, stderr } = await runGate(gate.home, ["policy", "import", hidden, "--yes"]);
    expect([code, stdout, stderr.trim().split("\n").length]).toEqual([2, "", 2]);
    expect(stderr).toContain("\\u{1b}[31mred");
    const missing = await runGate(gate.home, ["policy", "import", join(tempFolder(), "none"), "--yes"]);
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining("there is no file")]);
    const folder = await runGate(gate.home, ["policy", "import", tempFolder(), "--yes"]);
    expect(folder.code).not.toBe(0);
    expect(await stateOf(gate)).toEqual(before);
  });
});
