import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { commandOf } from "../../ipc/base/own-command.ts";
import { LAUNCHER } from "../support/gate-process.ts";

const MODULE = fileURLToPath(new URL("../../ipc/base/own-command.ts", import.meta.url));

function folder(): string {
  return realpathSync(mkdtempSync(join(process.env.HOME ?? tmpdir(), "f-")));
}

/** A program of this name that isn't ours. */
function impostor(): string {
  const bin = folder();
  writeFileSync(join(bin, "metnos-gate"), "#!/bin/sh\necho stolen\n");
  chmodSync(join(bin, "metnos-gate"), 0o755);
  return bin;
}

/** A checkout in a folder with this name, whose launcher says how it was called. */
function checkout(name: string): { module: string; launcher: string } {
  const root = join(folder(), name);
  mkdirSync(join(root, "bin"), { recursive: true });
  mkdirSync(join(root, "ipc"));
  const launcher = join(root, "bin/metnos-gate.js");
  writeFileSync(launcher, '#!/bin/sh\necho "ours: $*"\n');
  chmodSync(launcher, 0o755);
  return { module: join(root, "ipc/base/own-command.ts"), launcher };
}

describe("how the program is called here", () => {
  test("by its bare name where PATH has this very launcher, through any link", () => {
    const [bin, links] = [folder(), folder()];
    symlinkSync(LAUNCHER, join(bin, "metnos-gate"));
    symlinkSync(join(bin, "metnos-gate"), join(links, "metnos-gate"));
    expect(commandOf({ PATH: [folder(), links].join(delimiter) }, MODULE)).toBe("metnos-gate");
  });

  test("by the launcher's whole path where PATH has none, another one first, or one that npm added", () => {
    const bin = folder();
    symlinkSync(LAUNCHER, join(bin, "metnos-gate"));
    const ofNpm = join(folder(), "node_modules/.bin");
    mkdirSync(ofNpm, { recursive: true });
    symlinkSync(LAUNCHER, join(ofNpm, "metnos-gate"));
    for (const folders of [[], [folder()], [impostor(), bin], [ofNpm], ["bin", "."]])
      expect(commandOf({ PATH: folders.join(delimiter) }, MODULE)).toBe(LAUNCHER);
  });

  test("as a line that a shell runs, whatever the folder is called", () => {
    for (const name of ["plain", "two words", 'it\'s $HOME; `id` "x"', "città"]) {
      const { module, launcher } = checkout(name);
      const command = commandOf({ PATH: "" }, module);
      expect(execFileSync("sh", ["-c", `${command} agents list`], { encoding: "utf8" })).toBe("ours: agents list\n");
      expect(command === launcher).toBe(name === "plain");
    }
  });

  test("an installed app's by its own launcher, an AppImage by itself", () => {
    const resources = join(folder(), "resources");
    mkdirSync(join(resources, "bin"), { recursive: true });
    writeFileSync(join(resources, "bin/metnos-gate"), "");
    const module = join(resources, "app.asar/dist/cli/chunk.js");
    expect(commandOf({ PATH: "" }, module)).toBe(join(resources, "bin/metnos-gate"));
    expect(commandOf({ PATH: "", APPIMAGE: "/opt/a b.AppImage" }, module)).toBe("'/opt/a b.AppImage' --cli");
    expect(commandOf({ PATH: "", APPIMAGE: "/opt/editor.AppImage" }, MODULE)).toBe(LAUNCHER);
  });
});
