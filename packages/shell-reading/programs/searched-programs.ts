import { PROGRAMS } from "./table.ts";

/** What every shell does itself, wherever a program by that name lies. */
const BUILT_IN: ReadonlySet<string> = new Set(
  "echo printf true false : exit test [ cd set command pwd type wait".split(" "),
);
/** Of these the version alone is cleared, and builds put them beside a project's programs. */
export const INSTALLED_BY_BUILDS: ReadonlySet<string> = new Set(["node", "npm", "python", "python3"]);

/** Looked up on PATH by clients: they run each allowed line by one of these, and some of them the gate's own hook. */
const SHELLS = ["bash", "sh", "zsh", "dash", "pwsh"];

/** Names that a client, the shell of a clear line, or a program of the line looks up on its PATH, in lower case. */
export const SEARCHED_PROGRAMS: ReadonlySet<string> = new Set(
  [
    ...PROGRAMS.filter(({ guard_only }) => guard_only !== true).flatMap(({ names, looksUp = [] }) => [
      ...names,
      ...looksUp,
    ]),
    ...["time", "nice", "timeout", "xargs", ...SHELLS],
  ].filter((name) => !BUILT_IN.has(name) && !INSTALLED_BY_BUILDS.has(name)),
);

/**
 * Names that people type in a terminal, that git, less, shells' prompts and agents' clients (Claude Code for a PDF that it reads, for the
 * clipboard, for what is spoken) call by themselves, and that no package brings along: in lower case.
 */
export const TYPED_PROGRAMS: ReadonlySet<string> = new Set(
  `sudo su doas pkexec passwd ssh scp sftp rsync ssh-add ssh-agent ssh-keygen ssh-askpass gpg gpg2 gpgsm gpgconf pinentry pass
  vi vim nvim nano emacs emacsclient editor sensible-editor less more most pager sensible-pager lesspipe lesspipe.sh man top htop code
  fish tmux screen docker podman kubectl helm systemctl journalctl apt apt-get dnf pacman brew wget ping clear reset tput dircolors
  delta difft watchman gitsign smimesign op-ssh-sign svn tig lazygit gitk glab starship zoxide atuin fzf direnv
  notify-send xdg-open xclip xsel wl-copy wl-paste pbcopy pbpaste command-not-found
  git-credential-manager git-credential-libsecret git-credential-osxkeychain docker-credential-desktop
  git-lfs git-crypt jj pyenv rbenv nodenv jenv fnm oh-my-posh mcfly
  pdfinfo pdftoppm wl-copy arecord rec sox xdg-mime cursor windsurf getconf
  metnos-gate`.split(/\s+/),
);

/** What git and docker look up on PATH for passwords and for remotes, with a name of theirs in front. */
export const HELPER = /^(?:git-(?:credential|remote)|docker-credential)-/;

/** All of these names. */
export const PLANTABLE_NAMES: readonly string[] = [...SEARCHED_PROGRAMS, ...TYPED_PROGRAMS, ...INSTALLED_BY_BUILDS];
