import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { gatePaths } from "../../../ipc/base/paths.ts";
import type { CallContext } from "../../../ipc/contract/wire.ts";
import { guard } from "../../../main/decide/guard/guard.ts";
import { GateFiles } from "../../../main/decide/places/gate-files.ts";
import { stringsIn } from "../../../main/decide/places/patterns.ts";
import { prepared } from "../../support/proposed-calls.ts";
import { havingFollowedTooLong, slowPath } from "../../support/slow-paths.ts";
import { tempFolder } from "../../support/temp-folder.ts";

function blockOf(executorName: string, args: Record<string, unknown>, context?: CallContext, home = "/home/roberto") {
  const { call, executor, needs } = prepared(home, executorName, args, context === undefined ? {} : { context });
  return guard(call, executor, needs, { home });
}

describe("the strings of a call", () => {
  it("are seen wherever they are nested, with the argument they are in", () => {
    const value = fc.letrec((tie) => ({
      leaf: fc.oneof(fc.constant("FOUND"), fc.integer(), fc.boolean(), fc.constant(null), fc.constant("other")),
      node: fc.oneof(
        { depthSize: "small" },
        tie("leaf"),
        fc.array(tie("node"), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom("a", "b", "FOUND"), tie("node"), { maxKeys: 3 }),
      ),
    })).node;
    const count = (json: string) => json.match(/"FOUND"(?!:)/g)?.length ?? 0;
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom("x", "y", "content"), value), (args) => {
        const found = stringsIn(args, ["content"]);
        const { content: _, ...rest } = args;
        expect(found.filter((entry) => entry.value === "FOUND").length).toBe(count(JSON.stringify(rest)));
        expect(found.every((entry) => entry.key !== "content")).toBe(true);
      }),
    );
  });

  it("nesting as deep as a frame allows is no problem", () => {
    let nested: unknown = "/etc/shadow";
    for (let depth = 0; depth < 20_000; depth++) nested = depth % 2 ? [nested] : { in: nested };
    expect(stringsIn({ nested })).toEqual([{ key: "nested", value: "/etc/shadow" }]);
  });
});

