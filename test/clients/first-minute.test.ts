import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { packPublished } from "../../release/pack.ts";
import { isRegistryAway } from "../../release/smoke.ts";
import { CHECKOUT } from "../support/gate-process.ts";
import { givePort } from "../support/own-port.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { temporaryHome } from "../support/temporary-home.ts";
import { Pty } from "../support/watched.ts";
import { ClaudeCodeRun } from "./claude-code-run.ts";
import { installedClient } from "./installed-client.ts";
import { bash } from "./seat.ts";

/** From an empty folder and an empty home to the first answer, as a newcomer goes: machine time, in milliseconds. */
const LONGEST_MS = 60_000;
const READ_MS = 4000;

describe("the first minute", () => {
  const claude = installedClient("claude-code");
  if (claude === undefined) return;

  it("takes four commands from an empty folder to the first answered card of the real Claude Code, and no minute", async (context) => {
    const tarball = packPublished(CHECKOUT, tempFolder());
    const home = temporaryHome();
    givePort(home);
    const [project, bin] = [join(home.home, "work"), join(home.home, "bin")];
    for (const made of [project, bin]) mkdirSync(made);
    symlinkSync(claude, join(bin, "claude"));
    const env = { HOME: home.home, PATH: [bin, dirname(process.execPath), "/usr/bin", "/bin"].join(":") };
    const times: [command: string, ms: number][] = [];
    let since = performance.now();
    const took = (command: string) => {
      times.push([command, Math.round(performance.now() - since)]);
      since = performance.now();
    };

    // What the machine's way to the registry needs is in the environment.
    const installing = { ...process.env, ...env };
    const options = { cwd: project, env: installing, encoding: "utf8", timeout: 240_000 } as const;
    const installed = spawnSync("npm", ["install", tarball], options);
    if (installed.status !== 0 && isRegistryAway(installed)) {
      console.log("skipped: npm can't reach the registry");
      return context.skip();
    }
    expect(installed.status, installed.stderr).toBe(0);
    expect(installed.stdout + installed.stderr).not.toMatch(/install script|EBADENGINE|metnos-gate.*prepare/);
    took(`npm install ${basename(tarball)}`);

    const gate = new Pty(["metnos-gate"], env, 160, 80, { program: "npx", cwd: project });
    await gate.shows("Connect Claude Code? [Y/n]");
    gate.type("\r");
    await gate.shows("(demo)? [y/N]");
    gate.type("\r");
    await gate.shows("Ctrl+C ends it");
    expect(gate.screen).toContain("self-test claude-code: ");
    expect(gate.screen).not.toContain("FAIL");
    took("npx metnos-gate");

    const run = await ClaudeCodeRun.start({
      binary: claude,
      env,
      project,
      script: [bash("touch made.txt")],
    });
    await gate.shows("claude-code asks");
    took("claude");
    // The person reads the line: a yes to what came only just now isn't taken.
    await sleep(READ_MS);
    since = performance.now();
    const approve = new Pty(["metnos-gate", "approve"], env, 120, 40, { program: "npx", cwd: project });
    await approve.closed;
    expect(approve.screen).toContain("approved: run touch made.txt");
    took("npx metnos-gate approve");
    await run.results();
    expect(existsSync(join(project, "made.txt"))).toBe(true);

    const total = times.reduce((sum, [, ms]) => sum + ms, 0);
    console.log([...times, ["all", total] as const].map(([command, ms]) => `${ms} ms  ${command}`).join("\n"));
    expect(times).toHaveLength(4);
    expect(total).toBeLessThan(LONGEST_MS);
    gate.type("\u0003");
    await gate.closed;
  });
});
