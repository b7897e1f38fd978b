import { describe, expect, it } from "vitest";
import { questionFor } from "../../../main/gate/approvals/question.ts";
import { ExecutorCatalog } from "../../../main/gate/executors/catalog.ts";
import { manifestSchema } from "../../../main/gate/executors/manifest.ts";
import { needsOf } from "../../../main/gate/executors/needs.ts";

const HOME = "/home/roberto";
const OWN = manifestSchema.parse({
  name: "crawl",
  needs: [{ capability: "network:http", target: { from: "url", arg: "start" } }],
  args_schema: { type: "object" },
  verb: { en: "crawl", it: "percorra" },
  critical: false,
});

function summaryOf(executor_name: string, args: Record<string, unknown>): string {
  const call = { intent: "", executor: executor_name, args, context: { cwd: `${HOME}/p` } };
  const executor = new ExecutorCatalog([OWN]).find(executor_name);
  return questionFor(call, executor, needsOf(call, executor, HOME), HOME, "en").target_summary;
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

  it("shows the URL that is the target, not an argument that is merely called url", () => {
    expect(summaryOf("crawl", { start: "https://evil.net/", url: "https://example.com/" })).toBe(
      "https://evil.net/ (evil.net)",
    );
  });

  it("names a host of other letters by the name that is looked up, beside the address", () => {
    expect(summaryOf("http_get", { url: "https://\u0440\u0430ypal.com/x" })).toBe(
      "https://\u0440\u0430ypal.com/x (xn--ypal-43d9g.com)",
    );
  });
});
