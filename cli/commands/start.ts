import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { ownCommand } from "../../ipc/base/own-command.ts";
import { GateError } from "../../ipc/contract/gate-error.ts";
import { mayStartAgain, PAUSE_UNKEPT, PAUSED_FLAG, RESTARTED_FLAG, SUPERVISED_FLAG } from "../../main/core/restart.ts";
import { LINK_SECONDS } from "../../main/surfaces/web/web-sessions.ts";
import { shownInBrowser } from "../browser.ts";
import { runningGate } from "../operator.ts";
import { EXIT, type ExitCode, say } from "../output.ts";
import { acceptEmptyOption, BROWSER_FLAG } from "./serve.ts";

/** `start`: the tray app where it can run, otherwise the gate with its page in a browser. One line says which, and why. */
export function startCommand(program: Command, done: (code: ExitCode) => void): void {
  program
    .command("start")
    .description("starts the tray app; where Electron or a display is missing, the gate with its page (serve --web)")
    .option("--no-browser", "doesn't open the page in a browser")
    .addOption(acceptEmptyOption())
    .action(async ({ acceptEmpty = [], browser }: { acceptEmpty?: string[]; browser: boolean }) => {
      const here = desktopEnvironment();
      const app = findTrayApp(here);
      if ("missing" in app) {
        const shown = await showRunningGate(browser);
        if (shown !== undefined) return done(shown);
        say(`Starting without a tray, with the page in a browser: ${app.missing}.`);
        const first = [...(browser ? [BROWSER_FLAG] : []), ...acceptedAs(acceptEmpty)];
        return done(await supervise({ name: "the gate", start: (flags) => startGate(here.root, first, flags) }));
      }
      say("Starting the tray app: Electron is installed and there is a display.");
      done(await runTrayApp(app));
    });
}

/** Runs until it ends; what interrupts this process interrupts it. @public A test starts it alone, in a process of its own. */
export function runTrayApp({ electron, root }: { electron: string; root: string }): Promise<ExitCode> {
  // Set in some editors' terminals: Electron would be a bare Node then.
  const { ELECTRON_RUN_AS_NODE: _, ...env } = process.env;
  return supervise({
    name: "the tray app",
    start: (flags) =>
      spawn(electron, [root, SUPERVISED_FLAG, ...flags], { stdio: ["inherit", "inherit", "inherit", "ipc"], env }),
  });
}

/**
 * `serve --web` as a child process. It ends with its standard input: a gate without this process wouldn't be noticed. A
 * terminal's own signals don't reach it, only those that are passed on.
 */
function startGate(root: string, first: readonly string[], flags: readonly string[]): ChildProcess {
  // The page that is open comes back by itself, and the names that may begin empty are for this start, not for a later one.
  const further = flags.length === 0 ? first : flags;
  const [command = process.execPath, ...words] = launcher(root);
  return spawn(command, [...words, "serve", "--web", SUPERVISED_FLAG, ...further], {
    stdio: ["pipe", "inherit", "inherit", "ipc"],
    detached: process.platform !== "win32",
  });
}

function acceptedAs(names: readonly string[]): string[] {
  return names.length === 0 ? [] : ["--accept-empty", ...names];
}

/** This command, as it was started: an installed app's launcher, or Node with its own flags. */
function launcher(root: string): string[] {
  const installed = process.env.METNOS_GATE_LAUNCHER;
  if (installed && existsSync(installed)) return [installed];
  return [process.execPath, ...process.execArgv, join(root, "bin/metnos-gate.js")];
}

/**
 * At a second start: opens the running gate's page, or prints a new link to it, or how to answer where it serves none. Undefined where no gate runs.
 * @throws GateError `not_authorised` where a gate is there that isn't this user's
 */
async function showRunningGate(opensBrowser: boolean): Promise<ExitCode | undefined> {
  const gate = await runningGate();
  if (gate === undefined) return undefined;
  try {
    const { pid } = await gate.call("status", {});
    say(`A gate is running already (process ${pid}); no other one is started.`);
    const link = await gate.call("web.link", {}).catch((error: unknown) => {
      if (error instanceof GateError && error.code === "not_available") return undefined;
      throw error;
    });
    if (link === undefined) {
      say(`  you answer with   ${ownCommand("watch")}`);
      say(`  it serves no page: for one, end it and start it again with: ${ownCommand("start")}`);
    } else if (opensBrowser && (await shownInBrowser(link.url))) {
      say(`  its page          was opened in a browser; for another link: ${ownCommand("open")}`);
    } else {
      say(`  its page is at    ${link.url}`);
      say(`                    once, within ${LINK_SECONDS / 60} minutes; for another link: ${ownCommand("open")}`);
    }
    return EXIT.ok;
  } finally {
    await gate.close();
  }
}

/** Runs the gate, or the tray app around it, as another process, and starts it again if it dies. */

interface Supervised {
  /** In a sentence: `the gate`. */
  name: string;
  /** Starts it. `flags`: how the one before ended, none the first time. A message of it says whether its death would end a pause. */
  start(flags: readonly string[]): ChildProcess;
}

/** A second interrupt after this time ends the child at once, in milliseconds. */
const PATIENCE_MS = 1000;

