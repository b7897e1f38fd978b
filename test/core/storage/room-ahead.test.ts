import { appendFileSync, closeSync, openSync, readFileSync, statSync, symlinkSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { RoomAhead, RoomsAhead } from "../../../main/base/files/room-ahead.ts";
import { AuditLog } from "../../../main/records/audit/log.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { HAS_ROOM_AHEAD, roomOf, smallDisk } from "../../support/small-disk.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const BYTES = 1024 * 1024;

/** A file on a disk that can keep room, with a line in it; undefined where there is none. */
function fileWithLine() {
  const disk = HAS_ROOM_AHEAD ? smallDisk(8) : undefined;
  if (disk === undefined) return undefined;
  const file = join(disk.folder, "lines");
  appendFileSync(file, "first\n");
  return { disk, file, room: new RoomAhead(BYTES) };
}

describe("the room within a file", () => {
  it("is beyond its end, is nobody else's, and is renewed once half of it is used", async () => {
    const there = fileWithLine();
    if (there === undefined) return;
    const { disk, file, room } = there;
    expect(room.keepOf(file)).toBe(true);
    await expect.poll(() => roomOf(file)).toBeGreaterThanOrEqual(BYTES);
    expect(readFileSync(file, "utf8")).toBe("first\n");
    disk.fill();
    appendFileSync(file, Buffer.alloc(BYTES * 0.75, "x"));
    expect(statSync(file).size).toBe(BYTES * 0.75 + 6);
    await expect.poll(() => [room.keepOf(file), room.isShort]).toEqual([false, true]);
    expect(() => appendFileSync(file, Buffer.alloc(BYTES, "x"))).toThrow(/ENOSPC/);
    disk.empty();
    const other = new RoomAhead(BYTES);
    other.keepOf(file);
    await expect.poll(() => roomOf(file)).toBeGreaterThanOrEqual(BYTES);
    expect(other.isShort).toBe(false);
  });

  it("is made again for a file that was cut, and never for a link or where there is no file", async () => {
    const there = fileWithLine();
    if (there === undefined) return;
    const { disk, file, room } = there;
    room.keepOf(file);
    await expect.poll(() => roomOf(file)).toBeGreaterThanOrEqual(BYTES);
    truncateSync(file, 0);
    await expect.poll(() => room.keepOf(file)).toBe(true);
    await expect.poll(() => roomOf(file)).toBeGreaterThanOrEqual(BYTES);
    symlinkSync(file, join(disk.folder, "link"));
    const others = new RoomsAhead([join(disk.folder, "link"), join(disk.folder, "none")], BYTES);
    others.keep();
    expect(() => statSync(join(disk.folder, "none"))).toThrow(/ENOENT/);
  });

  it("takes none of a disk that has little left", () => {
    const there = fileWithLine();
    if (there === undefined) return;
    const big = new RoomAhead(BYTES * 6);
    expect([big.keepOf(there.file), big.isShort]).toEqual([false, false]);
  });

  it("of a month's file goes back to the disk once the month is over", async () => {
    const there = fileWithLine();
    if (there === undefined) return;
    const folder = join(there.disk.folder, "vaglio");
    const clock = new ManualClock("2026-11-30T23:59:00Z");
    const log = new AuditLog(folder, join(there.disk.folder, "head"), clock.now, undefined, new RoomAhead(BYTES));
    onTestFinished(() => log.close());
    log.append({ event: "paused", ts: log.time(), by: "human" });
    log.tend();
    const november = join(folder, "2026-11.jsonl");
    await expect.poll(() => roomOf(november)).toBeGreaterThanOrEqual(BYTES);
    const text = readFileSync(november, "utf8");
    clock.advance(120);
    log.append({ event: "resumed", ts: log.time(), by: null });
    log.flush();
    expect(roomOf(november)).toBeLessThan(8192);
    expect(readFileSync(november, "utf8")).toBe(text);
    expect(readFileSync(join(folder, "2026-12.jsonl"), "utf8")).toContain('"resumed"');
  });
});

it("of a file in a folder that keeps none changes nothing", async () => {
  const file = join(tempFolder(), "lines");
  appendFileSync(file, "first\n");
  const fd = openSync(file, "r");
  onTestFinished(() => closeSync(fd));
  const room = new RoomAhead(4096);
  room.keep(fd);
  await expect.poll(() => room.keep(fd)).toBe(false);
  expect(readFileSync(file, "utf8")).toBe("first\n");
});
