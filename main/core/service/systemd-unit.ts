import { SERVICE_MARK, type ServiceParts } from "./service-parts.ts";

/** The gate as a unit of the user's own systemd. */

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
