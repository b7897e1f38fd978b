import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DiskReserve, diskFullCode } from "../../../main/base/files/disk-reserve.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const BYTES = 256 * 1024;

function coded(code: string): Error {
  return Object.assign(new Error("no room"), { code });
}

function freshReserve() {
  const file = join(tempFolder(), "state/reserve");
  return { file, reserve: new DiskReserve(file, BYTES) };
}

describe("room that is kept aside", () => {
  it("is really taken on the disk, only its owner's, and given back", () => {
    const { file, reserve } = freshReserve();
    expect(reserve.keep()).toBe(true);
    const { size, blocks, mode } = statSync(file);
    expect([size, blocks * 512 >= BYTES, mode & 0o777]).toEqual([BYTES, true, 0o600]);
    expect([reserve.release(), statSync(file).size, reserve.isSpent]).toEqual([true, 0, true]);
    expect(reserve.release()).toBe(false);
    expect([reserve.keep(), reserve.isSpent]).toEqual([true, false]);
  });

  it("of an earlier gate is given back, too", () => {
    const { file, reserve } = freshReserve();
    reserve.keep();
    expect(new DiskReserve(file, BYTES).release()).toBe(true);
  });

  it("is used for what fails on a full disk, once; for nothing else", () => {
    const { file, reserve } = freshReserve();
    const failing = (code: string, times: number) => {
      let left = times;
      return () => {
        if (left-- > 0) throw coded(code);
        return "written";
      };
    };
    for (const code of ["ENOSPC", "EDQUOT", "SQLITE_FULL"]) {
      reserve.keep();
      expect(reserve.withRoom(failing(code, 1))).toBe("written");
      expect(() => reserve.withRoom(failing(code, 1))).toThrow("no room");
    }
    reserve.keep();
    expect(() => reserve.withRoom(failing("EIO", 1))).toThrow("no room");
    expect(statSync(file).size).toBe(BYTES);
    expect(diskFullCode(new Error("outer", { cause: coded("SQLITE_FULL") }))).toBe("SQLITE_FULL");
  });

  it("never follows a link, and a folder in its place is no reason to fail", () => {
    const { file, reserve } = freshReserve();
    const precious = join(tempFolder(), "precious");
    writeFileSync(precious, "precious");
    mkdirSync(join(file, ".."));
    symlinkSync(precious, file);
    expect([reserve.keep(), reserve.release(), readFileSync(precious, "utf8")]).toEqual([false, false, "precious"]);
    const other = new DiskReserve(join(file, ".."), BYTES);
    expect([other.keep(), other.release()]).toEqual([false, false]);
  });
});
