import { describe, expect, it } from "vitest";
import { PROGRAMS } from "../../../main/gate/executors/programs/table.ts";
import { prepared } from "../../support/proposed-calls.ts";

const kindsOf = (command: string) =>
  prepared("/home/ada", "Bash", { command }, { context: { cwd: "/home/ada/project" } }).needs.map(
    ({ capability }) => capability,
  );

describe("the table of programs", () => {
  it("names each program once", () => {
    const names = PROGRAMS.flatMap((program) => program.names);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  it.each(PROGRAMS.map((program) => [program.names[0] ?? "", program] as const))(
    "%s: its example runs no code, its counter-example does more",
    (_name, { names, example, counter }) => {
      expect(names.some((name) => example.startsWith(name)) && names.some((name) => counter.startsWith(name))).toBe(
        true,
      );
      expect([example, kindsOf(example)]).not.toEqual([example, expect.arrayContaining(["code:exec"])]);
      const more = kindsOf(counter).filter((kind) => kind === "code:exec" || kind === "fs:write");
      expect([counter, more.length > 0]).toEqual([counter, true]);
    },
  );

  it("in any doubt running code is among what is needed", () => {
    for (const command of ["", "ls $(", "x() { :; }; ls", "ls | sh", "$CMD", "PATH=. ls", "ls; unheard-of"]) {
      expect([command, kindsOf(command)]).toEqual([command, expect.arrayContaining(["code:exec"])]);
    }
  });
});