describe("forbidden paths", () => {
  // guard_blocca_ssh, guard_blocca_etc_passwd, guard_blocca_credentials_user: see also verdicts.test.ts
  it("any string that names one is blocked, in whatever argument it is", () => {
    for (const args of [
      { path: "/etc/passwd" },
      { path: "~/.ssh/id_rsa" },
      { path: "/srv/a", exclude: "~/.ssh/config" },
      { path: "/srv/a", options: { deep: [{ list: ["x", "/root/x"] }] } },
      { path: "/srv/a", glob: "/home/roberto/.gnupg/*" },
      { path: "~/.config/metnos/credentials.env" },
      { path: "/etc/shadow\n" },
    ]) {
      expect(blockOf("fs_read", args)?.reason).toMatch(/^guard: forbidden path violated: pattern '.+' in args$/);
    }
    expect(blockOf("fs_read", { path: "/srv/a" })).toBeNull();
  });

  it("~ is expanded before the patterns are matched", () => {
    expect(blockOf("mcp__x__y", { where: "~/x" }, undefined, "/root")?.reason).toContain("^/root(/|$)");
    expect(blockOf("mcp__x__y", { where: "~" }, undefined, "/root")?.reason).toContain("^/root(/|$)");
    expect(blockOf("mcp__x__y", { where: "~/x" }, undefined, "/home/r")).toBeNull();
  });

  it("content is data: a text about a forbidden path may be written, for the executors that say which argument is content", () => {
    const text = "keys live in ~/.ssh/id_rsa and /etc/shadow";
    expect(blockOf("fs_write", { path: "/srv/a.md", content: "/etc/shadow" })).toBeNull();
    expect(blockOf("Write", { file_path: "/srv/a.md", content: text })).toBeNull();
    expect(blockOf("Edit", { file_path: "/srv/a.md", old_string: "/etc/passwd", new_string: "/root/x" })).toBeNull();
    expect(
      blockOf("MultiEdit", { file_path: "/srv/a.md", edits: [{ old_string: "/etc/passwd", new_string: "b" }] }),
    ).toBeNull();
    expect(blockOf("mail_send", { to: "a@b.example", body: "/etc/passwd" })).toBeNull();
    expect(blockOf("Write", { file_path: "/etc/passwd", content: text })).not.toBeNull();
    expect(blockOf("fs_read", { path: "/srv/a", content: "/etc/shadow" })).not.toBeNull();
    expect(blockOf("mcp__x__y", { content: "/etc/shadow" })).not.toBeNull();
  });

  it("what a path resolves to is blocked too: .., doubled slashes, a relative path", () => {
    const cases: [string, CallContext | undefined][] = [
      ["/etc/../etc/shadow", undefined],
      ["//etc/passwd", undefined],
      ["/etc//passwd", undefined],
      ["/etc/./shadow", undefined],
      ["/srv/../root/x", undefined],
      ["shadow", { cwd: "/etc" }],
      ["../../etc/shadow", { cwd: "/srv/x" }],
      ["./passwd", { cwd: "/etc/" }],
      [".", { cwd: "/boot" }],
    ];
    for (const [path, context] of cases) {
      expect([
        path,
        blockOf("fs_read", { path }, context)?.reason.startsWith("guard: forbidden path violated"),
      ]).toEqual([path, true]);
    }
    expect(blockOf("fs_read", { path: "../x" }, { cwd: "/srv/y" })).toBeNull();
  });

  it("a link to a forbidden file is blocked, through other links and link/.. as well", () => {
    const home = tempFolder();
    mkdirSync(join(home, "work"));
    mkdirSync(join(home, ".ssh"));
    writeFileSync(join(home, ".ssh/id"), "");
    symlinkSync("/etc/shadow", join(home, "work/notes.txt"));
    symlinkSync("notes.txt", join(home, "work/again.txt"));
    symlinkSync("/etc/ssh", join(home, "work/jump"));
    symlinkSync("../.ssh", join(home, "work/keys"));
    for (const path of ["work/notes.txt", "work/again.txt", "work/jump/../shadow", "work/keys/id", "work/keys/new"]) {
      for (const executor of ["fs_read", "fs_write"]) {
        const block = () => blockOf(executor, { path: `${home}/${path}` }, undefined, home);
        expect([path, block()]).not.toEqual([path, null]);
        expect([path, havingFollowedTooLong(block)]).not.toEqual([path, null]);
      }
    }
    expect(blockOf("fs_read", { path: join(home, "work/plain.txt") }, undefined, home)).toBeNull();
  });
});

describe("a call whose paths can't all be followed in time", () => {
  it("is denied where a link has more names than anybody follows: nobody is asked about what it leads to by its own name", () => {
    const home = tempFolder();
    mkdirSync(join(home, "src"));
    mkdirSync(join(home, ".ssh"));
    symlinkSync(`${"./".repeat(300)}.ssh`, join(home, "long"));
    for (let at = 0; at < 12; at++)
      symlinkSync("src/../".repeat(60) + (at === 11 ? ".netrc" : `chain${at + 1}`), join(home, `chain${at}`));
    for (const path of ["long/key", "long/../.netrc", "chain0", `${"src/../".repeat(127)}a.txt`])
      for (const executor of ["fs_read", "fs_write"])
        expect([path, blockOf(executor, { path }, { cwd: home }, home)]).not.toEqual([path, null]);
    expect(blockOf("fs_read", { path: `${"src/../".repeat(60)}a.txt` }, { cwd: home }, home)).toBeNull();
  });

  it("is denied: what is no agent's could be among them", () => {
    const home = tempFolder();
    const slow = slowPath(join(home, "slow"));
    const lines = Array.from({ length: 200 }, (_, at) => `*** Delete File: ${slow}/${at}`);
    const patch = ["*** Begin Patch", ...lines, "*** End Patch"].join("\n");
    const began = performance.now();
    expect(blockOf("apply_patch", { patch }, { cwd: home }, home)?.reason).toContain("too long to be followed");
    expect(performance.now() - began).toBeLessThan(2000);
    expect(blockOf("apply_patch", { patch: patch.replaceAll(slow, home) }, { cwd: home }, home)).toBeNull();
  });
});

