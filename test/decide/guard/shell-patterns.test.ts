import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DANGEROUS_SHELL_PATTERNS, dangerousCommand } from "../../../main/decide/places/patterns.ts";

// docs/decisions/requirements-vaglio.md, "Baseline patterns"
// The six patterns, each with what it must fire on and what only resembles it.
const CASES: { pattern: string; fires: string[]; passes: string[] }[] = [
  {
    pattern: "\\brm\\s+-rf?\\s+/(\\s|$)",
    fires: ["rm -rf /", "rm -r /", "sudo rm  -rf   / --no-preserve-root", "ls; rm -rf / ", "rm\t-rf\n/", "rm -rf /\n"],
    passes: [
      "rm -rf /tmp/x",
      "rm -rf ./",
      "rm -f /",
      "rm -fr /",
      "farm -rf /",
      "rm -rf",
      "rm -rfv /",
      "rm-rf /",
      "echo rm",
    ],
  },
  {
    pattern: "\\brm\\s+-rf?\\s+~(\\s|$|/)",
    fires: ["rm -rf ~", "rm -rf ~/", "rm -r ~/Documents", "cd x && rm -rf ~ "],
    passes: ["rm -rf ~user", "rm -rf ./~", "rm -f ~", "rm ~/x", "perm -rf ~"],
  },
  {
    pattern: "\\bmkfs\\b",
    fires: ["mkfs /dev/x", "mkfs.ext4 /dev/x", "sudo mkfs", "/sbin/mkfs -t ext4"],
    passes: ["mkfsx", "amkfs", "mk fs", "mkfs_"],
  },
  {
    pattern: "\\bdd\\s+.*\\bof=/dev/",
    fires: [
      "dd if=x of=/dev/sda",
      "dd of=/dev/null",
      "sudo dd bs=4M if=a.iso of=/dev/sdb status=progress",
      "dd a; dd b of=/dev/x",
      "dd\nof=/dev/x",
      "x\ndd of=/dev/x",
    ],
    passes: [
      "dd if=/dev/sda of=disk.img",
      "dd if=x\ncp of=/dev/y",
      "add of=/dev/x",
      "dd of=dev/x",
      "dd xof=/dev/x",
      "of=/dev/x dd",
      "ddof=/dev/x",
    ],
  },
  {
    pattern: ":\\s*\\(\\s*\\)\\s*\\{\\s*:\\|:&\\s*\\}",
    fires: [":(){ :|:& };:", ":(){:|:&};:", ": ( ) { :|:& }", "x=1; :(){ :|:&\n};:"],
    passes: [":(){ :|: };:", ":(){ :&:| };:", "a(){ a|a& };a", ": { :|:& }", ":()"],
  },
  {
    pattern: "\\bchmod\\s+-?R?\\s*0?77[0-9]\\s+/",
    fires: [
      "chmod 777 /",
      "chmod -R 777 /",
      "chmod R 0777 /etc",
      "chmod -R 0775 /usr",
      "chmod  770  /x",
      "sudo chmod 777 /",
    ],
    passes: [
      "chmod 755 /",
      "chmod 777 x",
      "chmod 777 ./x",
      "chmod -r 777 /",
      "chmod 77 /",
      "chmod 7777 /",
      "chmod -R 777",
      "achmod 777 /",
      "chmod u+x /",
    ],
  },
];

