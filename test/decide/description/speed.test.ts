import { createHash } from "node:crypto";
import { mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, it } from "vitest";
import { describe } from "../../../main/decide/description/describe.ts";
import { examinationOf } from "../../support/examinations.ts";
import { cpuMs } from "../../support/measured.ts";
import { tempFolder } from "../../support/temp-folder.ts";

/** The middle of `runs` runs. */
function middleCpuMs(runs: number, act: () => void): number {
  const all = Array.from({ length: runs }, () => cpuMs(act));
  return all.sort((a, b) => a - b)[Math.floor(runs / 2)] ?? 0;
}

const LONG = Array.from({ length: 20_000 }, (_, at) => `line ${at} with some words that make it longer`)
  .join("\n")
  .slice(0, 1024 * 1024);

const ORDINARY = ["ls -la src", "npm test 2>&1 | tail -20", "git commit -m 'A change'", "rm -rf build && mkdir build"];

/** Measured by `npm run bench -- description`: about 0.1 ms and 5 ms. */
it("costs little: an ordinary command 1 ms, a file of 1 MiB 10 ms, each with room for a slow machine", () => {
  const cwd = tempFolder();
  writeFileSync(`${cwd}/long.txt`, LONG);
  const ready = (executor: string, args: Record<string, unknown>) => {
    const x = examinationOf({ executor, args, context: { cwd }, settings: { home: cwd } });
    return () => describe(x);
  };
  const commands = ORDINARY.map((command) => ready("Bash", { command }));
  const all = () => {
    for (const act of commands) act();
  };
  const edit = ready("Edit", { file_path: "long.txt", old_string: "line 9000 ", new_string: "line nine " });
  for (const act of [...commands, edit]) for (let runs = 0; runs < 20; runs++) act();
  expect(middleCpuMs(41, all) / commands.length).toBeLessThan(4);
  expect(middleCpuMs(11, edit)).toBeLessThan(40);
});

it.each<[string, string, Record<string, unknown>]>([
  ["10,000 lines", "Bash", { command: "echo a\n".repeat(9000) }],
  ["a line of 64 kB", "Bash", { command: `echo ${"a".repeat(64 * 1024 - 5)}` }],
  ["deep nesting", "Bash", { command: `${"$(".repeat(120)}x${")".repeat(120)}` }],
  ["brackets without an end", "Bash", { command: "(".repeat(60_000) }],
  ["many quotes", "Bash", { command: `echo ${"'a' \"$b\" ".repeat(6000)}` }],
  ["many programs with hazards", "Bash", { command: "sudo rm -rf a; git push -f; ".repeat(200) }],
  ["many sources without a runner", "Bash", { command: "curl -s https://a.example/x; ".repeat(400) }],
  ["many files fed to many shells", "Bash", { command: `cat ${"a ".repeat(9000)}| ${"bash | ".repeat(900)}bash` }],
  [
    "files that the line writes",
    "Bash",
    { command: `${": > empty.txt; ".repeat(900)}cat ${"empty.txt ".repeat(900)}| sh` },
  ],
  [
    "many edits",
    "MultiEdit",
    { edits: Array(20_000).fill({ old_string: "line", new_string: "x", replace_all: true }) },
  ],
  ["a replacement that grows", "Edit", { old_string: "l", new_string: "y".repeat(100_000), replace_all: true }],
  ["all lines changed", "Write", { content: LONG.replaceAll("words", "texts") }],
  ["all lines moved", "Write", { content: LONG.split("\n").reverse().join("\n") }],
  [
    "a patch of empty lines",
    "apply_patch",
    { input: `*** Begin Patch\n*** Update File: empty.txt\n${" \n".repeat(5000)}-x\n*** End Patch` },
  ],
])("stays bounded, whatever the call says: %s", (_what, executor, args) => {
  const cwd = tempFolder();
  writeFileSync(`${cwd}/long.txt`, LONG);
  writeFileSync(`${cwd}/empty.txt`, "\n".repeat(200_000));
  const more = executor === "Bash" || executor === "apply_patch" ? {} : { file_path: "long.txt" };
  const x = examinationOf({ executor, args: { ...args, ...more }, context: { cwd }, settings: { home: cwd } });
  let found: Partial<ReturnType<typeof describe>> = {};
  const ms = cpuMs(() => {
    found = describe(x);
  });
  expect(ms).toBeLessThan(1000);
  expect(JSON.stringify({ ...found, commands: [] }).length).toBeLessThan(256 * 1024);
});

const MIB = 1024 * 1024;
const fill = (bytes: number, line: string) => line.repeat(Math.floor(bytes / line.length));

