import { existsSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { gatePaths } from "../../../ipc/base/paths.ts";
import { GateFiles, ownProgram } from "../../../main/decide/places/gate-files.ts";
import { decided, fateOf, onPath } from "../../support/guarded-calls.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const write = (path: string, more: Parameters<typeof onPath>[2] = {}) => onPath("fs:write", path, more);

describe("the gate's data", () => {
  it("is not planted before it is there, by whatever name it gets there", () => {
    const home = tempFolder();
    for (const name of ["metnos", "x"]) {
      mkdirSync(`${home}/own/${name}`, { recursive: true });
      writeFileSync(`${home}/own/${name}/gate.toml`, "");
    }
    mkdirSync(`${home}/own/y/metnos`, { recursive: true });
    for (const base of [".config", ".local/state", ".local/share"]) {
      expect(existsSync(`${home}/${base}/metnos`)).toBe(false);
      for (const needs of [
        [
          write(`${home}/own/metnos`),
          write(`${home}/${base}/metnos`, { is_tree: true, copied_from: `${home}/own/metnos` }),
        ],
        [write(`${home}/${base}/metnos`)],
        [write(`${home}/${base}/metnos`, { is_tree: true, copied_from: `${home}/own/x` })],
        [write(`${home}/${base}`, { is_tree: true, copied_from: `${home}/own/y` })],
        [write(`${home}/${base}`, { is_tree: true })],
        [write(`${home}/${base}/metnos/vaglio/gate.toml`)],
      ])
        expect([base, fateOf(needs, { home })]).toEqual([base, "denied"]);
    }
  });

  it("is not closed with a folder above it: chmod 000 ~/.config", () => {
    const home = "/home/ada";
    for (const path of [home, `${home}/.config`, `${home}/.local/state`, `${home}/.local`])
      expect([path, fateOf([write(path)], { home })]).toEqual([path, "denied"]);
    expect(fateOf([write(`${home}/.config/other`)], { home })).toBe("free");
  });
});

describe("the gate's program", () => {
  function installed() {
    const root = tempFolder();
    const [home, program] = [`${root}/home/ada`, `${root}/checkouts/gate`];
    for (const path of [`${home}/x`, `${program}/bin/metnos-gate.js`, `${program}/dist/hook/hook.cjs`]) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, "");
    }
    return { root, home, program };
  }

  it.each(["bin/metnos-gate.js", "dist/hook/hook.cjs", "node_modules/node/bin/node", "new.ts", ""])(
    "is written by no tool at any level: %s",
    (name) => {
      const { home, program } = installed();
      const path = name === "" ? program : join(program, name);
      for (const [tool, args] of [
        ["Write", { file_path: path, content: "" }],
        ["Edit", { file_path: path, old_string: "a", new_string: "b" }],
        ["fs_delete", { path }],
        ["Bash", { command: `touch ${path}` }],
        ["Bash", { command: `rm -f ${path}` }],
      ] as const)
        expect([tool, decided({ home, program, cwd: home }, tool, args).reason]).toEqual([
          tool,
          "guard: the gate's own files are not for agents",
        ]);
    },
  );

  it("is not moved, replaced or closed with a folder above it, nor reached by a link", () => {
    const { root, home, program } = installed();
    symlinkSync(program, `${home}/link`);
    for (const need of [
      write(program, { is_tree: true, access: "delete" }),
      write(dirname(program)),
      write(dirname(program), { is_tree: true, access: "delete" }),
      write(dirname(program), { is_tree: true, copied_from: `${home}/x` }),
      write(`${home}/link/dist/hook/hook.cjs`),
    ])
      expect([need, fateOf([need], { home, program })]).toEqual([need, "denied"]);
    expect(fateOf([write(`${root}/checkouts/other/a.ts`)], { home, program })).toBe("free");
    expect(fateOf([write(`${root}/checkouts/gate-notes`)], { home, program })).toBe("free");
  });

  it("may be read", () => {
    const { home, program } = installed();
    const world = { home, program };
    expect(decided(world, "Read", { file_path: `${program}/bin/metnos-gate.js` }).outcome).toBe("allowed");
    expect(decided(world, "Grep", { pattern: "x", path: program }).outcome).toBe("allowed");
  });

  it("is this checkout, its packages and the Node that runs it, unless others are given", () => {
    const checkout = join(import.meta.dirname, "../../..");
    expect(ownProgram()).toEqual(expect.arrayContaining([checkout, `${checkout}/node_modules`, process.execPath]));
    const files = new GateFiles(gatePaths({ HOME: "/home/ada" }), "/home/ada");
    for (const path of [
      `${checkout}/dist/hook/hook.cjs`,
      realpathSync(process.execPath),
      realpathSync(`${checkout}/node_modules`),
    ])
      expect([path, files.containsProgram(path)]).toEqual([path, true]);
    expect(files.protectedPaths.programPaths).toContain(checkout);
    expect(files.containsProgram("/home/ada/project/a.ts")).toBe(false);
  });

  it("is found from source, from a bundle and from an installed package alike", () => {
    const root = tempFolder();
    const folder = `${root}/node_modules/metnos-gate`;
    mkdirSync(`${folder}/dist/hook`, { recursive: true });
    writeFileSync(`${folder}/package.json`, '{"name":"metnos-gate"}');
    writeFileSync(`${root}/package.json`, '{"name":"another"}');
    for (const file of ["dist/hook/chunk.js", "dist/cli/metnos-gate.js", "main/decide/places/gate-files.ts"])
      expect(ownProgram(join(folder, file), {})).toEqual([folder, process.execPath, `${root}/node_modules`]);
    const app = `${root}/opt/Gate/resources/app.asar`;
    mkdirSync(`${app}/dist/desktop`, { recursive: true });
    writeFileSync(`${app}/package.json`, '{"name":"metnos-gate"}');
    expect(ownProgram(`${app}/dist/desktop/main.js`, { APPIMAGE: "/home/ada/Gate.AppImage" })).toEqual([
      app,
      process.execPath,
      `${root}/opt/Gate`,
      "/home/ada/Gate.AppImage",
    ]);
  });
});

