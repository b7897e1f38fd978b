import { execFile, execFileSync, spawnSync } from "node:child_process";
import { existsSync, lchownSync, lstatSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { FoundPlaces } from "../../main/box/arguments/bubblewrap.ts";
import type { Declaration } from "../../main/decide/confinement/declaration.ts";
import type { BoxAnswer, BoxQuestion } from "./box-user.ts";

/** Real boxes, made by the gate's own arguments, as root and as an ordinary user. */

const BUBBLEWRAP = "/usr/bin/bwrap";

/** False, with a printed reason, where there is no Bubblewrap; with CI=true that fails. */
export const HAS_BUBBLEWRAP = hasBubblewrap();

function hasBubblewrap(): boolean {
  if (existsSync(BUBBLEWRAP)) return true;
  if (process.env.CI === "true") throw new Error("bubblewrap isn't installed");
  console.warn("skipped: no command can be confined without bubblewrap");
  return false;
}

export interface BoxUser {
  name: string;
  /** Undefined: whoever runs the test. */
  uid: number | undefined;
}

const ORDINARY_UID = 1000;

/** Whoever runs the tests; root can be an ordinary user beside. */
export const BOX_USERS: readonly BoxUser[] =
  process.getuid?.() === 0
    ? [
        { name: "root", uid: undefined },
        { name: "an ordinary user", uid: ORDINARY_UID },
      ]
    : [{ name: "an ordinary user", uid: undefined }];

export interface BoxRun {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface TestBox {
  /** Bubblewrap's; a test may exchange one as another box would exchange a file. */
  arguments: string[];
  /** What makes it, unless a run says otherwise. */
  maker: string;
  run(command: string, maker?: string): Promise<BoxRun>;
}

export interface TestBoxOptions {
  user: BoxUser;
  /** A folder of the test's: its home and the gate's state are made in it. */
  folder: string;
  declaration: Pick<Declaration, "project"> & Partial<Declaration>;
  found?: Partial<FoundPlaces>;
}

/** A box of that user's: what lies in `folder` becomes that user's. */
export function testBox({ user, folder, declaration, found = {} }: TestBoxOptions): TestBox {
  const home = join(folder, "home");
  const stateDir = join(home, ".local/state/metnos");
  mkdirSync(stateDir, { recursive: true });
  if (user.uid !== undefined) for (const path of [folder, declaration.project]) give(path, user.uid);
  const whole: Declaration = { cwd: declaration.project, reads: [], writes: [], network: false, ...declaration };
  const question: BoxQuestion = {
    home,
    state_dir: stateDir,
    declaration: whole,
    found: { run_later: [], secrets: [], ...found },
  };
  const script = join(import.meta.dirname, "box-user.ts");
  const [program, ...words] = asUser(user, [process.execPath, script]);
  const said = execFileSync(program, words, {
    input: JSON.stringify(question),
    encoding: "utf8",
    env: ENVIRONMENT,
    cwd: "/",
  });
  const answer = JSON.parse(said) as BoxAnswer;
  const { maker } = answer;
  return {
    arguments: answer.arguments,
    maker,
    run: (command, other = maker) => run(user, { ...answer, maker: other }, command),
  };
}

const RUN_MS = 240_000;

function run(user: BoxUser, answer: BoxAnswer, command: string): Promise<BoxRun> {
  const inner = [answer.maker, ...answer.arguments, "/bin/bash", "-c", `${answer.before}\n${command}`];
  const [program, ...words] = asUser(user, inner);
  return new Promise((resolve) => {
    const options = {
      encoding: "utf8",
      env: ENVIRONMENT,
      timeout: RUN_MS,
      maxBuffer: 16 * 1024 * 1024,
      cwd: "/",
    } as const;
    const child = execFile(program, words, options, (_error, stdout, stderr) => {
      resolve({ code: child.exitCode, stdout, stderr });
    });
    child.stdin?.end();
  });
}

/** Node as these tests run on, first, then the system's. */
const ENVIRONMENT = {
  PATH: `${join(process.execPath, "..")}:${process.env.PATH ?? ""}`,
  LANG: "C.UTF-8",
  ...(process.env.METNOS_BOX_MAKER === undefined ? {} : { METNOS_BOX_MAKER: process.env.METNOS_BOX_MAKER }),
  TERM: "dumb",
};

type Words = [program: string, ...words: string[]];

function asUser({ uid }: BoxUser, [program = "", ...words]: readonly string[]): Words {
  if (uid === undefined) return [program, ...words];
  return ["setpriv", `--reuid=${uid}`, `--regid=${uid}`, "--clear-groups", "--", program, ...words];
}

/** Gives a folder and all below it to a user. */
function give(path: string, uid: number): void {
  lchownSync(path, uid, uid);
  if (!lstatSync(path).isDirectory()) return;
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (!entry.isSymbolicLink()) give(join(path, entry.name), uid);
  }
}

/** Whether a program is there; where it isn't, the reason is printed, and with CI=true it fails. */
export function hasProgram(name: string): boolean {
  if (spawnSync("/bin/sh", ["-c", 'command -v "$1"', "sh", name], { stdio: "ignore" }).status === 0) return true;
  if (process.env.CI === "true") throw new Error(`${name} isn't installed`);
  console.warn(`skipped: ${name} isn't installed`);
  return false;
}
