import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Description } from "../../ipc/contract/description.ts";
import { describe } from "../../main/decide/description/describe.ts";
import { examinationOf } from "./examinations.ts";

/** What the gate itself says of the calls on the tests' cards, in a small project that git holds. Needs git. */

/** Where the project is, in what is said: it is made in a temporary folder, and its name is put in that one's place. */
export const CARD_PROJECT = "/srv/website";

const LEDGER = `export function total(entries: Entry[]) {
  let sum = 0;
  for (const entry of entries) {
    sum += entry.amount;
  }
  return sum;
}
`;

const FILES: Readonly<Record<string, string>> = {
  "package.json": '{ "scripts": { "test": "vitest run --coverage" } }\n',
  "src/ledger.ts": LEDGER,
  "notes.md": "# Notes\n\n- one\n- two",
  "build.sh": `#!/bin/sh\nset -eu\n${Array.from({ length: 68 }, (_, part) => `make part-${part}`).join("\n")}\n`,
};

const described = new Map<string, Description>();

/** A call and the tool's name, as the gate describes it. */
export type CardCall = readonly [executor: string, args: Readonly<Record<string, unknown>>];

/** Each is described once in a process: the same description for the same call. */
export function describedCard(call: CardCall): Description {
  const key = JSON.stringify(call);
  const description = described.get(key) ?? descriptionIn(projectFolder(), call);
  described.set(key, description);
  return structuredClone(description);
}

let made: { below: string; top: string } | undefined;

/** Made once in a test file: below its own HOME, which is removed with all that is in it. */
function projectFolder(): string {
  const below = process.env.HOME ?? tmpdir();
  if (made?.below !== below) {
    made = { below, top: realpathSync(mkdtempSync(join(below, "cards-"))) };
    makeProject(made.top);
  }
  return made.top;
}

function descriptionIn(top: string, [executor, args]: CardCall): Description {
  const [cwd, home] = [`${top}/site`, `${top}/home`];
  const here = JSON.parse(JSON.stringify(args).replaceAll(CARD_PROJECT, cwd));
  const description = describe(examinationOf({ executor, args: here, context: { cwd }, settings: { home } }));
  if (description.commands.some(({ text }) => text.includes(cwd)))
    throw new Error("a card's command may not name the project's folder: its spans would move");
  return JSON.parse(JSON.stringify(description).replaceAll(cwd, CARD_PROJECT).replaceAll(home, "/home/me"));
}

function makeProject(top: string): void {
  const cwd = `${top}/site`;
  for (const folder of ["src", "out", "old"]) mkdirSync(`${cwd}/${folder}`, { recursive: true });
  mkdirSync(`${top}/home`);
  for (const [name, text] of Object.entries(FILES)) writeFileSync(`${cwd}/${name}`, text);
  const git = (...args: string[]) =>
    execFileSync("git", args, {
      cwd,
      env: { PATH: process.env.PATH, HOME: `${top}/home`, GIT_CONFIG_NOSYSTEM: "1" },
      stdio: "pipe",
    });
  git("init", "-q");
  git("add", ".");
  for (const name of ["out/a.js", "old/b.js"]) writeFileSync(`${cwd}/${name}`, "");
}
