import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { EXIT } from "../../cli/output.ts";
import { type DesktopEnvironment, desktopEnvironment, findTrayApp } from "../../cli/tray-app.ts";
import { CHECKOUT, LAUNCHER, runGate, StartedProcess, startServe } from "../support/gate-process.ts";
import { ask } from "../support/page-visitor.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { type TemporaryHome, temporaryHome } from "../support/temporary-home.ts";

function file(...path: string[]): string {
  const made = join(...path);
  mkdirSync(dirname(made), { recursive: true });
  writeFileSync(made, "");
  return made;
}

/** A desktop with everything there: the package with its program, the built app, a display, a user. */
function desktop(platform: NodeJS.Platform, program: string): DesktopEnvironment & { program: string } {
  const folder = tempFolder();
  file(folder, "dist/desktop/main.js");
  return {
    platform,
    env: platform === "linux" ? { DISPLAY: ":0" } : {},
    uid: platform === "win32" ? undefined : 1000,
    electronPackage: join(folder, "electron"),
    root: folder,
    program: file(folder, "electron/dist", program),
  };
}

describe("whether the tray app can be started", () => {
  it.each([
    ["linux", "electron"],
    ["darwin", "Electron.app/Contents/MacOS/Electron"],
    ["win32", "electron.exe"],
  ] as const)("on %s: by its program, which is not run to find out", (platform, program) => {
    const here = desktop(platform, program);
    expect(findTrayApp(here)).toEqual({ electron: here.program, root: here.root });
  });

  it("on Linux with Wayland alone, too", () => {
    const here = desktop("linux", "electron");
    expect(findTrayApp({ ...here, env: { WAYLAND_DISPLAY: "wayland-0" } })).toHaveProperty("electron");
  });

  it.each<[string, (here: DesktopEnvironment) => DesktopEnvironment, string]>([
    ["the package is missing", (here) => ({ ...here, electronPackage: undefined }), "Electron is not installed"],
    [
      "its program was not downloaded",
      (here) => ({ ...here, electronPackage: tempFolder() }),
      "Electron's program is not installed (npx install-electron downloads it)",
    ],
    ["the app is not built", (here) => ({ ...here, root: tempFolder() }), "the tray app is not built (npm run build)"],
    ["there is no display", (here) => ({ ...here, env: {} }), "there is no display"],
    ["the display is named empty", (here) => ({ ...here, env: { DISPLAY: "" } }), "there is no display"],
    ["root starts it", (here) => ({ ...here, uid: 0 }), "Electron doesn't run as root"],
    ["Electron isn't made for it", (here) => ({ ...here, platform: "freebsd" }), "there is no tray app for freebsd"],
  ])("not where %s, and it says so", (_what, change, missing) => {
    expect(findTrayApp(change(desktop("linux", "electron")))).toEqual({ missing });
  });

  it("is searched for where Electron's own variable says", () => {
    const here = desktop("linux", "electron");
    const env = { ...here.env, ELECTRON_OVERRIDE_DIST_PATH: join(here.root, "elsewhere") };
    expect(findTrayApp({ ...here, env })).toHaveProperty("missing");
    const elsewhere = file(here.root, "elsewhere/electron");
    expect(findTrayApp({ ...here, env, electronPackage: undefined })).toMatchObject({ electron: elsewhere });
  });

  it("is searched for in this checkout's own package, for this checkout's app", () => {
    expect(desktopEnvironment()).toMatchObject({
      electronPackage: join(CHECKOUT, "node_modules/electron"),
      root: CHECKOUT,
    });
  });
});

/** `metnos-gate start` where there is no Electron, once it reports that it is running. */
async function startWithoutTray(home: TemporaryHome): Promise<StartedProcess> {
  const env = { ...home.env, ELECTRON_OVERRIDE_DIST_PATH: join(home.home, "nowhere") };
  const started = new StartedProcess(process.execPath, [LAUNCHER, "start"], { env });
  await started.printed(/the audit trail is/);
  return started;
}

