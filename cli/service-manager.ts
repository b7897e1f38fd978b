import { spawnSync } from "node:child_process";
import { basename } from "node:path";
import { ownCommand } from "../ipc/base/own-command.ts";
import { GateError } from "../ipc/contract/gate-error.ts";
import type { ServiceSystem } from "../main/core/service/gate-service.ts";
import { LAUNCH_LABEL } from "../main/core/service/launch-agent.ts";
import { say } from "./output.ts";

/** systemd's and launchd's own commands, each printed as it was run. */

/** How a command ended; `output` is what it printed, both streams. */
interface Ran {
  isDone: boolean;
  output: string;
}
export type RunCommand = (command: string, args: readonly string[]) => Ran;

/** The service manager of this user, for the service in `file`. */
export interface ServiceManager {
  /** Why it can't be reached, or undefined. */
  problem(): string | undefined;
  /** It reads the new file and will start it at login. @throws GateError `service_failed` */
  enable(): void;
  /** @throws GateError `service_failed` */
  start(): void;
  /** Stops it and forgets it. What fails is printed. */
  disable(): void;
  /** After the file was removed. */
  forget(): void;
  isActive(): boolean;
  /** The command that starts it, and the one that says how it is, for the user. */
  readonly starting: string;
  readonly showing: string;
}

export function serviceManager(
  system: ServiceSystem,
  file: string,
  run: RunCommand = runQuietly,
  uid: number = process.getuid?.() ?? 0,
): ServiceManager {
  return system === "systemd" ? systemd(basename(file), run) : launchd(file, run, uid);
}

function systemd(unit: string, run: RunCommand): ServiceManager {
  const systemctl = (...args: string[]) => run("systemctl", ["--user", ...args]);
  return {
    problem: () => problemOf(systemctl("show-environment")),
    enable() {
      required(run, "systemctl", "--user", "daemon-reload");
      required(run, "systemctl", "--user", "enable", unit);
    },
    start: () => required(run, "systemctl", "--user", "start", unit),
    disable: () => tried(run, "systemctl", "--user", "disable", "--now", unit),
    forget: () => tried(run, "systemctl", "--user", "daemon-reload"),
    isActive: () => systemctl("is-active", unit).isDone,
    starting: `systemctl --user start ${unit}`,
    showing: `systemctl --user status ${unit}`,
  };
}

function launchd(file: string, run: RunCommand, uid: number): ServiceManager {
  const domain = `gui/${uid}`;
  const service = `${domain}/${LAUNCH_LABEL}`;
  return {
    problem: () => problemOf(run("launchctl", ["print", domain])),
    // The file's place is what makes launchd read it at login.
    enable: () => undefined,
    start: () => required(run, "launchctl", "bootstrap", domain, file),
    disable: () => tried(run, "launchctl", "bootout", service),
    forget: () => undefined,
    isActive: () => run("launchctl", ["print", service]).isDone,
    starting: `launchctl bootstrap ${domain} ${file}`,
    showing: `launchctl print ${service}`,
  };
}

function required(run: RunCommand, command: string, ...args: string[]): void {
  const line = [command, ...args].join(" ");
  const { isDone, output } = run(command, args);
  if (!isDone)
    throw new GateError(
      "service_failed",
      `${line} failed: ${firstLine(output)}`,
      `see: ${ownCommand("service status")}`,
    );
  say(`  ran: ${line}`);
}

function tried(run: RunCommand, command: string, ...args: string[]): void {
  const line = [command, ...args].join(" ");
  const { isDone, output } = run(command, args);
  say(isDone ? `  ran: ${line}` : `  ran: ${line}, which failed: ${firstLine(output)}`);
}

function problemOf({ isDone, output }: Ran): string | undefined {
  return isDone ? undefined : firstLine(output);
}

function firstLine(output: string): string {
  return output.trim().split("\n", 1)[0] || "it gave no reason";
}

/** Longer than systemd waits for a unit to stop. Milliseconds. */
const PATIENCE_MS = 30_000;

function runQuietly(command: string, args: readonly string[]): Ran {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: "utf8", timeout: PATIENCE_MS });
  return { isDone: status === 0, output: error?.message ?? `${stderr}${stdout}` };
}
