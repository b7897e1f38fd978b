import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { shortened } from "../../ipc/base/visible-text.ts";
import { CAPABILITIES, LEVELS, type Outcome } from "../../ipc/contract/decision.ts";
import { loadPolicyOverrides } from "../../main/config/policy-overrides-file.ts";
import { isStricter, POLICY_TABLE, PolicyOverrides, type Profile } from "../../main/decide/policy/policy.ts";
import { ROBERTO } from "../support/gate-stores.ts";
import { tempFolder } from "../support/temp-folder.ts";

const FOR_X = '[[profile]]\nagent = "x"\n';
const DENIED = '[profile.Full]\n"fs:write" = "denied"\n';

function written(text: string): string {
  const file = join(tempFolder(), "policy_overrides.toml");
  writeFileSync(file, text, { mode: 0o600 });
  return file;
}

/** What is said of a text that is refused, from the line's number on; of a file that is refused whole, all but its name. */
function refusal(text: string, file = written(text)): string {
  try {
    loadPolicyOverrides(file);
  } catch (error) {
    expect(error).toMatchObject({ code: "invalid_config", hint: expect.stringMatching(/\S/) });
    return String((error as Error).message)
      .replace(`${file}, line `, "")
      .replace(file, "FILE");
  }
  return "loaded";
}

describe("what the file makes stricter", () => {
  it("is loaded with the line of each cell, whom it is for, and what the table says", () => {
    const text = `# first\n[[profile]]\nagent = "aider-work"\nFull."network:http" = "approval_required"\n\n[profile.Supervised]\n"fs:write" = "denied"\n\n[[profile]]\nprincipal = "local:anna"\n[profile.ReadOnly]\n'fs:read' = 'denied'\n\n[[profile]]\nagent_kind = "claude-code"\nFull = { "mail:send" = "denied" }\n`;
    expect(loadPolicyOverrides(written(text)).list).toEqual([
      {
        profile: "agent aider-work",
        level: "Full",
        capability: "network:http",
        before: "allowed",
        outcome: "approval_required",
        line: 4,
      },
      {
        profile: "agent aider-work",
        level: "Supervised",
        capability: "fs:write",
        before: "approval_required",
        outcome: "denied",
        line: 7,
      },
      {
        profile: "principal local:anna",
        level: "ReadOnly",
        capability: "fs:read",
        before: "approval_required",
        outcome: "denied",
        line: 12,
      },
      {
        profile: "agent kind claude-code",
        level: "Full",
        capability: "mail:send",
        before: "approval_required",
        outcome: "denied",
        line: 16,
      },
    ]);
  });

  it("is for each kind of a list, and, by any-other, for each kind that no other profile names", () => {
    const kinds = (...given: string[]) => {
      const text = given.map((kind) => `[[profile]]\nagent_kind = ${kind}\n${DENIED}`).join("\n");
      const { profiles } = loadPolicyOverrides(written(text));
      const names = ["claude-code", "codex", "gemini", "opencode", "my-agent"];
      const fits = (index: number) =>
        names.filter((name) => {
          const only = new PolicyOverrides([profiles[index] as Profile]);
          return only.policyFor({ agent: { name }, principal: ROBERTO }).table.Full["fs:write"] === "denied";
        });
      return profiles.map((_, index) => fits(index));
    };
    expect(kinds('["gemini", "codex"]', '"any-other"')).toEqual([
      ["codex", "gemini"],
      ["claude-code", "opencode", "my-agent"],
    ]);
    expect(kinds('"any-other"')).toEqual([["claude-code", "codex", "gemini", "opencode", "my-agent"]]);
    expect(kinds('"any-other"', '"generic"', '"codex"')).toEqual([
      ["claude-code", "gemini", "opencode"],
      ["my-agent"],
      ["codex"],
    ]);
  });

  it("is nothing where there is no file, or nothing in it", () => {
    expect(loadPolicyOverrides(join(tempFolder(), "none.toml")).list).toEqual([]);
    expect(loadPolicyOverrides(written("# nothing yet\n")).list).toEqual([]);
  });
});

test("a cell that isn't stricter than the table is refused with its line, whatever the cell: each of the 117", () => {
  const outcomes: Outcome[] = ["allowed", "approval_required", "denied"];
  for (const level of LEVELS)
    for (const capability of CAPABILITIES)
      for (const outcome of outcomes) {
        const text = `${FOR_X}[profile.${level}]\n"${capability}" = "${outcome}"\n`;
        const before = POLICY_TABLE[level][capability];
        const expected = isStricter(outcome, before)
          ? "loaded"
          : outcome === before
            ? `4: profile.0.${level}.${capability}: the table says ${before} already: leave the line out`
            : `4: profile.0.${level}.${capability}: ${outcome} is looser than the table, which says ${before}: a profile can only make it stricter`;
        expect(refusal(text)).toBe(expected);
      }
});

