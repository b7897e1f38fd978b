import { describe, expect, it } from "vitest";
import { askedLines, plainLines, plainSummary } from "../../ipc/words/plain-lines.ts";
import { approvalView } from "../support/approval-view.ts";
import { runs } from "../support/card-views.ts";

/** Of an earlier version: what its call is isn't known. */
const view = (command: string, form: "full" | "medium" | "short", lines: string[]) => ({
  ...approvalView({ description: null }),
  card: { form, lines, buttons: [] },
  capability_class: "code_exec",
  action_verb: "run",
  target_summary: command,
});

describe("a card's lines for people leave out what is for programs, and nothing of the call", () => {
  it.each(["make | code_exec", "make | class: code_exec", "echo 'a (~5 B) b'"])("%s", (command) => {
    const full = view(command, "full", ["May I run?", command, "irreversible | class: code_exec"]);
    expect(plainLines(full, "en")).toEqual(["May I run?", command, "irreversible"]);
    expect(askedLines(full, "en")).toEqual(["May I run?", command]);
    const medium = view(command, "medium", ["May I run? (irreversible | class: code_exec)", command]);
    expect(plainLines(medium, "en")).toEqual(["May I run? (irreversible)", command]);
    expect(askedLines(medium, "en")).toEqual(["May I run?", command]);
    const short = view(command, "short", [`Run ${command} [irrev | code_exec]`]);
    expect(plainLines(short, "en")).toEqual([`Run ${command} [irrev]`]);
    expect(askedLines(short, "en")).toEqual([`Run ${command}`]);
  });

  it.each(["full", "medium", "short"] as const)("they say what the page says: %s", (form) => {
    const lines = {
      full: ["May I run?", "npm test", "x | class: code_exec"],
      medium: ["May I run? (x)", "npm test"],
      short: ["Run npm test [x]"],
    };
    const view = runs("npm test", { card: { form, lines: lines[form], buttons: [] } });
    const said = plainLines(view, "en").join("\n");
    expect(said).toContain("Runs this project's tests");
    expect(said).not.toMatch(/class|reversible|\[x\]|\(x\)/);
  });

  it("a size goes where the gate puts it", () => {
    expect(plainSummary("a.ts -> ~/ (~13 B)")).toBe("a.ts -> ~/");
    expect(plainSummary("a.ts -> ~/ (~1.2 kB) (and 2 more)")).toBe("a.ts -> ~/ (and 2 more)");
    expect(plainSummary("Write a.ts -> ~/ (~4 B) [irrev | fs_write]")).toBe("Write a.ts -> ~/ [irrev | fs_write]");
    expect(plainSummary("a (~4 B) -> ~/ (~4 B)")).toBe("a (~4 B) -> ~/");
  });
});
