import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { removeService, serviceHere } from "../../cli/commands/service.ts";
import { CHECKOUT, LAUNCHER, runGate, StartedProcess, startServe } from "../support/gate-process.ts";
import { type TemporaryHome, temporaryHome } from "../support/temporary-home.ts";

/** A home whose PATH has this `systemctl` first; each call of it is a line of the log. */
function homeWith(systemctl: string): TemporaryHome & { calls(): string[] } {
  const home = temporaryHome();
  const log = join(home.home, "calls");
  const program = join(home.home, "bin/systemctl");
  mkdirSync(dirname(program));
  writeFileSync(program, `#!/bin/sh\necho "$*" >> "${log}"\n${systemctl}\n`);
  chmodSync(program, 0o755);
  const env = { ...home.env, PATH: `${dirname(program)}:${home.env.PATH}` };
  return { ...home, env, calls: () => (existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : []) };
}

/** `start` runs what the unit says, as systemd would; `disable --now` ends it. */
function homeWithSystemd(): TemporaryHome & { calls(): string[] } {
  const started = 'unit="$HOME/.config/systemd/user/metnos-gate.service"; pid="$HOME/pid"';
  const home = homeWith(`${started}
case "$2" in
  start)
    command=$(sed -n 's/^ExecStart=":\\(.*\\)$/"\\1/p' "$unit")
    eval "exec $command" > "$HOME/journal" 2>&1 &
    echo $! > "$pid" ;;
  disable) [ ! -e "$pid" ] || { kill $(cat "$pid"); rm "$pid"; } ;;
  is-active) [ -e "$pid" ] ;;
esac`);
  onTestFinished(() => {
    const file = join(home.home, "pid");
    if (existsSync(file)) process.kill(Number(readFileSync(file, "utf8")), "SIGKILL");
  });
  return home;
}

describe("metnos-gate service", () => {
  it("install writes the unit, enables and starts it, once; status says so; remove leaves nothing", async () => {
    const home = homeWithSystemd();
    const unit = home.paths.systemdUnit;
    const first = await runGate(home, ["service", "install"]);
    expect(first).toMatchObject({ code: 0, stdout: "" });
    expect(first.stderr.split("\n")).toEqual([
      `Written: ${unit}`,
      "  ran: systemctl --user daemon-reload",
      "  ran: systemctl --user enable metnos-gate.service",
      "  ran: systemctl --user start metnos-gate.service",
      `The gate runs, and starts at each login. A link to its page: metnos-gate open`,
      "",
    ]);
    expect(statSync(unit).mode & 0o777).toBe(0o600);
    expect((await runGate(home, ["service", "status"])).lines).toEqual([
      { system: "systemd", file: unit, state: "current", starts_at_login: true, is_active: true },
    ]);
    // Its output is kept where agents can read it.
    expect(readFileSync(join(home.home, "journal"), "utf8")).not.toMatch(/http:/);
    expect((await runGate(home, ["open"])).lines).toMatchObject([{ url: expect.stringMatching(/^http:/) }]);

    const text = readFileSync(unit, "utf8");
    const again = await runGate(home, ["service", "install"]);
    expect(again.code).toBe(0);
    expect(again.stderr).toMatch(/^As it should be already: .*\n(?: {2}ran: .*\n){2}It runs \(process \d+\)\.\n$/);
    expect(readFileSync(unit, "utf8")).toBe(text);

    const removed = await runGate(home, ["service", "remove"]);
    expect(removed.code).toBe(0);
    expect(removed.stderr.split("\n").slice(0, 3)).toEqual([
      "  ran: systemctl --user disable --now metnos-gate.service",
      "  ran: systemctl --user daemon-reload",
      `Removed: ${unit}`,
    ]);
    expect(existsSync(dirname(unit))).toBe(false);
    expect((await runGate(home, ["service", "remove"])).stderr).toBe(`There is no service: ${unit} is not there.\n`);
    expect((await runGate(home, ["service", "status"])).lines).toMatchObject([{ state: "missing", is_active: false }]);
  });

  it("install beside a gate that runs already starts no second one", async () => {
    const home = homeWith('[ "$2" != is-active ]');
    const gate = await startServe(home);
    const installed = await runGate(home, ["service", "install"]);
    expect(installed.code).toBe(0);
    expect(installed.stderr).toContain(`Another gate is running (process ${gate.child.pid})`);
    expect(installed.stderr).toContain("  systemctl --user start metnos-gate.service\n");
    expect(home.calls()).not.toContain("--user start metnos-gate.service");
  });

  it("install without a user manager says so and what to do, and writes nothing", async () => {
    const home = homeWith('echo "Failed to connect to bus: No medium found" >&2; exit 1');
    const refused = await runGate(home, ["service", "install"]);
    expect(refused).toMatchObject({ code: 4, stdout: "" });
    expect(refused.stderr).toBe(
      "metnos-gate: systemd's user manager can't be reached, and nothing was written: Failed to connect to bus: No medium found\n" +
        `  let what starts your session run: metnos-gate serve --web --no-link\n`,
    );
    expect(existsSync(home.paths.systemdUnit)).toBe(false);
  });

  it("a unit of the user's own is neither replaced nor stopped nor removed", async () => {
    const home = homeWith("exit 0");
    mkdirSync(dirname(home.paths.systemdUnit), { recursive: true });
    writeFileSync(home.paths.systemdUnit, "[Service]\nExecStart=/bin/true\n");
    for (const act of ["install", "remove"]) {
      const refused = await runGate(home, ["service", act]);
      expect(refused.code).toBe(1);
      expect(refused.stderr).toContain(`${home.paths.systemdUnit} was not made by metnos-gate, and is left as it is`);
    }
    expect((await runGate(home, ["service", "status"])).code).toBe(5);
    expect(readFileSync(home.paths.systemdUnit, "utf8")).toBe("[Service]\nExecStart=/bin/true\n");
    expect(home.calls().filter((call) => /enable|start|disable/.test(call))).toEqual([]);
  });

  it("a step of systemd that fails is reported with its own words", async () => {
    const home = homeWith('[ "$2" != enable ] || { echo "Unit is masked." >&2; exit 1; }');
    const failed = await runGate(home, ["service", "install"]);
    expect(failed.code).toBe(1);
    expect(failed.stderr).toContain("systemctl --user enable metnos-gate.service failed: Unit is masked.");
  });

  it("on macOS is launchd's agent", () => {
    const home = temporaryHome();
    const calls: string[] = [];
    const said = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    onTestFinished(() => said.mockRestore());
    const here = serviceHere("darwin", home.env, (command, args) => {
      calls.push([command, ...args].join(" "));
      return { isDone: true, output: "" };
    });
    const domain = `gui/${process.getuid?.()}`;
    expect(here.manager.problem()).toBeUndefined();
    here.service.write();
    here.manager.enable();
    here.manager.start();
    expect(here.manager.isActive()).toBe(true);
    removeService(here);
    expect(calls).toEqual([
      `launchctl print ${domain}`,
      `launchctl bootstrap ${domain} ${home.paths.launchAgent}`,
      `launchctl print ${domain}/org.metnos.gate`,
      `launchctl bootout ${domain}/org.metnos.gate`,
    ]);
    expect(said.mock.lastCall?.[0]).toBe(`Removed: ${home.paths.launchAgent}\n`);
    expect(existsSync(home.paths.launchAgent)).toBe(false);
  });

  it("is for systems whose services are known", () => {
    expect(() => serviceHere("win32", temporaryHome().env)).toThrow("there is no service for win32");
  });
});

