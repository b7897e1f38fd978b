import { existsSync, lstatSync, promises, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { tempFolder } from "./support/temp-folder.ts";

it("a unit test sees nothing of the machine's own folders", async () => {
  expect(existsSync("/etc/passwd")).toBe(false);
  expect(statSync("/etc", { throwIfNoEntry: false })).toBeUndefined();
  for (const look of [lstatSync, readdirSync, readFileSync, realpathSync, realpathSync.native])
    expect(() => look("/etc")).toThrow("ENOENT");
  await expect(promises.readdir("/etc")).rejects.toMatchObject({ code: "ENOENT" });
  expect(() => readdirSync("/")).toThrow("ENOENT");
});

it("and what it made", () => {
  const folder = tempFolder();
  expect(readdirSync(join(folder, ".."))).toContain(folder.split("/").at(-1));
  expect(lstatSync(join(folder, "../..")).isDirectory()).toBe(true);
});
