// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what looks like a placeholder is shell
import { describe, expect, it } from "vitest";
import { decided } from "../../support/guarded-calls.ts";

/** The gate's own folders by name in a command line: where all of it is known they may be named, in any doubt not. */

const HOME = "/home/ada";
const OWN = `${HOME}/.local/state/metnos`;

const reasonOf = (command: string) => decided({ home: HOME, cwd: "/srv/project" }, "Bash", { command }).reason;
const BLOCKED = "guard: the gate's own files are not for agents";

describe("a mention is enough", () => {
  it.each<[string, string]>([
    ["the line wasn't read to its end", `case ${OWN} in`],
    ["the line wasn't read to its end", `echo ${OWN}/x; (`],
    ["a function is defined", `f() { :; }; echo ${OWN}/x`],
    ["a function gets it", `f() { echo "$1"; }; f ${OWN}/grants.db`],
    ["an alias is defined", `alias c=cat; grep ${OWN} a.txt`],
    ["a word isn't known", `node $X ${OWN}`],
    ["a redirection's file isn't known", `echo ${OWN} > $(node x.js)`],
    ["a program may run what it is given", `python3 -c 'open("${OWN}/grants.db")'`],
    ["it is written with ~", "echo ~/.local/state/metnos > $(node x.js)"],
    ["it is written with $HOME", "echo $HOME/.local/state/metnos > $(node x.js)"],
    ["it is written with ${HOME}", "echo ${HOME}/.local/state/metnos > $(node x.js)"],
  ])("where %s: %j", (_why, command) => {
    expect(reasonOf(command)).toBe(BLOCKED);
  });
});

describe("a mention harms nothing", () => {
  it.each<[string, string]>([
    ["where all of the line is known", `echo ${OWN}`],
    ["where it is a message", `git commit -m "moved ${OWN}"`],
    ["of a folder whose name only begins like it", `echo ${OWN}-notes > $(node x.js)`],
    ["of a file whose name only begins like it", `f() { :; }; echo ${OWN}.md`],
  ])("%s: %j", (_why, command) => {
    expect(reasonOf(command)).not.toBe(BLOCKED);
  });
});
