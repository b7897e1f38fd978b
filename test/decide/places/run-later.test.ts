import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { RUN_LATER_PLACES } from "../../../main/decide/places/run-later-places.ts";
import { freshGrants, ROBERTO } from "../../support/gate-stores.ts";
import { decided, fateOf, onPath } from "../../support/guarded-calls.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const IN_HOME = [
  ".agents/skills/a/SKILL.md",
  ".cache/opencode/bin/rg",
  ".local/share/opencode/bin/rg",
  ".local/share/claude/versions/2.1.330",
  ".bashrc",
  ".bash_profile",
  ".bash_login",
  ".bash_logout",
  ".bash_aliases",
  ".profile",
  ".zshrc",
  ".zshenv",
  ".ZSHENV",
  ".zprofile",
  ".zlogin",
  ".zlogout",
  ".kshrc",
  ".inputrc",
  ".config/fish/conf.d/a.fish",
  ".gitconfig",
  ".config/git/config",
  ".config/autostart/a.desktop",
  ".config/systemd/user/a.service",
  ".config/environment.d/a.conf",
  ".xprofile",
  ".pam_environment",
  ".npmrc",
  ".config/nvim/init.lua",
  ".vimrc",
  ".emacs",
  ".emacs.d/init.el",
  ".local/bin/ls",
  ".cargo/bin/rg",
  "bin/ls",
  "go/bin/x",
  ".nvm/versions/node/v24/bin/node",
  ".pyenv/shims/python",
  ".config/kitty/kitty.conf",
  ".wezterm.lua",
  ".config/starship.toml",
  ".config/goose/config.yaml",
  ".duckdbrc",
  ".claude.json",
  ".claude/hooks/x.sh",
  ".claude/plugins/a/hooks/hooks.json",
  ".claude/skills/a/SKILL.md",
  ".claude/commands/a.md",
  ".cursor/mcp.json",
  "Library/LaunchAgents/a.plist",
];
const IN_PROJECT = [
  ".git/config",
  ".git/hooks/pre-commit",
  ".git",
  "sub/.git/config",
  ".gitmodules",
  ".gitattributes",
  ".envrc",
  ".husky/pre-commit",
  ".vscode/tasks.json",
  ".vscode/launch.json",
  ".vscode/settings.json",
  ".idea/workspace.xml",
  ".mcp.json",
  ".claude/agents/reviewer.md",
  ".cursor/rules/a.mdc",
  ".gemini/commands/a.toml",
  ".agents/skills/a/run.sh",
  "tui.json",
  "node_modules/.bin/tsc",
  "mise.toml",
  "mise.local.toml",
  ".config/mise.toml",
  ".tool-versions",
  ".lfsconfig",
  "prek.toml",
  "hk.pkl",
  "captainhook.json",
  "mise/config.toml",
  ".corepack.env",
  ".Renviron",
  ".octaverc",
  "paper/latexmkrc",
  "site.sublime-project",
  ".clinerules/hooks/PreToolUse",
  ".factory/settings.json",
  ".junie/mcp/mcp.json",
  "lefthook.yaml",
  "lefthook.toml",
  "lefthook.json",
  "lefthook-local.yml",
  ".pre-commit-config.yaml",
  ".githooks/pre-commit",
  ".github/hooks/a.json",
  ".hg/hgrc",
  ".jj/repo/config.toml",
  ".direnv/flake-profile.rc",
  ".devcontainer.json",
  ".vscode/cmake-kits.json",
  ".vscode/c_cpp_properties.json",
  "Work.code-workspace",
  ".nvim.lua",
  ".dir-locals.el",
  ".helix/languages.toml",
  ".run/all.run.xml",
  "bunfig.toml",
  ".pnp.cjs",
  ".pnpmfile.mjs",
  ".venv/lib/python3.13/site-packages/a.pth",
  ".venv/lib/python3.13/site-packages/sitecustomize.py",
  ".iex.exs",
  ".ocamlinit",
  ".ghci",
  ".RData",
  ".aider.conf.yml",
  ".roo/mcp.json",
  ".kilocode/mcp.json",
  "crush.json",
  ".opencode.json",
  ".node-version",
  ".nvmrc",
  ".sdkmanrc",
  ".rbenv-vars",
  "sub/.nodenv-vars",
  ".python-version",
  "sub/.java-version",
  ".jj/repo/store/git_target",
  "rust-toolchain",
  "sub/rust-toolchain.toml",
  "commitlint.config.js",
  ".nano-staged.js",
  ".gitlint",
  ".bzr/branch/branch.conf",
  "CVS/Root",
  ".ctags",
  ".ctags.d/x.ctags",
  ".prototools",
  ".miserc.toml",
  ".envrc.local",
  ".envrc.private",
  ".devenv/x",
  ".devbox/gen/x",
  ".hg/sharedpath",
  ".sl/config",
  ".jj/repo",
  ".pijul/config",
  "_darcs/prefs/defaults",
  ".repo/repo/main.py",
  ".perldb",
  ".byebugrc",
  ".rdbgrc",
  ".lazy.lua",
  ".neoconf.json",
  ".luarc.json",
  ".fleet/run.json",
  "old.ipr",
  "flake.nix",
  "sub/shell.nix",
  "devenv.nix",
  "devbox.json",
  ".venv/pyvenv.cfg",
  ".ycm_extra_conf.py",
  ".ropeproject/config.py",
  ".jedi/project.json",
  ".nlsp-settings/rust_analyzer.json",
  "hie.yaml",
  ".merlin",
  ".lsp/config.edn",
  "omnisharp.json",
  ".phpactor.json",
  ".solargraph.yml",
  "erlang_ls.config",
  "buildServer.json",
  ".bsp/sbt.json",
  ".joyride/scripts/workspace_activate.cljs",
  ".factorypath",
  ".yarn/sdks/typescript/lib/tsserver.js",
  "gptme.toml",
  ".vs/tasks.vs.json",
  ".theia/tasks.json",
  ".externalToolBuilders/a.launch",
  ".project",
  ".lite_project.lua",
  ".kateproject",
  ".nova/Tasks/a.json",
  ".tm_properties",
  ".github/copilot/settings.json",
  ".agent/skills/a/SKILL.md",
  ".iflow/settings.json",
  ".openhands/setup.sh",
  ".pi/extensions/a.ts",
  ".mux/init",
  ".eca/config.json",
  ".mcphub/servers.json",
  ".letta/settings.json",
  "codebuff.json",
  "kilo.jsonc",
  ".kilo/mcp.json",
  ".cline/hooks/PreToolUse",
  ".kimi-code/mcp.json",
  ".ai/mcp/mcp.json",
  ".github/extensions/a/extension.mjs",
  ".github/lsp.json",
  "lefthook.jsonc",
  ".config/lefthook-local.jsonc",
  ".local-overcommit.yml",
  ".config/hk.local.pkl",
  "grumphp.yml.dist",
  ".lintstagedrc.json",
  "lint-staged.config.mjs",
  ".huskyrc.js",
  ".rusty-hook.toml",
  ".trunk/trunk.yaml",
  ".qlty/qlty.toml",
  ".flox/env/manifest.toml",
  "flake.lock",
  "devenv.lock",
  "devbox.lock",
  "devshell.toml",
  "guix.scm",
  ".vimrc.local",
  "bin/hermit.hcl",
  ".phpbrewrc",
  "_opam/.opam-switch/environment",
  "sub/_opam/.opam-switch/switch-config",
  "bin/activate-hermit",
  ".tmux-sessionizer",
  "renv/activate.R",
  "packrat/init.R",
  ".erlang",
  "Session.vim",
  ".hie-bios",
  "rust-analyzer.toml",
  "rust-project.json",
  "bare/HEAD",
];
const OF_SYSTEM = [
  "/etc/profile",
  "/etc/profile.d/a.sh",
  "/etc/bash.bashrc",
  "/etc/zsh/zshenv",
  "/etc/environment",
  "/etc/gitconfig",
  "/etc/cron.d/x",
  "/etc/ld.so.conf.d/a.conf",
  "/etc/systemd/system/a.service",
  "/var/spool/cron/crontabs/ada",
  "/Library/LaunchDaemons/a.plist",
  "/usr/local/bin/ls",
  "/usr/lib/x.so",
  "/opt/homebrew/bin/ls",
];
const FREE = [
  "src/a.ts",
  "README.md",
  ".gitignore",
  ".github/workflows/ci.yml",
  ".vscode/extensions.json",
  "config",
  "src/hooks/use-a.ts",
  "src/config/index.ts",
  "src/session.ts",
  "poetry.lock",
  "renv/settings.json",
  ".trunk/out/a.yaml",
  ".ai/guidelines/a.md",
  ".github/agents/a.agent.md",
  "bashrc",
  "docs/profile.md",
  ".cache/opencode/a.json",
  "package.json",
  ".hg/store/data/a",
  ".jj/working_copy/checkout",
  "notes.pth",
  ".github/dependabot.yml",
  "workspace.code",
  "nix/default.nix",
  ".ropeproject/autoimport.db",
  "locales/en/global.json",
  "project",
  "node-version",
  ".github/instructions/a.md",
  ".jj/repo/store/type",
  ".hg/requires",
];

