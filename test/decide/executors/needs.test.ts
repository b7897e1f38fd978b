import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { CallContext } from "../../../ipc/contract/wire.ts";
import { commandsOf } from "../../../main/decide/executors/needs.ts";
import { requirementOf } from "../../../main/targets/target.ts";
import { prepared } from "../../support/proposed-calls.ts";
import { havingFollowedTooLong } from "../../support/slow-paths.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const HOME = "/home/roberto";

/** What a call needs, as `capability target`; `?` before an unknown target. */
function needed(executorName: string, args: Record<string, unknown>, context?: CallContext, home = HOME): string[] {
  const { needs } = prepared(home, executorName, args, context === undefined ? {} : { context });
  return needs.map(
    (need) => `${need.capability} ${need.target.kind === "unknown" ? "?" : ""}${requirementOf(need).target}`,
  );
}

describe("what a call needs", () => {
  it("the required executors", () => {
    expect(needed("fs_read", { path: "~/a/../b" })).toEqual([`fs:read ${HOME}/b`]);
    expect(needed("fs_write", { path: "/srv/a", content: "/etc/passwd" })).toEqual(["fs:write /srv/a"]);
    expect(needed("fs_delete", { path: "/srv/a" })).toEqual(["fs:write /srv/a/**"]);
    expect(needed("shell_exec", { command: "ls -la" })).toEqual(["code:exec ls -la"]);
    expect(needed("shell_exec", { cmd: ["ls", "-la"] })).toEqual(["code:exec ls -la"]);
    // Which of the two would run is not ours to guess.
    expect(needed("shell_exec", { command: "ls", cmd: "make" })).toEqual(["code:exec ls", "code:exec make"]);
    expect(needed("http_get", { url: "https://API.example.com:8443/x" })).toEqual(["network:http api.example.com"]);
    // Whatever it is called: it sends more than the question.
    for (const more of [{ method: "POST" }, { body: "x" }, { method: "GET", json: {} }, { data: "x" }, { method: 1 }])
      expect(needed("http_get", { url: "https://example.com/", ...more })).toEqual(["network:http send:example.com"]);
    for (const more of [{ method: "head" }, { method: null, body: null, data: "" }])
      expect(needed("http_get", { url: "https://example.com/", ...more })).toEqual(["network:http example.com"]);
    expect(needed("mail_send", { to: ["a@x.example", "b@x.example"] })).toEqual([
      "mail:send a@x.example",
      "mail:send b@x.example",
    ]);
    expect(needed("llm_online", { prompt: "x" })).toEqual(["llm:online *"]);
    expect(needed("time_now", {})).toEqual(["time:read *"]);
    expect(needed("parse_document", { path: "/srv/a.pdf" })).toEqual(["parse:local *", "fs:read /srv/a.pdf"]);
    expect(needed("calendar_read", { calendar: "home" })).toEqual(["calendar:read home"]);
  });

  it("a patch: each file that it changes, and running code where it isn't known for sure which ones those are", () => {
    const cwd = tempFolder();
    writeFileSync(join(cwd, "c"), "x\n");
    const context = { cwd };
    const patch = (...lines: string[]) => ["*** Begin Patch", ...lines, "*** End Patch"].join("\n");
    const text = patch("*** Add File: src/a", "+x", "*** Delete File: b", "*** Update File: c", "*** Move to: d", "-x");
    const files = [
      `fs:write ${cwd}/src/a`,
      `fs:write ${cwd}/b`,
      `fs:read ${cwd}/c`,
      `fs:write ${cwd}/c`,
      `fs:write ${cwd}/d`,
    ];
    expect(needed("apply_patch", { patch: text }, context)).toEqual(files);
    for (const line of [
      `apply_patch <<'EOF'\n${text}\nEOF`,
      `apply_patch <<"EOF"\n${text}\nEOF\n`,
      `apply_patch '${text}'`,
    ])
      expect(needed("Bash", { command: line }, context).sort()).toEqual([...files].sort());
    const unsure = patch("*** Delete File: b", "  *** Delete File: /srv/other");
    expect(needed("apply_patch", { patch: unsure }, context)).toEqual([
      `code:exec ${unsure}`,
      `fs:write ${cwd}/b`,
      "fs:write /srv/other",
    ]);
    const hooked = patch("*** Add File: .git/hooks/pre-commit", "+rm -rf /");
    expect(needed("apply_patch", { patch: hooked }, context)).toContain(`code:exec ${cwd}/.git/hooks/pre-commit`);
  });

  it("Claude Code's tools", () => {
    const context = { cwd: "/srv/project" };
    expect(needed("Bash", { command: "npm test" }, context)).toEqual(["code:exec npm test"]);
    expect(needed("Read", { file_path: "/srv/a" }, context)).toEqual(["fs:read /srv/a"]);
    expect(needed("NotebookRead", { file_path: "/srv/a", notebook_path: "b.ipynb" }, context)).toEqual([
      "fs:read /srv/project/b.ipynb",
    ]);
    for (const tool of ["Write", "Edit", "MultiEdit"])
      expect(needed(tool, { file_path: "/srv/a" }, context)).toEqual(["fs:write /srv/a"]);
    expect(needed("NotebookEdit", { notebook_path: "/srv/n.ipynb" }, context)).toEqual(["fs:write /srv/n.ipynb"]);
    expect(needed("Grep", { pattern: "x" }, context)).toEqual(["fs:read /srv/project/**"]);
    expect(needed("Grep", { pattern: "x", path: "src" }, context)).toEqual(["fs:read /srv/project/src/**"]);
    expect(needed("LS", {}, context)).toEqual(["fs:read /srv/project"]);
    expect(needed("WebFetch", { url: "https://example.com/a", prompt: "p" })).toEqual(["network:http example.com"]);
    expect(needed("WebSearch", { query: "x" })).toEqual(["network:http web-search"]);
    expect(needed("Task", { prompt: "x" })).toEqual(["llm:online *"]);
    expect(needed("AgentInWorktree", { prompt: "x", isolation: "worktree" })).toEqual([
      "code:exec worktree",
      "llm:online *",
    ]);
    expect(needed("TodoWrite", { todos: [] })).toEqual([]);
    expect(needed("mcp__github__create_issue", { title: "x" })).toEqual(["code:exec mcp__github__create_issue"]);
    expect(needed("mcp__box__run", { command: "ls" })).toEqual(["code:exec ls"]);
  });

  it("a glob reaches the whole tree below its fixed part, wherever that leads", () => {
    const context = { cwd: "/srv/project" };
    const glob = (pattern: string, path?: string) =>
      needed("Glob", path === undefined ? { pattern } : { pattern, path }, context);
    expect(glob("**/*.ts")).toEqual(["fs:read /srv/project/**"]);
    expect(glob("src/**/*.ts")).toEqual(["fs:read /srv/project/src/**"]);
    expect(glob("*.ts", "/srv/other")).toEqual(["fs:read /srv/other/**"]);
    expect(glob("/etc/*")).toEqual(["fs:read /etc/**"]);
    expect(glob("~/.config/*")).toEqual([`fs:read ${HOME}/.config/**`]);
    expect(glob("../../etc/*")).toEqual(["fs:read /etc/**"]);
    expect(glob("src/../../x/*")).toEqual(["fs:read /srv/x/**"]);
    for (const pattern of ["./**/*.{ts,tsx}", "{.github,a.b}/./{c,d.}*", "**/*{,.test}.ts", "src{,b}/*"])
      expect([pattern, glob(pattern)]).toEqual([pattern, ["fs:read /srv/project/**"]]);
    // Everything but that: the whole folder.
    expect(glob("!src/**")).toEqual(["fs:read /srv/project/**"]);
    for (const pattern of [
      "*/../../etc/*",
      "**/../x",
      "{/etc,src}/*",
      "{src,/etc}/*",
      "{a,../..}/*",
      "{~,x}/*",
      "@(..|a)/x",
      "{.,x}./*",
      ".{.,x}/**",
      "src/{a,.{.,b}}/*",
      "src/{.,a}{.,b}/{.,c}./*",
      "{x,}/etc/*",
      "{,x}{,y}/etc/*",
      "{{a,},b}/etc/*",
      "\\.\\./\\.\\./x/*",
    ]) {
      expect([pattern, glob(pattern)]).toEqual([pattern, [`fs:read ?${pattern}`]]);
    }
  });

  it("a glob reaches what a link leads to that it continues behind, whatever stands for its name", () => {
    const home = tempFolder();
    const cwd = join(home, "project");
    for (const folder of ["other", "project/sub/deep", "project/plain"])
      mkdirSync(join(home, folder), { recursive: true });
    for (const link of ["link", "sub/inner"]) symlinkSync(join(home, "other"), join(cwd, link));
    const reached = (pattern: string) =>
      prepared(home, "Glob", { pattern }, { context: { cwd } }).needs.some(
        ({ target }) => target.kind === "path" && target.real === join(home, "other"),
      );
    const through = [
      ...[
        "{link,plain}/x",
        "{{link,a},b}/x",
        "{link/x,a}",
        "{a,link}",
        "*/x",
        "?ink/x",
        "[l]ink/**",
        "LINK/*",
        "!(a)/x",
      ],
      ...["sub/*/x", "sub/**/x", "sub/**", "*/inner/x", "s*/{inner,deep}/x", "**/*/x", "SUB/*/x", "./*/x"],
    ];
    expect(through.filter((pattern) => !reached(pattern))).toEqual([]);
    const beside = ["*", "**", "**/*.ts", "*.{ts,js}", "plain/**", "{plain,a}/**/x", "sub/*", "{a,sub}/*", "p*/x"];
    expect(beside.filter(reached)).toEqual([]);
    const many = Array.from({ length: 65 }, (_, at) => `a${at}`).join(",");
    expect(prepared(home, "Glob", { pattern: `{${many}}/x` }, { context: { cwd } }).needs[0]?.target.kind).toBe(
      "unknown",
    );
  });

  it("a path that goes up behind a link is needed as the kernel takes it, and as clients do, which take .. for text", () => {
    const home = tempFolder();
    const cwd = join(home, "project");
    mkdirSync(join(cwd, "sub/deep"), { recursive: true });
    mkdirSync(join(home, ".ssh"));
    symlinkSync("sub/deep", join(cwd, "link"));
    symlinkSync("../.ssh/id_rsa", join(cwd, "x"));
    const [asText, asKernel] = [join(home, ".ssh/id_rsa"), join(cwd, "sub/x")];
    const of = (capability: string) => [`${capability} ${asKernel}`, `${capability} ${asText}`];
    const patch = (...lines: string[]) => ["*** Begin Patch", ...lines, "*** End Patch"].join("\n");
    const context = { cwd };
    const forms = (executor: string, args: Record<string, unknown>) =>
      prepared(home, executor, args, { context }).needs.map(
        ({ capability, target }) => `${capability} ${target.kind === "path" ? target.real : "?"}`,
      );
    expect(forms("Read", { file_path: `${cwd}/link/../x` })).toEqual(of("fs:read"));
    expect(forms("Read", { file_path: "link/./../x" })).toEqual(of("fs:read"));
    expect(forms("Write", { file_path: "./link/../x", content: "" })).toEqual(of("fs:write"));
    expect(forms("NotebookEdit", { notebook_path: "link/../x", new_source: "" })).toEqual(of("fs:write"));
    expect(forms("Grep", { pattern: "a", path: "link/../x" })).toEqual(of("fs:read"));
    const added = patch("*** Add File: link/../x", "+a");
    expect(forms("apply_patch", { patch: added })).toEqual(expect.arrayContaining(["code:exec ?", ...of("fs:write")]));
    expect(forms("Bash", { command: `apply_patch '${added}'` })).toEqual(
      expect.arrayContaining(["code:exec ?", ...of("fs:write")]),
    );
    expect(forms("Glob", { pattern: "link/../*" })).toEqual([`fs:read ${join(cwd, "sub")}`, `fs:read ${cwd}`]);
    expect(forms("Glob", { pattern: "*", path: "link/.." })).toEqual([`fs:read ${join(cwd, "sub")}`, `fs:read ${cwd}`]);
    expect(forms("Read", { file_path: "sub/deep/../x" })).toEqual([`fs:read ${asKernel}`]);
  });

  it("a path that can't be placed is unknown, and so is a URL that is none", () => {
    expect(needed("fs_read", { path: "relative" })).toEqual(["fs:read ?relative"]);
    expect(needed("fs_read", {})).toEqual(["fs:read ?"]);
    for (const path of ["~root/x", "~other", "file:///etc/hosts", "FILE:/etc/hosts", "smb://host/x"])
      expect(needed("fs_read", { path }, { cwd: "/srv" })).toEqual([`fs:read ?${path}`]);
    expect(needed("fs_read", { path: "./~x" }, { cwd: "/srv" })).toEqual(["fs:read /srv/~x"]);
    expect(needed("LS", {})).toEqual(["fs:read ?."]);
    expect(needed("http_get", { url: "ftp://example.com" })).toEqual(["network:http ?ftp://example.com"]);
    expect(needed("Grep", { pattern: "x" })).toEqual(["fs:read ?."]);
  });

  it("a path that clients trim or compose is both: as it is written, and as they read it", () => {
    const context = { cwd: "/srv" };
    expect(needed("fs_read", { path: " /etc/hosts" }, context)).toEqual([
      "fs:read /srv/ /etc/hosts",
      "fs:read /etc/hosts",
    ]);
    expect(needed("Grep", { pattern: "x", path: "\t~/notes " }, context)).toEqual([
      "fs:read /srv/\t~/notes /**",
      `fs:read ${HOME}/notes/**`,
    ]);
    expect(needed("Glob", { pattern: "*", path: "../x\n" }, context)).toEqual(["fs:read /x\n/**", "fs:read /x/**"]);
    expect(needed("Write", { file_path: ".env ", content: "" }, context)).toContain("fs:write /srv/.env");
    expect(needed("fs_read", { path: "e\u0301/a" }, context)).toEqual([
      "fs:read /srv/e\u0301/a",
      "fs:read /srv/\u00e9/a",
    ]);
    expect(needed("fs_read", { path: " " }, context)).toContain("fs:read ?");
  });

  it("the working directory's ~ and links are resolved like any other path's, and a path is named by where they lead", () => {
    const home = tempFolder();
    mkdirSync(join(home, "real"));
    symlinkSync("real", join(home, "link"));
    expect(needed("fs_read", { path: "a" }, { cwd: "~/link" }, home)).toEqual([`fs:read ${home}/real/a`]);
    const { needs } = prepared(home, "fs_read", { path: "a" }, { context: { cwd: `${home}/link` } });
    expect(needs[0]?.target).toEqual({
      kind: "path",
      lexical: `${home}/link/a`,
      real: `${home}/real/a`,
      is_tree: false,
    });
  });
});

