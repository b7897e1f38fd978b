import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { gatePaths } from "../../../ipc/base/paths.ts";
import { GateService, serviceLoginItem, serviceSystem } from "../../../main/core/service/gate-service.ts";
import { tempFolder } from "../../support/temp-folder.ts";

function made(system: "systemd" | "launchd" = "systemd") {
  const home = tempFolder();
  const parts = { command: ["/opt/node", "serve"], environment: {} };
  return { home, parts, service: new GateService(system, gatePaths({ HOME: home }), () => parts) };
}

/** Every file below, as a path from there. */
const filesBelow = (folder: string) => readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();

describe.each(["systemd", "launchd"] as const)("the service's file for %s", (system) => {
  it("is written for its owner only, the same twice, and removed with everything that was made for it", () => {
    const { home, service } = made(system);
    expect([service.state(), service.isEnabled()]).toEqual(["missing", false]);
    expect(service.write()).toBe("missing");
    expect([service.state(), service.isEnabled()]).toEqual(["current", true]);
    expect(statSync(service.file).mode & 0o777).toBe(0o600);
    const before = filesBelow(home);
    expect(service.write()).toBe("current");
    expect(filesBelow(home)).toEqual(before);
    service.remove();
    service.remove();
    expect([service.state(), service.isEnabled()]).toEqual(["missing", false]);
    expect(filesBelow(home).filter((path) => !lstatSync(join(home, path)).isDirectory())).toEqual([]);
  });

  it("of another version or place is written anew", () => {
    const { parts, service } = made(system);
    service.write();
    parts.command = ["/opt/other", "serve"];
    expect(service.state()).toBe("outdated");
    expect(service.write()).toBe("outdated");
    expect(readFileSync(service.file, "utf8")).toContain("/opt/other");
    expect(service.state()).toBe("current");
  });

  it("that isn't this product's is neither replaced nor removed, and the refusal names it", () => {
    const { service } = made(system);
    mkdirSync(dirname(service.file), { recursive: true });
    writeFileSync(service.file, "mine\n");
    expect([service.state(), service.isEnabled()]).toEqual(["foreign", false]);
    for (const act of [() => service.write(), () => service.remove()])
      expect(act).toThrow(`${service.file} was not made by metnos-gate, and is left as it is`);
    expect(readFileSync(service.file, "utf8")).toBe("mine\n");
  });

  it("that is a link (systemd's mask) is somebody else's, wherever it leads", () => {
    const { home, service } = made(system);
    mkdirSync(dirname(service.file), { recursive: true });
    symlinkSync("/dev/null", service.file);
    expect(() => service.write()).toThrow("was not made by metnos-gate");
    rmSync(service.file);
    service.write();
    const real = join(home, "elsewhere");
    writeFileSync(real, readFileSync(service.file, "utf8"));
    rmSync(service.file);
    symlinkSync(real, service.file);
    expect(service.state()).toBe("foreign");
    expect(() => service.remove()).toThrow("was not made by metnos-gate");
    expect(existsSync(real)).toBe(true);
  });
});

describe("the systemd unit's link", () => {
  it("is systemctl's own: default.target.wants leads to the unit; other units beside it stay", () => {
    const { home, service } = made();
    const wants = join(home, ".config/systemd/user/default.target.wants");
    mkdirSync(wants, { recursive: true });
    writeFileSync(join(wants, "other.service"), "");
    service.write();
    expect(readlinkSync(join(wants, "metnos-gate.service"))).toBe(service.file);
    service.remove();
    expect(filesBelow(join(home, ".config/systemd/user"))).toEqual([
      "default.target.wants",
      "default.target.wants/other.service",
    ]);
  });
});

describe("start at login without the desktop app", () => {
  it("is the service's file", () => {
    const { service } = made();
    const item = serviceLoginItem(service);
    item?.setEnabled(true);
    expect([item?.isEnabled(), service.state()]).toEqual([true, "current"]);
    item?.setEnabled(false);
    expect([item?.isEnabled(), service.state()]).toEqual([false, "missing"]);
  });

  it("isn't there where nothing starts services", () => {
    expect(serviceLoginItem(undefined)).toBeUndefined();
    expect([serviceSystem("linux", true), serviceSystem("linux", false)]).toEqual(["systemd", undefined]);
    expect([serviceSystem("darwin", false), serviceSystem("win32", true)]).toEqual(["launchd", undefined]);
  });
});
