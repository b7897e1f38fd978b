import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { BOX_PROGRAM_NAMES } from "../../../packages/shell-reading/programs/box-programs.ts";
import { CODE_WORD_NAMES, TAKES_WORDS } from "../../../packages/shell-reading/programs/code-words.ts";
import { DISK_TOOL_NAMES, PROCESS_TOOL_NAMES } from "../../../packages/shell-reading/programs/disks-and-processes.ts";
import { GATE_COMMAND } from "../../../packages/shell-reading/programs/gate-command.ts";
import { HAZARD_NAMES, LAUNCHER_NAMES, SOURCE_NAMES } from "../../../packages/shell-reading/programs/hazard-records.ts";
import { INTERPRETERS, RUNNER_NAMES } from "../../../packages/shell-reading/programs/interpreters.ts";
import { INSTALLER_NAMES } from "../../../packages/shell-reading/programs/packages.ts";
import { PATCH_PROGRAM_NAMES } from "../../../packages/shell-reading/programs/patches.ts";
import { PRINTERS } from "../../../packages/shell-reading/programs/prints.ts";
import { SCRIPT_RUNNER_NAMES } from "../../../packages/shell-reading/programs/script-runners.ts";
import { SCHEDULERS, SHELLS } from "../../../packages/shell-reading/programs/shells.ts";
import { NETWORK_TOOL_NAMES } from "../../../packages/shell-reading/programs/sockets.ts";
import { PROGRAMS } from "../../../packages/shell-reading/programs/table.ts";
import { WORK_NAMES } from "../../../packages/shell-reading/programs/work.ts";
import { REPEATER_NAMES, WRAPPERS } from "../../../packages/shell-reading/programs/wrappers.ts";
import { programNamesIn, wordsMatched } from "../../support/program-names.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
/** What a call passes: each file by its path below its room. */
const PASSED = ["main", "packages"].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((file) =>
      /^(?:agents|base|calls|decide|judges\/reviews|records|shell-reading|targets)\/(?!index\.ts).*\.ts$/.test(file),
    )
    .map((file) => ({ file, path: join(ROOT, folder, file) })),
);
const PLACES = new Map(PASSED.map(({ file, path }) => [file.slice(file.indexOf("/") + 1), path]));

/** Every program that anything is known of; signs (`[`, `:`) are no names that could be searched for. */
const NAMES: ReadonlySet<string> = new Set(
  [
    ...PROGRAMS.flatMap(({ names }) => names),
    ...Object.keys(WRAPPERS),
    ...SHELLS,
    ...SCHEDULERS,
    ...Object.keys(INTERPRETERS),
    ...REPEATER_NAMES,
    ...BOX_PROGRAM_NAMES,
    ...CODE_WORD_NAMES,
    ...DISK_TOOL_NAMES,
    ...PROCESS_TOOL_NAMES,
    ...NETWORK_TOOL_NAMES,
    ...HAZARD_NAMES,
    ...LAUNCHER_NAMES,
    ...SOURCE_NAMES,
    ...RUNNER_NAMES,
    ...SCRIPT_RUNNER_NAMES,
    ...PATCH_PROGRAM_NAMES,
    ...TAKES_WORDS,
    ...INSTALLER_NAMES,
    ...WORK_NAMES,
    ...Object.keys(PRINTERS),
    GATE_COMMAND,
  ].filter((name) => /[a-z]{2}/.test(name)),
);

