import { section } from "../script.ts";

/** Hooks and settings that others run later. */
export const KEPT_PLACES = section("kept", [
  [
    "a hook that is there, and a new one",
    `echo evil > .git/hooks/pre-commit; echo evil > .git/hooks/post-checkout; chmod +x .git/hooks/*`,
    { planted: [".git/hooks/post-checkout"], asUser: true },
  ],
  [
    "Git's settings",
    `git config core.hooksPath evil; git config core.fsmonitor evil; git config alias.st '!evil'; echo '[core]' >> .git/config`,
    { asUser: true },
  ],
  [
    "Git's settings put in place by a rename",
    `cp .git/config c; echo evil >> c; mv -f c .git/config; cp .git/config .git/config.lock; mv -f .git/config.lock .git/config`,
  ],
  [
    "hooks moved away and made anew",
    `mv .git/hooks .git/h; mkdir .git/hooks; echo evil > .git/hooks/pre-commit`,
    { mayMove: true },
  ],
  [
    ".git moved away and made anew",
    `mv .git g && git init -q . && echo evil > .git/hooks/pre-commit && git config core.hooksPath evil`,
    { asUser: true },
  ],
  [".git deleted and made anew", `rm -rf .git; git init -q . ; mkdir -p .git/hooks; echo evil > .git/hooks/pre-commit`],
  [
    ".git put under a link",
    `mv .git g; ln -s g .git; mkdir -p e/hooks; echo evil > e/hooks/pre-commit; ln -sfn e .git`,
  ],
  [
    "another folder of Git's settings named by .git/commondir",
    `mkdir -p .git/e; cp .git/config .git/e/config; echo evil >> .git/e/config; echo e > .git/commondir`,
    { planted: [".git/commondir"], asUser: true },
  ],
  [
    "settings of a worktree of its own",
    `git config extensions.worktreeConfig true; echo evil > .git/config.worktree`,
    { planted: [".git/config.worktree"] },
  ],
  [
    "attributes of the repository",
    `echo '* filter=evil' >> .git/info/attributes; mv .git/info .git/i; mkdir .git/info; echo evil > .git/info/attributes`,
    { mayMove: true },
  ],
  [
    "a worktree that names another repository's settings",
    `git worktree add -q wt -b w && { mkdir -p e/objects e/refs; cp .git/config e/config; echo '[core] fsmonitor = evil' >> e/config; echo %PROJECT%/e > .git/worktrees/wt/commondir; }; true`,
    { planted: [".git/worktrees/wt/commondir"], asUser: true },
  ],
  [
    "a submodule's hooks and settings",
    `git init -q --bare .git/modules/sub; mkdir -p .git/modules/sub/hooks; echo evil > .git/modules/sub/hooks/post-checkout; echo evil > .git/modules/sub/config`,
    { planted: [".git/modules/sub/hooks/post-checkout", ".git/modules/sub/config"] },
  ],
  [
    "a file of settings overwritten, appended, cut, deleted",
    `for f in .envrc .vscode/tasks.json .vscode/settings.json .claude/settings.json .mcp.json .npmrc .husky/pre-commit pkg/.vscode/tasks.json; do echo evil > $f; echo evil >> $f; truncate -s 0 $f; rm -f $f; done`,
    { asUser: true },
  ],
  [
    "a file of settings replaced by a rename",
    `for f in .envrc .mcp.json .npmrc .vscode/tasks.json; do echo evil > n; mv -f n $f; done`,
    { asUser: true },
  ],
  [
    "a file of settings replaced by a link",
    `echo evil > n; for f in .envrc .mcp.json .npmrc; do ln -sf n $f; ln -f n $f; done`,
  ],
  [
    "the folder above renamed, and another in its place",
    `mv pkg old; mkdir -p pkg/.vscode; echo evil > pkg/.vscode/tasks.json`,
    { mayMove: true, asUser: true },
  ],
  [
    "a folder of settings renamed, and another in its place",
    `mv .vscode v; mkdir .vscode; echo evil > .vscode/tasks.json; mv .claude c; mkdir .claude; echo evil > .claude/settings.json`,
    { mayMove: true },
  ],
  [
    "its mode and times",
    `chmod 777 .envrc .git/config .git/hooks .vscode/tasks.json; touch -d 2001-01-01 .envrc; setfattr -n user.x -v y .envrc 2>/dev/null; true`,
  ],
  ["a hook that had been made executable", `chmod +x .git/hooks/pre-commit .husky/pre-commit`],
  [
    "by a second name that the user made (a hard link)",
    `echo evil >> second`,
    {
      setup: `ln .envrc second`,
      knownHole:
        "a hard link that the user made is another name of the same file, and can't be distinguished from any other file",
    },
  ],
  [
    "the settings of agents' clients, in the project and in the home",
    `for f in .codex/config.toml .gemini/settings.json .opencode/plugin/own.js opencode.json ~/.codex/config.toml ~/.gemini/settings.json ~/.config/opencode/opencode.json; do echo evil > $f; echo evil > n; mv -f n $f; rm -f $f; python3 -c "open('$f', 'w').write('evil')"; done; for d in .codex .gemini .opencode; do mv $d moved; mkdir $d; echo evil > $d/settings.json; done; true`,
    { asUser: true },
  ],
]);

