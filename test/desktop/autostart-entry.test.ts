import { spawnSync } from "node:child_process";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Env, gatePaths } from "../../ipc/base/paths.ts";
import { autostartEntry } from "../../main/desktop/autostart-entry.ts";
import { tempFolder } from "../support/temp-folder.ts";

const autostartFile = (env: Env) => gatePaths(env).autostartEntry;

describe("start at login on Linux", () => {
  it("is an entry in the autostart folder; XDG_CONFIG_HOME moves it, a relative one doesn't", () => {
    const file = "/home/u/.config/autostart/metnos-gate.desktop";
    expect(autostartFile({ HOME: "/home/u" })).toBe(file);
    expect(autostartFile({ HOME: "/home/u", XDG_CONFIG_HOME: "relative" })).toBe(file);
    expect(autostartFile({ HOME: "/home/u", XDG_CONFIG_HOME: "/x" })).toBe("/x/autostart/metnos-gate.desktop");
  });

  it("exists once it was chosen, for its owner only, and is removed when it is not", () => {
    const file = join(tempFolder(), "autostart/metnos-gate.desktop");
    const entry = autostartEntry(file, ["/opt/app", "--hidden"]);
    expect(entry.isEnabled()).toBe(false);
    entry.setEnabled(true);
    expect(entry.isEnabled()).toBe(true);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    entry.setEnabled(false);
    entry.setEnabled(false);
    expect(entry.isEnabled()).toBe(false);
  });

  it.each(["Hidden=true", "X-GNOME-Autostart-enabled=false"])("the desktop's own switch is respected: %s", (line) => {
    const file = join(tempFolder(), "metnos-gate.desktop");
    const entry = autostartEntry(file, ["/opt/app"]);
    entry.setEnabled(true);
    writeFileSync(file, readFileSync(file, "utf8").replace("X-GNOME-Autostart-enabled=true", line));
    expect(entry.isEnabled()).toBe(false);
  });

  it.each(["/opt/Metnos Gate/app", '/a$b/`c`/d"e\\f', "/100%/x", "/tab\there"])(
    "starts what it says, whatever is in its path: %j",
    (path) => {
      const file = join(tempFolder(), "metnos-gate.desktop");
      autostartEntry(file, [path, "--hidden"]).setEnabled(true);
      expect(execArguments(readFileSync(file, "utf8"))).toEqual([path, "--hidden"]);
      const validator = spawnSync("desktop-file-validate", [file], { encoding: "utf8" });
      if (validator.error === undefined) expect(validator.stdout).toBe("");
    },
  );
});

/** The Exec key read as the specification says: a string's escapes first, then the quotes, then %%. */
function execArguments(text: string): string[] {
  const value = /^Exec=(.*)$/m.exec(text)?.[1] ?? "";
  const unescaped = value.replace(/\\(.)/g, (_all, letter: string) => (letter === "t" ? "\t" : letter));
  return [...unescaped.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, inside = ""]) =>
    inside.replace(/\\(.)/g, "$1").replaceAll("%%", "%"),
  );
}
