/**
 * Places whose content is run later, or says what is run, wherever they lie: in a project, in the home, in somebody else's. The one
 * table for the guard, a box and the look after a run. Each entry says which program reads it by itself.
 */

interface Entry {
  /** What reads it without being given its name. */
  readBy: string;
  /** All that lies in one counts as well. In lower case; `*.x`: any name that ends so. */
  folders?: string;
  /** One with a space in its name. */
  folder?: string;
  files?: string;
  /** Builds and package managers write it, also in a box; whoever else does is asked about. */
  is_built?: true;
}

const ENTRIES: readonly Entry[] = [
  // version control, and what it calls
  { readBy: "git", folders: ".git .config/git", files: ".gitmodules .gitattributes .gitconfig .lfsconfig" },
  {
    readBy: "git by core.hooksPath: husky's, lefthook's, overcommit's and a project's own hooks",
    folders: ".husky .githooks .git-hooks .lefthook .lefthook-local",
  },
  {
    readBy: "lefthook, in a hook of git's",
    files:
      "lefthook.yml lefthook.yaml lefthook.toml lefthook.json lefthook.jsonc .lefthook.yml .lefthook.yaml .lefthook.toml .lefthook.json .lefthook.jsonc lefthook-local.yml lefthook-local.yaml lefthook-local.toml lefthook-local.json lefthook-local.jsonc .lefthook-local.yml .lefthook-local.yaml .lefthook-local.toml .lefthook-local.json .lefthook-local.jsonc",
  },
  {
    readBy: "pre-commit, prek, overcommit, hk, CaptainHook and GrumPHP, in a hook of git's",
    files:
      ".pre-commit-config.yaml .pre-commit-config.yml prek.toml .overcommit.yml .local-overcommit.yml hk.pkl hk.local.pkl captainhook.json grumphp.yml grumphp.yaml grumphp.yml.dist grumphp.yaml.dist grumphp.dist.yml grumphp.dist.yaml",
  },
  {
    readBy: "lint-staged, which hooks of git's call",
    files:
      ".lintstagedrc .lintstagedrc.json .lintstagedrc.yaml .lintstagedrc.yml .lintstagedrc.js .lintstagedrc.cjs .lintstagedrc.mjs .lintstagedrc.ts .lintstagedrc.mts .lintstagedrc.cts lint-staged.config.js lint-staged.config.cjs lint-staged.config.mjs lint-staged.config.ts lint-staged.config.mts lint-staged.config.cts",
  },
  {
    readBy: "commitlint, commitizen, gitlint and nano-staged, which hooks of git's call",
    files:
      ".commitlintrc .commitlintrc.json .commitlintrc.yaml .commitlintrc.yml .commitlintrc.js .commitlintrc.cjs .commitlintrc.mjs .commitlintrc.ts .commitlintrc.cts .commitlintrc.mts commitlint.config.js commitlint.config.cjs commitlint.config.mjs commitlint.config.ts commitlint.config.cts commitlint.config.mts .czrc .cz.json .cz-config.js .gitlint .nano-staged.js .nano-staged.cjs .nano-staged.mjs .nano-staged.json nano-staged.js nano-staged.cjs nano-staged.mjs nano-staged.json .nanostagedrc",
  },
  {
    readBy: "husky before version 5, rusty-hook, Trunk and Qlty, in a hook of git's",
    files:
      ".huskyrc .huskyrc.json .huskyrc.yaml .huskyrc.yml .huskyrc.js husky.config.js .rusty-hook.toml rusty-hook.toml .trunk/trunk.yaml .trunk/user.yaml .qlty/qlty.toml",
  },
  {
    readBy: "hg, also where it says that another folder holds the repository",
    files: ".hgrc .hg/hgrc .hg/hgrc-not-shared .hg/sharedpath",
  },
  {
    readBy:
      "hg, as it continues or takes back what was done: files that it writes anywhere, objects of Python; other repositories",
    files:
      ".hg/store/journal .hg/store/journal.backupfiles .hg/store/undo .hg/store/undo.backupfiles .hg/histedit-state .hgsub",
  },
  { readBy: "Sapling, likewise", files: ".sl/config .sl/sharedpath" },
  {
    readBy: "jj, likewise",
    files: ".jj/repo .jj/repo/config.toml .jj/workspace-config.toml .jj/repo/store/git_target",
  },
  { readBy: "darcs, Pijul and Android's repo", folders: "_darcs/prefs .repo/repo", files: ".pijul/config" },
  { readBy: "gh", folders: ".config/gh" },
  { readBy: "lazygit", files: ".lazygit.yml" },
  { readBy: "Breezy, CVS and Fossil", files: ".bzr/branch/branch.conf cvs/root .fslckout _fossil_" },
  // what a shell reads as it starts, or as it enters a folder
  {
    readBy: "bash",
    folders: ".bashrc.d .bash_completion.d .local/share/bash-completion",
    files: ".bashrc .bash_profile .bash_login .bash_logout .bash_aliases .bash_completion",
  },
  {
    readBy: "zsh",
    folders: ".config/zsh .oh-my-zsh .zshrc.d",
    files: ".zshrc .zshenv .zprofile .zlogin .zlogout .zcompdump",
  },
  {
    readBy: "sh, ksh, csh and tcsh",
    folders: ".profile.d",
    files: ".profile .kshrc .mkshrc .cshrc .tcshrc .login .cargo/env",
  },
  { readBy: "fish, nushell and xonsh", folders: ".config/fish .local/share/fish .config/nushell", files: ".xonshrc" },
  { readBy: "readline, in shells and prompts", files: ".inputrc" },
  { readBy: "direnv, at `cd`", folders: ".direnv .config/direnv", files: ".envrc .direnvrc" },
  {
    readBy: "an .envrc that was allowed, and by `source_env` not looked at again",
    files: ".envrc.local .envrc.private",
  },
  {
    readBy:
      "nix, devenv, devbox, flox and guix, by an .envrc that was allowed: at `cd`, and once such a file has changed",
    folders: ".devenv .devbox .flox",
    files:
      "flake.nix flake.lock shell.nix devshell.toml devenv.nix devenv.yaml devenv.lock devenv.local.nix devenv.local.yaml devbox.json devbox.lock guix.scm manifest.scm channels.scm",
  },
  { readBy: "vim by direnv's plugin, for an .envrc that was allowed", files: ".vimrc.local" },
  { readBy: "hermit, at `cd`", files: "activate-hermit hermit.hcl" },
  {
    readBy: "rvm (also variables such as RUBYOPT), autoenv and shadowenv, at `cd`",
    folders: ".shadowenv.d",
    files: ".rvmrc .ruby-env .versions.conf .autoenv .autoenv.leave .autoenv.zsh .autoenv_leave.zsh",
  },
  {
    readBy: "mise and asdf, at `cd` and by their shims; phpbrew and opam (a switch in the project), at `cd`",
    folders: ".mise .config/mise",
    files:
      "mise.toml mise.local.toml .mise.toml .mise.local.toml .config/mise.toml mise/config.toml mise/config.local.toml .miserc.toml .config/miserc.toml .tool-versions .phpbrewrc .opam-switch/environment .opam-switch/switch-config",
  },
  { readBy: "proto, at `cd` and by its shims", files: ".prototools" },
  { readBy: "fnm, at `cd`: a version may be a path", files: ".node-version .nvmrc" },
  { readBy: "SDKMAN!, at `cd`: likewise", files: ".sdkmanrc" },
  { readBy: "rustup, by its shims: a toolchain may be a path", files: "rust-toolchain rust-toolchain.toml" },
  {
    readBy: "pdm, with each of its commands, and Dart's editors by FVM: a path of Python's or Flutter's program",
    folders: ".fvm",
    files: ".pdm-python .pdm.toml",
  },
  {
    readBy: "pyenv, rbenv, jenv, goenv, tfenv and their like, by their shims: a version may lead up to another folder",
    files:
      ".python-version .ruby-version .java-version .go-version .php-version .perl-version .terraform-version .opentofu-version .swift-version .crystal-version .lua-version .exenv-version",
  },
  { readBy: "rbenv and nodenv, by their shims: variables such as RUBYOPT", files: ".rbenv-vars .nodenv-vars" },
  // what a session, a timer or a bus starts
  {
    readBy: "a login, and the graphical session",
    folders:
      ".config/environment.d .config/autostart .config/plasma-workspace .config/i3 .config/sway .config/hypr .config/openbox .local/share/gnome-shell .local/share/applications",
    files: ".pam_environment .xprofile .xsession .xsessionrc .xinitrc .selected_editor",
  },
  {
    readBy: "systemd, D-Bus and launchd",
    folders: ".config/systemd .local/share/systemd .local/share/dbus-1 launchagents launchdaemons",
  },
  // programs
  {
    readBy: "shells, by PATH",
    folders:
      ".local/bin .local/lib .cargo/bin .bun .deno .volta .nvm .fnm .pyenv .rbenv .asdf .sdkman .nodenv .jenv .rustup .npm-global .local/share/mise .local/share/pnpm",
  },
  {
    readBy: "shells, by the PATH of an environment or a package runner",
    folders: ".venv/bin venv/bin node_modules/.bin",
  },
  { readBy: "yarn", folders: ".yarn/releases .yarn/plugins .yarn/sdks", files: ".yarnrc .yarnrc.yml" },
  { readBy: "docker", folders: ".docker/cli-plugins" },
  { readBy: "gradle", folders: ".gradle/init.d" },
  // settings of programs that load or call others
  { readBy: "npm, pnpm and corepack", files: ".npmrc .pnpmfile.cjs .pnpmfile.mjs .corepack.env" },
  { readBy: "node under yarn", files: ".pnp.cjs .pnp.loader.mjs", is_built: true },
  {
    readBy: "python as it starts",
    files:
      "pyvenv.cfg site-packages/*.pth site-packages/sitecustomize.py site-packages/usercustomize.py dist-packages/*.pth dist-packages/sitecustomize.py dist-packages/usercustomize.py",
    is_built: true,
  },
  { readBy: "bun", files: "bunfig.toml .bunfig.toml" },
  { readBy: "cargo, go and pip", folders: ".config/pip", files: ".cargo/config .cargo/config.toml .config/go/env" },
  {
    readBy: "curl, wget, ripgrep, jq and ack",
    folders: ".config/ripgrep .config/jq .config/curlrc",
    files: ".curlrc .wgetrc .wgetrc2 .ripgreprc .jq .ackrc",
  },
  {
    readBy: "tmux, tmux-sessionizer and screen",
    folders: ".config/tmux .config/tmux-sessionizer",
    files: ".screenrc .tmux.conf .tmux-sessionizer",
  },
  {
    readBy: "terminals, and what draws a shell's prompt",
    folders: ".config/kitty .config/alacritty .config/wezterm .config/ghostty .config/foot .config/zellij",
    files: ".wezterm.lua .alacritty.toml .alacritty.yml .config/starship.toml",
  },
  {
    readBy: "debuggers: gdb, lldb, Python's, Perl's and Ruby's",
    files: ".gdbinit .lldbinit .pdbrc .perldb .byebugrc .rdbgrc .rdbgrc.rb",
  },
  {
    readBy:
      "prompts of languages and databases: python, ruby, R, octave, erlang, elixir, ocaml, ghci, psql, sqlite, mongosh, duckdb, php, maxima, ngspice",
    folders: ".ipython .jupyter .julia/config",
    files:
      ".pythonrc .irbrc .pryrc .rprofile .rdata .renviron renv/activate.r packrat/init.r .octaverc .erlang .iex.exs .ocamlinit .ghci .psqlrc .sqliterc .mongoshrc.js .duckdbrc .psysh.php maxima-init.mac .spiceinit",
  },
  { readBy: "less", files: ".lessfilter .lesskey" },
  { readBy: "latexmk, also as an editor saves", files: "latexmkrc .latexmkrc" },
  // editors
  {
    readBy: "vim and neovim",
    folders: ".vim .config/vim .config/nvim .local/share/nvim",
    files: ".vimrc .gvimrc .exrc .nvimrc .nvim.lua",
  },
  {
    readBy: "vim's and neovim's plugins: lazy.nvim, neoconf, localvimrc, Startify and others",
    files: "session.vim .lazy.lua .neoconf.json .lvimrc .local.vimrc",
  },
  { readBy: "ctags, which editors call as a file is saved", folders: ".ctags.d", files: ".ctags" },
  {
    readBy: "vim's and neovim's YouCompleteMe, nlsp-settings, rope and jedi",
    folders: ".nlsp-settings",
    files: ".ycm_extra_conf.py .ropeproject/config.py .jedi/project.json",
  },
  {
    readBy: "language servers, in any editor: for Lua, Haskell, OCaml, Clojure, C#, PHP, Rust, Swift, Ruby, Erlang",
    folders: ".sourcekit-lsp",
    files:
      ".luarc.json .luarc.jsonc hie.yaml .hie-bios rust-analyzer.toml .merlin .lsp/config.edn omnisharp.json .phpactor.json .phpactor.yml .phpactor.yaml buildserver.json .solargraph.yml erlang_ls.config erlang_ls.yaml",
  },
  {
    readBy: "rust-analyzer, which loads the macros that it names",
    files: "rust-project.json .rust-project.json",
    is_built: true,
  },
  { readBy: "editors, as the build's own server: Metals, IntelliJ, Swift's", folders: ".bsp", is_built: true },
  {
    readBy: "emacs, nano and helix",
    folders: ".emacs.d .config/emacs .helix .config/helix",
    files: ".emacs .dir-locals.el .dir-locals-2.el .nanorc",
  },
  {
    readBy: "VS Code and its relatives",
    folder: "application support/code",
    folders:
      ".vscode/extensions .vscode-server .vscode-server-insiders .vscode-insiders .vscode-oss .cursor-server .windsurf-server .config/vscodium .config/code",
    files:
      ".vscode/tasks.json .vscode/launch.json .vscode/settings.json .vscode/mcp.json .vscode/cmake-kits.json .vscode/c_cpp_properties.json *.code-workspace",
  },
  { readBy: "VS Code's Joyride", folders: ".joyride" },
  {
    readBy: "editors and `devcontainer` as they open a project",
    folders: ".devcontainer",
    files: ".devcontainer.json",
  },
  {
    readBy: "JetBrains' editors",
    folders: ".idea .run .ai/mcp .config/jetbrains .jetbrains .fleet",
    files: "*.ipr *.iws",
  },
  { readBy: "zed", folders: ".zed .config/zed" },
  { readBy: "Sublime Text", files: "*.sublime-project" },
  { readBy: "Visual Studio and Theia", folders: ".vs .theia" },
  { readBy: "Eclipse, as it builds by itself", folders: ".externaltoolbuilders", files: ".project .factorypath" },
  { readBy: "Lite XL and Pragtical", files: ".lite_project.lua .pragtical_project.lua" },
  { readBy: "Kate, Nova and TextMate", folders: ".nova", files: ".kateproject .tm_properties" },
  // agents
  { readBy: "Claude Code", folders: ".claude", files: ".mcp.json .claude.json" },
  { readBy: "Codex, Gemini CLI and others by .agents", folders: ".codex .gemini .agents" },
  {
    readBy: "OpenCode",
    folders: ".opencode .config/opencode",
    files: "opencode.json opencode.jsonc .opencode.json tui.json tui.jsonc",
  },
  {
    readBy: "Cursor, Windsurf, Continue, Kiro, Qwen Code and Amp",
    folders: ".cursor .config/cursor .windsurf .continue .kiro .qwen .amp",
  },
  {
    readBy: "Roo Code, Kilo Code, Cline and Kimi Code",
    folders: ".roo .kilocode .kilo .config/kilo .clinerules/hooks .cline .kimi-code",
    files: "kilo.json kilo.jsonc",
  },
  { readBy: "Amazon Q, Droid and Qoder", folders: ".amazonq .factory .qoder" },
  { readBy: "Auggie, Junie and Trae", folders: ".augment .junie/mcp .trae" },
  {
    readBy: "aider, Crush and gptme",
    folders: ".crush",
    files: ".aider.conf.yml crush.json .crush.json gptme.toml gptme.local.toml",
  },
  {
    readBy: "GitHub Copilot",
    folders: ".github/hooks .github/copilot .github/extensions .copilot",
    files: ".github/lsp.json",
  },
  {
    readBy: "Antigravity, CodeBuddy, iFlow, Tabnine and Grok CLI",
    folders: ".agent .codebuddy .iflow .tabnine .grok",
  },
  { readBy: "OpenHands, Pi, Rovo Dev and Mistral Vibe", folders: ".openhands .pi .rovodev .vibe" },
  { readBy: "mux, ECA, mcphub.nvim and Letta Code", folders: ".mux .eca .mcphub .letta" },
  { readBy: "Codebuff", files: "codebuff.json" },
  { readBy: "Goose, Crush and Amp, in a home", folders: ".config/goose .config/crush .config/amp" },
];

/** At a project's top alone, as others call their files so: `dotnet`, which editors start, reads it. It may say that an SDK is a path. */
export const AT_TOP = "global.json";

export interface RunLaterPlace {
  /** In lower case. */
  readonly names: readonly string[];
  /** It is a folder: what lies in it counts as well. */
  readonly is_folder: boolean;
  readonly readBy: string;
  /** Builds write it, also in a box. */
  readonly is_built: boolean;
}

const pathsIn = (list = ""): string[] => list.split(" ").filter((path) => path !== "");

export const RUN_LATER_PLACES: readonly RunLaterPlace[] = ENTRIES.flatMap(
  ({ readBy, folder, folders, files, is_built = false }) => {
    const place = (path: string, isFolder: boolean) => ({
      names: path.split("/"),
      is_folder: isFolder,
      readBy,
      is_built,
    });
    const all = [...(folder === undefined ? [] : [folder]), ...pathsIn(folders)];
    return [...all.map((path) => place(path, true)), ...pathsIn(files).map((path) => place(path, false))];
  },
);