it("each place says which program reads it by itself, and is named once", () => {
  for (const { names, readBy } of RUN_LATER_PLACES)
    expect([names, readBy]).toEqual([names, expect.stringMatching(/^[A-Za-z].{1,}/)]);
  const all = RUN_LATER_PLACES.map(({ names }) => names.join("/"));
  expect(all.filter((name, at) => all.indexOf(name) !== at)).toEqual([]);
  expect(all.filter((name) => name !== name.toLowerCase())).toEqual([]);
});

it("which SDK of .NET runs is said at a project's top alone", () => {
  const home = tempFolder();
  const cwd = join(home, "project");
  mkdirSync(join(cwd, ".git"), { recursive: true });
  writeFileSync(join(cwd, ".git/HEAD"), "ref: refs/heads/main\n");
  const outcomeOf = (name: string) =>
    decided({ home, cwd }, "Write", { file_path: join(cwd, name), content: "" }).outcome;
  expect(["global.json", "locales/global.json", "global.json5"].map(outcomeOf)).toEqual([
    ...["approval_required", "allowed", "allowed"],
  ]);
});

describe("content that is run later", () => {
  const home = "/home/ada";
  const cwd = "/home/ada/project";
  const all = [...IN_HOME.map((path) => join(home, path)), ...IN_PROJECT.map((path) => join(cwd, path)), ...OF_SYSTEM];

  it.each(all)("is code by whatever tool writes it, also at Full: %s", (path) => {
    for (const [tool, args] of [
      ["Write", { file_path: path, content: "" }],
      ["Edit", { file_path: path, old_string: "a", new_string: "b" }],
      ["NotebookEdit", { notebook_path: path, new_source: "" }],
      ["fs_write", { path, content: "" }],
      ["fs_delete", { path }],
    ] as const) {
      const { outcome, needs } = decided({ home, cwd }, tool, args);
      const code = needs.filter(({ capability }) => capability === "code:exec");
      expect([tool, outcome, code.map(({ target }) => target)]).toEqual([
        tool,
        "approval_required",
        // What is deleted is deleted with all below it.
        [{ kind: "exact", value: tool === "fs_delete" ? `${path}/**` : path }],
      ]);
    }
  });

  it.each(all)("may be read: %s", (path) => {
    const { outcome, needs } = decided({ home, cwd }, "Read", { file_path: path });
    const isByName = needs.some(({ ask_each_time }) => ask_each_time !== undefined);
    expect(outcome).toBe(isByName ? "approval_required" : "allowed");
  });

  it.each(FREE)("is not every file: %s", (path) => {
    expect(decided({ home, cwd }, "Write", { file_path: path, content: "" }).outcome).toBe("allowed");
  });

  it("is a file's by its whole path: what is in a folder of that name is free", () => {
    for (const name of [".gitattributes", ".envrc", "opencode.json", ".vscode/tasks.json"])
      expect([name, fateOf([onPath("fs:write", join(cwd, name, "a.txt"))], { home, cwd })]).toEqual([name, "free"]);
  });

  it("is under no grant on a folder, and denied to a level that runs no code", () => {
    const { grants, home: own } = freshGrants();
    const filePath = `${own}/p/.git/hooks/pre-commit`;
    for (const target of [filePath, `${own}/p/**`]) grants.recordGrant({ ...ROBERTO, capability: "fs:write", target });
    const args = { file_path: filePath, content: "" };
    expect(decided({ home: own, grants, level: "Supervised" }, "Write", args)).toMatchObject({
      outcome: "approval_required",
      scopes: ["none"],
    });
    expect(decided({ home: own, grants, level: "ReadOnly" }, "Write", args).outcome).toBe("denied");
  });

  it("is what a link leads to, and the card says where that is", () => {
    const own = tempFolder();
    mkdirSync(`${own}/project`);
    symlinkSync("../.zshrc", `${own}/project/profile.sh`);
    const { needs, outcome } = decided({ home: own }, "Write", { file_path: `${own}/project/profile.sh`, content: "" });
    expect(outcome).toBe("approval_required");
    expect(needs.at(-1)?.target).toEqual({ kind: "exact", value: `${own}/.zshrc` });
  });

  it("is what is in a folder of PATH", () => {
    const env = { PATH: "/srv/tools/:relative:/work/bin" };
    const write = (path: string) => fateOf([onPath("fs:write", path)], { home, cwd, env });
    expect(write("/srv/tools/ls")).toBe("asked");
    expect(write("/work/bin")).toBe("asked");
    expect(write("/srv/tools-notes/a")).toBe("free");
    expect(write("/work/notes")).toBe("free");
    expect(fateOf([onPath("fs:write", "/work", { is_tree: true, access: "delete" })], { home, env })).toBe("asked");
  });
});