describe("irrecoverable commands", () => {
  it("are matched in shell calls, in calls that declare code:exec, and in tools that nothing describes", () => {
    for (const [executor, args, context] of [
      ["shell_exec", { command: "rm -rf /" }, undefined],
      ["shell_exec", { cmd: "rm -rf /" }, undefined],
      ["shell_exec", { command: ["rm", "-rf", "/"] }, undefined],
      ["Bash", { command: ":(){ :|:& };:" }, undefined],
      ["mcp__box__run", { command: "mkfs.ext4 /dev/x" }, undefined],
      ["mcp__box__run", { cmd: ["rm", "-rf", "~"] }, undefined],
      ["fs_read", { path: "/srv/a", command: "rm -rf /" }, { capability: "code:exec" }],
    ] as const) {
      expect(blockOf(executor, args, context)?.reason).toMatch(/^guard: irrecoverable command: pattern '/);
    }
  });

  it("a harmless command beside a dangerous one hides nothing", () => {
    expect(blockOf("shell_exec", { command: "ls", cmd: "rm -rf /" })).not.toBeNull();
    expect(blockOf("shell_exec", { command: [], cmd: "rm -rf /" })).not.toBeNull();
    expect(blockOf("mcp__box__run", { command: "", cmd: ["rm", "-rf", "/"] })).not.toBeNull();
  });

  it("are not matched where nothing is run", () => {
    expect(blockOf("fs_read", { path: "/srv/a", command: "rm -rf /" })).toBeNull();
    expect(blockOf("Write", { file_path: "/srv/notes.md", content: "never run rm -rf /" })).toBeNull();
    expect(blockOf("Grep", { pattern: "rm -rf /", path: "/srv" })).toBeNull();
  });

  // guard_lascia_passare_shell_innocua
  it("a harmless command passes", () => {
    expect(blockOf("shell_exec", { command: "ls -la /tmp" })).toBeNull();
    expect(
      blockOf("Bash", { command: "rm -rf ./build && npm test", description: "rm -rf / is what it does not do" }),
    ).toBeNull();
  });
});

describe("the gate's own files", () => {
  function withFiles() {
    const home = tempFolder();
    const paths = gatePaths({ HOME: home });
    for (const folder of [paths.configDir, paths.state_dir, paths.auditDir]) mkdirSync(folder, { recursive: true });
    const gateFiles = new GateFiles(paths, home);
    const block = (executorName: string, args: Record<string, unknown>, context?: CallContext) => {
      const { call, executor, needs } = prepared(home, executorName, args, context === undefined ? {} : { context });
      return guard(call, executor, needs, { home, gateFiles });
    };
    return { home, paths, block };
  }

  it("its databases, tokens, configuration, sockets and logs are never an agent's", () => {
    const { paths, block, home } = withFiles();
    const own = [
      paths.grants_db,
      paths.approvals_db,
      paths.agents_db,
      paths.operatorToken,
      paths.auditHead,
      paths.lockDb,
      paths.configFile,
      join(paths.executorsDir, "mine.toml"),
      join(paths.agentTokensDir, "claude.token"),
      join(paths.auditDir, "2026-05.jsonl"),
      paths.agent_socket,
      paths.operator_socket,
      paths.configDir,
      paths.state_dir,
      paths.auditDir,
    ];
    for (const path of own) {
      for (const [executor, args] of [
        ["fs_read", { path }],
        ["Write", { file_path: path, content: "" }],
        ["fs_read", { path: path.replace(home, "~") }],
        ["fs_read", { path: `${home}/x/../${path.slice(home.length)}` }],
        ["fs_read", { path: `/System/Volumes/Data${path}` }],
        ["fs_read", { path: path.replace(home, `${home}/.snapshot/hourly.0`) }],
        ["Bash", { command: `cat ${path}` }],
        ["Bash", { command: `cat ${path.replace(home, "~")}` }],
        ["Bash", { command: `cat "$HOME${path.slice(home.length)}"` }],
      ] as const) {
        expect([executor, path, block(executor, args)?.reason]).toEqual([
          executor,
          path,
          "guard: the gate's own files are not for agents",
        ]);
      }
    }
  });

  it("a link into it is it, and so is a whole tree that holds it, and what a disk's snapshots hold of it", () => {
    const { home, paths, block } = withFiles();
    const earlier = paths.operatorToken.replace(home, `${home}/.zfs/snapshot/daily`);
    expect(block("Bash", { command: `cat ${earlier}` }, { cwd: home })).not.toBeNull();
    expect(block("Grep", { pattern: "x", path: `${home}/.snapshot` })).not.toBeNull();
    symlinkSync(paths.state_dir, join(home, "notes"));
    expect(block("fs_read", { path: join(home, "notes/operator.token") })).not.toBeNull();
    expect(block("Grep", { pattern: "x", path: home })).not.toBeNull();
    expect(block("fs_delete", { path: join(home, ".local") })).not.toBeNull();
    expect(block("Glob", { pattern: "**/*.db", path: join(home, ".local/state") })).not.toBeNull();
  });

  it.each(["make > $OUT", "make >> $OUT/log", "make < $IN"])(
    "a mention is enough where a redirection can't be resolved: %s",
    (command) => {
      const { paths, block } = withFiles();
      const mention = `echo ${paths.state_dir}/operator.token > note.txt`;
      expect(block("Bash", { command: `${mention} ; ${command}` })?.matched).toBe(
        "the gate's own folders in the command",
      );
      expect(block("Bash", { command })).toBeNull();
      expect(block("Bash", { command: `${mention}; make > out.txt` })).toBeNull();
    },
  );

  it("what is beside it is not it", () => {
    const { home, paths, block } = withFiles();
    expect(block("fs_read", { path: `${paths.state_dir}-notes/x` })).toBeNull();
    expect(block("fs_list", { path: home })).toBeNull();
    expect(block("Grep", { pattern: "x", path: join(home, "project") })).toBeNull();
    expect(block("Bash", { command: "ls ~/.local/state" })).toBeNull();
  });
});

describe("the settings that hold the hook", () => {
  it.each([
    ["Write", { file_path: "~/.claude/settings.json", content: "{}" }],
    ["Write", { file_path: "/srv/project/.claude/settings.local.json", content: '{"disableAllHooks":true}' }],
    ["Edit", { file_path: "/srv/project/x/../.claude/settings.json", old_string: "a", new_string: "b" }],
    ["MultiEdit", { file_path: "/srv/project/.Claude/Settings.json", edits: [] }],
    ["Write", { file_path: "/etc/claude-code/managed-settings.json", content: "" }],
    ["fs_write", { path: "~/.claude/settings.json", content: "{}" }],
    ["fs_delete", { path: "~/.claude" }],
    ["fs_delete", { path: "/srv/project/.claude" }],
    ["fs_delete", { path: "/srv/project/.claude/" }],
  ])("%s %j is blocked, at every level and whatever was granted", (tool, args) => {
    expect(blockOf(tool, args)?.reason).toBe("guard: the settings that hold the gate's hook are not for agents");
  });

  it("a link that leads there is blocked, too", () => {
    const home = tempFolder();
    mkdirSync(join(home, ".claude"));
    writeFileSync(join(home, ".claude/settings.json"), "{}");
    symlinkSync(join(home, ".claude/settings.json"), join(home, "notes.json"));
    expect(blockOf("Write", { file_path: join(home, "notes.json"), content: "" }, undefined, home)).not.toBeNull();
  });

  it.each([
    ["Read", { file_path: "~/.claude/settings.json" }],
    ["Write", { file_path: "/srv/project/settings.json", content: "" }],
    ["fs_list", { path: "/srv/project/.claude" }],
    ["fs_delete", { path: "/srv/project/.claude/agents" }],
    ["fs_delete", { path: "/srv/project/.claude.old" }],
    ["Write", { file_path: "/srv/project/.claude/agents/reviewer.md", content: "" }],
    ["Write", { file_path: "/srv/project/.vscode/settings.json", content: "" }],
    ["Write", { file_path: "/srv/.claude/settings.json.md", content: "" }],
  ])("%s %j is not", (tool, args) => {
    expect(blockOf(tool, args)).toBeNull();
  });
});