/** Where such a word is used outside of programs/, and what it means there. A stale entry must be removed. */
const ALLOWED: readonly { why: string; words: string; files: readonly string[] }[] = [
  { why: "the agents' own programs", words: "claude codex gemini", files: ["agents-on-path.ts"] },
  { why: "how long a lock is waited for", words: "timeout", files: ["files/file-lock.ts"] },
  { why: "a process's environment", words: "env", files: ["files/room-ahead.ts", "pipes/pipe-pairs.ts"] },
  { why: "what is done with a file", words: "read", files: ["files/room-ahead.ts"] },
  { why: "a collection's kind", words: "type", files: ["heap-keeper.ts"] },
  { why: "the package's name", words: "metnos-gate", files: ["version.ts"] },
  // The reader evaluates what the shell itself does: its builtins and keywords are the language that it reads.
  {
    why: "builtins",
    words:
      "alias break builtin cd command continue declare exec exit export hash popd printf pushd read return set test typeset unset wait",
    files: ["shell/builtins.ts"],
  },
  { why: "a folder of an environment", words: "env", files: ["clear/program-places.ts"] },
  { why: "a builtin whose text is evaluated", words: "trap", files: ["shell/programs.ts"] },
  { why: "an alias's value is evaluated", words: "alias", files: ["shell/simple-command.ts"] },
  {
    why: "the keyword time, loops without an end, a function that takes the place of cd",
    words: "cd false time true",
    files: ["shell/statements.ts"],
  },
  {
    why: "raw patterns, word for word as they are required",
    words: "chmod dd mkfs rm",
    files: ["places/patterns.ts"],
  },
  // Words that are no programs there.
  { why: "an agent's name, and a folder of the system's", words: "codex gemini", files: ["places/settings-places.ts"] },
  {
    why: "how far an answer reaches",
    words: "file tree",
    files: ["approvals/choices.ts", "approvals/stored-request.ts"],
  },
  {
    why: "a folder and all below it",
    words: "tree",
    files: ["approvals/choices.ts", "approvals/session-refusals.ts"],
  },
  {
    why: "the argument of a tool that holds a command line, or a field",
    words: "command",
    files: [
      "approvals/question.ts",
      "confinement/confinement.ts",
      "description/describe.ts",
      "description/effect.ts",
      "description/named-danger.ts",
      "executors/catalog.ts",
      "executors/claude-code.ts",
      "executors/command-lines.ts",
      "executors/manifest.ts",
      "executors/needs.ts",
      "executors/common-tools.ts",
      "guard/shell/irrecoverable.ts",
      "shell/simple-command.ts",
    ],
  },
  {
    why: "a kind of access, or a tool that reads",
    words: "read",
    files: [
      "approvals/choices.ts",
      "clear/command-needs.ts",
      "clear/grammar.ts",
      "clear/line-needs.ts",
      "description/changes.ts",
      "description/describe.ts",
      "executors/common-tools.ts",
      "commands/effects.ts",
      "commands/looking.ts",
      "commands/objects-shown.ts",
      "guard/shell/forbidden-paths.ts",
    ],
  },
  {
    why: "a kind of path or input, or an argument that names one",
    words: "file",
    files: [
      "clear/command-needs.ts",
      "confinement/needs-box.ts",
      "confinement/touched.ts",
      "description/bounded-file.ts",
      "description/changes.ts",
      "description/destinations.ts",
      "places/held-by-git.ts",
      "description/named-danger.ts",
      "description/run-by-name.ts",
      "description/skill-text.ts",
      "description/work-of-lines.ts",
      "executors/catalog.ts",
      "places/further-needs.ts",
      "places/instructions.ts",
      "shell/simple-command.ts",
      "targets/path.ts",
      "targets/file-beginning.ts",
      "targets/project.ts",
      "targets/secret-files.ts",
    ],
  },
  { why: "a loop's variable, an offset", words: "at dir file", files: ["clear/grammar.ts"] },
  { why: "an offset", words: "at", files: ["shell/interpreters.ts"] },
  { why: "links of the file system", words: "links", files: ["approvals/view.ts"] },
  { why: "a question's field", words: "links", files: ["approvals/question.ts"] },
  {
    why: "the role of operands that are linked",
    words: "links",
    files: ["shell/evaluator.ts"],
  },
  {
    why: "a kind of value or of a syntax node",
    words: "type",
    files: ["executors/catalog.ts", "shell/simple-command.ts"],
  },
  {
    why: "an event's kind",
    words: "type",
    files: [
      "approvals/broker.ts",
      "gate.ts",
      "calls-in-review.ts",
      "decided-calls.ts",
      "reviews/refused-calls.ts",
      "waiting-calls.ts",
    ],
  },
  { why: "a schema's field", words: "type", files: ["executors/claude-code.ts", "executors/json-schema.ts"] },
  { why: "how long a comparison may take", words: "timeout", files: ["description/line-diff.ts"] },
  { why: "a tool's argument", words: "timeout", files: ["executors/claude-code.ts"] },
  { why: "an agent's name", words: "codex gemini", files: ["executors/catalog.ts"] },
  { why: "an agent's tools", words: "apply_patch patch wait", files: ["executors/catalog.ts"] },
  { why: "tools that agents have alike", words: "command patch read", files: ["executors/tool-shapes.ts"] },
  { why: "tools' arguments, and what describes a call", words: "script skill", files: ["executors/claude-code.ts"] },
  {
    why: "an agent's tools",
    words: "apply_patch bash grep read skill task timeout",
    files: ["executors/catalog.ts"],
  },
  {
    why: "where a tool's targets are found",
    words: "patch",
    files: ["description/changes.ts", "description/describe.ts", "executors/manifest.ts", "executors/needs.ts"],
  },
  {
    why: "which program runs a place by itself",
    words: "bash bun docker gh git gradle less yarn zsh",
    files: ["places/run-later-places.ts"],
  },
  { why: "whose settings hold a password", words: "git", files: ["targets/secret-files.ts"] },
  { why: "a field of a box", words: "links", files: ["confinement/needs-box.ts"] },
  { why: "texts of a program in another language", words: "strings", files: ["shell/interpreters.ts"] },
  {
    why: "files below /dev and /proc",
    words: "fd",
    files: ["commands/hazards.ts", "commands/looking.ts", "shell/programs.ts", "targets/path.ts"],
  },
  { why: "a refusal's number", words: "id at", files: ["approvals/session-refusals.ts"] },
  {
    why: "a hazard's or a work's field",
    words: "id",
    files: [
      "commands/hazards.ts",
      "description/destinations.ts",
      "description/named-danger.ts",
      "description/work-of-lines.ts",
      "guard/hazards.ts",
    ],
  },
  {
    why: "words of the files that name scripts",
    words: "dotenv export set",
    files: ["description/script-lines.ts"],
  },
  { why: "where an option's value is", words: "next", files: ["activity/command-text.ts"] },
  { why: "the number of the next receipt", words: "next", files: ["receipts/receipts.ts"] },
  { why: "what an agent is asked to do", words: "task", files: ["reviews/validators/payload.ts"] },
  { why: "a key of a Taskfile", words: "task", files: ["description/taskfile.ts"] },
  { why: "what a judge agent is asked to do", words: "task", files: ["reviews/validators/payload.ts"] },
  { why: "the gate's environment", words: "env", files: ["executors/needs.ts"] },
  {
    why: "words of gate.toml's sections, and of addresses",
    words: "command http https type",
    files: ["reviews/config.ts"],
  },
  {
    why: "a kind of judge agent",
    words: "command",
    files: ["reviews/validators/payload.ts", "places/configured-files.ts"],
  },
  { why: "a field", words: "id", files: ["calls-in-review.ts", "reviews/refused-calls.ts"] },
  { why: "a key of JSON Schema", words: "type", files: ["reviews/model-judge/answer.ts"] },
  { why: "an option of exporting a key", words: "type", files: ["receipts/signing-key.ts"] },
  { why: "how a file is opened", words: "read", files: ["receipts/receipt-keys.ts", "receipts/signing-key.ts"] },
  { why: "fields of a receipt", words: "at id", files: ["receipts/statement.ts"] },
  { why: "a receipt's number", words: "id", files: ["receipts/due-receipts.ts"] },
  { why: "how bytes are written", words: "base64", files: ["receipts/dsse.ts"] },
  { why: "a field of a report", words: "file", files: ["receipts/verify.ts"] },
  {
    why: "programs with a password on their line, and settings that are none: what is masked, not what they do",
    words:
      "az curl docker echo false gh info mariadb mongo mongosh mysql openssl patch printf pwd redis-cli set test true unzip zip",
    files: ["reviews/sent/masked-secrets.ts"],
  },
  { why: "how a hash is written", words: "base64", files: ["reviews/session-decisions.ts"] },
  { why: "the keyword", words: "time", files: ["shell/tokens.ts"] },
  { why: "the capability to send mail", words: "mail", files: ["executors/common-tools.ts"] },
  { why: "a file below /dev", words: "tty", files: ["clear/command-needs.ts", "commands/looking.ts"] },
  { why: "folders, files and devices with keys in them", words: "nvme ssh", files: ["places/patterns.ts"] },
  {
    why: "folders, files and devices with keys in them",
    words: "gcloud gh git nvme rclone ssh",
    files: ["places/protected-paths.ts"],
  },
  { why: "folders of the system", words: "nix snap", files: ["description/run-by-name.ts", "places/vital-paths.ts"] },
  { why: "files and folders of a repository", words: "head info", files: ["places/run-later.ts"] },
  {
    why: "an identifier's column or field",
    words: "id",
    files: ["description/describe.ts", "grants/search.ts", "policy/cells.ts", "safety/own-rules.ts"],
  },
  { why: "when a mark was set", words: "at", files: ["flow/session-flow.ts", "flow/session-marks.ts"] },
  { why: "what a session has read", words: "read", files: ["reviews/sent/sent-call.ts"] },
  { why: "short for reversible", words: "rev", files: ["approvals/card.ts"] },
  {
    why: "when something ends, by the wall clock",
    words: "at",
    files: ["approvals/deadline.ts", "clocks/two-clock-end.ts", "grants/store.ts", "pause-book.ts"],
  },
  {
    why: "a line's place in the trail",
    words: "file hash seq",
    files: ["audit/log.ts", "audit/resume.ts", "audit/walk.ts"],
  },
  { why: "a line's place in the trail", words: "file seq", files: ["audit/head.ts"] },
  { why: "a line's place in the trail", words: "hash seq", files: ["audit/lines.ts"] },
  { why: "a line's place in the trail", words: "file hash", files: ["audit/archive.ts", "audit/verify.ts"] },
  {
    why: "a line's place in the trail",
    words: "file",
    files: ["audit/accepted-problems.ts", "audit/compare-checkpoints.ts", "audit/archives-check.ts"],
  },
  {
    why: "a trail or a tree that is shorter than it was signed",
    words: "cut",
    files: [
      "audit/compare-checkpoints.ts",
      "audit/checkpoint-alarms.ts",
      "audit/checkpoint.ts",
      "audit/checkpoints.ts",
      "audit/walk.ts",
    ],
  },
  { why: "fields of a checkpoint", words: "base64 hash metnos-gate time", files: ["audit/checkpoint.ts"] },
  { why: "a line's place in the trail", words: "seq", files: ["audit/checkpoints.ts"] },
  {
    why: "what a file is opened for",
    words: "read",
    files: ["audit/checkpoint-files.ts", "audit/checkpoint-record.ts"],
  },
  { why: "an agent's kind", words: "codex", files: ["waiting-calls.ts"] },
  {
    why: "when a report came, or a checkpoint was signed",
    words: "at",
    files: ["activity/reports.ts", "audit/compare-checkpoints.ts"],
  },
  {
    why: "when a call was asked for, or a folder was looked at",
    words: "at",
    files: ["activity/call-line.ts", "activity/kept-calls.ts"],
  },
  { why: "what a call needs beyond what is named", words: "more", files: ["activity/call-facts.ts"] },
  { why: "when the end was recorded", words: "at", files: ["audit/head.ts", "audit/log.ts"] },
  { why: "what a file is opened for", words: "read", files: ["files/in-place-file.ts", "files/own-files.ts"] },
  { why: "a file that is read", words: "fd read", files: ["audit/archive-file.ts"] },
  { why: "a regular expression's flags", words: "su", files: ["pattern.ts"] },
];