describe("what starts the gate at login", () => {
  const UNITS = ".config/systemd/user";
  const STARTERS = [
    ".config/autostart/metnos-gate.desktop",
    "Library/LaunchAgents/org.metnos.gate.plist",
    `${UNITS}/metnos-gate.service`,
    `${UNITS}/metnos-gate.service.d/override.conf`,
    `${UNITS}/metnos-.service.d/all.conf`,
    `${UNITS}/service.d/all.conf`,
    `${UNITS}/default.target.wants/metnos-gate.service`,
    `${UNITS}.control/metnos-gate.service`,
    ".local/share/systemd/user/metnos-gate.service",
  ];

  it.each(STARTERS)("is written by no agent, whether it is there or not: ~/%s", (name) => {
    for (const isThere of [false, true]) {
      const home = tempFolder();
      const path = join(home, name);
      if (isThere) {
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, "");
      }
      for (const [tool, args] of [
        ["Write", { file_path: path, content: "[Service]\nExecStart=/tmp/x" }],
        ["fs_delete", { path }],
        ["Bash", { command: `ln -sf /dev/null ${path}` }],
        ["Bash", { command: `mv x.service ${path}` }],
        ["Bash", { command: `rm -rf ${dirname(path)}` }],
      ] as const)
        expect([tool, isThere, decided({ home, program: "/opt/gate", cwd: home }, tool, args).reason]).toEqual([
          tool,
          isThere,
          "guard: the gate's own files are not for agents",
        ]);
    }
  });

  it("may be read; other units and entries beside it are asked about as ever", () => {
    const home = tempFolder();
    const world = { home, program: "/opt/gate", cwd: home };
    expect(decided(world, "Read", { file_path: join(home, UNITS, "metnos-gate.service") }).outcome).not.toBe("denied");
    for (const name of [`${UNITS}/backup.service`, `${UNITS}/metnos-gate.timer`, ".config/autostart/notes.desktop"])
      expect([name, fateOf([write(join(home, name))], { home })]).toEqual([name, "asked"]);
  });

  it("follows XDG_CONFIG_HOME, and stays protected where systemd looks without it", () => {
    const files = new GateFiles(gatePaths({ HOME: "/home/ada", XDG_CONFIG_HOME: "/data/config" }), "/home/ada");
    for (const folder of ["/data/config", "/home/ada/.config"])
      expect([folder, files.containsProgram(`${folder}/systemd/user/metnos-gate.service`)]).toEqual([folder, true]);
  });
});
