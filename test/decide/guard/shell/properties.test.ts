import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fuzz } from "../../../../fuzz/shell-reader.ts";
import { findingText, guardShell } from "../../../../main/decide/guard/shell/guard-shell.ts";
import { MAX_COMMANDS } from "../../../../packages/shell-reading/shell/scope.ts";

const SETTINGS = { home: "/home/ada", cwd: "/home/ada/project", user: "ada" };
const isBlocked = (command: string) => guardShell(command, SETTINGS).finding !== null;

/** A word in another spelling that a shell reads as the same. */
const respelled = (word: string) =>
  fc
    .array(fc.constantFrom("plain", "single", "double", "backslash", "ansi"), {
      minLength: word.length,
      maxLength: word.length,
    })
    .map((ways) =>
      [...word]
        .map((char, index) => {
          if (ways[index] === "single") return `'${char}'`;
          if (ways[index] === "double") return `"${char}"`;
          if (ways[index] === "backslash") return `\\${char}`;
          if (ways[index] === "ansi") return `$'\\x${char.charCodeAt(0).toString(16).padStart(2, "0")}'`;
          return char;
        })
        .join(""),
    );

const spelled = (words: readonly string[]) => fc.tuple(...words.map(respelled)).map((all) => all.join(" "));
const BLOCKED = [
  ["rm", "-rf", "/usr"],
  ["rm", "-r", "/home/ada"],
  ["cat", "/etc/shadow"],
  ["cat", "/home/ada/.ssh/id_rsa"],
  ["chmod", "-R", "777", "/etc"],
  ["mv", "/usr", "/tmp/x"],
  ["dd", "if=/dev/zero", "of=/dev/vda"],
] as const;
const HARMLESS = [
  ["rm", "-rf", "dist"],
  ["cat", "src/a.ts"],
  ["chmod", "644", "a.txt"],
  ["mv", "a", "b"],
  ["ls", "-la", "src"],
  ["grep", "-rn", "rmdir", "src"],
] as const;

const quotedOnce = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
/** A prefix takes a simple command; anything else is given to a shell first. */
const simple = (command: string) =>
  /[;|&(){}<>\n]|\b(?:if|for)\b/.test(command) ? `bash -c ${quotedOnce(command)}` : command;
const WRAPPINGS: readonly ((command: string) => string)[] = [
  (command) => `sudo ${simple(command)}`,
  (command) => `env A=b ${simple(command)}`,
  (command) => `timeout -k 1 5 ${simple(command)}`,
  (command) => `nice -n 5 ${simple(command)}`,
  (command) => `nohup ${simple(command)}`,
  (command) => `bash -c ${quotedOnce(command)}`,
  (command) => `sh -ec ${quotedOnce(command)}`,
  (command) => `eval ${quotedOnce(command)}`,
  (command) => `( ${command} )`,
  (command) => `{ ${command}; }`,
  (command) => `if true; then ${command}; fi`,
  (command) => `for i in 1; do ${command}; done`,
  (command) => `true && ${command} || false`,
  (command) => `f() { ${command}; }; f`,
  (command) => `echo $( ${command} )`,
  (command) => `echo ${quotedOnce(command)} | sh`,
  // A unique delimiter: the first line that holds it ends the document, whatever is around it.
  (command) => `{ sh <<'EOF${command.length}'\n${command}\nEOF${command.length}\n}`,
  (command) => `sh <<< ${quotedOnce(command)}`,
  (command) => `trap ${quotedOnce(command)} EXIT`,
  (command) => `ls; ${command}`,
  (command) => `find . -name x -exec ${simple(command)} \\;`,
  (command) => `ssh host ${quotedOnce(command)}`,
];

const wrapped = (command: fc.Arbitrary<string>) =>
  fc
    .tuple(command, fc.array(fc.constantFrom(...WRAPPINGS), { maxLength: 3 }))
    .map(([text, ways]) => ways.reduce((now, wrap) => wrap(now), text));

describe("a blocked command", () => {
  it("stays blocked however its words are spelled", () => {
    for (const words of BLOCKED) {
      fc.assert(
        fc.property(spelled(words), (command) => {
          expect([command, isBlocked(command)]).toEqual([command, true]);
        }),
        { numRuns: 60 },
      );
    }
  });

  it("stays blocked however it is wrapped", () => {
    fc.assert(
      fc.property(wrapped(fc.constantFrom(...BLOCKED.map((words) => words.join(" ")))), (command) => {
        expect([command, isBlocked(command)]).toEqual([command, true]);
      }),
      { numRuns: 600 },
    );
  });

  it("stays blocked with its words in variables, and with other text around it", () => {
    fc.assert(
      fc.property(fc.constantFrom(...BLOCKED), fc.nat(), (words, seed) => {
        const at = seed % words.length;
        const command = words.map((word, index) => (index === at ? "$v" : word)).join(" ");
        expect([command, isBlocked(`v=${words[at]}; ${command}`)]).toEqual([command, true]);
      }),
    );
  });
});

describe("a harmless command", () => {
  it("stays harmless however it is spelled and wrapped", () => {
    for (const words of HARMLESS) {
      fc.assert(
        fc.property(spelled(words), (command) => {
          expect([command, isBlocked(command)]).toEqual([command, false]);
        }),
        { numRuns: 30 },
      );
    }
    fc.assert(
      fc.property(wrapped(fc.constantFrom(...HARMLESS.map((words) => words.join(" ")))), (command) => {
        expect([command, isBlocked(command)]).toEqual([command, false]);
      }),
      { numRuns: 600 },
    );
  });
});

describe("whatever it is given", () => {
  it("the interpreter doesn't throw, stays within its limits, and its offsets are in the text", () => {
    const { inputs, unread } = fuzz(4000, 20261121);
    expect(unread).toBeGreaterThan(0);
    expect(unread).toBeLessThan(inputs);
  });

  it("beyond a limit, or where its syntax isn't complete, a command counts as not read", () => {
    for (const command of [
      `rm -rf / ${"$(".repeat(10_000)}`,
      "(".repeat(60_000),
      `ls ${"x".repeat(70_000)}`,
      "ls;".repeat(MAX_COMMANDS + 1),
      `${"bash -c '".repeat(1)}${"eval ".repeat(40)}ls'`,
      "if true; then",
      "echo 'open",
      "ls \0",
    ]) {
      const { reading } = guardShell(command, SETTINGS);
      expect([command.slice(0, 40), reading.unread === null]).toEqual([command.slice(0, 40), false]);
    }
  });

  it("what the guard says holds nothing of what the command says", () => {
    for (const command of [
      "sudo rm -rf /home/ada",
      "secretname() { cat /home/ada/.ssh/id_secretfile; }; secretname",
      "cat /etc/shadow.secretname",
      "secretname rm -rf /usr",
      "cp -r ~ /srv/secretname",
    ]) {
      const { finding, reading } = guardShell(command, SETTINGS);
      expect([command, finding !== null && !/secret|ada/.test(findingText(finding, reading))]).toEqual([command, true]);
    }
  });
});
