import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { mayHaveRuleAbout } from "../../../main/hooks/codex/dialect.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const FREE = { sandbox_policy: { type: "danger-full-access" }, approval_policy: "never" };

/** A session of Codex whose turns ran so. */
function setting(...turns: readonly { turn_id: string; [key: string]: unknown }[]) {
  const home = tempFolder();
  const [file, cwd] = [join(home, "rollout.jsonl"), join(home, "project/below")];
  mkdirSync(cwd, { recursive: true });
  writeFileSync(file, turns.map((payload) => `${JSON.stringify({ type: "turn_context", payload })}\n`).join(""));
  const isHeldBack = (line = "npm test", turn = "t1") =>
    mayHaveRuleAbout({ input: {}, line, cwd, transcript: { file, turn } }, { env: { HOME: home }, isGate: false });
  return { home, file, cwd, isHeldBack };
}

describe("a call of Codex can be rewritten", () => {
  it("where Codex says that it has neither sandbox nor question in this turn", () => {
    expect(setting({ turn_id: "t1", ...FREE }).isHeldBack()).toBe(false);
  });

  it.each([
    ["its sandbox is on", { ...FREE, sandbox_policy: { type: "workspace-write" } }],
    ["another sandbox holds it", { ...FREE, sandbox_policy: { type: "external-sandbox" } }],
    ["it may ask", { ...FREE, approval_policy: "on-request" }],
    ["it doesn't say it", {}],
  ])("not where %s", (_, context) => {
    expect(setting({ turn_id: "t1", ...context }).isHeldBack()).toBe(true);
  });

  it("by what it says of this turn last, and not by another turn's or a missing file", () => {
    const on = { ...FREE, sandbox_policy: { type: "read-only" } };
    expect(setting({ turn_id: "t1", ...on }, { turn_id: "t1", ...FREE }).isHeldBack()).toBe(false);
    expect(setting({ turn_id: "t1", ...FREE }, { turn_id: "t1", ...on }).isHeldBack()).toBe(true);
    expect(setting({ turn_id: "t0", ...FREE }).isHeldBack()).toBe(true);
    const { cwd } = setting();
    expect(mayHaveRuleAbout({ input: {}, line: "ls", cwd }, { env: {}, isGate: false })).toBe(true);
  });

  it("though much was said since the turn began", () => {
    const { file, isHeldBack } = setting();
    const said = `${JSON.stringify({ type: "response_item", payload: { text: "t1 turn_context".repeat(10_000) } })}\n`;
    writeFileSync(
      file,
      JSON.stringify({ type: "turn_context", payload: { turn_id: "t1", ...FREE } }) + `\n${said}`.repeat(20),
    );
    expect(isHeldBack()).toBe(false);
  });

  it.each(["rules/default.rules", "../project/.codex/rules/a.rules"])(
    "not where a rule in %s asks or forbids; one that allows changes nothing",
    (path) => {
      const { home, isHeldBack } = setting({ turn_id: "t1", ...FREE });
      const file = join(home, ".codex", path.startsWith("..") ? `../${path.slice(3)}` : path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, 'prefix_rule(pattern=["ls"], decision="allow")\n');
      expect(isHeldBack()).toBe(false);
      for (const decision of ["prompt", "forbidden"]) {
        writeFileSync(file, `prefix_rule(pattern=["git"], decision="${decision}")\n`);
        expect(isHeldBack()).toBe(true);
      }
    },
  );

  it("not where Codex writes a patch itself, or refuses a deletion itself", () => {
    const { isHeldBack } = setting({ turn_id: "t1", ...FREE });
    for (const line of ["apply_patch <<'EOF'\n*** Begin Patch\nEOF", "rm -rf build", "ls && rm -f a", "rm --force a"])
      expect([line, isHeldBack(line)]).toEqual([line, true]);
    expect(isHeldBack("rm a")).toBe(false);
  });
});