describe("a call whose paths take too long to be followed", () => {
  it("needs what no grant covers, also where they were known before that", () => {
    const cwd = tempFolder();
    writeFileSync(join(cwd, "a.txt"), "x\n");
    const context = { cwd };
    for (const [name, args] of [
      ["fs_write", { path: `${cwd}/a.txt`, content: "" }],
      ["shell_exec", { command: "cat a.txt" }],
      ["shell_exec", { command: "id" }],
    ] as const) {
      const { needs } = havingFollowedTooLong(() => prepared(HOME, name, args, { context }));
      expect(needs, name).not.toEqual([]);
      expect(needs.every(({ ask_each_time }) => ask_each_time !== undefined)).toBe(true);
      expect(needs.some(({ capability }) => capability === "code:exec")).toBe(name === "shell_exec");
    }
  });

  it("leaves nothing behind by which the next one would need less", () => {
    const home = tempFolder();
    mkdirSync(join(home, "site/tools"), { recursive: true });
    symlinkSync("site/tools", join(home, "links"));
    const context = { cwd: join(home, "site"), path: `${home}/links:/usr/bin` };
    const planted = ["fs_write", { path: `${home}/site/tools/cat`, content: "" }] as const;
    havingFollowedTooLong(() => needed(...planted, context, home));
    expect(needed(...planted, context, home)).toContain(`code:exec ${home}/site/tools/cat`);
  });
});