const FILES = [...PLACES.keys()].filter((file) => !file.startsWith("programs/")).sort();

const sourceOf = (file: string): string => readFileSync(PLACES.get(file) ?? file, "utf8");
const namesIn = (source: string): string[] => [...new Set(programNamesIn(source, NAMES))].sort();

function allowedIn(file: string): string[] {
  const words = ALLOWED.filter(({ files }) => files.includes(file)).flatMap((one) => one.words.split(" "));
  return [...new Set(words)].sort();
}

describe("what is known of a program is in programs/", () => {
  it("sees the names, and the files", () => {
    expect(NAMES.size).toBeGreaterThan(330);
    expect(PLACES.size).toBe(PASSED.length);
    expect(FILES).toEqual(
      expect.arrayContaining(["commands/effects.ts", "shell/programs.ts", "clear/command-needs.ts"]),
    );
    expect(ALLOWED.flatMap(({ files }) => files).filter((file) => !FILES.includes(file))).toEqual([]);
  });

  it("no other file of the gate names one, but where the word is another thing", () => {
    const found = FILES.map((file) => [file, namesIn(sourceOf(file))]).filter(([, names]) => names?.length !== 0);
    const allowed = FILES.map((file) => [file, allowedIn(file)]).filter(([, names]) => names?.length !== 0);
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(allowed));
  });
});

