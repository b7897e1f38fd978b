import type { Word } from "../reading.ts";

/**
 * What of a program no box has, beside its record: another machine, the machine's services, other processes, root, the user's own
 * settings and keys. And which programs fetch from hosts, or stay when their command has ended. A program that isn't listed is run
 * in the box like any other: what it lacks there, it doesn't get.
 */

/** With these words, with words that hold a match of this, or always. */
type When = true | RegExp | ((args: readonly Word[]) => boolean);

const named = (when: When, names: string): [string, When][] => names.split(/\s+/).map((name) => [name, when]);

/** The words behind the program without the options in front of them, joined: what a pattern for a subcommand is tested on. */
function subcommandText(args: readonly Word[]): string {
  const texts = args.map(({ text }) => text);
  const first = texts.findIndex((text) => !text.startsWith("-"));
  return first === -1 ? texts.join(" ") : texts.slice(first).join(" ");
}

function holds(when: When | undefined, args: readonly Word[]): boolean {
  if (when === undefined || when === true) return when === true;
  return typeof when === "function" ? when(args) : when.test(subcommandText(args));
}

/** `env`, `export -p`: what they list is the user's own environment. */
const listsEnvironment = (args: readonly Word[]): boolean => args.every(({ text }) => /^-[p0]$|^--null$/.test(text));
const HOST = /^(?:[^@/:\s]+@)?[\w.-]+::?|^(?:rsync|ssh|sftp):\/\//;
const namesHost = (args: readonly Word[]): boolean => args.some(({ text }) => !text.startsWith("-") && HOST.test(text));

/** A package that is installed for the user, or a registry's account. */
const REGISTRY_ACCOUNT =
  /^(?:publish|unpublish|deprecate|login|logout|adduser|add-user|whoami|token|owner|access|org|team|profile|star|hook|dist-tag|link|unlink|ln|trust)\b|^(?:config|c) (?:set|delete|edit)\b|^set\b/;
const forUser =
  (options: RegExp, subcommands: RegExp): When =>
  (args) =>
    subcommands.test(subcommandText(args)) || args.some(({ text }) => options.test(text));

const OUTSIDE: ReadonlyMap<string, When> = new Map([
  // Another machine, with the user's keys.
  ...named(
    true,
    "ssh scp sftp sshfs mosh autossh ssh-add ssh-copy-id ssh-keyscan telnet ftp lftp nc ncat netcat socat",
  ),
  ...named(namesHost, "rsync"),
  ...named(
    true,
    "gh glab aws gcloud az gsutil doctl flyctl linode-cli hcloud vercel netlify railway scw ibmcloud heroku",
  ),
  ...named(true, "firebase wrangler supabase rclone terraform tofu terragrunt pulumi cdk cdktf serverless sls eksctl"),
  ...named(true, "ansible ansible-playbook kubectl oc helm k3s minikube k9s vagrant virsh"),
  ...named(
    true,
    "mysqladmin mysql mariadb mongosh mongo redis-cli valkey-cli clickhouse-client cqlsh sqlcmd snowsql bq",
  ),
  ...named(true, "psql pg_dump pg_restore createdb dropdb createuser dropuser"),
  ...named(true, "mailx sendmail msmtp mutt swaks"),
  ...named(true, "ping ping6 traceroute dig nslookup whois nmap tcpdump arp ifconfig iptables nft netstat ss"),
  // The machine's services, its other processes and its devices.
  ...named(true, "docker podman nerdctl docker-compose podman-compose buildah skopeo colima lima limactl"),
  ...named(true, "systemctl service journalctl loginctl launchctl busctl gdbus dbus-send systemd-run systemd-inhibit"),
  ...named(true, "dmesg sysctl mount umount losetup modprobe lsblk fdisk parted hdparm smartctl"),
  ...named(true, "ps lsof top htop btop fuser pidof pgrep pstree xkill skill killall5 nsenter chroot"),
  ...named(true, "shutdown reboot poweroff halt init telinit"),
  ...named(true, "notify-send xdg-open xclip xsel wl-copy wl-paste pbcopy pbpaste osascript"),
  // Another user's rights.
  ...named(true, "sudo su doas pkexec runuser run0 sg gosu su-exec useradd userdel usermod deluser chsh"),
  // What is installed for the machine or the user.
  ...named(true, "apt apt-get aptitude dpkg dnf yum rpm zypper pacman brew snap flatpak apk emerge nix nix-env"),
  ...named(true, "rustup nvm fnm volta asdf mise corepack pipx conda mamba"),
  ...named(forUser(/^(?:-g|--global|--location=global)$/, REGISTRY_ACCOUNT), "npm pnpm yarn bun"),
  ...named(forUser(/^--user$/, /^config (?:set|unset|edit)\b/), "pip pip3"),
  ...named(forUser(/^--system$/, /^(?:publish|tool|self|python)\b/), "uv"),
  ...named(/^(?:publish|login|logout|owner|yank|install|uninstall)\b/, "cargo"),
  ...named(/^(?:install|env -[wu])\b/, "go"),
  ...named(/^(?:publish|self|config)\b/, "poetry hatch flit pdm"),
  ...named(/^(?:push|signin|owner|install)\b/, "gem"),
  ...named(true, "twine"),
  ...named(/^nuget push\b|^tool install\b/, "dotnet"),
  // The user's keys and sessions.
  ...named(true, "gpg gpg2 gpg-agent ssh-agent ssh-keygen secret-tool keyctl tmux screen"),
  ...named(true, "claude codex gemini"),
  ...named(listsEnvironment, "env printenv export declare typeset"),
  ...named((args) => args.length === 0, "set"),
  ...named(true, "printenv"),
]);