describe("what the agent declares", () => {
  it("adds a need that nothing remembered covers; it never takes one away", () => {
    expect(needed("fs_read", { path: "/srv/a" }, { capability: "code:exec" })).toEqual([
      "fs:read /srv/a",
      "code:exec ?fs_read",
    ]);
    expect(needed("fs_read", { path: "/srv/a" }, { capability: "fs:read" })).toEqual(["fs:read /srv/a"]);
    expect(needed("Bash", { command: "ls" }, { capability: "time:read" })).toEqual(["code:exec ls", "time:read ?Bash"]);
    expect(needed("fs_read", { path: "/srv/a" }, { capability: "fs:everything" })).toEqual(["fs:read /srv/a"]);
    expect(needed("TodoWrite", {}, { capability: "mail:send" })).toEqual(["mail:send ?TodoWrite"]);
  });
});

describe("the commands of a shell call", () => {
  const { executor } = prepared(HOME, "shell_exec", { command: "ls" });
  const commands = (args: Record<string, unknown>) =>
    commandsOf({ intent: "", executor: "shell_exec", args }, ["command", "cmd"], executor);

  it("are each of its arguments that is there; a list is joined with spaces", () => {
    expect(commands({ command: "ls" })).toEqual(["ls"]);
    expect(commands({ cmd: "ls" })).toEqual(["ls"]);
    expect(commands({ command: ["rm", "-rf", "/"] })).toEqual(["rm -rf /"]);
    expect(commands({ command: "ls", cmd: "rm -rf build" })).toEqual(["ls", "rm -rf build"]);
    expect(commands({ command: 7 })).toEqual(["shell_exec"]);
    expect(commands({})).toEqual(["shell_exec"]);
  });

  it("several at once are running code, each of them, whatever they read like", () => {
    expect(needed("shell_exec", { command: "ls", cmd: "cat a" }, { cwd: "/srv" })).toEqual([
      "code:exec ls",
      "code:exec cat a",
    ]);
    expect(needed("shell_exec", { command: "ls" }, { cwd: "/srv" })).toEqual(["fs:read /srv"]);
  });
});