describe("metnos-gate start", () => {
  it("without Electron serves the page, says in one line why, and prints a link that works", async () => {
    const home = temporaryHome();
    const started = await startWithoutTray(home);
    expect(started.stderr.split("\n")[0]).toBe(
      "Starting without a tray, with the page in a browser: Electron's program is not installed (npx install-electron downloads it).",
    );
    const links = started.stderr.match(/http:\/\/\S+/g) ?? [];
    expect(links).toHaveLength(1);
    const { port, pathname, search } = new URL(links[0] ?? "");
    expect((await ask(Number(port), pathname + search)).status).toBe(200);
    expect(started.stdout).toBe("");
    expect(await started.end("SIGTERM")).toBe(0);
  });

  it("runs the tray app with the product's folder, passes on what interrupts it, and its failure", async () => {
    const folder = tempFolder();
    const electron = join(folder, "electron");
    writeFileSync(
      electron,
      `#!/bin/sh\ntrap 'echo interrupted; exit 3' TERM\necho "started $# $1 [$ELECTRON_RUN_AS_NODE]"\nwhile kill -0 $PPID; do sleep 0.1; done\n`,
    );
    chmodSync(electron, 0o755);
    const script = `import { runTrayApp } from ${JSON.stringify(`${CHECKOUT}cli/commands/start.ts`)};
      process.exitCode = await runTrayApp(${JSON.stringify({ electron, root: folder })});`;
    const started = new StartedProcess(process.execPath, ["--input-type=module", "-e", script], {
      env: { PATH: process.env.PATH, HOME: folder, ELECTRON_RUN_AS_NODE: "1" },
    });
    await started.printed(/started/);
    expect(started.stdout).toBe(`started 2 ${folder} []\n`);
    expect(await started.end("SIGTERM")).toBe(3);
    expect(started.stdout).toContain("interrupted");
  });
});

describe("the tray app under metnos-gate start", () => {
  it("that crashes is restarted once, and gets how it ended", async () => {
    const folder = tempFolder();
    const electron = join(folder, "electron");
    writeFileSync(electron, '#!/bin/sh\necho "started $3"\nkill -SEGV $$\n');
    chmodSync(electron, 0o755);
    const script = `import { runTrayApp } from ${JSON.stringify(`${CHECKOUT}cli/commands/start.ts`)};
      process.exitCode = await runTrayApp(${JSON.stringify({ electron, root: folder })});`;
    const started = new StartedProcess(process.execPath, ["--input-type=module", "-e", script], {
      env: { PATH: process.env.PATH, HOME: folder },
    });
    expect(await started.exited).toBe(EXIT.died);
    expect(started.stdout).toBe("started \nstarted --restarted-after=SIGSEGV\n");
    expect(started.stderr).toContain("the tray app ended unexpectedly (SIGSEGV); starting it again");
  });
});

describe("metnos-gate open", () => {
  it("prints a link to the page of the running gate, another one each time", async () => {
    const home = temporaryHome();
    await startServe(home, ["--web"]);
    const links = [await runGate(home, ["open"]), await runGate(home, ["open"])].map(({ code, lines }) => {
      expect(code).toBe(0);
      return String(lines[0]?.url);
    });
    expect(new Set(links).size).toBe(2);
    for (const link of links) {
      const { port, pathname, search } = new URL(link);
      expect((await ask(Number(port), pathname + search)).status).toBe(200);
    }
  });

  it("says what to do where the gate serves no page, and where none runs", async () => {
    const home = temporaryHome();
    expect(await runGate(home, ["open"])).toMatchObject({ code: 3, stdout: "" });
    await startServe(home);
    const refused = await runGate(home, ["open"]);
    expect(refused).toMatchObject({ code: 4, stdout: "" });
    expect(refused.stderr).toContain("metnos-gate start");
  });
});

describe("metnos-gate serve --web", () => {
  it("on a port that is taken says which, and leaves no gate behind", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      server.close();
    });
    const { port } = server.address() as { port: number };
    const home = temporaryHome(`[web]\nport = ${port}\n`);
    const refused = await runGate(home, ["serve", "--web"]);
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toContain(`port ${port} on 127.0.0.1 is taken`);
    expect(refused.stderr).toContain("web.port");
    await startServe(home);
  });
});
