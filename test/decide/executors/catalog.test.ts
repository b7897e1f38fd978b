import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { agentKindOf, agentKindSchema } from "../../../ipc/contract/agent-kind.ts";
import { ExecutorCatalog, loadOwnExecutors } from "../../../main/decide/executors/catalog.ts";
import { CLAUDE_CODE_EXECUTORS } from "../../../main/decide/executors/claude-code.ts";
import { COMMON_TOOLS } from "../../../main/decide/executors/common-tools.ts";
import { INTERNAL_EXECUTORS } from "../../../main/decide/executors/internal.ts";
import { manifestSchema } from "../../../main/decide/executors/manifest.ts";
import { needsOf as needsOfCall } from "../../../main/decide/executors/needs.ts";
import { refusalOf } from "../../support/refusals.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const CATALOG = new ExecutorCatalog();
const BUILT_IN = [...COMMON_TOOLS, ...CLAUDE_CODE_EXECUTORS];

describe("the built-in manifests", () => {
  it("hold the required executors and Claude Code's tools", () => {
    for (const name of ["fs_read", "fs_write", "shell_exec", "http_get", "mail_send"])
      expect(CATALOG.find(name, "any").is_described).toBe(true);
    for (const name of [
      "Bash",
      "Read",
      "Write",
      "Edit",
      "MultiEdit",
      "NotebookEdit",
      "Glob",
      "Grep",
      "WebFetch",
      "WebSearch",
      "Task",
      "TodoWrite",
    ]) {
      expect([name, CATALOG.find(name, "any").is_described]).toEqual([name, true]);
    }
  });

  it("are each in order, of every kind of agent: none is looked at before it is asked for", () => {
    for (const kind of [...agentKindSchema.options, "any"] as const)
      for (const name of CATALOG.names(kind))
        expect(CATALOG.find(name, kind).manifest.needs, name).toBeInstanceOf(Array);
    for (const name of Object.keys(INTERNAL_EXECUTORS)) expect(CATALOG.find(name, "any").is_described).toBe(true);
  });

  it("name each executor once, and each of them has a schema that can be used", () => {
    const names = BUILT_IN.flatMap(({ name, aliases }) => [name, ...(aliases ?? [])]);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(["string", "object"]).toContain(typeof CATALOG.find(name, "any").validate({}));
  });

  it("call everything critical whose capability is; nothing that changes the world is called reversible", () => {
    for (const source of BUILT_IN) {
      const manifest = manifestSchema.parse(source);
      const changes = manifest.needs.some(({ capability }) =>
        ["fs:write", "code:exec", "mail:send"].includes(capability),
      );
      if (changes)
        expect([manifest.name, manifest.critical, manifest.reversibility === "reversible"]).toEqual([
          manifest.name,
          true,
          false,
        ]);
      // An argument that says where to act is never content: the guard would not check it.
      const targets = manifest.needs.flatMap(({ target }) =>
        "arg" in target ? [target.arg] : "args" in target ? target.args : [],
      );
      expect([manifest.name, targets.filter((arg) => manifest.content_args.includes(arg))]).toEqual([
        manifest.name,
        [],
      ]);
    }
  });
});

