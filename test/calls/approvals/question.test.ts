import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { questionFor } from "../../../main/calls/approvals/question.ts";
import { ExecutorCatalog } from "../../../main/decide/executors/catalog.ts";
import { manifestSchema } from "../../../main/decide/executors/manifest.ts";
import { needsOf } from "../../../main/decide/executors/needs.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const HOME = "/home/roberto";
const OWN = manifestSchema.parse({
  name: "crawl",
  needs: [{ capability: "network:http", target: { from: "url", arg: "start" } }],
  args_schema: { type: "object" },
  verb: { en: "crawl", it: "percorra" },
  critical: false,
});

function summaryOf(executorName: string, args: Record<string, unknown>): string {
  const call = { intent: "", executor: executorName, args, context: { cwd: `${HOME}/p` } };
  const executor = new ExecutorCatalog([OWN]).find(executorName, "generic");
  return questionFor(call, executor, needsOf(call, executor, HOME), { home: HOME, language: "en" }).target_summary;
}

describe("what a card says of a call", () => {
  it("names a tool that nothing describes, whatever it gives as its command", () => {
    expect(summaryOf("mcp__mail__send_all", { command: "ls" })).toBe("mcp__mail__send_all: ls  (in ~/p)");
    expect(summaryOf("mcp__mail__send_all", { to: "x" })).toBe("mcp__mail__send_all  (in ~/p)");
    expect(summaryOf("Bash", { command: "ls" })).toBe("ls  (in ~/p)");
  });

  it("says that there is a second command", () => {
    expect(summaryOf("shell_exec", { command: "ls", cmd: "make deploy" })).toBe("ls  (in ~/p) (and 1 more)");
  });

  it("names the file, not only the tool, where one of several needs has no target", () => {
    expect(summaryOf("parse_document", { path: "~/a.pdf" })).toBe("a.pdf from ~/ (and 1 more)");
  });

  it("names a path by where its links lead, and keeps the name that the call gave it", () => {
    const home = tempFolder();
    mkdirSync(join(home, "p/sub"), { recursive: true });
    symlinkSync("../notes.txt", join(home, "p/profile.sh"));
    symlinkSync("/srv/other", join(home, "p/out"));
    const asked = (executorName: string, args: Record<string, unknown>) => {
      const call = { intent: "", executor: executorName, args, context: { cwd: `${home}/p` } };
      const executor = new ExecutorCatalog().find(executorName, "generic");
      return questionFor(call, executor, needsOf(call, executor, home), { home, language: "en" });
    };
    const link = { written: "~/p/profile.sh", leads_to: "~/notes.txt" };
    expect(asked("Write", { file_path: "profile.sh", content: "x" })).toEqual({
      action_verb: "write",
      target_summary: "notes.txt -> ~/ (~1 B)",
      capability_class: "fs_write:~/*",
      links: [link],
    });
    expect(asked("Edit", { file_path: "sub/../profile.sh", old_string: "", new_string: "" }).links).toEqual([link]);
    expect(asked("Bash", { command: "echo x | tee -a profile.sh; cat profile.sh" })).toMatchObject({
      target_summary: "echo x | tee -a profile.sh; cat profile.sh  (in ~/p)",
      links: [link],
    });
    expect(asked("Grep", { pattern: "x", path: "out/lib" })).toMatchObject({
      target_summary: "/srv/other/lib/**",
      capability_class: "fs_read:/srv/other/lib/**",
      links: [{ written: "~/p/out/lib", leads_to: "/srv/other/lib" }],
    });
    expect(asked("Write", { file_path: "plain.txt", content: "" }).links).toEqual([]);
  });

  it("a home folder that is itself reached by a link is ~ under both of its names, and no link that is worth a word", () => {
    const folder = tempFolder();
    mkdirSync(join(folder, "var/me/p"), { recursive: true });
    symlinkSync("var/me", join(folder, "home"));
    const home = join(folder, "home");
    const call = (cwd: string) => ({ intent: "", executor: "Write", args: { file_path: "a" }, context: { cwd } });
    const executor = new ExecutorCatalog().find("Write", "generic");
    for (const cwd of [join(home, "p"), join(folder, "var/me/p")])
      expect(
        questionFor(call(cwd), executor, needsOf(call(cwd), executor, home), { home, language: "en" }),
      ).toMatchObject({
        target_summary: "a -> ~/p/",
        capability_class: "fs_write:~/p/*",
        links: [],
      });
  });

  it("shows the URL that is the target, not an argument that is merely called url", () => {
    expect(summaryOf("crawl", { start: "https://evil.test/", url: "https://example.com/" })).toBe(
      "https://evil.test/ (evil.test)",
    );
  });

  it("names a host of other letters by the name that is looked up, beside the address", () => {
    expect(summaryOf("http_get", { url: "https://\u0440\u0430y.example.com/x" })).toBe(
      "https://\u0440\u0430y.example.com/x (xn--y-7sb1c.example.com)",
    );
  });
});
