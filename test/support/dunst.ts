import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { StartedProcess } from "./gate-process.ts";
import { PrivateBus } from "./private-bus.ts";
import { tempFolder } from "./temp-folder.ts";

export const DUNST_PROGRAMS = [
  "dbus-run-session",
  "dbus-daemon",
  "dbus-monitor",
  "dbus-send",
  "Xvfb",
  "dunst",
  "dunstctl",
];

/** A desktop with nothing on it but dunst: a bus, an X display without a screen, and a menu that presses the given button. */
export class DunstDesktop {
  readonly address: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #folder: string;
  readonly #monitor: StartedProcess;
  #dunst: StartedProcess | undefined;
  #read = 0;

  private constructor(address: string, env: NodeJS.ProcessEnv, folder: string, monitor: StartedProcess) {
    this.address = address;
    this.#env = env;
    this.#folder = folder;
    this.#monitor = monitor;
  }

  /** `isAsleep`: dunst isn't started; the bus starts it at the first call. */
  static async start(isAsleep = false): Promise<DunstDesktop> {
    const folder = tempFolder();
    const base = { PATH: process.env.PATH ?? "", HOME: folder };
    const display = new StartedProcess("Xvfb", ["-displayfd", "1", "-screen", "0", "800x600x24", "-nolisten", "tcp"], {
      env: base,
    });
    await display.printed(/\d+\n/);
    const onDisplay = { ...base, DISPLAY: `:${display.stdout.trim()}` };
    const service = join(folder, "dunst.service");
    const found = spawnSync("sh", ["-c", "command -v dunst"], { encoding: "utf8" }).stdout.trim();
    writeFileSync(service, `[D-BUS Service]\nName=org.freedesktop.Notifications\nExec=${found}\n`);
    const { address } = await PrivateBus.start(isAsleep ? { services: folder, env: onDisplay } : {});
    const env = { ...onDisplay, DBUS_SESSION_BUS_ADDRESS: address };
    const menu = join(folder, "menu");
    // dunst gives the buttons on stdin and takes the chosen one from stdout.
    writeFileSync(
      menu,
      `#!/bin/sh\ncat >'${folder}/offered'\ngrep -F -- "#$(cat '${folder}/wanted') (" '${folder}/offered'\n`,
    );
    chmodSync(menu, 0o700);
    const settings = join(folder, ".config/dunst");
    mkdirSync(settings, { recursive: true });
    writeFileSync(
      join(settings, "dunstrc"),
      `[global]\n  dmenu = ${menu}\n  follow = none\n  markup = full\n  width = 400\n`,
    );
    const rules = [
      "interface='org.freedesktop.Notifications'",
      "interface='org.freedesktop.DBus',member='NameOwnerChanged',arg0='org.freedesktop.Notifications'",
    ];
    const monitor = new StartedProcess("dbus-monitor", ["--session", ...rules], { env });
    await monitor.printed(/member=NameLost/);
    const desktop = new DunstDesktop(address, env, folder, monitor);
    if (!isAsleep) await desktop.startDunst();
    return desktop;
  }

  async startDunst(): Promise<void> {
    this.#dunst = new StartedProcess("dunst", [], { env: this.#env });
    await this.said(/member=NameOwnerChanged\n.*\n *string ""\n *string ":/);
  }

  async killDunst(): Promise<void> {
    await this.#dunst?.end("SIGKILL");
    await this.said(/member=NameOwnerChanged\n.*\n.*string ":.*\n.*string ""/);
  }

  /** The next message on the bus that matches, after what was waited for before. */
  async said(pattern: RegExp): Promise<string> {
    await this.#monitor.printed({ test: (text) => pattern.test(text.slice(this.#read)) });
    const found = pattern.exec(this.#monitor.stdout.slice(this.#read));
    this.#read += (found?.index ?? 0) + (found?.[0].length ?? 0);
    return found?.[0] ?? "";
  }

  /** Waits for a notification; what was asked for, as the monitor prints it. */
  shown(): Promise<string> {
    return this.said(/member=Notify\n[\s\S]*?\n {3}int32 \d+\n/);
  }

  closed(): Promise<string> {
    return this.said(/member=NotificationClosed\n.*\n.*\n/);
  }

  /** Opens dunst's menu and presses the button with this label, if it is there. */
  async press(label: string): Promise<void> {
    writeFileSync(join(this.#folder, "wanted"), label);
    await this.control("context");
  }

  /** The buttons as dunst offered them when its menu was opened. */
  offered(): string {
    const file = join(this.#folder, "offered");
    return existsSync(file) ? readFileSync(file, "utf8") : "";
  }

  /** Runs dunstctl and gives what it prints. */
  async control(...args: string[]): Promise<string> {
    const started = new StartedProcess("dunstctl", args, { env: this.#env });
    if ((await started.exited) !== 0) throw new Error(`dunstctl ${args.join(" ")}: ${started.stderr}`);
    return started.stdout;
  }
}