test.each([
  [
    "an unknown capability",
    `${FOR_X}[profile.Full]\n"fs:writ" = "denied"`,
    "4: profile.0.Full.fs:writ: there is no such key; did you mean fs:write?",
  ],
  [
    "an unknown level",
    `${FOR_X}[profile.full]\n"fs:write" = "denied"`,
    "3: profile.0.full: there is no such key; did you mean Full?",
  ],
  [
    "an unknown key",
    `${FOR_X}name = "y"\n${DENIED}`,
    "3: profile.0.name: there is no such key; there are principal, agent, agent_kind, ReadOnly, Supervised, Full",
  ],
  ["an unknown section", "[profiles]\n", "1: profiles: there is no such key; did you mean profile?"],
  [
    "an unknown outcome",
    `${FOR_X}[profile.Full]\n"fs:write" = "deny"`,
    '4: profile.0.Full.fs:write: expected "approval_required" or "denied"',
  ],
  [
    "a number as an outcome",
    `${FOR_X}[profile.Full]\n"fs:write" = nan`,
    '4: profile.0.Full.fs:write: expected "approval_required" or "denied"',
  ],
  [
    "an unknown kind of agents",
    `[[profile]]\nagent_kind = "aider"\n${DENIED}`,
    '2: profile.0.agent_kind: expected "claude-code", "codex", "gemini", "opencode", "generic", a list of these, or "any-other"',
  ],
  [
    "an unknown kind in a list",
    `[[profile]]\nagent_kind = ["codex", "any-other"]\n${DENIED}`,
    '2: profile.0.agent_kind: expected "claude-code", "codex", "gemini", "opencode", "generic", a list of these, or "any-other"',
  ],
  [
    "an empty list of kinds",
    `[[profile]]\nagent_kind = []\n${DENIED}`,
    "2: profile.0.agent_kind: expected at least 1 in the list",
  ],
  [
    "the same kinds twice, in whatever order",
    `[[profile]]\nagent_kind = ["codex", "gemini"]\n${DENIED}\n[[profile]]\nagent_kind = ["gemini", "codex"]\n${DENIED}`,
    "7: profile.1.agent_kind: there is a profile for agent kind codex, gemini in line 2 already: put them together",
  ],
  [
    "every other kind, where each is named",
    `[[profile]]\nagent_kind = ["claude-code", "codex", "gemini", "opencode", "generic"]\n${DENIED}\n[[profile]]\nagent_kind = "any-other"\n${DENIED}`,
    "6: profile.1: it is for nobody: other profiles name each kind of agents",
  ],
  [
    "letters that only look like a name's",
    `[[profile]]\nagent = "c\u043edex"\n${DENIED}`,
    "2: profile.0.agent: 1 to 64 letters, digits, '.', '_' or '-', beginning with a letter or digit",
  ],
  [
    "a principal without a channel",
    `[[profile]]\nprincipal = "anna"\n${DENIED}`,
    "2: profile.0.principal: expected local: and the name of a user of this machine, such as local:anna",
  ],
  [
    "a principal that no agent asks on behalf of",
    `[[profile]]\nprincipal = "telegram:12"\n${DENIED}`,
    "2: profile.0.principal: expected local: and the name of a user of this machine, such as local:anna",
  ],
  [
    "nobody whom it is for",
    `[[profile]]\n${DENIED}`,
    "1: profile.0: whom it is for is missing: add one of principal, agent, agent_kind",
  ],
  [
    "two whom it is for",
    `${FOR_X}agent_kind = "generic"\n${DENIED}`,
    "1: profile.0: it is for one alone: leave only one of principal, agent, agent_kind",
  ],
  [
    "a profile twice, though with other capitals",
    `${FOR_X}${DENIED}\n[[profile]]\nagent = "X"\n[profile.Full]\n"fs:read" = "denied"`,
    "7: profile.1.agent: there is a profile for agent X in line 2 already: put them together",
  ],
  ["a cell twice", `${FOR_X}${DENIED}"fs:write" = "denied"`, '5 ("fs:write"): not valid TOML: this key is there twice'],
  ["a level twice", `${FOR_X}${DENIED}${DENIED}`, "5 ([profile.Full]): not valid TOML: this section is there twice"],
  [
    "a profile that makes nothing stricter",
    FOR_X,
    "1: profile.0: it makes nothing stricter: name cells in [profile.ReadOnly], [profile.Supervised], [profile.Full]",
  ],
  [
    "a name with a colon without quotes",
    `${FOR_X}[profile.Full]\nfs:write = "denied"`,
    '4 (fs:write): not valid TOML: a name with a colon is in quotes: "fs:write"',
  ],
  [
    "one table instead of a list",
    `[profile]\nagent = "x"\n${DENIED}`,
    "1: profile: expected a list of tables: write [[profile]]",
  ],
  [
    "a prototype's name as a profile's key",
    `${FOR_X}__proto__ = "y"\n${DENIED}`,
    "3: profile.0.__proto__: there is no such key; there are principal, agent, agent_kind, ReadOnly, Supervised, Full",
  ],
  [
    "a prototype's name as a level",
    `${FOR_X}${DENIED}[profile.constructor]\n"fs:read" = "denied"`,
    "5: profile.0.constructor: there is no such key; there are principal, agent, agent_kind, ReadOnly, Supervised, Full",
  ],
  [
    "a loosening cell whose name is written with an escape",
    `${FOR_X}[profile.Full]\n"code\\u003aexec" = "allowed"`,
    "3: profile.0.Full.code:exec: allowed is looser than the table, which says approval_required: a profile can only make it stricter",
  ],
  ["no TOML at all", `${"[".repeat(5000)}`, `1 (${shortened("[".repeat(5000), 60)}): not valid TOML`],
])("%s is refused with its line", (_, text, expected) => {
  expect(refusal(text)).toBe(expected);
});