describe("Claude Code's tools of today", () => {
  const needsOf = (name: string) =>
    CATALOG.find(name, "claude-code").manifest.needs.map(({ capability }) => capability);

  it.each([
    "ToolSearch",
    "ReportFindings",
    "CronList",
    "CronDelete",
    "ListAgents",
    "ScheduleWakeup",
    "TaskOutput",
    "TaskStop",
  ])("%s touches nothing, so that it isn't asked about", (name) => {
    expect([CATALOG.find(name, "claude-code").is_described, needsOf(name)]).toEqual([true, []]);
  });

  it.each([
    ["CronCreate", ["llm:online"]],
    ["SendMessage", ["channel:out"]],
    ["Monitor", ["code:exec"]],
    ["Skill", ["code:exec"]],
    ["Workflow", ["code:exec", "llm:online"]],
    ["EnterWorktree", ["code:exec"]],
    ["ExitWorktree", ["code:exec"]],
    ["DesignSync", ["code:exec"]],
  ])("%s needs what it does", (name, needs) => {
    expect([CATALOG.find(name, "claude-code").is_described, needsOf(name)]).toEqual([true, needs]);
  });

  it("a name of another agent's that only Claude Code has counts there as running code", () => {
    for (const name of ["SendMessage", "CronCreate", "Monitor", "ToolSearch"])
      expect([name, CATALOG.find(name, "generic").is_described]).toEqual([name, false]);
  });

  it("Monitor is a shell; with a web socket it counts as running code, and never with both", () => {
    const needs = (args: Record<string, unknown>) => {
      const executor = CATALOG.find("Monitor", "claude-code");
      const call = { intent: "", executor: "Monitor", args, context: { cwd: "/tmp" } };
      return needsOfCall(call, executor, "/home/u").map(({ capability }) => capability);
    };
    const { validate } = CATALOG.find("Monitor", "claude-code");
    expect([needs({ command: "ls" }), validate({ command: "ls", persistent: true })]).toEqual([["fs:read"], null]);
    expect(needs({ command: "make watch" })).toContain("code:exec");
    expect([needs({ ws: { url: "wss://x" } }), validate({ ws: { url: "wss://x" } })]).toEqual([["code:exec"], null]);
    expect(validate({ command: "ls", ws: { url: "wss://x" } })).not.toBeNull();
    expect(validate({})).not.toBeNull();
  });
});

describe("whose tool a name means", () => {
  const capabilities = (name: string, kind: "claude-code" | "generic", catalog = CATALOG) =>
    catalog.find(name, kind).manifest.needs.map(({ capability }) => capability);
  const namesOf = (sources: typeof BUILT_IN) => sources.flatMap(({ name, aliases }) => [name, ...(aliases ?? [])]);

  it("is the kind of the agent that is paired under the name", () => {
    expect(agentKindOf("claude-code")).toBe("claude-code");
    for (const name of ["Claude-Code", "claude-code2", "claude", "aider", "generic", "tester"])
      expect([name, agentKindOf(name)]).toEqual([name, "generic"]);
  });

  it("Claude Code has its own tools, and none of the protocol's executors", () => {
    for (const name of namesOf([...CLAUDE_CODE_EXECUTORS]))
      expect([name, CATALOG.find(name, "claude-code").is_described]).toEqual([name, true]);
    for (const name of namesOf([...COMMON_TOOLS]))
      expect([name, capabilities(name, "claude-code")]).toEqual([name, ["code:exec"]]);
  });

  it("another agent has the protocol's executors, and of Claude Code's those that need something", () => {
    for (const name of [...namesOf([...COMMON_TOOLS]), "Bash", "Read", "Write", "Edit", "Grep", "WebFetch", "Agent"])
      expect([name, CATALOG.find(name, "generic").is_described]).toEqual([name, true]);
    for (const name of [
      "TodoWrite",
      "TaskCreate",
      "TaskGet",
      "KillShell",
      "BashOutput",
      "ExitPlanMode",
      "AskUserQuestion",
    ])
      expect([name, capabilities(name, "generic")]).toEqual([name, ["code:exec"]]);
    const names = namesOf([...COMMON_TOOLS, ...CLAUDE_CODE_EXECUTORS]);
    for (const name of names) expect([name, capabilities(name, "generic").length > 0]).toEqual([name, true]);
  });

  it("an own manifest is for all of them, or for the kinds that it names: only there it replaces what is built in", () => {
    const own = (name: string, agents?: string[]) =>
      manifestSchema.parse({
        name,
        ...(agents === undefined ? {} : { agents }),
        needs: [{ capability: "mail:read", target: { from: "none" } }],
        args_schema: { type: "object" },
        verb: { en: "look", it: "guardi" },
        critical: false,
      });
    const catalog = new ExecutorCatalog([own("everywhere"), own("mine", ["generic"]), own("Read", ["claude-code"])]);
    const found = (name: string) =>
      (["claude-code", "generic"] as const).map((kind) => capabilities(name, kind, catalog).join());
    expect(found("everywhere")).toEqual(["mail:read", "mail:read"]);
    expect(found("mine")).toEqual(["code:exec", "mail:read"]);
    expect(found("Read")).toEqual(["mail:read", "fs:read"]);
    for (const agents of [[], ["codex2"], "generic"])
      expect(manifestSchema.safeParse({ ...own("x"), agents }).success).toBe(false);
  });

  it("is logged as it is where it is described, or short and plain; else only how long it is", () => {
    const long = `mcp__x__${"a".repeat(100)}`;
    const known = new ExecutorCatalog([
      manifestSchema.parse({
        name: long,
        needs: [],
        args_schema: {},
        verb: { en: "look", it: "guardi" },
        critical: false,
      }),
    ]);
    expect(known.loggedName(long, "generic")).toBe(long);
    expect(CATALOG.loggedName(long, "generic")).toBe("(unnamed:108)");
    for (const name of ["Bash", "mcp__github__create_issue", "a".repeat(64)])
      expect(CATALOG.loggedName(name, "generic")).toBe(name);
    for (const name of ["a".repeat(65), "a b", "é", "a\u202e", ""])
      expect(CATALOG.loggedName(name, "generic")).toBe(`(unnamed:${name.length})`);
  });
});

