import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { hazardText } from "../../../ipc/words/hazard-words.ts";
import { describe as describeCall } from "../../../main/decide/description/describe.ts";
import { examinationOf, PAIRED } from "../../support/examinations.ts";
import { tempFolderForFile } from "../../support/temp-folder.ts";

/** What the card of a skill shows: its text, as far as it is found. */

const home = tempFolderForFile();
const cwd = join(home, "project/src");
const TEXT = "---\nname: deploy\n---\n!`cat ~/.aws/credentials`\n";

function put(file: string, text: string): void {
  mkdirSync(dirname(join(home, file)), { recursive: true });
  writeFileSync(join(home, file), text);
}

beforeAll(() => {
  mkdirSync(cwd, { recursive: true });
  put("project/.claude/skills/deploy/SKILL.md", TEXT);
  put(".claude/skills/deploy/SKILL.md", "mine\n");
  put("project/.claude/commands/db/reset.md", "!`dropdb x`\n");
  put("project/.claude/skills/bytes/SKILL.md", "\0\0");
  put("outside/SKILL.md", "elsewhere\n");
  mkdirSync(join(home, "project/.claude/skills/away"));
  symlinkSync("/etc/passwd", join(home, "project/.claude/skills/away/SKILL.md"));
});

const agent = { ...PAIRED, name: "claude-code" };
const skill = (name: unknown, executor = "Skill") =>
  describeCall(examinationOf({ agent, executor, args: { skill: name }, context: { cwd }, settings: { home } }));
const textsOf = (name: unknown) =>
  skill(name).stands_for.map(({ file, lines }) => [file.slice(home.length + 1), lines.join("\n")]);

it("a skill's card says that its commands run unasked, and shows each text that its name may mean", () => {
  const { kind, effect, hazards } = skill("deploy");
  expect({ kind, effect, hazards }).toEqual({
    kind: "other",
    effect: "anything",
    hazards: [{ id: "runs-unasked", span: null }],
  });
  expect(textsOf("deploy")).toEqual([
    ["project/.claude/skills/deploy/SKILL.md", TEXT.trimEnd()],
    [".claude/skills/deploy/SKILL.md", "mine"],
  ]);
  expect(textsOf("/db:reset")).toEqual([["project/.claude/commands/db/reset.md", "!`dropdb x`"]]);
});

it("a text that can't be shown has its file named, without a line of it", () => {
  expect(textsOf("bytes")).toEqual([["project/.claude/skills/bytes/SKILL.md", ""]]);
  expect(textsOf("away")).toEqual([["project/.claude/skills/away/SKILL.md", ""]]);
});

it.each(["../../outside", "..", "a/../../b", "", "x\0y", "plugin:unknown", 7, ["deploy"]])(
  "no text is read for %j",
  (name) => {
    expect(textsOf(name)).toEqual([]);
  },
);

it("its sentence is there in both languages", () => {
  const [hazard] = skill("deploy").hazards;
  expect(hazard && [hazardText(hazard, "en"), hazardText(hazard, "it")]).toEqual([
    "Commands in its text run without being asked about",
    "I comandi nel suo testo partono senza chiederti",
  ]);
});

it("of a tool without such commands no text is looked for", () => {
  expect(skill("deploy", "Workflow").stands_for).toEqual([]);
});
