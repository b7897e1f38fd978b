import { describe, expect, it } from "vitest";
import { mayHaveRuleAbout } from "../../../../cli/agents/opencode/plugin/own-rules.ts";

const about = (config: Record<string, unknown>, line = "npm test") => mayHaveRuleAbout(config, line, "/srv/p");

describe("a call of OpenCode can be rewritten", () => {
  it.each([
    [{}],
    [{ permission: "allow" }],
    [{ permission: { bash: "allow", edit: "ask" } }],
    [{ permission: { bash: { "*": "allow", "git push*": "deny" } } }],
    [{ agent: { mine: { permission: { bash: { "rm *": "ask" } } } } }],
    [{ shell: "/bin/zsh" }],
  ])("with no rule about its line: %j", (config) => {
    expect(about(config)).toBe(false);
  });

  it.each([
    [{ permission: "ask" }],
    [{ permission: { "*": "ask" } }],
    [{ permission: { bash: "deny" } }],
    [{ permission: { bash: "ask" } }],
    [{ permission: { bash: { "*": "allow", "npm te*": "deny" } } }],
    [{ permission: { bash: { "*": "allow", "npm *": "ask" } } }],
    [{ agent: { mine: { permission: { bash: "ask" } } } }],
    [{ mode: { mine: { tools: { bash: false } } } }],
    [{ tools: { bash: false } }],
    [{ shell: "/srv/p/bash" }],
    [{ shell: "pwsh" }],
  ])("not with one that may be about it: %j", (config) => {
    expect(about(config)).toBe(true);
  });

  it("not before its settings are known", () => {
    expect(mayHaveRuleAbout(undefined, "npm test", "/srv/p")).toBe(true);
  });

  it("not where its line may lead out of the folder, about which OpenCode asks by itself", () => {
    for (const line of [
      "cat /etc/hosts",
      "cd .. && ls",
      "cat ~/notes",
      'cat "$HOME/a"',
      "ls >/tmp/a",
      "cat a;cat /srv/q",
    ])
      expect([line, about({}, line)]).toEqual([line, true]);
    for (const line of ["cat a/b", "sed 's/a/b/' c", "ls /srv/p/a", "npm test >/dev/null"])
      expect([line, about({}, line)]).toEqual([line, false]);
    expect(about({ permission: { external_directory: "allow" } }, "cat /etc/hosts")).toBe(false);
  });
});