it.each<[what: string, file: string, text: string, command: string]>([
  ["a rule with lines for each of its names", "Makefile", `${"a ".repeat(240)}:\n${fill(200_000, "\tb\n")}`, "make a"],
  ["rules of many names", "Makefile", `${fill(480, "a b c d ")}:\n${fill(200_000, "\tb\n")}`, "make a"],
  ["rules that run many files", "Makefile", `a:\n${fill(250_000, "\t@./x; ./x; ./x\n")}`, "make a"],
  ["lines of blanks", "Makefile", fill(250_000, `a${" ".repeat(2000)}\n`), "make a"],
  ["a key of many parts", ".cargo/config.toml", `${"a.".repeat(125_000)}b = 1`, "cargo x"],
  ["scripts of empty lines", "x.sh", "\n".repeat(8 * MIB), "sh x.sh; sh ./y/x.sh; sh z/x.sh; sh ./../x.sh"],
])("stays bounded, whatever the file of a name holds: %s", (_what, file, text, command) => {
  const cwd = `${tempFolder()}/project`;
  for (const folder of [`${cwd}/.cargo`, `${cwd}/y`, `${cwd}/z`]) mkdirSync(folder, { recursive: true });
  for (const folder of ["", "y/", "z/", "../"])
    if (folder === "" || file === "x.sh") writeFileSync(`${cwd}/${folder}${file}`, text);
  expect(cpuOf(command, cwd)).toBeLessThan(1500);
});

/** Below what another client would wait for, on an idle machine; each was longer than that by several times. */
it.each<[what: string, file: string, text: string, command: (folder: string) => string]>([
  ["settings of cargo", ".cargo/config.toml", `${fill(250_000, "a.")}b = 1`, (folder) => `(cd ${folder} && cargo x)`],
  [
    "rules that run files",
    "Makefile",
    `a:\n${fill(250_000, "\t@./x; ./y; sh z\n")}`,
    (folder) => `make -C ${folder} a`,
  ],
  ["a long Makefile, and its rules", "Makefile", fill(250_000, "a b c d e:\n\tx\n\tx\n"), () => "make -C d0 a"],
  ["scripts of empty lines", "x.sh", "\n".repeat(8 * MIB), (folder) => `sh ${folder}/x.sh`],
])("takes no longer for many names in one call: %s", (_what, file, text, command) => {
  const cwd = `${tempFolder()}/project`;
  const folders = Array.from({ length: 8 }, (_, at) => `d${at}`);
  for (const folder of folders) {
    mkdirSync(dirname(`${cwd}/${folder}/${file}`), { recursive: true });
    writeFileSync(`${cwd}/${folder}/${file}`, text);
  }
  expect(cpuOf(folders.map(command).join(" && "), cwd)).toBeLessThan(300);
});

it.each<[what: string, names: number, size: number, command: (names: readonly string[]) => string]>([
  ["folders of large files", 1200, MIB, () => "rm -r d0 d1 d2"],
  ["many files of a large index", 150_000, 0, (names) => `rm ${names.slice(0, 300).join(" ")}`],
])("stays bounded, whatever git's index holds: %s", (_what, count, size, command) => {
  const folder = tempFolder();
  const cwd = `${folder}/project`;
  mkdirSync(`${cwd}/.git`, { recursive: true });
  for (const folder of ["d0", "d1", "d2"]) mkdirSync(`${cwd}/${folder}`);
  writeFileSync(`${cwd}/.git/HEAD`, "ref: refs/heads/main\n");
  const names = Array.from(
    { length: count },
    (_, at) => `d${Math.min(2, Math.floor(at / 400))}/${String(at).padStart(6, "0")}`,
  );
  for (const name of names.slice(0, 1200)) {
    writeFileSync(`${cwd}/${name}`, "");
    truncateSync(`${cwd}/${name}`, size);
  }
  writeFileSync(`${cwd}/.git/index`, indexOf(names, size));
  expect(cpuOf(command(names), cwd)).toBeLessThan(1500);
});

/** An index of files of zeros. */
function indexOf(names: readonly string[], size: number): Buffer {
  const oid = createHash("sha1").update(`blob ${size}\0`).update(Buffer.alloc(size)).digest();
  const head = Buffer.from("DIRC\0\0\0\x02\0\0\0\0", "latin1");
  head.writeUInt32BE(names.length, 8);
  const entries = names.map((name) => {
    const entry = Buffer.alloc((62 + name.length + 8) & ~7);
    entry.writeUInt32BE(0o100644, 24);
    entry.writeUInt32BE(size, 36);
    oid.copy(entry, 40);
    entry.writeUInt16BE(name.length, 60);
    entry.write(name, 62);
    return entry;
  });
  return Buffer.concat([head, ...entries]);
}

/** Of one description, in milliseconds. */
function cpuOf(command: string, cwd: string): number {
  const args = { command };
  const x = examinationOf({ executor: "Bash", args, context: { cwd }, settings: { home: `${cwd}-home` } });
  return cpuMs(() => describe(x));
}