describe("what makes a folder a repository", () => {
  it("is code where the rest of one is there already, whatever the folder's name", () => {
    const home = tempFolder();
    for (const path of ["bare/HEAD", "other/objects/x", "other/refs/x", "plain/config"]) {
      mkdirSync(dirname(join(home, path)), { recursive: true });
      writeFileSync(join(home, path), "");
    }
    const write = (path: string) => fateOf([onPath("fs:write", join(home, path))], { home });
    for (const path of [
      "bare/config",
      "bare/objects/y",
      "bare/refs/heads/a",
      "bare/hooks/post-checkout",
      "other/config",
    ])
      expect([path, write(path)]).toEqual([path, "asked"]);
    for (const path of ["plain/config", "plain/refs/a", "other/notes"])
      expect([path, write(path)]).toEqual([path, "free"]);
  });
});

describe("a folder as a whole", () => {
  const tree = (path: string, more: { access?: "delete"; copied_from?: string } = {}) =>
    onPath("fs:write", path, { is_tree: true, ...more });

  it("is code where a tool may write anything below it", () => {
    expect(fateOf([tree("/home/ada/project/src")], { home: "/home/ada" })).toBe("asked");
  });

  it("is deleted as files are, but at, in or above a place that is known", () => {
    const home = tempFolder();
    const cwd = `${home}/project`;
    for (const path of ["project/dist/sub/.git/config", "project/.git/config", "project/node_modules/a/b"]) {
      mkdirSync(dirname(join(home, path)), { recursive: true });
      writeFileSync(join(home, path), "");
    }
    const remove = (path: string) => fateOf([tree(join(home, path), { access: "delete" })], { home, cwd });
    for (const path of ["project/dist", "project/node_modules", "project/not-there"])
      expect([path, remove(path)]).toEqual([path, "free"]);
    for (const path of ["project", "project/.git", "project/.vscode", "project/.git/hooks", "go", "bin", ".cargo"])
      expect([path, remove(path)]).toEqual([path, "asked"]);
    // The gate's own configuration is below them.
    for (const path of [".config", ".local"]) expect([path, remove(path)]).toEqual([path, "denied"]);
  });

  it("is deleted as code where it is too much to be looked through", () => {
    const home = tempFolder();
    const deep = (levels: number) => join(home, `project-${levels}`, ...Array(levels).fill("d"));
    for (const levels of [15, 16]) mkdirSync(deep(levels), { recursive: true });
    const remove = (name: string) => fateOf([tree(join(home, name), { access: "delete" })], { home });
    expect([remove("project-15"), remove("project-16")]).toEqual(["free", "asked"]);
  });

  it("is copied as the files in it, each by its name below the target", () => {
    const home = tempFolder();
    const cwd = `${home}/project`;
    const put = (path: string) => {
      mkdirSync(dirname(join(home, path)), { recursive: true });
      writeFileSync(join(home, path), "");
    };
    for (const path of ["x/tasks.json", "y/.vscode/tasks.json", "z/a/.git/config", "plain/a/b.ts", "keys/hosts.yml"])
      put(path);
    const copy = (from: string, to: string) =>
      fateOf([tree(join(home, to), { copied_from: join(home, from) })], { home, cwd });
    expect(copy("x", "project/.vscode")).toBe("asked");
    expect(copy("y", "project/sub")).toBe("asked");
    expect(copy("z", "project/vendor")).toBe("asked");
    expect(copy("x", "project/tasks")).toBe("free");
    expect(copy("plain", "project/lib")).toBe("free");
    expect(copy("keys", ".config/gh")).toBe("denied");
    expect(copy("not-there", "project/lib")).toBe("asked");
  });
});
