import { expect, it, describe as suite } from "vitest";
import { hazardText } from "../../../ipc/words/hazard-words.ts";
import { choicesFor } from "../../../main/calls/approvals/choices.ts";
import { describe } from "../../../main/decide/description/describe.ts";
import { examinationOf, PAIRED } from "../../support/examinations.ts";

const asked = (command: string, name = "codex") =>
  examinationOf({ executor: "Bash", args: { command }, context: { cwd: "/home/roberto" }, agent: { ...PAIRED, name } });

const typedInto = (command: string, name?: string) =>
  describe(asked(command, name)).hazards.filter(({ id }) => id === "typed-into-later");

suite("a program that waits for what is typed into it", () => {
  it.each([
    ...["bash", "sh -i", "/bin/zsh -l", "exec bash", "env A=b bash", "python3", "python3 -i", "python3 -i x.py"],
    ...["python3 -ic 'print(1)'", "node", "irb; ruby", "psql", "psql -h db -U me app", "mysql -u root app"],
    ...["sqlite3 a.db", "ssh host", "ssh -p 22 me@host", "redis-cli -h host", "cd src && bash"],
  ])("is named on the card of an agent whose calls can do that, and asked about only once: %s", (command) => {
    const [hazard, ...more] = typedInto(command);
    expect([more.length, hazard && hazardText(hazard, "en"), hazard && hazardText(hazard, "it")]).toEqual([
      0,
      "What is typed into it later does not pass the gate",
      "Ciò che vi viene scritto dopo non passa dal gate",
    ]);
    expect(choicesFor(asked(command).needs, { home: "/home/roberto" }).map(({ scope }) => scope)).toEqual(["none"]);
  });

  it.each([
    ...["ls", "bash -c 'ls'", "bash x.sh", "echo ls | bash", "bash <<< ls", "python3 x.py", "python3 -c 'print(1)'"],
    ...[
      "python3 -m http.server",
      "python3 --version",
      "node -e 1",
      "awk '{print}' a",
      "psql -c 'select 1'",
      "psql -f a.sql",
    ],
    ...["mysql -e 'select 1'", "sqlite3 a.db 'select 1'", "ssh host uptime", "echo bash", "python3 - <<'EOF'\n1\nEOF"],
  ])("is none that has what to run: %s", (command) => {
    expect(typedInto(command)).toEqual([]);
  });

  it("is not named where every call is asked about", () => {
    expect(typedInto("bash", "claude-code")).toEqual([]);
  });
});