/** These report the reason themselves: restarted it would only end again. */
const WANTED_ENDS: readonly (number | null)[] = [EXIT.ok, EXIT.failed, EXIT.usage, EXIT.refused, EXIT.replaced];

/**
 * Runs it until it ends for good, and gives its exit code. What interrupts this process interrupts it; one that dies is started
 * again once, and another time only after it ran for ten minutes. Rejects with the system's error where it can't be started.
 */
async function supervise({ name, start }: Supervised): Promise<ExitCode> {
  let child: ChildProcess | undefined;
  let askedAt: number | undefined;
  let isPauseUnkept = false;
  const interrupt = (signal: NodeJS.Signals) => {
    if (askedAt === undefined) {
      askedAt = performance.now();
      child?.kill(signal);
    } else if (performance.now() - askedAt > PATIENCE_MS) child?.kill("SIGKILL");
  };
  // Listened to before the child is there: a signal in between would end this process alone.
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const signal of signals) process.on(signal, interrupt);
  try {
    let flags: string[] = [];
    for (;;) {
      const startedAt = performance.now();
      child = start(flags);
      // What the one before has said counts until this one says something.
      child.on("message", (message) => {
        isPauseUnkept = message === PAUSE_UNKEPT;
      });
      const { code, signal } = await endOf(child);
      child = undefined;
      // Interrupted before it could listen: it has ended as it was to.
      if (askedAt !== undefined && signal !== null && signal !== "SIGKILL") return EXIT.ok;
      if (askedAt !== undefined || (signal === null && WANTED_ENDS.includes(code))) return exitCodeOf(code);
      const how = signal ?? `exit code ${code}`;
      const upMs = performance.now() - startedAt;
      if (!mayStartAgain({ wasRestarted: flags.length > 0, upMs })) {
        say(`metnos-gate: ${name} ended unexpectedly again (${how}), ${seconds(upMs)} after it was started again`);
        say(`  its output above may say why; once that is solved, start it with: ${ownCommand("start")}`);
        return EXIT.died;
      }
      const paused = isPauseUnkept ? ", paused: a pause could not be stored" : "";
      say(`metnos-gate: ${name} ended unexpectedly (${how}); starting it again${paused}`);
      flags = [`${RESTARTED_FLAG}=${how}`, ...(isPauseUnkept ? [PAUSED_FLAG] : [])];
    }
  } finally {
    if (isPauseUnkept)
      say(`metnos-gate: a pause could not be stored: the next start isn't paused until you do: ${ownCommand("pause")}`);
    for (const signal of signals) process.off(signal, interrupt);
  }
}

function endOf(child: ChildProcess): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve({ code, signal }));
  });
}

/** Of one that a signal ended, or with a code that isn't one of ours: failed. */
function exitCodeOf(code: number | null): ExitCode {
  return Object.values(EXIT).find((known) => known === code) ?? EXIT.failed;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(0)} s`;
}

/** Whether the tray app can be started here, found out without starting anything. */

/** The command that is run, or a short reason why it can't be. */
type TrayApp = { electron: string; root: string } | { missing: string };

export interface DesktopEnvironment {
  platform: NodeJS.Platform;
  env: Readonly<Record<string, string | undefined>>;
  /** The user's number; none on Windows. */
  uid: number | undefined;
  /** The folder of the package `electron`; none where it isn't installed. */
  electronPackage: string | undefined;
  /** The folder with the product's package.json, whose `main` is the built app. */
  root: string;
}

/** Where Electron's own download puts the program, below `dist/`. */
const PROGRAMS: Partial<Record<NodeJS.Platform, string>> = {
  linux: "electron",
  darwin: "Electron.app/Contents/MacOS/Electron",
  win32: "electron.exe",
};

export function findTrayApp({ platform, env, uid, electronPackage, root }: DesktopEnvironment): TrayApp {
  const program = PROGRAMS[platform];
  if (program === undefined) return { missing: `there is no tray app for ${platform}` };
  const folder = env.ELECTRON_OVERRIDE_DIST_PATH || (electronPackage && join(electronPackage, "dist"));
  if (!folder) return { missing: "Electron is not installed" };
  const electron = join(folder, program);
  if (!existsSync(electron))
    return { missing: "Electron's program is not installed (npx install-electron downloads it)" };
  if (!existsSync(join(root, "dist/desktop/main.js"))) return { missing: "the tray app is not built (npm run build)" };
  if (platform === "linux") {
    if (!env.DISPLAY && !env.WAYLAND_DISPLAY) return { missing: "there is no display" };
    if (uid === 0) return { missing: "Electron doesn't run as root" };
  }
  return { electron, root };
}

export function desktopEnvironment(): DesktopEnvironment {
  return {
    platform: process.platform,
    env: process.env,
    uid: process.getuid?.(),
    electronPackage: electronPackage(),
    root: productFolder(),
  };
}

/** Asked for its package.json: its entry would download the program. */
function electronPackage(): string | undefined {
  try {
    return dirname(createRequire(import.meta.url).resolve("electron/package.json"));
  } catch {
    return undefined; // a production install has none
  }
}

/** One folder up from cli/, two from dist/cli/. */
function productFolder(): string {
  const up = fileURLToPath(new URL("..", import.meta.url));
  return existsSync(join(up, "package.json")) ? up : fileURLToPath(new URL("../..", import.meta.url));
}