/** Where systemd keeps it: the test's own environment names no folders of the user's. */
const RUNTIME_DIR = `/run/user/${process.getuid?.()}`;
const systemctl = (...args: string[]) =>
  spawnSync("systemctl", ["--user", ...args], {
    encoding: "utf8",
    env: { PATH: process.env.PATH, XDG_RUNTIME_DIR: RUNTIME_DIR },
  });
const HAS_MANAGER = systemctl("show-environment").status === 0;
if (!HAS_MANAGER)
  console.log("systemd's user manager doesn't run here: the unit's start by systemd itself is not checked");

describe("the unit under systemd itself", () => {
  it.skipIf(!HAS_MANAGER)("starts a gate that answers, and stops with it", async () => {
    // A unit of this test's own name and home; the user's own service is not touched.
    const home = temporaryHome();
    const written = serviceHere("linux", home.env);
    written.service.write();
    const name = `metnos-gate-test-${process.pid}.service`;
    const folder = join(RUNTIME_DIR, "systemd/user");
    mkdirSync(folder, { recursive: true });
    const text = readFileSync(home.paths.systemdUnit, "utf8");
    writeFileSync(join(folder, name), text.replace("[Service]", `[Service]\nEnvironment="HOME=${home.home}"`));
    onTestFinished(() => {
      systemctl("stop", name);
      spawnSync("rm", ["-f", join(folder, name)]);
      systemctl("daemon-reload");
    });
    systemctl("daemon-reload");
    expect(systemctl("start", name)).toMatchObject({ status: 0 });
    await expect.poll(async () => (await runGate(home, ["status"])).code).toBe(0);
    expect(systemctl("stop", name)).toMatchObject({ status: 0 });
    expect(existsSync(home.paths.operator_socket)).toBe(false);
  });
});

describe("a second start", () => {
  /** `metnos-gate start` where there is no Electron. */
  const start = (home: TemporaryHome) =>
    new StartedProcess(process.execPath, [LAUNCHER, "start"], {
      env: { ...home.env, ELECTRON_OVERRIDE_DIST_PATH: join(home.home, "nowhere") },
      cwd: CHECKOUT,
    });

  it("prints a fresh link to the page of the gate that runs, and ends with 0", async () => {
    const home = temporaryHome();
    const gate = await startServe(home, ["--web"]);
    const links = await Promise.all(
      [start(home), start(home)].map(async (second) => {
        expect(await second.exited).toBe(0);
        expect(second.stdout).toBe("");
        expect(second.stderr).toContain(
          `A gate is running already (process ${gate.child.pid}); no other one is started.`,
        );
        return /http:\/\/\S+/.exec(second.stderr)?.[0] ?? "";
      }),
    );
    expect(new Set(links).size).toBe(2);
    expect((await fetch(links[0] ?? "", { redirect: "manual" })).status).toBe(200);
  });

  it("says so, with the command, where that gate serves no page", async () => {
    const home = temporaryHome();
    await startServe(home);
    const second = start(home);
    expect(await second.exited).toBe(0);
    expect(second.stderr).toContain(`metnos-gate watch`);
    expect(second.stderr).toContain(`it serves no page: for one, end it and start it again with: metnos-gate start`);
  });
});

describe("metnos-gate serve --web --no-link", () => {
  it("prints no link: what it prints may be kept where agents read it", async () => {
    const home = temporaryHome();
    const gate = await startServe(home, ["--web", "--no-link"]);
    expect(gate.stderr).toContain(`or in a browser at  the link that this prints: metnos-gate open`);
    expect(gate.stderr + gate.stdout).not.toMatch(/http:/);
  });

  it("while a gate runs ends with 1: only start shows the other one", async () => {
    const home = temporaryHome();
    await startServe(home);
    const refused = await runGate(home, ["serve"]);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("a gate is already running for this user");
  });
});
