import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { tempFolder } from "../support/temp-folder.ts";

const CHECKOUT = resolve(import.meta.dirname, "../..");

/** As a package is installed: the built command, and what it loads. */
function installed(): string {
  const folder = tempFolder();
  for (const name of ["package.json", "bin"]) cpSync(join(CHECKOUT, name), join(folder, name), { recursive: true });
  mkdirSync(join(folder, "dist"));
  cpSync(join(CHECKOUT, "dist/cli"), join(folder, "dist/cli"), { recursive: true });
  symlinkSync(join(CHECKOUT, "node_modules"), join(folder, "node_modules"));
  return folder;
}

function versionSaidBy(folder: string): string {
  const { NODE_COMPILE_CACHE: _, ...env } = process.env;
  return execFileSync(process.execPath, [join(folder, "bin/metnos-gate.js"), "--version"], { env, encoding: "utf8" });
}

it("a command keeps its compiled code beside the program, and does without where nothing can be written there", () => {
  const folder = installed();
  const compiled = join(folder, "dist/compiled");
  const version = versionSaidBy(folder);
  expect(readdirSync(compiled, { recursive: true }).length).toBeGreaterThan(1);
  expect(versionSaidBy(folder)).toBe(version);
  rmSync(compiled, { recursive: true });
  writeFileSync(compiled, "");
  expect(versionSaidBy(folder)).toBe(version);
});

it("no built command loads TLS or datagrams as it starts, whatever its packages could do with them", () => {
  const folder = join(CHECKOUT, "dist/cli");
  const files = readdirSync(folder).filter((name) => name.endsWith(".js"));
  expect(files.length).toBeGreaterThan(10);
  const loading = files.filter((name) => /from\s*"node:(?:tls|dgram)"/.test(readFileSync(join(folder, name), "utf8")));
  expect(loading).toEqual([]);
});

it("built commands are ASCII alone: one character beyond it doubles what Node takes for a file", () => {
  const folder = join(CHECKOUT, "dist/cli");
  const files = readdirSync(folder).filter((name) => name.endsWith(".js"));
  expect(files.filter((name) => readFileSync(join(folder, name)).some((byte) => byte > 0x7f))).toEqual([]);
});