describe("the baseline patterns for commands", () => {
  it("is the required six patterns, in their order", () => {
    expect(DANGEROUS_SHELL_PATTERNS.map((pattern) => pattern.source.replaceAll("\\/", "/"))).toEqual(
      CASES.map(({ pattern }) => pattern),
    );
    expect(DANGEROUS_SHELL_PATTERNS.every((pattern) => pattern.flags === "")).toBe(true);
  });

  it.each(CASES)("$pattern fires on its examples and on no near miss", ({ pattern, fires, passes }) => {
    for (const text of fires) expect([text, dangerousCommand(text)]).toEqual([text, pattern]);
    for (const text of passes) expect([text, dangerousCommand(text)]).toEqual([text, undefined]);
  });

  it("says what the raw patterns say, on any short command made of their pieces", () => {
    const token = fc.constantFrom(
      "dd",
      "d",
      "if=x",
      "of=/dev/",
      "of=",
      "/dev/",
      "rm",
      "-rf",
      "-r",
      "-",
      "R",
      "-R",
      " ",
      " ",
      " ",
      "  ",
      "\t",
      "\n",
      " \n ",
      "/",
      "~",
      "chmod",
      "777",
      "0777",
      "770",
      "77",
      "mkfs",
      ".ext4",
      ":",
      "()",
      "(",
      ")",
      "{",
      ":|:&",
      "}",
      ";",
      "x",
      "_",
    );
    let fired = 0;
    fc.assert(
      fc.property(fc.array(token, { maxLength: 14 }), (tokens) => {
        const command = tokens.join("");
        const first = DANGEROUS_SHELL_PATTERNS.find((pattern) => pattern.test(command))?.source.replaceAll("\\/", "/");
        if (first !== undefined) fired++;
        expect([command, dangerousCommand(command)]).toEqual([command, first]);
      }),
      { numRuns: 20_000 },
    );
    expect(fired).toBeGreaterThan(100); // else the property above proves little
  });

  it("says what the raw patterns say about each dangerous command, with white space of every kind in it", () => {
    const gap = fc.constantFrom(" ", "  ", "\t", "\n", " \n", "\n\n", " \t ");
    const command = fc.oneof(
      fc
        .tuple(fc.constant("rm"), gap, fc.constantFrom("-rf", "-r"), gap, fc.constantFrom("/", "~", "/x"), gap)
        .map((all) => all.join("")),
      fc
        .tuple(
          fc.constantFrom("dd", "dd x"),
          gap,
          fc.constantFrom("", "if=a", "dd"),
          gap,
          fc.constantFrom("of=/dev/", "of=/tmp/"),
          gap,
        )
        .map((all) => all.join("")),
      fc
        .tuple(
          fc.constant("chmod"),
          gap,
          fc.constantFrom("", "-R", "R"),
          gap,
          fc.constantFrom("777", "0777", "755"),
          gap,
          fc.constantFrom("/", "x"),
        )
        .map((all) => all.join("")),
      fc
        .tuple(
          fc.constant(":"),
          gap,
          fc.constant("("),
          gap,
          fc.constant(")"),
          gap,
          fc.constant("{"),
          gap,
          fc.constantFrom(":|:&", ":|:"),
          gap,
          fc.constant("}"),
        )
        .map((all) => all.join("")),
    );
    fc.assert(
      fc.property(
        fc.array(command, { minLength: 1, maxLength: 3 }),
        fc.constantFrom("", ";", " ", "\n"),
        (commands, between) => {
          const text = commands.join(between);
          const first = DANGEROUS_SHELL_PATTERNS.find((pattern) => pattern.test(text))?.source.replaceAll("\\/", "/");
          expect([text, dangerousCommand(text)]).toEqual([text, first]);
        },
      ),
      { numRuns: 5000 },
    );
  });

  it("a megabyte of almost a match costs less than half a second", () => {
    const size = 1_048_576;
    const commands = {
      dd: "dd ".repeat(size / 3),
      "dd lines": "dd x\n".repeat(size / 5),
      "dd and of=": "dd of=/de ".repeat(size / 10),
      "chmod and spaces": `chmod${" ".repeat(size)}`,
      "chmod 777 and spaces": `chmod 777${" ".repeat(size)}`,
      "many chmod": "chmod ".repeat(size / 6),
      "rm and spaces": `rm${" ".repeat(size)}-rf`,
      "many rm": "rm -rf ".repeat(size / 7),
      "colons and spaces": `:${" ".repeat(size)}`,
      "half fork bombs": ":(){".repeat(size / 4),
      newlines: `rm${"\n".repeat(size)}`,
    };
    for (const [what, command] of Object.entries(commands)) {
      const start = performance.now();
      expect([what, dangerousCommand(command)]).toEqual([what, undefined]);
      expect([what, performance.now() - start < 500]).toEqual([what, true]);
    }
    expect(dangerousCommand(`${"dd ".repeat(size / 3)}of=/dev/sda`)).toBe("\\bdd\\s+.*\\bof=/dev/");
  });
});