const VARIABLE = /^[A-Za-z_]\w*$/;

/** True if it prints the environment: in a box that is what the box lets in, without tokens and keys. */
export function printsEnvironment(name: string, args: readonly Word[]): boolean {
  if (name === "printenv" && args.every(({ text }) => VARIABLE.test(text))) return true;
  return (name === "env" || name === "printenv" || name === "export") && listsEnvironment(args);
}

/** True if it prints the environment, or all variables of the shell with it. */
export function printsVariables(name: string, args: readonly Word[]): boolean {
  if (name === "set") return args.length === 0;
  return printsEnvironment(name, args) || ((name === "declare" || name === "typeset") && listsEnvironment(args));
}

/** They end processes: in a box only those of their own line. */
const ENDS_PROCESSES: ReadonlySet<string> = new Set(["kill", "pkill", "killall"]);

const PACKAGES =
  /^(?:i|in|ins|install|ci|clean-install|install-test|it|add|update|up|upgrade|outdated|audit|view|info|show|search|dedupe|init|create|dlx|x|exec|fund|pack|rebuild|import|fetch|why)\b/;
const PYTHON_PACKAGES =
  /^(?:install|download|wheel|index|search|sync|add|lock|update|upgrade|remove|init|create|build)\b/;
/** `python3 -m pip install`. */
const pipAsModule = (args: readonly Word[]): boolean => {
  const at = args.findIndex(({ text }) => text === "-m");
  return at !== -1 && args[at + 1]?.text === "pip" && PYTHON_PACKAGES.test(subcommandText(args.slice(at + 2)));
};
const ONLY_ASKS = /^(?:version|help|--version|-V|--help|-h|fmt|locate-project|env|metadata --no-deps)\b/;
const unlessAsked: When = (args) => args.length > 0 && !ONLY_ASKS.test(args.map(({ text }) => text).join(" "));

const NETWORK: ReadonlyMap<string, When> = new Map([
  ...named(true, "curl wget wget2 aria2c axel http https xh lynx w3m grpcurl"),
  ...named(PACKAGES, "npm pnpm bun"),
  ...named((args) => args.length === 0 || PACKAGES.test(subcommandText(args)), "yarn"),
  ...named(PYTHON_PACKAGES, "pip pip3 poetry pdm hatch pipenv"),
  ...named(pipAsModule, "python python3 py"),
  ...named(unlessAsked, "uv uvx cargo go"),
  ...named(/^(?:install|add|cache|run|test|outdated)\b/, "deno"),
  ...named(/^(?:install|update|add|outdated)\b/, "bundle"),
  ...named(/^(?:install|update|fetch|outdated|info|list -r)\b/, "gem"),
  ...named(/^(?:install|update|require|create-project|outdated|show -a)\b/, "composer"),
  ...named(unlessAsked, "mvn mvnw gradle gradlew sbt cabal stack"),
  ...named(/^(?:restore|build|test|run|publish|add|tool|new)\b/, "dotnet"),
  ...named(/^(?:deps\.get|deps\.update|local\.)/, "mix"),
  ...named(/^(?:pub )?(?:get|upgrade|add|outdated)\b/, "dart flutter"),
  ...named(/^(?:build|test|run|package)\b/, "swift"),
  ...named(/^(?:install|install-deps)\b/, "playwright puppeteer"),
  ...named(/^(?:fetch|pull)\b/, "git-lfs"),
]);

/** What they start, or become, continues when their command has ended. */
const STAYS: ReadonlySet<string> = new Set(
  "nohup setsid disown daemonize start-stop-daemon dtach abduco at batch crontab pm2 forever".split(" "),
);

/** The names of all of them. */
export const BOX_PROGRAM_NAMES: readonly string[] = [...OUTSIDE.keys(), ...ENDS_PROCESSES, ...NETWORK.keys(), ...STAYS];

/** True if a program, asked for this, needs what no box has; to say which version it is it needs nothing. */
export function needsTheMachine(name: string, args: readonly Word[]): boolean {
  const [only] = args;
  if (args.length === 1 && only?.text === "--version") return false;
  return holds(OUTSIDE.get(name), args);
}

/** True if whatever a wrapper of this name runs needs what no box has. */
export function wrapsTheMachine(name: string): boolean {
  return OUTSIDE.get(name) === true;
}

/** True if it ends processes. */
export function endsProcesses(name: string): boolean {
  return ENDS_PROCESSES.has(name);
}

/** True if it ends processes, or waits for those that its shell has started. */
export function endsOrAwaits(name: string): boolean {
  return ENDS_PROCESSES.has(name) || name === "wait";
}

/** True if a program, asked for this, fetches from hosts. */
export function usesNetwork(name: string, args: readonly Word[]): boolean {
  return holds(NETWORK.get(name), args);
}

/** True if what it runs, or it itself, continues when the command has ended. */
export function outlivesCommand(name: string): boolean {
  return STAYS.has(name);
}