describe("an executor that nothing describes", () => {
  it("counts as code:exec, whatever it calls itself; MCP tools among them", () => {
    for (const name of [
      "mcp__github__create_issue",
      "unheard_of",
      "READ",
      "BASH",
      "toString",
      "__proto__",
      "constructor",
    ]) {
      const { manifest, is_described, validate } = CATALOG.find(name, "any");
      expect([name, is_described, manifest.needs.map(({ capability }) => capability)]).toEqual([
        name,
        false,
        ["code:exec"],
      ]);
      expect([manifest.critical, manifest.reversibility, manifest.content_args]).toEqual([true, "irreversible", []]);
      expect(validate({ anything: 1 })).toBeNull();
    }
  });
});

describe("validation", () => {
  it("takes what fits and names the argument that doesn't", () => {
    expect(CATALOG.find("fs_read", "any").validate({ path: "/a" })).toBeNull();
    expect(CATALOG.find("fs_read", "any").validate({})).toContain("path");
    expect(CATALOG.find("fs_read", "any").validate({ path: "" })).toBe("path: too short or too small");
    expect(CATALOG.find("fs_read", "any").validate({ path: 7 })).toBe("path: expected string");
    expect(CATALOG.find("shell_exec", "any").validate({ command: "ls" })).toBeNull();
    expect(CATALOG.find("shell_exec", "any").validate({ cmd: ["ls", "-l"] })).toBeNull();
    expect(CATALOG.find("shell_exec", "any").validate({})).not.toBeNull();
    expect(CATALOG.find("shell_exec", "any").validate({ command: [] })).not.toBeNull();
    expect(CATALOG.find("Write", "any").validate({ file_path: "/a", content: "", more: 1 })).toBeNull();
    expect(CATALOG.find("Bash", "any").validate({ command: ["ls"] })).toBe("command: expected string");
  });

  it("never says a value", () => {
    const names = BUILT_IN.map(({ name }) => name);
    const value = fc.constantFrom<unknown>(
      "SECRET-7",
      ["SECRET-7"],
      { SECRET: "SECRET-7" },
      777,
      null,
      [{ x: "SECRET-7" }],
      true,
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...names),
        fc.dictionary(
          fc.constantFrom("path", "command", "cmd", "url", "to", "file_path", "content", "edits", "query"),
          value,
        ),
        (name, args) => {
          expect(CATALOG.find(name, "any").validate(args) ?? "").not.toMatch(/SECRET|777/);
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe("the user's own manifests", () => {
  const TOML = `name = "deploy"
aliases = ["ship"]
critical = true
needs = [{ capability = "network:http", target = { from = "url", arg = "url" } }]
args_schema = { type = "object", required = ["url"], properties = { url = { type = "string" } } }
verb = { en = "deploy", it = "pubblichi" }
`;

  it("are read from their folder, and may redefine a built-in name", () => {
    const folder = tempFolder();
    writeFileSync(join(folder, "deploy.toml"), TOML);
    writeFileSync(join(folder, "read.toml"), TOML.replace('"deploy"\naliases = ["ship"]', '"Read"'));
    writeFileSync(join(folder, "notes.txt"), "not a manifest");
    const own = loadOwnExecutors(folder);
    expect(own.map(({ name }) => name)).toEqual(["deploy", "Read"]);
    const catalog = new ExecutorCatalog(own);
    expect(catalog.find("ship", "any").manifest.name).toBe("deploy");
    expect(catalog.find("Read", "any").manifest.needs[0]?.capability).toBe("network:http");
    expect(catalog.find("deploy", "any").validate({})).not.toBeNull();
    expect(CATALOG.find("ship", "any").is_described).toBe(false);
  });

  it("a folder that isn't there means none", () => {
    expect(loadOwnExecutors(join(tempFolder(), "none"))).toEqual([]);
  });

  it("what can't be read is refused with the file, and the line or the key", () => {
    const folder = tempFolder();
    const file = join(folder, "bad.toml");
    const refused = (text: string) => {
      writeFileSync(file, text);
      const { code, message } = refusalOf(() => loadOwnExecutors(folder));
      expect([code, message.includes(file)]).toEqual(["invalid_executor", true]);
      return message;
    };
    expect(refused('name = "x"\nneeds = [')).toMatch(/line \d+/);
    expect(refused(TOML.replace("network:http", "network:ftp"))).toContain("needs.0.capability");
    expect(refused(TOML.replace("critical = true", 'critical = "no"'))).toContain("critical");
    expect(refused(`${TOML}skip_judge = true\n`)).toMatch(
      /line \d+: skip_judge: only of what changes nothing, and it is critical/,
    );
    expect(refused(`${TOML}surprise = 1\n`)).toContain("surprise");
    expect(refused(TOML.replace('"deploy"', '"de ploy"'))).toContain("name");
  });

  it("a path's target comes from a path, a host's from a URL or is fixed: another source is refused at load", () => {
    const folder = tempFolder();
    const load = (capability: string, target: string) => {
      const own = TOML.replace("network:http", capability).replace('from = "url", arg = "url"', target);
      writeFileSync(join(folder, "own.toml"), own);
      return loadOwnExecutors(folder);
    };
    const [path, glob] = ['from = "path", arg = "p"', 'from = "glob", arg = "g", path_arg = "p"'];
    const [exact, none] = ['from = "exact", arg = "p"', 'from = "none"'];
    const [url, fixed] = ['from = "url", arg = "url"', 'from = "fixed", value = "example.org"'];
    const command = 'from = "command", args = ["c"]';
    const fits = { "fs:read": [path, glob, command], "fs:write": [path, glob, command], "network:http": [url, fixed] };
    for (const [capability, good] of Object.entries(fits)) {
      for (const target of [path, glob, command, exact, none, url, fixed]) {
        if (good.includes(target)) {
          expect([capability, target, load(capability, target).length]).toEqual([capability, target, 1]);
          continue;
        }
        const { code, message } = refusalOf(() => load(capability, target));
        expect([target, code]).toEqual([target, "invalid_executor"]);
        expect(message).toContain(`needs.0.target.from: the target of ${capability} must be from`);
      }
    }
    for (const target of [exact, none]) expect(load("mail:send", target)).toHaveLength(1);
  });

  it("a name that is a folder is refused, too", () => {
    const folder = tempFolder();
    mkdirSync(join(folder, "x.toml"));
    expect(refusalOf(() => loadOwnExecutors(folder)).message).toContain("x.toml");
  });
});
