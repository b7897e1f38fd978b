import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { confinedCommand } from "../../../ipc/confined-command.ts";
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
    await run(`bash -c "mv conf \\$'conf\\xff'; mv inner \\$'inner\\xff'"`);
    expect(execFileSync("/bin/sh", ["-c", "cat conf*/.env"], { cwd: project, encoding: "utf8" })).toBe(
      "TOKEN=hidden\n",
    );
    for (const line of ["cat $(ls -d conf*)/.env", "sh -c 'cat conf*/.env inner*/.git/config'"])
      expect([line, (await run(line)).stdout]).toEqual([line, ""]);
  });
});
