import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { StartedProcess } from "./gate-process.ts";
import { tempFolder } from "./temp-folder.ts";

/** The programs of `names` that this machine doesn't have. */
function missingPrograms(names: readonly string[]): string[] {
  return names.filter((name) => spawnSync("sh", ["-c", `command -v ${name}`]).status !== 0);
}

/** True if the tests that need these programs can't run: prints why, and throws where CI=true. */
export function cantRun(what: string, names: readonly string[]): boolean {
  const missing = missingPrograms(names);
  if (missing.length === 0) return false;
  if (process.env.CI === "true") throw new Error(`${what} can't be tested without ${missing.join(", ")}`);
  console.log(`${missing.join(", ")} not found: ${what} is not checked here`);
  return true;
}

/** A session bus of the test's own; ends with it. */
export class PrivateBus {
  readonly address: string;
  readonly #process: StartedProcess;

  private constructor(address: string, started: StartedProcess) {
    this.address = address;
    this.#process = started;
  }

  /** `services`: a folder that names what the bus starts on demand; `env` is for that. Without it, it starts nothing. */
  static async start({ services, env = {} }: { services?: string; env?: NodeJS.ProcessEnv } = {}): Promise<PrivateBus> {
    const settings = join(tempFolder(), "session.conf");
    const serviceDir = services === undefined ? "" : `<servicedir>${services}</servicedir>`;
    writeFileSync(
      settings,
      `<busconfig><type>session</type><listen>unix:tmpdir=${tmpdir()}</listen><auth>EXTERNAL</auth>${serviceDir}
        <policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy>
      </busconfig>`,
    );
    // `cat` ends with its stdin, and the bus with it: also where the test's process is killed.
    const script = 'echo "address $DBUS_SESSION_BUS_ADDRESS ready"; exec cat';
    const started = new StartedProcess("dbus-run-session", [`--config-file=${settings}`, "--", "sh", "-c", script], {
      env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", ...env },
    });
    await started.printed(/ ready/);
    const address = /address (\S+) ready/.exec(started.stdout)?.[1] ?? "";
    const bus = new PrivateBus(address, started);
    onTestFinished(() => bus.stop());
    return bus;
  }

  async stop(): Promise<void> {
    this.#process.child.stdin?.end();
    await this.#process.exited;
  }
}
