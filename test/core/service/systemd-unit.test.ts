import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { unitText } from "../../../main/core/service/gate-service.ts";
import { serviceParts } from "../../../main/core/service/service-parts.ts";
import { cantRun } from "../../support/private-bus.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const NO_ANALYZE = cantRun("the unit as systemd reads it", ["systemd-analyze"]);

/** What systemd-analyze says of this unit; empty where it has nothing to say. */
function verified(text: string): { status: number | null; said: string } {
  const folder = tempFolder();
  const file = join(folder, "metnos-gate.service");
  writeFileSync(file, text);
  const { status, stdout, stderr } = spawnSync("systemd-analyze", ["--user", "verify", "--man=no", file], {
    encoding: "utf8",
    env: { PATH: process.env.PATH, HOME: folder, XDG_RUNTIME_DIR: folder },
  });
  return { status, said: `${stdout}${stderr}` };
}

/** One line's words as systemd.service(5) says: quotes, C escapes, %% for a percent sign. */
function words(text: string, key: string): string[] {
  const value = new RegExp(`^${key}=(.*)$`, "m").exec(text)?.[1] ?? "";
  return [...value.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, inside = ""]) =>
    inside
      .replace(/\\(?:x([0-9a-f]{2})|(.))/g, (_all, code: string | undefined, letter: string) =>
        code === undefined ? letter : String.fromCharCode(Number.parseInt(code, 16)),
      )
      .replaceAll("%%", "%"),
  );
}

describe("the systemd unit", () => {
  it("is this text", () => {
    const command = ["/opt/node/bin/node", "/opt/gate/bin/metnos-gate.js", "serve", "--web", "--no-link"];
    expect(unitText({ command, environment: { XDG_STATE_HOME: "/data/state" } })).toBe(
      `# Made by metnos-gate service install; metnos-gate service remove takes it away.
# Changes here are lost when it is installed again; put your own into metnos-gate.service.d/.
[Unit]
Description=Metnos Gate: asks before AI agents act on this machine
# Its notifications go over the session's bus.
After=dbus.socket
StartLimitIntervalSec=600
StartLimitBurst=3

[Service]
Type=exec
ExecStart=":/opt/node/bin/node" "/opt/gate/bin/metnos-gate.js" "serve" "--web" "--no-link"
Environment="XDG_STATE_HOME=/data/state"
UnsetEnvironment=NODE_OPTIONS NODE_PATH LD_PRELOAD
Restart=on-failure
RestartSec=1
RestartPreventExitStatus=1 2 3 4 5 6
TimeoutStopSec=15
UMask=0077
NoNewPrivileges=true
LockPersonality=true
RestrictRealtime=true
RestrictSUIDSGID=true
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
SystemCallArchitectures=native

[Install]
WantedBy=default.target
`,
    );
  });

  it("runs this product by absolute paths, with the folders of this environment and nothing else of it", () => {
    const env = {
      HOME: "/home/ada",
      XDG_STATE_HOME: "/s",
      METNOS_RUNTIME_DIR: "/r",
      NODE_OPTIONS: "--require /evil",
      PATH: "/bin",
    };
    const { command, environment } = serviceParts(env);
    expect(command.slice(-3)).toEqual(["serve", "--web", "--no-link"]);
    expect(command[0]).toBe(process.execPath);
    expect(command.find((word) => word.endsWith("metnos-gate.js"))).toBe(
      join(import.meta.dirname, "../../../bin/metnos-gate.js"),
    );
    expect(environment).toEqual({ MALLOC_ARENA_MAX: "1", XDG_STATE_HOME: "/s", METNOS_RUNTIME_DIR: "/r" });
  });

  it("of an installed app runs its launcher, unless that is gone", () => {
    const launcher = join(tempFolder(), "metnos-gate");
    expect(serviceParts({ METNOS_GATE_LAUNCHER: launcher }).command[0]).toBe(process.execPath);
    writeFileSync(launcher, "");
    expect(serviceParts({ METNOS_GATE_LAUNCHER: launcher }).command[0]).toBe(launcher);
  });

  it("changes nobody's view of the files: the gate sees what the agents see", () => {
    const text = unitText({ command: ["/bin/true"], environment: {} });
    expect(text).not.toMatch(
      /^(?:Private|Protect|ReadOnly|Inaccessible|TemporaryFileSystem|Bind|RootDirectory|DynamicUser)/m,
    );
  });

  it.each([
    "a b/node",
    "100%/%h/node",
    "$HOME/$x/node",
    "it's/node",
    'q"u"o/node',
    "back\\slash/node",
    "tab\there/node",
    "new\nline/node",
    "ünï/node",
    "a;b/node",
  ])("starts a program at an odd path, and takes it apart nowhere: %j", (name) => {
    const program = join(tempFolder(), name);
    mkdirSync(dirname(program), { recursive: true });
    writeFileSync(program, "#!/bin/sh\n");
    chmodSync(program, 0o755);
    const text = unitText({ command: [program, `${name} arg`, ""], environment: { XDG_DATA_HOME: program } });
    expect(text.match(/^\[Service\]\nType=exec\nExecStart=.*\nEnvironment=.*\nUnset/m)).not.toBeNull();
    const [first, ...args] = words(text, "ExecStart");
    const isShell = first === ":/bin/sh";
    expect(isShell ? args.slice(2) : [first?.slice(1), ...args]).toEqual([program, `${name} arg`, ""]);
    expect(words(text, "Environment")).toEqual([`XDG_DATA_HOME=${program}`]);
    if (!NO_ANALYZE) expect(verified(text)).toEqual({ status: 0, said: "" });
  });

  it.skipIf(NO_ANALYZE)("is checked by a systemd-analyze that does complain", () => {
    expect(verified(unitText({ command: ["/nowhere/node"], environment: {} }))).toMatchObject({ status: 1 });
    expect(verified(`${unitText({ command: ["/bin/true"], environment: {} })}[Service]\nUMusk=1\n`).said).toContain(
      "UMusk",
    );
  });
});
