import { setTimeout as pause } from "node:timers/promises";
import type { Command } from "commander";
import { ownCommand } from "../../ipc/base/own-command.ts";
import { gatePaths } from "../../ipc/base/paths.ts";
import { GateError } from "../../ipc/contract/gate-error.ts";
import { GateService, type ServiceState, type ServiceSystem, SYSTEMS } from "../../main/core/service/gate-service.ts";
import { serviceParts } from "../../main/core/service/service-parts.ts";
import { runningGate } from "../operator.ts";
import { EXIT, type ExitCode, say, tell } from "../output.ts";
import { type RunCommand, type ServiceManager, serviceManager } from "../service-manager.ts";

/** `service`: the gate as a service of the user's session. */
export function serviceCommands(program: Command, done: (code: ExitCode) => void): void {
  const service = program
    .command("service")
    .description("the gate as a service that starts at login: a systemd user unit, launchd's agent on macOS");
  service
    .command("install")
    .description("writes the unit, enables it and starts it where no gate runs")
    .action(async () => done(await installService(serviceHere())));
  service
    .command("remove")
    .description("stops the service and removes its unit")
    .action(() => removeService(serviceHere()));
  service
    .command("status")
    .description("whether the unit is there, is this version's, starts at login and runs")
    .action(() => done(showService(serviceHere())));
}

export interface ServiceHere {
  service: GateService;
  manager: ServiceManager;
}

/**
 * The service of this environment and what runs it.
 * @throws GateError `not_available` on a system whose services this version doesn't know
 */
export function serviceHere(
  platform: NodeJS.Platform = process.platform,
  env: Readonly<Record<string, string | undefined>> = process.env,
  run?: RunCommand,
): ServiceHere {
  const system = SYSTEMS[platform];
  if (system === undefined) throw new GateError("not_available", `there is no service for ${platform}`, without());
  const service = new GateService(system, gatePaths(env), () => serviceParts(env));
  return { service, manager: serviceManager(system, service.file, run) };
}

const without = (): string => `let what starts your session run: ${ownCommand("serve --web --no-link")}`;

/** Installed twice it is as installed once. */
async function installService({ service, manager }: ServiceHere): Promise<ExitCode> {
  const problem = manager.problem();
  if (problem !== undefined) throw notReached(service.system, problem);
  const before = service.write();
  say(WRITTEN[before](service.file));
  manager.enable();
  const gate = await runningGate();
  if (gate !== undefined) {
    const { pid } = await gate.call("status", {});
    await gate.close();
    if (manager.isActive()) {
      say(`It runs (process ${pid})${before === "outdated" ? "; what changed counts from its next start on" : ""}.`);
    } else {
      say(
        `Another gate is running (process ${pid}). The service starts at your next login, or once that gate has ended:`,
      );
      say(`  ${manager.starting}`);
    }
    return EXIT.ok;
  }
  manager.start();
  if (await answersSoon()) {
    say(`The gate runs, and starts at each login. A link to its page: ${ownCommand("open")}`);
    return EXIT.ok;
  }
  say("The service was started, but its gate doesn't answer yet.");
  say(`  see: ${manager.showing}`);
  return EXIT.problemFound;
}

const WRITTEN: Readonly<Record<ServiceState, (file: string) => string>> = {
  missing: (file) => `Written: ${file}`,
  outdated: (file) => `Written anew: ${file}`,
  current: (file) => `As it should be already: ${file}`,
  // refused before
  foreign: (file) => file,
};

function notReached(system: ServiceSystem, problem: string): GateError {
  const name = system === "systemd" ? "systemd's user manager" : "launchd";
  return new GateError("not_available", `${name} can't be reached, and nothing was written: ${problem}`, without());
}

/** Removes all that `install` made; what is not there is no failure. */
export function removeService({ service, manager }: ServiceHere): void {
  const state = service.state();
  if (state === "missing") {
    service.remove();
    say(`There is no service: ${service.file} is not there.`);
    return;
  }
  if (state !== "foreign") manager.disable();
  service.remove();
  manager.forget();
  say(`Removed: ${service.file}`);
}

/** Exit code 5 where the unit isn't what this version would write. */
function showService({ service, manager }: ServiceHere): ExitCode {
  const state = service.state();
  const startsAtLogin = service.isEnabled();
  const isActive = state !== "missing" && manager.isActive();
  tell(
    { system: service.system, file: service.file, state, starts_at_login: startsAtLogin, is_active: isActive },
    `${service.file}: ${STATES[state]()}`,
    ...(state === "missing"
      ? []
      : [`It ${startsAtLogin ? "starts" : "doesn't start"} at login and ${isActive ? "runs" : "doesn't run"} now.`]),
  );
  return state === "outdated" || state === "foreign" ? EXIT.problemFound : EXIT.ok;
}

const STATES: Readonly<Record<ServiceState, () => string>> = {
  missing: () => `not installed (${ownCommand("service install")})`,
  current: () => "installed",
  outdated: () =>
    `of another version, or of another place of this program: ${ownCommand("service install")} writes it anew`,
  foreign: () => "not made by metnos-gate; it is left as it is",
};

/** How long a started gate may take to listen, in milliseconds. */
const STARTING_MS = 60_000;
const LOOK_MS = 100;

async function answersSoon(): Promise<boolean> {
  const until = performance.now() + STARTING_MS;
  while (performance.now() < until) {
    const gate = await runningGate();
    if (gate !== undefined) {
      await gate.close();
      return true;
    }
    await pause(LOOK_MS);
  }
  return false;
}
