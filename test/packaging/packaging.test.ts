import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { inflateSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { appIcon } from "../../main/desktop/icon/mark.ts";
import { BriefProcess } from "../desktop/driver/brief-process.ts";
import { describeStandIn } from "../desktop/driver/launch.ts";
import { standInArguments } from "../desktop/driver/stand-in-app.ts";
import { CHECKOUT } from "../support/gate-process.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { temporaryHome } from "../support/temporary-home.ts";
import { fusesOf, type Packaged, packageApp, withTalkingBinary } from "./packaged-app.ts";

// docs/packaging.md: electron-builder itself makes the app here; only Electron's own binary is a stand-in.

const description = readFileSync(join(CHECKOUT, "electron-builder.yml"), "utf8");

describe("electron-builder.yml", () => {
  it("names no file that isn't there", () => {
    const named = [...description.matchAll(/(?:from|icon|after\w+|entitlements\w*): (build\/[\w./-]+)/g)].map(
      ([, path]) => path,
    );
    expect(named.length).toBeGreaterThan(8);
    expect(named.filter((path) => !existsSync(join(CHECKOUT, path ?? "")))).toEqual([]);
  });

  it("builds deb, AppImage and rpm, a dmg for both kinds of Mac, and nsis", () => {
    expect(description).toMatch(/linux:\n {2}target:\n {4}- deb\n {4}- AppImage\n {4}- rpm\n/);
    expect(description).toMatch(/target: dmg\n {6}arch:\n {8}- x64\n {8}- arm64\n/);
    expect(description).toMatch(/win:\n {2}target:\n {4}- nsis\n/);
    expect(description).toMatch(/hardenedRuntime: true/);
  });

  it("is refused by electron-builder's own schema when a key is wrong", () => {
    const wrong = join(tempFolder(), "electron-builder.yml");
    writeFileSync(wrong, description.replace("runAsNode: false", "runAsNoode: false"));
    const { code, output } = packageApp(wrong);
    expect(code).not.toBe(0);
    expect(output).toMatch(/Invalid configuration object/);
    expect(output).toMatch(/configuration\.electronFuses/);
  }, 600_000);
});

describe("the packaged app", () => {
  let packaged: Packaged;
  /** The asar's files, where a Node without Electron can read them. */
  let extracted: string;
  let listing: { path: string; isUnpacked: boolean }[];
  beforeAll(() => {
    const made = packageApp();
    expect(made.output).not.toMatch(/⨯/);
    expect(made.code).toBe(0);
    packaged = made.packaged;
    // electron-builder's own reader of asars.
    const builder = createRequire(join(CHECKOUT, "node_modules/app-builder-lib/package.json"));
    const { extractAll, listPackage, statFile } = builder("@electron/asar") as {
      extractAll(file: string, folder: string): void;
      listPackage(file: string, options: object): string[];
      statFile(file: string, path: string): { unpacked?: boolean; files?: object };
    };
    const asar = join(packaged.resources, "app.asar");
    listing = listPackage(asar, { isPack: false })
      .map((path) => ({ path: path.slice(1), stat: statFile(asar, path.slice(1)) }))
      .filter(({ stat }) => stat.files === undefined)
      .map(({ path, stat }) => ({ path, isUnpacked: stat.unpacked === true }));
    extracted = join(packaged.folder, "../extracted");
    extractAll(asar, extracted);
  }, 600_000);

  it("has its fuses set: no Node, no NODE_OPTIONS, no inspector, only its own asar; no key of the keyring for cookies that it has none of", () => {
    // FuseV1Options: RunAsNode, CookieEncryption, NodeOptions, NodeCliInspect, AsarIntegrity, OnlyLoadAppFromAsar, snapshot, file privileges
    expect(fusesOf(readFileSync(packaged.binary)).slice(0, 8)).toBe("00001100");
  });

  it("holds what was built and what it needs, and no source, test or other platform's library", () => {
    const paths = listing.map(({ path }) => path);
    expect(paths).toEqual(
      expect.arrayContaining([
        "package.json",
        "bin/metnos-gate.js",
        "dist/desktop/main.js",
        "dist/desktop/preload.cjs",
        "dist/renderer/index.html",
        "dist/cli/metnos-gate.js",
        "dist/hook/hook.cjs",
        "node_modules/zod/package.json",
        "node_modules/grammy/package.json",
        "node_modules/node-fetch/package.json",
        "node_modules/node-ipc/package.json",
      ]),
    );
    expect(paths.filter((path) => path.endsWith(".node"))).toEqual([
      "node_modules/@ast-grep/napi-linux-x64-gnu/ast-grep-napi.linux-x64-gnu.node",
      "node_modules/better-sqlite3/prebuilds/linux-x64.node",
    ]);
    expect(
      paths.filter((path) => /^(main|ipc|packages|cli|preload|renderer|test|bench|build|docs)\//.test(path)),
    ).toEqual([]);
    expect(
      paths.filter((path) =>
        /^node_modules\/(@metnos-gate|electron|vitest|playwright-core|typescript|vite)\//.test(path),
      ),
    ).toEqual([]);
  });

  it("has only the native libraries, the hook's fast way and what keeps projects outside the asar", () => {
    const unpacked = listing.filter(({ isUnpacked }) => isUnpacked).map(({ path }) => path);
    expect(unpacked.filter((path) => !path.startsWith("dist/hook/"))).toEqual(
      expect.arrayContaining([
        "bin/fingerprint.js",
        "bin/metnos-gate.js",
        "dist/undo/store-program.js",
        "node_modules/@ast-grep/napi-linux-x64-gnu/ast-grep-napi.linux-x64-gnu.node",
        "node_modules/better-sqlite3/prebuilds/linux-x64.node",
        "package.json",
      ]),
    );
    expect(unpacked.filter((path) => !path.startsWith("dist/hook/"))).toHaveLength(6);
    for (const path of unpacked) expect(existsSync(join(packaged.resources, "app.asar.unpacked", path))).toBe(true);
  });

  it("has all that its command needs", async () => {
    const { home, env } = temporaryHome();
    const asked = { executor: "Bash", args: { command: "ls" }, level: "Supervised", intent: "look" };
    const args = [...standInArguments(extracted), "--cli", "--", "explain", JSON.stringify(asked)];
    const command = new BriefProcess(process.execPath, args, env, home);
    expect(await command.exited).toBe(0);
    expect(JSON.parse(command.stdout())).toMatchObject({ outcome: "approval_required" });
  });

  describeStandIn("as the desktop app", () => {
    it("has all that it needs, starts and ends", async () => {
      const { home, env } = temporaryHome();
      const app = new BriefProcess(process.execPath, [...standInArguments(extracted), "--hidden"], env, home);
      await app.printed(/the desktop app is ready/);
      app.kill("SIGTERM");
      const code = await app.exited;
      expect([code, app.output()]).toEqual([0, expect.stringMatching(/closed; waiting requests are kept/)]);
    });
  });

  describe("its command, metnos-gate", () => {
    /** A separate PATH: a node that prints a version and how it was called, or none. */
    function pathWith(folder: string, version: string | undefined): string {
      mkdirSync(folder, { recursive: true });
      if (version !== undefined) {
        const script = `#!/bin/sh\n[ "$1" = --version ] && { echo ${version}; exit 0; }\nprintf "node"\nprintf " [%s]" "$@"\n`;
        writeFileSync(join(folder, "node"), script);
        chmodSync(join(folder, "node"), 0o755);
      }
      for (const tool of ["dirname", "readlink", "sh"]) symlinkSync(join("/usr/bin", tool), join(folder, tool));
      return folder;
    }

    function run(app: Packaged, searched: string, args: string[], env: NodeJS.ProcessEnv = {}, input = "") {
      const launcher = join(app.resources, "bin/metnos-gate");
      const { status, stdout } = spawnSync(launcher, args, {
        env: { PATH: searched, ...env },
        encoding: "utf8",
        input,
      });
      return { code: status, said: stdout };
    }

    const cases: [version: string | undefined, by: "node" | "app"][] = [
      ["v20.0.0", "node"],
      ["v24.21.0", "node"],
      ["v18.20.4", "app"],
      ["garbage", "app"],
      [undefined, "app"],
    ];
    it.each(cases)("with Node %s on PATH, the hook is run by %s", (version, by) => {
      const folder = tempFolder();
      const app = withTalkingBinary(packaged, join(folder, "Metnos Gate"));
      const script = join(app.resources, "app.asar.unpacked/bin/metnos-gate.js");
      const { said } = run(app, pathWith(join(folder, "bin"), version), ["hook", "claude-code"], { DISPLAY: ":0" });
      expect(said).toBe(
        by === "node" ? `node [${script}] [hook] [claude-code]` : "app [--cli] [--] [hook] [claude-code]",
      );
    });

    it("everything else is the app's own: its arguments as they are, its exit code, and no screen where there is none", () => {
      const folder = tempFolder();
      const app = withTalkingBinary(packaged, join(folder, "Metnos Gate"));
      const PATH = pathWith(join(folder, "bin"), "v24.21.0");
      const args = ["approvals", "approve", "a b", "--target", "*", "--version"];
      const said = "[--cli] [--] [approvals] [approve] [a b] [--target] [*] [--version]";
      expect(run(app, PATH, args, { WAYLAND_DISPLAY: "wayland-0" })).toEqual({ code: 7, said: `app ${said}` });
      expect(run(app, PATH, args)).toEqual({ code: 7, said: `app [--ozone-platform=headless] ${said}` });
    });

    it("is found through links, as the one in /usr/bin", () => {
      const folder = tempFolder();
      withTalkingBinary(packaged, join(folder, "Metnos Gate"));
      symlinkSync("Metnos Gate/resources/bin/metnos-gate", join(folder, "first"));
      symlinkSync(join(folder, "first"), join(folder, "second"));
      const PATH = pathWith(join(folder, "bin"), undefined);
      const { stdout } = spawnSync(join(folder, "second"), ["status"], {
        env: { PATH, DISPLAY: ":0" },
        encoding: "utf8",
      });
      expect(stdout).toBe("app [--cli] [--] [status]");
    });

    it("the unpacked hook answers by itself on the Node that is there", () => {
      const folder = tempFolder();
      const PATH = pathWith(join(folder, "bin"), undefined);
      symlinkSync(process.execPath, join(PATH, "node"));
      const payload = { tool_name: "Bash", tool_input: { command: "rm -rf /" }, cwd: folder, session_id: "s" };
      const input = JSON.stringify({ hook_event_name: "PreToolUse", ...payload });
      const { code, said } = run(packaged, PATH, ["hook", "claude-code"], { HOME: folder }, input);
      expect(code).toBe(0);
      expect(JSON.parse(said)).toMatchObject({ hookSpecificOutput: { permissionDecision: "deny" } });
    });

    it("connect has the agent's hook call the launcher", () => {
      const folder = tempFolder();
      const env = {
        HOME: folder,
        PATH: process.env.PATH,
        METNOS_GATE_LAUNCHER: "/opt/Metnos Gate/resources/bin/metnos-gate",
      };
      const { status } = spawnSync(process.execPath, [join(CHECKOUT, "bin/metnos-gate.js"), "connect", "claude-code"], {
        env,
      });
      expect(status).toBe(0);
      const launcher = join(folder, ".local/state/metnos/hook/metnos-gate-hook");
      expect(readFileSync(join(folder, ".claude/settings.json"), "utf8")).toContain(`"command": "${launcher}"`);
      expect(readFileSync(launcher, "utf8")).toContain("set -- '/opt/Metnos Gate/resources/bin/metnos-gate' \"$@\"");
      const again = spawnSync(process.execPath, [join(CHECKOUT, "bin/metnos-gate.js"), "connect", "claude-code"], {
        env,
        encoding: "utf8",
      });
      expect(again.stderr).toMatch(/the hook was in/);
    });
  });
});

describe("the install scripts of deb and rpm", () => {
  it.each(["after-install", "after-remove"])(
    "%s is electron-builder's own and ours behind it, and bash can read it",
    (name) => {
      const text = readFileSync(join(CHECKOUT, `build/${name}.sh`), "utf8");
      const template = readFileSync(join(CHECKOUT, `node_modules/app-builder-lib/templates/linux/${name}.tpl`), "utf8");
      expect(text.startsWith(template)).toBe(true);
      expect(text.slice(template.length)).toMatch(/\/usr\/bin\/metnos-gate/);
      const known = ["executable", "sanitizedProductName"];
      expect(
        [...text.matchAll(/\$\{([a-zA-Z]+)\}/g)]
          .map(([, macro]) => macro)
          .filter((macro) => !known.includes(macro ?? "")),
      ).toEqual([]);
      expect(spawnSync("bash", ["-n"], { input: text }).status).toBe(0);
    },
  );
});

describe("the app's icons", () => {
  /** The pixels, with each row's filter byte: another zlib may pack them otherwise. */
  const pixels = (png: Buffer) => inflateSync(png.subarray(png.indexOf("IDAT") + 4, png.indexOf("IEND") - 8));

  it.each([16, 32, 48, 64])("of %d pixels is what build/draw-icons.ts draws", (size) => {
    const file = readFileSync(join(CHECKOUT, `build/icons/${size}x${size}.png`));
    expect(pixels(file).equals(pixels(appIcon(size)))).toBe(true);
  });

  it.each(["icons/128x128", "icons/256x256", "icons/512x512", "icon"])(
    "build/%s.png is as large as it says",
    (name) => {
      const file = readFileSync(join(CHECKOUT, `build/${name}.png`));
      expect(`${file.readUInt32BE(16)}x${file.readUInt32BE(20)}`).toBe(name === "icon" ? "1024x1024" : name.slice(6));
    },
  );
});
