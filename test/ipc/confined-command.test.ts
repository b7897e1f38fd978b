import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { confinedCommand, isConfinedCommand, remarked, shownLine } from "../../ipc/base/confined-command.ts";
import { shellQuoted } from "../../ipc/base/shell-quoted.ts";
import { tempFolder } from "../support/temp-folder.ts";

const SHELLS = ["/bin/bash", "/bin/zsh", "/bin/dash"].filter((shell) => existsSync(shell));

/** In the launcher's place, in a folder whose name a shell would take apart. */
function launcher(program: string): string {
  const folder = join(tempFolder(), 'it\'s $(a) "folder"');
  mkdirSync(join(folder, "to here"), { recursive: true });
  const file = join(folder, "launcher");
  writeFileSync(file, `#!/bin/sh\nhere='${folder.replaceAll("'", "'\\''")}'\n${program}\n`, { mode: 0o755 });
  return file;
}

/** What a shell says of it, and of itself afterwards. */
function run(shell: string, before: string, program: string) {
  const file = launcher(program);
  const line = `${before} eval ${shellQuoted(confinedCommand([file, "run", "a1b2"]))}; echo "then $? $(pwd -P)"`;
  const { stdout, stderr, status } = spawnSync(shell, ["-c", line], { cwd: "/", input: "input", encoding: "utf8" });
  return { stdout: stdout.replace(join(file, ".."), "HERE"), stderr, status };
}

describe.each(SHELLS)("what is run in the place of a confined command line, by %s", (shell) => {
  it("gives the command its standard streams, and continues with its exit code in the folder that it ended in", () => {
    const program = 'echo "$1 $2"; cat; echo " error" >&2; printf "%s\\n" "$here/to here" >&9; exit 3';
    expect(run(shell, "", program)).toEqual({
      stdout: "run a1b2\ninputthen 3 HERE/to here\n",
      stderr: " error\n",
      status: 0,
    });
  });

  it.each(["npm test", "ls\nrm -r here\r\u2028ls", 'echo it\'s "$(id)" \\', "`id` <(id) ${x", "#", ""])(
    "runs nothing of the line that is shown before it: %j",
    (line) => {
      const file = launcher("echo only");
      const text = remarked(shownLine(line), confinedCommand([file, "run", "a1b2"]));
      const ended = spawnSync(shell, ["-euc", text], {
        cwd: tempFolder(),
        encoding: "utf8",
        // By a socket as its input bash may take itself for one that rshd has started, and read its start-up file.
        stdio: ["ignore", "pipe", "pipe"],
      });
      expect(ended).toMatchObject({ stdout: "only\n", stderr: "", status: 0 });
      expect([text.split("\n").length, isConfinedCommand(text)]).toEqual([2, true]);
    },
  );

  it("stays where it is if no folder is named, or one that isn't there", () => {
    expect(run(shell, "", "exit 126").stdout).toBe("then 126 /\n");
    expect(run(shell, "", "echo /nowhere >&9")).toMatchObject({ stdout: "then 0 /\n", stderr: "" });
  });

  it.each(["set -eu;", "set -C;", "exec 8>&- 9>&-;", "alias cd=false exit=true;", "cd() { echo seen; };"])(
    "is the same after %s",
    (before) => {
      expect(run(shell, before, 'echo out; echo "$here" >&9')).toMatchObject({
        stdout: before.startsWith("cd()") ? "out\nthen 0 /\n" : "out\nthen 0 HERE\n",
        stderr: "",
      });
    },
  );

  it("ends a shell that is to end with the first failure", () => {
    expect(run(shell, "set -e;", "exit 3")).toEqual({ stdout: "", stderr: "", status: 3 });
  });
});

it("it is recognized, and nothing that has more in it", () => {
  const command = confinedCommand(["/srv/it's/launcher", "run", "a1b2"]);
  expect(isConfinedCommand(command)).toBe(true);
  for (const other of [
    `${command}; ls`,
    `ls; ${command}`,
    `# ls\nls\n${command}`,
    command.replace("a1b2", "a1b2; ls"),
    command.replace("a1b2", "$(ls)"),
    "ls",
  ])
    expect([other, isConfinedCommand(other)]).toEqual([other, false]);
});
