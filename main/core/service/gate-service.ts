import { existsSync, lstatSync, mkdirSync, readlinkSync, rmdirSync, rmSync, symlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type Env, type GatePaths, gatePaths } from "../../../ipc/base/paths.ts";
import { readRegularFile } from "../../../ipc/base/regular-file.ts";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import { errorCode } from "../../base/errors.ts";
import { writeDurably } from "../../base/files/durable-file.ts";
import { fileError } from "../../base/files/file-errors.ts";
import type { LoginItem } from "../../config/index.ts";
import { launchAgentText } from "./launch-agent.ts";
import { SERVICE_MARK, type ServiceParts, serviceParts } from "./service-parts.ts";

/** The file that lets the user's own systemd, or launchd, start the gate at login: looked at, written and removed. Nothing is run here. */

export type ServiceSystem = "systemd" | "launchd";

/** What starts services on a platform, where it is there. */
export const SYSTEMS: Readonly<Partial<Record<NodeJS.Platform, ServiceSystem>>> = {
  linux: "systemd",
  darwin: "launchd",
};

/** The file as it is: missing, as this product would write it, an earlier one of this product, or somebody else's. */
export type ServiceState = "missing" | "current" | "outdated" | "foreign";

/** Made while systemd is this system's init. */
const SYSTEMD_RUNS = "/run/systemd/system";

/** What starts services here, or undefined. */
export function serviceSystem(
  platform: NodeJS.Platform = process.platform,
  hasSystemd: boolean = existsSync(SYSTEMD_RUNS),
): ServiceSystem | undefined {
  const system = SYSTEMS[platform];
  return system === "systemd" && !hasSystemd ? undefined : system;
}

export class GateService {
  readonly system: ServiceSystem;
  /** The unit, or the property list. */
  readonly file: string;
  /** The link by which systemd starts the unit at login; launchd needs none. */
  readonly #wanted: string | undefined;
  readonly #parts: () => ServiceParts;

  constructor(system: ServiceSystem, paths: GatePaths, parts: () => ServiceParts) {
    this.system = system;
    this.file = system === "systemd" ? paths.systemdUnit : paths.launchAgent;
    this.#parts = parts;
    if (system === "systemd") {
      this.#wanted = join(dirname(this.file), "default.target.wants", basename(this.file));
    }
  }

  /** @throws GateError `not_available` where there is no text for this program */
  state(): ServiceState {
    const found = this.#found();
    if (found === undefined) return "missing";
    if (!found.includes(SERVICE_MARK)) return "foreign";
    return found === this.#text() ? "current" : "outdated";
  }

  /** True if it starts at login. */
  isEnabled(): boolean {
    const found = this.#found();
    if (found === undefined || !found.includes(SERVICE_MARK)) return false;
    return this.#wanted === undefined || linkTarget(this.#wanted) !== undefined;
  }