describe("a name is seen", () => {
  it.each([
    ["as a case", 'switch (name) { case "cp": break; }', ["cp"]],
    ["compared", 'if (name === "rsync") go();', ["rsync"]],
    ["in a list", 'const NAMES = ["cp", `mv`];', ["cp", "mv"]],
    ["in a text that is a list", 'new Set("cp mv tar".split(" "))', ["cp", "mv", "tar"]],
    ["in front of options", 'const label = "find -exec";', ["find"]],
    ["as a key", "const READS = { wipefs: /^-n$/, parted: null };", ["parted", "wipefs"]],
    ["as an alternative", "/^(?:cp|mv)$/.test(name)", ["cp", "mv"]],
    ["as the whole expression", "/^rsync$/.test(name)", ["rsync"]],
    ["behind a path", "/(?:^|\\/)(?:usr\\/bin\\/)?rsync\\s/.test(text)", ["rsync"]],
    ["put together of parts", "/^(?:ba|z)?sh$/", ["bash", "sh", "zsh"]],
    ["of letters", "/^[ef]grep$/", ["egrep", "fgrep"]],
    ["with a version behind it", "/^python[\\d.]*$/", ["python"]],
    ["with a family behind it", "/^mkfs(?:\\..+)?$/", ["mkfs"]],
    ["in one of many ways", `/${"(?:1|2|3|4)".repeat(9)}\\s(?:x|cp)\\s/`, ["cp"]],
  ])("%s", (_where, source, names) => {
    expect(namesIn(source)).toEqual(names);
  });

  it.each([
    ["in a comment", "// cp and mv\nconst x = 1; /* rm */"],
    ["in a type", 'type Tool = "cp" | "mv"; let tool: "tar" | undefined;'],
    ["within a sentence", 'const why = "a recursive delete, like rm -rf";'],
    ["as an option", "/^-(?:exec|head)$|^--(?:find|stat)$/.test(text)"],
    ["as a file's ending or a hidden folder", "/\\.(?:ssh|git)$/.test(path)"],
    ["as an identifier", "const { find, stat } = tools; stat(find);"],
  ])("but not %s", (_where, source) => {
    expect(namesIn(source)).toEqual([]);
  });

  it.each(["commands/effects.ts", "guard/shell/irrecoverable.ts", "shell/programs.ts", "clear/command-needs.ts"])(
    "once it is added to %s",
    (file) => {
      for (const added of ['export const is = (name: string) => name === "cp";', "export const IS = /^(?:cp|mv)$/;"]) {
        const names = namesIn(`${sourceOf(file)}\n${added}\n`);
        expect(names.filter((name) => !allowedIn(file).includes(name))).toContain("cp");
      }
    },
  );

  it("a pattern's words are all that it may match, not the texts within them", () => {
    expect([...wordsMatched("^(?:a|b)c?$")].filter((word) => word !== "").sort()).toEqual(["a", "ac", "b", "bc"]);
    expect([...wordsMatched("^xcpx$")]).not.toContain("cp");
  });
});