test("a file that others can write, a folder and a link that leads nowhere are refused", () => {
  for (const mode of [0o620, 0o602, 0o666]) {
    const file = written(`${FOR_X}${DENIED}`);
    chmodSync(file, mode);
    expect(refusal("", file)).toBe("FILE can be written by other users");
    chmodSync(file, 0o644);
    expect(refusal("", file)).toBe("loaded");
  }
  const folder = join(tempFolder(), "policy_overrides.toml");
  mkdirSync(folder);
  expect(refusal("", folder)).toBe("your profiles FILE can't be used: it is not an ordinary file");
  const link = join(tempFolder(), "policy_overrides.toml");
  symlinkSync("/nowhere/at/all", link);
  expect(refusal("", link)).toBe("your profiles FILE can't be used: it is a link that leads nowhere");
});

test("whatever the file says, it is refused or every cell is stricter than the table", () => {
  const often = <T>(usual: T[], wrong: T[]) =>
    fc.oneof({ weight: 15, arbitrary: fc.constantFrom(...usual) }, { weight: 1, arbitrary: fc.constantFrom(...wrong) });
  const name = often<string>([...CAPABILITIES], ["fs:writ", "__proto__", "toString"]);
  const outcome = often(["denied"], ["allowed", "approval_required", "deny"]);
  const level = often<string>(["Supervised", "Full"], ["ReadOnly", "full", "__proto__"]);
  const holder = often(['agent = "x"', 'agent_kind = "generic"', 'principal = "local:anna"'], ['agent = "X"', ""]);
  const cells = fc.dictionary(name, outcome, { minKeys: 1, maxKeys: 3, noNullPrototype: true });
  const levels = fc.uniqueArray(fc.tuple(level, cells), { selector: ([one]) => one, minLength: 1, maxLength: 2 });
  const profile = fc.record({ holder, levels });
  let loaded = 0;
  fc.assert(
    fc.property(fc.array(profile, { minLength: 1, maxLength: 3 }), (profiles) => {
      const text = profiles
        .map(({ holder: whom, levels }) =>
          [
            "[[profile]]",
            whom,
            ...levels.flatMap(([one, found]) => [
              `[profile.${one}]`,
              ...Object.entries(found).map(([key, value]) => `"${key}" = "${value}"`),
            ]),
          ].join("\n"),
        )
        .join("\n");
      const file = written(text);
      let list: ReturnType<typeof loadPolicyOverrides>["list"];
      try {
        ({ list } = loadPolicyOverrides(file));
      } catch (error) {
        expect(error).toMatchObject({ code: "invalid_config" });
        return;
      }
      loaded += 1;
      for (const cell of list) {
        expect(isStricter(cell.outcome, POLICY_TABLE[cell.level][cell.capability])).toBe(true);
        expect(text.split("\n")[(cell.line ?? 0) - 1]).toBe(`"${cell.capability}" = "${cell.outcome}"`);
      }
    }),
    { numRuns: 400 },
  );
  expect(loaded).toBeGreaterThan(20);
});
