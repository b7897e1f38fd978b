import { execFileSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { findSpeech, Speech } from "../../../cli/watch/speech.ts";
import { EMPTY, type WatchState } from "../../../cli/watch/state.ts";
import type { ApprovalView } from "../../../ipc/contract/operator-api.ts";
import { spoken } from "../../../ipc/words/spoken.ts";
import { readOf } from "../../support/card-views.ts";
import { startGate } from "../../support/running-gate.ts";
import { tempFolder } from "../../support/temp-folder.ts";
import { LAUNCHER, Pty } from "../../support/watched.ts";

const NOW = Date.parse("2026-11-21T00:00:30Z");

function program(folder: string, name: string, script = "#!/bin/sh\n"): string {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, name);
  writeFileSync(file, script);
  chmodSync(file, 0o755);
  return file;
}

/** A speech program that keeps its arguments and what it is to say, and says each text until it may end. */
function speaker(name = "spd-say") {
  const folder = tempFolder();
  const [kept, gate, pid] = ["kept", "gate", "pid"].map((one) => join(folder, one));
  execFileSync("mkfifo", [String(gate)]);
  // Open for reading as well: to open it for writing alone waits for the program, whose input this process has still to end.
  const ending = openSync(String(gate), "r+");
  onTestFinished(() => closeSync(ending));
  const file = program(
    join(folder, "bin"),
    name,
    `#!/bin/sh\necho $$ > '${pid}'\n{ printf '%s|' "$*"; cat; } >> '${kept}'\nread _ < '${gate}'\n`,
  );
  const said = () => {
    try {
      return readFileSync(String(kept), "utf8").split("\n").slice(0, -1);
    } catch {
      return []; // it was never started
    }
  };
  return {
    path: dirname(file),
    said,
    /** Resolves once it says so many texts, with the last. */
    says: async (count: number) => {
      await expect.poll(said).toHaveLength(count);
      return said().at(-1)?.split("|")[1];
    },
    /** Lets the text that is being said end. */
    ends: () => writeSync(ending, "\n"),
    pid: () => Number(readFileSync(String(pid), "utf8")),
  };
}

function card(name: string, change: Partial<ApprovalView> = {}): ApprovalView {
  const target = `/srv/notes/${name}`;
  return readOf(target, { token: name, expires_at: "2026-11-21T00:10:00Z", ...change });
}

const state = (cards: readonly ApprovalView[], change: Partial<WatchState> = {}): WatchState => ({
  ...EMPTY,
  isLoaded: true,
  cards,
  ...change,
});

function speaking() {
  const fake = speaker();
  const found = findSpeech({ PATH: fake.path }, "linux");
  if (found === undefined) throw new Error("it is on PATH");
  const speech = new Speech(found, () => NOW);
  onTestFinished(() => speech.end());
  return { ...fake, speech };
}

/** A PATH with what a pseudo terminal needs. */
function withoutSpeech(): string {
  const folder = tempFolder();
  for (const name of ["script", "sh", "stty", "tty"])
    symlinkSync(execFileSync("/bin/sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).trim(), join(folder, name));
  return folder;
}

const isRunning = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false; // it has ended
  }
};

describe("the speech program", () => {
  it("is the first of spd-say, say and espeak-ng on PATH, on macOS say; in no folder that PATH names relatively", () => {
    const [first, second] = [tempFolder(), tempFolder()];
    const project = tempFolder();
    program(project, "spd-say");
    const PATH = `${relative(process.cwd(), project)}:.:${first}:${second}`;
    expect(findSpeech({ PATH }, "linux")).toBeUndefined();
    expect(findSpeech({}, "linux")).toBeUndefined();
    const espeak = program(first, "espeak-ng");
    expect(findSpeech({ PATH }, "linux")?.file).toBe(espeak);
    const [say, spd] = [program(second, "say"), program(second, "spd-say")];
    expect(findSpeech({ PATH }, "linux")?.file).toBe(spd);
    expect(findSpeech({ PATH }, "darwin")?.file).toBe(say);
    chmodSync(spd, 0o644);
    expect(findSpeech({ PATH }, "linux")?.file).toBe(say);
  });

  it("gets the text on its input, none of it among its arguments, in the gate's language", async () => {
    const { speech, says, said } = speaking();
    const view = card("todo.md");
    speech.waits(state([view], { language: "it" }));
    await says(1);
    expect(said()).toEqual([`--wait --language it --pipe-mode|${spoken(view, "it", NOW)}`]);
  });
});

describe("what is said", () => {
  it("comes one at a time, and what has ended before its turn is never said", async () => {
    const { speech, says, ends } = speaking();
    const [first, second, third] = [card("one.md"), card("two.md"), card("three.md")];
    speech.waits(state([first, second, third]));
    expect(await says(1)).toContain("one.md");
    speech.waits(state([first, third]));
    ends();
    expect(await says(2)).toContain("three.md");
  });

  it("of many that wait for one agent's answers is only how many they are", async () => {
    const { speech, says, ends } = speaking();
    const first = card("one.md");
    speech.waits(state([first]));
    await says(1);
    const others = ["a", "b", "c", "d", "e"].map((name) => card(name));
    speech.waits(state([first, ...others]));
    ends();
    expect(await says(2)).toContain("waits for 5 answers");
    ends();
    speech.waits(state([first, ...others, card("six.md")]));
    expect(await says(3)).toContain("six.md");
  });

  it("is nothing that was said before, nor what waited before the gate went", async () => {
    const { speech, says, ends } = speaking();
    const [first, second] = [card("one.md"), card("two.md")];
    speech.waits(state([first]));
    await says(1);
    speech.waits(state([], { isAway: true, isLoaded: false }));
    ends();
    speech.waits(state([first]));
    speech.waits(state([first, second]));
    expect(await says(2)).toContain("two.md");
  });

  it("ends with watch: the program that says it, too", async () => {
    const { speech, says, pid } = speaking();
    speech.waits(state([card("one.md"), card("two.md")]));
    await says(1);
    speech.end();
    await expect.poll(() => isRunning(pid())).toBe(false);
    speech.waits(state([card("three.md")]));
    expect(await says(1)).toContain("one.md");
  });

  it("continues with the next where the program fails", async () => {
    const folder = tempFolder();
    const kept = join(folder, "kept");
    program(folder, "say", `#!/bin/sh\ncat >> '${kept}'\nexit 1\n`);
    const found = findSpeech({ PATH: folder }, "linux");
    if (found === undefined) throw new Error("it is on PATH");
    const speech = new Speech(found, () => NOW);
    speech.waits(state([card("one.md"), card("two.md")]));
    await expect.poll(() => readFileSync(kept, { encoding: "utf8", flag: "a+" })).toContain("two.md");
  });
});

describe("watch --speak", () => {
  it("says what begins to wait; without a program it says so in one line, and works", async () => {
    const gate = await startGate();
    const agent = await gate.agent();
    const { path, says } = speaker();
    const { env } = gate.home;
    const speaks = new Pty([LAUNCHER, "watch", "--speak"], { ...env, PATH: `${path}:/usr/bin:/bin` }, 100, 24);
    const silent = new Pty([LAUNCHER, "watch", "--speak"], { ...env, PATH: withoutSpeech() }, 100, 24);
    await silent.shows("there is no spd-say, say or espeak-ng on your PATH");
    await speaks.shows("Nothing is waiting");
    await agent.ask({ executor: "fs_read", args: { path: "/srv/notes/todo.md" } });
    expect(await says(1)).toMatch(/^tester wants to read todo\.md in the folder notes\. \d+ minutes left\. /);
    await silent.shows("todo.md");
  });
});
