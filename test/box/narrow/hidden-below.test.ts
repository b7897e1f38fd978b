import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { confinedCommand } from "../../../ipc/base/confined-command.ts";
import { unreadScript } from "../../support/unread-script.ts";
import { shellRuns, withoutBox } from "../box-under-test.ts";
import { workingAgent } from "../working-agent.ts";

/** What is hidden in a project stays so under every name, in repositories below it as well. */

const reason = withoutBox();
if (reason !== undefined) console.log(`skipped: hidden below: ${reason}`);

const MAKE = `mkdir conf; printf 'TOKEN=hidden\\n' > conf/.env; git init -q nested
  git -C nested remote add origin https://me:hidden@git.example/x.git; cp -r nested inner`;

describe.skipIf(reason !== undefined)("secrets below a project", () => {
  it("stay hidden in a nested repository, and where a folder gets a name that is not UTF-8", async () => {
    const { project, decide } = await workingAgent();
    execFileSync("/bin/sh", ["-ec", MAKE], { cwd: project });
    const run = async (line: string) => {
      const { confine, confined, reason } = await decide(line);
      if (confine === undefined) throw new Error(`not confined: ${line}: ${reason}`);
      const { stdout } = await shellRuns(confinedCommand(confine.argv), project);
      return { kind: confined?.kind, stdout };
    };
    const settings = await run("cat $(ls nested/.git/config)");
    expect(settings.kind).toBe("looking");
    expect(settings.stdout).toContain("https://git.example/x.git");
    expect(settings.stdout).not.toContain("hidden");
    // A folder like it in its place would be the one that the next box hides it in.
    await run("sh -c 'mv conf moved'");
    expect(readdirSync(project)).not.toContain("moved");
    execFileSync("/bin/bash", ["-ec", "mv conf $'conf\\xff'; mv inner $'inner\\xff'"], { cwd: project });
    expect(execFileSync("/bin/sh", ["-c", "cat conf*/.env"], { cwd: project, encoding: "utf8" })).toBe(
      "TOKEN=hidden\n",
    );
    for (const line of ["cat $(ls -d conf*)/.env", "sh -c 'cat conf*/.env inner*/.git/config'"])
      expect([line, (await run(line)).stdout]).toEqual([line, ""]);
  });

  it("stay hidden in another repository that is read, in the box of a line that runs code as well", async () => {
    const { gate, project, decide } = await workingAgent();
    const other = join(gate.home.home, "other");
    execFileSync("/bin/bash", [
      "-ec",
      `mkdir -p ${other}; cd ${other}; ${MAKE}; cp -r nested/.git .; rm -r conf; mv inner $'inner\xff'`,
    ]);
    await gate.operator.call("grants.add", { capability: "fs:read", target: `${other}/**` });
    writeFileSync(join(project, "a.sh"), `cat ${other}/.git/config ${other}/*/.git/config\n`);
    const { confine, confined, reason } = await decide("grep -rc x ../other; sh a.sh");
    if (confine === undefined) throw new Error(`not confined: ${reason}`);
    expect(confined?.kind).toBeUndefined();
    const { stdout } = await shellRuns(confinedCommand(confine.argv), project);
    expect(stdout).toContain("https://git.example/x.git");
    expect(stdout).not.toContain("hidden");
  });

  it("stay hidden in folders that run later", async () => {
    const { project, decide } = await workingAgent();
    const folders = [".devcontainer/db", ".claude/worktrees/x/app", ".github/hooks"];
    for (const folder of folders) {
      mkdirSync(join(project, folder), { recursive: true });
      writeFileSync(join(project, folder, ".env"), "TOKEN=hidden\n");
      writeFileSync(join(project, folder, "a.txt"), "shown\n");
    }
    const files = folders.map((folder) => `${folder}/.env ${folder}/a.txt`).join(" ");
    writeFileSync(
      join(project, "a.sh"),
      unreadScript(`cat ${files}; mv .devcontainer moved 2>/dev/null; mv .claude moved 2>/dev/null`),
    );
    for (const line of [`cat $(ls ${files})`, "sh a.sh"]) {
      const { confine } = await decide(line);
      if (confine === undefined) throw new Error(`not confined: ${line}`);
      expect([line, (await shellRuns(confinedCommand(confine.argv), project)).stdout]).toEqual([
        line,
        "shown\n".repeat(3),
      ]);
    }
    expect(readdirSync(project)).not.toContain("moved");
  });
});
