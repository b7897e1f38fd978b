import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { inSessionHome, sessionSettings } from "../../bench/session-home.ts";
import { ExecutorCatalog } from "../../main/decide/executors/catalog.ts";
import { examineCall } from "../../main/decide/pipeline.ts";
import { slowPath } from "../support/slow-paths.ts";
import { StandInBox } from "../support/stand-in-box.ts";

/** Of this thread's own work, in milliseconds: on a machine with one slow processor. */
const MAX_MS = 1500;
const MANY = 60_000;

const LONG_NAME = "a".repeat(250);
const many = (text: string, times = MANY) => text.repeat(times);
const keys = Array.from({ length: 4000 }, (_, at) => `a${at}:[]`).join(",");

/** Each by a way that the kernel takes milliseconds for. */
const slow = (times: number, command: (at: number) => string) =>
  Array.from({ length: times }, (_, at) => command(at)).join("; ");
const bash = (command: string) => ({ executor: "Bash", args: { command } });
const CALLS = [
  ["many stars, and a long name", bash("cat a*a*a*a*a*a*a*a*b")],
  ["many stars above the working directory", bash("rm -rf ../a*a*a*a*a*a*a*a*b")],
  ["blanks in a script of sed", bash(`sed '1${many(" ")}k' a.txt`)],
  ["a pattern of many repeats", bash(`pkill -f '${many(".*", 12)}!'`)],
  ["blanks in a program of perl", bash(`perl -e 'while 1${many(" ")}x'`)],
  ["newlines in a word", bash(`foo '${many("\n")}x'`)],
  ["slashes in a word", bash(`foo '${many(";/")}'`)],
  ["brackets in a word", bash(`foo '${many("(/")}'`)],
  ["newlines in a patch", { executor: "apply_patch", args: { patch: `*** Begin Patch\n${many("\n")}x` } }],
  ["keys in filters of jq", bash(`for f in 1 2 3 4; do jq '{${keys}}' x.json; done`)],
  ["slashes of a path", bash(`cat "$(dirname ${many("/")}x)"`)],
  ["files that are copied, each by a long way", bash(slow(100, (at) => `cp -r slow/a${at} slow/b${at}`))],
  ["files that are written, each by a long way", bash(slow(400, (at) => `foo > slow/${at}`))],
  ["files that code deletes, each by a long way", bash(`node -e '${slow(400, (at) => `fs.rmSync("slow/${at}")`)}'`)],
  ["a value of many patterns, again and again", bash(`A='${many("a* ", 4000)}';${many("rm -rf $A;", 200)}`)],
  ["question marks in a word", bash(`cat ${many("?")}`)],
  ["dashes where hashes are looked for", bash(`git show ${many("-")}`)],
] as const;

/** What a call takes of the processor, in milliseconds. @param script what `x.sh` says */
function timeOf({ executor, args }: (typeof CALLS)[number][1], script?: string): number {
  return inSessionHome((session) => {
    const cwd = join(session.cwd, LONG_NAME, "src");
    mkdirSync(cwd, { recursive: true });
    writeFileSync(join(cwd, LONG_NAME), "");
    if (script !== undefined) writeFileSync(join(cwd, "x.sh"), script);
    slowPath(join(cwd, "slow"));
    const principal = { channel: "local", sender_id: "ada" };
    const subject = { agent: null, level: "Supervised", session: "s", principal, can_confine: true } as const;
    const call = { intent: "", executor, args, context: { cwd, session: "s" } };
    const before = process.cpuUsage();
    examineCall(call, subject, new ExecutorCatalog(), { ...sessionSettings(session), box: new StandInBox() });
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
}

describe("no line keeps the gate busy", () => {
  it.each(CALLS)("by %s", (_name, call) => {
    expect(timeOf(call)).toBeLessThan(MAX_MS);
  });
});

const IN_SCRIPTS = [
  ...CALLS.flatMap(([name, { executor, args }]) => (executor === "Bash" ? [[name, args.command] as const] : [])),
  ["as many commands as are read", Array.from({ length: 500 }, (_, at) => `cp -r a${at} "$X/b$Y"*`).join("\n")],
  ["other scripts", Array.from({ length: 200 }, (_, at) => `sh x.sh; sh ./x.sh ${at}; make a${at}`).join("\n")],
] as const;

describe("no script keeps the gate busy", () => {
  it.each(IN_SCRIPTS)("by %s", (_name, script) => {
    expect(timeOf(bash("sh x.sh"), script)).toBeLessThan(MAX_MS);
  });
});