  /**
   * Writes the file (0600) and enables it. Says what it was before.
   * @throws GateError `file_unusable` where another one's file is there, or it can't be written
   */
  write(): ServiceState {
    const before = this.state();
    if (before === "foreign") throw this.#isForeign();
    if (before !== "current") writeDurably(this.file, this.#text(), "the file of the service,");
    if (this.#wanted !== undefined) enable(this.#wanted, this.file);
    return before;
  }

  /** Removes the file and what enables it, and the folders that are empty then. @throws GateError `file_unusable` */
  remove(): void {
    const found = this.#found();
    if (found !== undefined && !found.includes(SERVICE_MARK)) throw this.#isForeign();
    if (this.#wanted !== undefined && linkTarget(this.#wanted) === this.file) {
      rmSync(this.#wanted);
      removeEmpty(dirname(this.#wanted));
    }
    if (found === undefined) return;
    rmSync(this.file);
    if (this.system === "systemd") removeEmpty(dirname(this.file));
  }

  #text(): string {
    const parts = this.#parts();
    return this.system === "systemd" ? unitText(parts) : launchAgentText(parts);
  }

  /** The text of what is there; empty for what is no ordinary file, such as systemd's mask. */
  #found(): string | undefined {
    try {
      if (!lstatSync(this.file).isFile()) return "";
      return readRegularFile(this.file);
    } catch (error) {
      if (errorCode(error) === "ENOENT") return undefined;
      throw fileError(error, "the file of the service,", this.file);
    }
  }

  #isForeign(): GateError {
    return new GateError(
      "file_unusable",
      `${this.file} was not made by metnos-gate, and is left as it is`,
      `move it away: mv ${this.file} ${this.file}.old`,
    );
  }
}

/** The service of this product for this environment, or undefined where nothing could start it. */
export function gateService(env: Env, system: ServiceSystem | undefined = serviceSystem()): GateService | undefined {
  return system === undefined ? undefined : new GateService(system, gatePaths(env), () => serviceParts(env));
}

/** Start at login for a gate without the desktop app: the same file, as a switch in the settings. */
export function serviceLoginItem(service: GateService | undefined): LoginItem | undefined {
  if (service === undefined) return undefined;
  return {
    isEnabled: () => service.isEnabled(),
    setEnabled(isEnabled) {
      if (isEnabled) service.write();
      else service.remove();
    },
  };
}

/** As `systemctl --user enable` does, which needs a running manager. */
function enable(link: string, file: string): void {
  if (linkTarget(link) === file) return;
  try {
    mkdirSync(dirname(link), { recursive: true, mode: 0o700 });
    rmSync(link, { force: true });
    symlinkSync(file, link);
  } catch (error) {
    throw fileError(error, "the link that enables the service,", link);
  }
}

function linkTarget(link: string): string | undefined {
  try {
    return readlinkSync(link);
  } catch {
    return undefined; // not there, or no link
  }
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // other units lie in it
  }
}

// The gate as a unit of the user's own systemd.

/** These exit codes say why by themselves: started again, the gate would only end again (docs/cli.md). */
const WANTED_ENDS = "1 2 3 4 5 6";

/**
 * The text of `metnos-gate.service`. The gate must see the files that the agents see, so nothing here gives it another view of
 * them: no PrivateTmp, no ProtectHome, no ProtectSystem.
 */
export function unitText({ command, environment }: ServiceParts): string {
  const [program = "", ...args] = startable(command);
  return [
    `# ${SERVICE_MARK}`,
    "# Changes here are lost when it is installed again; put your own into metnos-gate.service.d/.",
    "[Unit]",
    "Description=Metnos Gate: asks before AI agents act on this machine",
    "# Its notifications go over the session's bus.",
    "After=dbus.socket",
    "StartLimitIntervalSec=600",
    "StartLimitBurst=3",
    "",
    "[Service]",
    "Type=exec",
    // With the colon a dollar is a dollar.
    `ExecStart=${[`:${program}`, ...args].map(quoted).join(" ")}`,
    ...Object.entries(environment).map(([name, value]) => `Environment=${quoted(`${name}=${value}`)}`),
    "UnsetEnvironment=NODE_OPTIONS NODE_PATH LD_PRELOAD",
    "Restart=on-failure",
    "RestartSec=1",
    `RestartPreventExitStatus=${WANTED_ENDS}`,
    "TimeoutStopSec=15",
    "UMask=0077",
    "NoNewPrivileges=true",
    "LockPersonality=true",
    "RestrictRealtime=true",
    "RestrictSUIDSGID=true",
    "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK",
    "SystemCallArchitectures=native",
    "",
    "[Install]",
    "WantedBy=default.target",
    "",
  ].join("\n");
}

/** systemd takes no program whose path has a quote, a backslash or a control character; a shell does. */
function startable(command: readonly string[]): readonly string[] {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what systemd refuses
  if (!/["'\\\u0000-\u001f\u007f]/.test(command[0] ?? "")) return command;
  return ["/bin/sh", "-c", 'exec "$0" "$@"', ...command];
}

/** One word of a unit file: quotes, backslashes and control characters escaped, and `%`, which would be a specifier. */
function quoted(word: string): string {
  const escaped = word
    .replaceAll("%", "%%")
    .replace(/["\\]/g, "\\$&")
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a line of the file must stay one line
    .replace(/[\u0000-\u001f\u007f]/g, (letter) => `\\x${letter.charCodeAt(0).toString(16).padStart(2, "0")}`);
  return `"${escaped}"`;
}