const planted = (...names: string[]): { planted: readonly string[]; isBare: true } => ({
  planted: names,
  isBare: true,
});

/** The same, where there is nothing yet. */
export const NEW_PLACES = section("new", [
  [
    "settings of shells, editors and agents",
    `mkdir -p .vscode .claude .idea .husky .devcontainer; for f in .envrc .vscode/tasks.json .claude/settings.json .claude/settings.local.json .mcp.json .npmrc .husky/pre-commit .idea/workspace.xml .devcontainer/devcontainer.json; do echo evil > $f; done`,
    {
      ...planted(
        ".envrc",
        ".vscode/tasks.json",
        ".claude/settings.json",
        ".claude/settings.local.json",
        ".mcp.json",
        ".npmrc",
        ".husky/pre-commit",
        ".idea/workspace.xml",
        ".devcontainer/devcontainer.json",
      ),
      asUser: true,
    },
  ],
  [
    "settings of package managers and tools",
    `mkdir -p .cargo .yarn/releases; for f in .yarnrc.yml .pnpmfile.cjs .cargo/config.toml .mise.toml lefthook.yml .exrc .gdbinit .yarn/releases/yarn.cjs; do echo evil > $f; done`,
    planted(
      ".yarnrc.yml",
      ".pnpmfile.cjs",
      ".cargo/config.toml",
      ".mise.toml",
      "lefthook.yml",
      ".exrc",
      ".gdbinit",
      ".yarn/releases/yarn.cjs",
    ),
  ],
  [
    "hooks where there is no folder of hooks",
    `mkdir -p .git/hooks; echo evil > .git/hooks/post-checkout; chmod +x .git/hooks/post-checkout; mkdir -p .git/info; echo evil > .git/info/attributes`,
    { ...planted(".git/hooks/post-checkout", ".git/info/attributes"), asUser: true },
  ],
  [
    "a link in a place's stead",
    `echo evil > e; ln -s e .envrc; ln -s e .mcp.json; mkdir d; echo evil > d/tasks.json; ln -s d .vscode`,
    planted(".envrc", ".mcp.json", ".vscode"),
  ],
  [
    "in a folder below",
    `mkdir -p a/b/c/.vscode a/b/.claude; echo evil > a/b/c/.vscode/tasks.json; echo evil > a/b/.claude/settings.json; echo evil > a/.envrc`,
    { ...planted("a/b/c/.vscode/tasks.json", "a/b/.claude/settings.json", "a/.envrc"), asUser: true },
  ],
  [
    "made under another name and moved in place, whole folders",
    `mkdir -p x/y; echo evil > x/y/tasks.json; mv x/y x/.vscode; mkdir z; mv x z/; mv z pkg/; mkdir h; echo evil > h/post-merge; mkdir -p pkg/r; mv h pkg/r/.husky`,
    planted("pkg/z/x/.vscode/tasks.json", "pkg/r/.husky/post-merge"),
  ],
  [
    "by other cases of letters",
    `mkdir -p .VSCode .Claude .GIT/hooks; echo evil > .EnvRC; echo evil > .VSCode/Tasks.json; echo evil > .Claude/Settings.JSON; echo evil > .GIT/hooks/pre-commit; echo evil > .MCP.json`,
    planted(".EnvRC", ".VSCode/Tasks.json", ".Claude/Settings.JSON", ".GIT/hooks/pre-commit", ".MCP.json"),
  ],
  [
    "a repository in the project",
    `git init -q sub; mkdir -p sub/.git/hooks; echo evil > sub/.git/hooks/pre-commit; git -C sub config core.fsmonitor evil`,
    { ...planted("sub/.git/hooks/pre-commit", "sub/.git/config"), asUser: true },
  ],
  [
    "a bare repository under another name",
    `mkdir -p b/objects b/refs b/hooks; echo 'ref: refs/heads/main' > b/HEAD; printf '[core]\\nbare=true\\nfsmonitor=evil\\n' > b/config; echo evil > b/hooks/post-checkout`,
    { ...planted("b/config", "b/hooks/post-checkout"), asUser: true },
  ],
  [
    "a .git file that names another repository",
    `git init -q --bare e 2>/dev/null; mkdir sub; echo "gitdir: ../e" > sub/.git`,
    planted("sub/.git", "e/config"),
  ],
  [
    "under a name that is no text",
    `d=$(printf 'a\\377b'); mkdir -p "$d/.vscode"; echo evil > "$d/.vscode/tasks.json"; echo evil > "$d/.envrc"; mkdir -p "$(printf 'n\\nl')"; echo evil > "$(printf 'n\\nl')/.envrc"`,
    { ...planted("a\xffb/.vscode/tasks.json", "a\xffb/.envrc", "n\nl/.envrc"), asUser: true },
  ],
  [
    "in a folder that can't be read or entered",
    `mkdir -p closed/.vscode; echo evil > closed/.vscode/tasks.json; echo evil > closed/.envrc; chmod 000 closed/.vscode; chmod 000 closed`,
    { ...planted("closed/.vscode/tasks.json", "closed/.envrc"), asUser: true },
  ],
  [
    "in the project, which can't be read or entered any more",
    `mkdir -p inner/.vscode; echo evil > .envrc; echo evil > inner/.vscode/tasks.json; echo evil > inner/.envrc; chmod 000 .`,
    { ...planted(".envrc", "inner/.vscode/tasks.json", "inner/.envrc"), asUser: true },
  ],
  [
    "in its repository, which can't be read or entered any more",
    `mkdir .git/rebase-merge; echo 'exec evil' > .git/rebase-merge/git-rebase-todo; chmod 000 .git`,
    { ...planted(".git/rebase-merge/git-rebase-todo"), asUser: true },
  ],
  [
    "beside a repository in a folder that can't be entered any more",
    `git init -q closed/inner; echo evil > .envrc; chmod 000 closed/inner/.git/hooks; chmod 000 closed`,
    { ...planted(".envrc"), asUser: true },
  ],
  [
    "in a folder that can be entered, not read",
    `mkdir -p shut/.vscode; echo evil > shut/.envrc; chmod 0111 shut; mkdir -p fixed; echo evil > fixed/.envrc; chmod 0555 fixed`,
    { ...planted("shut/.envrc", "fixed/.envrc"), asUser: true },
  ],
  [
    "by a program in the background, at the last moment",
    `(while :; do echo evil > .envrc; rm -f .envrc; echo evil > .envrc; done) & sleep 0.05`,
    planted(".envrc"),
  ],
  [
    "made and taken back by turns, with its folder",
    `(while :; do mkdir -p t/.vscode; echo evil > t/.vscode/tasks.json; mv t u; rm -rf u; done 2>/dev/null) & (while :; do mkdir -p t/.vscode; echo evil > t/.vscode/tasks.json; done 2>/dev/null) & sleep 0.1`,
    planted("t/.vscode/tasks.json", "u/.vscode/tasks.json"),
  ],
  [
    "a FIFO, a device or a socket in its place",
    `mkfifo .envrc; mkfifo .mcp.json; mkdir .vscode; mkfifo .vscode/tasks.json`,
    planted(".envrc", ".mcp.json", ".vscode/tasks.json"),
  ],
  [
    "where a folder that builds make is",
    `mkdir -p node_modules/x/.vscode node_modules/.vscode target/.claude; echo evil > node_modules/.envrc; echo evil > target/.envrc; echo evil > dist.envrc`,
    {
      ...planted("node_modules/x/.vscode/tasks.json", "node_modules/.envrc", "target/.envrc"),
      knownHole: "folders that builds make are not searched: what lies in them is the build's",
    },
  ],
  [
    "a link that a later look follows outside",
    `mkdir w; ln -s %SIBLING% w/.vscode; ln -s %SIBLING%/.envrc .envrc; ln -s %HOME% h`,
    planted("w/.vscode", ".envrc"),
  ],
  [
    "a thousand of them",
    `for i in $(seq 300); do mkdir m$i; echo evil > m$i/.envrc; done`,
    planted("m1/.envrc", "m150/.envrc", "m300/.envrc"),
  ],
  [
    "settings of agents' clients that weren't there",
    `mkdir -p sub/.codex .gemini/policies .OpenCode; for f in sub/.codex/config.toml .gemini/settings.json .gemini/policies/a.toml .OpenCode/opencode.json opencode.jsonc sub/opencode.json; do echo evil > $f; done`,
    planted(
      "sub/.codex/config.toml",
      ".gemini/settings.json",
      ".gemini/policies/a.toml",
      ".OpenCode/opencode.json",
      "opencode.jsonc",
      "sub/opencode.json",
    ),
  ],
]);
