import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { ownCommand } from "../../ipc/base/own-command.ts";
import { GateError } from "../../ipc/contract/gate-error.ts";
import type { OperatorApi } from "../../ipc/contract/operator-api.ts";
import { SUPERVISED_FLAG } from "../../main/core/restart.ts";
import { LINK_SECONDS } from "../../main/surfaces/web/web-sessions.ts";
import { shownInBrowser } from "../browser.ts";
import { runningGate } from "../operator.ts";
import { EXIT, type ExitCode, say } from "../output.ts";
import { supervise } from "../supervisor.ts";
import { desktopEnvironment, findTrayApp } from "../tray-app.ts";
import { acceptEmptyOption, BROWSER_FLAG, LAST_LINE } from "./serve.ts";

/** `start`: the tray app where it can run, otherwise the gate with its page in a browser. One line says which, and why. */
export function startCommand(program: Command, done: (code: ExitCode) => void): void {
  program
    .command("start")
    .description("starts the tray app; where Electron or a display is missing, the gate with its page (serve --web)")
    .option("--no-browser", "doesn't open the page in a browser")
    .addOption(acceptEmptyOption())
    .action(async ({ acceptEmpty = [], browser }: { acceptEmpty?: string[]; browser: boolean }) => {
      const app = findTrayApp(desktopEnvironment());
      if ("missing" in app) {
        const shown = await showRunningGate(browser);
        if (shown !== undefined) return done(shown);
      }
      done(await startHere([...(browser ? [BROWSER_FLAG] : []), ...acceptedAs(acceptEmpty)]));
    });
}

/**
 * Starts the tray app or, with `first` as its options, `serve --web`, and starts it again if it dies: until it ends for good.
 * @param running called once `serve` has said that it runs; its lines come through this process then
 */
export async function startHere(first: readonly string[], running?: () => void): Promise<ExitCode> {
  const here = desktopEnvironment();
  const app = findTrayApp(here);
  if ("missing" in app) {
    say(`Starting without a tray, with the page in a browser: ${app.missing}.`);
    return await supervise({ name: "the gate", start: (flags) => startGate(here.root, first, flags, running) });
  }
  say("Starting the tray app: Electron is installed and there is a display.");
  return await runTrayApp(app);
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
function startGate(
  root: string,
  first: readonly string[],
  flags: readonly string[],
  running?: () => void,
): ChildProcess {
  // The page that is open comes back by itself, and the names that may begin empty are for this start, not for a later one.
  const further = flags.length === 0 ? first : flags;
  const [command = process.execPath, ...words] = launcher(root);
  const child = spawn(command, [...words, "serve", "--web", SUPERVISED_FLAG, ...further], {
    stdio: ["pipe", "inherit", running === undefined ? "inherit" : "pipe", "ipc"],
    detached: process.platform !== "win32",
  });
  child.stderr?.on("data", (piece: Buffer) => {
    process.stderr.write(piece);
    if (piece.includes(LAST_LINE)) running?.();
  });
  return child;
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
    await sayRunning(gate);
    await showPage(gate, opensBrowser);
    return EXIT.ok;
  } finally {
    await gate.close();
  }
}

export async function sayRunning(gate: OperatorApi): Promise<void> {
  const { pid } = await gate.call("status", {});
  say(`A gate is running already (process ${pid}); no other one is started.`);
}

/** Opens its page, or says where it is; how to answer where it serves none. */
export async function showPage(gate: OperatorApi, opensBrowser: boolean): Promise<void> {
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
}
