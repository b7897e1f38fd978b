import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { boxArguments } from "../../../main/box/arguments/bubblewrap.ts";
import { projectFolder } from "../../../main/box/arguments/caches.ts";
import { limitCommands } from "../../../main/box/arguments/limits.ts";
import { findMachine, type Machine } from "../../../main/box/arguments/machine.ts";
import { mountChecks } from "../../../main/box/arguments/mounts.ts";
import { configSchema } from "../../../main/config/config.ts";
import type { Declaration } from "../../../main/decide/confinement/declaration.ts";
import { getsIn, isKept } from "../../../main/decide/confinement/environment.ts";
import { hasProgram } from "../../support/boxes.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const CONFIG = configSchema.parse({}).box;
const NOTHING_FOUND = { run_later: [], secrets: [] };

interface Place {
  folder: string;
  home: string;
  project: string;
  machine: Machine;
}

/** A home with a project in it; `files` are made in the home, those ending in `/` as folders. */
function place(files: readonly string[] = [], env: Record<string, string> = {}): Place {
  const folder = tempFolder();
  const home = join(folder, "home");
  const project = join(home, "project");
  mkdirSync(project, { recursive: true });
  for (const file of files) make(join(home, file));
  const stateDir = join(home, ".local/state/metnos");
  const machine = findMachine({
    env: { PATH: "/usr/bin", HOME: home, ...env },
    home,
    config: CONFIG,
    state_dir: stateDir,
  });
  return { folder, home, project, machine };
}

function make(path: string): void {
  mkdirSync(path.endsWith("/") ? path : join(path, ".."), { recursive: true });
  if (!path.endsWith("/")) writeFileSync(path, "", { mode: 0o755 });
}

function declare(project: string, rest: Partial<Declaration> = {}): Declaration {
  return { project, cwd: project, reads: [], writes: [], network: false, ...rest };
}

/** What a box shows at each place, in the order in which it is put there: `rw`, `ro`, `memory`. */
function shown(args: readonly string[]): string[] {
  return args.flatMap((word, index) => {
    const [one = "", other = ""] = args.slice(index + 1);
    if (word === "--bind") return [`rw ${other}`];
    if (word === "--ro-bind") return [`ro ${other}${one === other ? "" : " covered"}`];
    return word === "--tmpfs" ? [`memory ${one}`] : [];
  });
}

const shownBelow = (args: readonly string[], folder: string): string[] =>
  shown(args).filter((line) => line.split(" ")[1]?.startsWith(folder));

describe("a box's arguments", () => {
  it("lead pnpm to the project's store by a link, and by a variable that npm warns of only where pnpm's own folder is shown", () => {
    const [without, shownFolder] = [place(), place([".local/share/pnpm/pnpm"])];
    const words = ({ machine, project }: Place) => boxArguments(declare(project), machine, NOTHING_FOUND);
    const link = `--symlink ${without.home}/.cache/pnpm-store ${without.home}/.local/share/pnpm/store`;
    expect(words(without).join(" ")).toContain(link);
    expect(words(without)).not.toContain("npm_config_store_dir");
    expect(words(shownFolder).join(" ")).toContain(
      `--setenv npm_config_store_dir ${shownFolder.home}/.cache/pnpm-store`,
    );
    expect(words(shownFolder).join(" ")).not.toContain("pnpm/store ");
  });

  it("hide the home behind an empty folder, and show the project in it", () => {
    const { machine, home, project } = place();
    const args = boxArguments(declare(project), machine, NOTHING_FOUND);
    const places = shownBelow(args, home);
    expect(args.join(" ")).toMatch(new RegExp(`--perms 0555 --size \\d+ --tmpfs ${home} `));
    expect(places).toContain(`rw ${project}`);
    expect(places.filter((line) => line.startsWith("ro"))).toEqual([`ro ${home}/.gitconfig covered`]);
  });

  it("unshare everything, drop every capability and end with the launcher", () => {
    const { machine, project } = place();
    const args = boxArguments(declare(project), machine, NOTHING_FOUND);
    expect(args).toEqual(
      expect.arrayContaining(["--unshare-all", "--disable-userns", "--die-with-parent", "--new-session"]),
    );
    expect(args.join(" ")).toContain("--cap-drop ALL");
  });

  it("cover what may be written with what is run later, on its hidden folder, and leave nothing else", () => {
    const { machine, project, home } = place(["project/.vscode/settings.json", "project/lefthook.yml", "other/.envrc"]);
    const runLater = [
      join(project, ".vscode/settings.json"),
      join(project, "lefthook.yml"),
      join(home, "other/.envrc"),
    ];
    const places = shownBelow(
      boxArguments(declare(project), machine, { run_later: runLater, secrets: [] }),
      `${project}`,
    );
    expect(places).toEqual([
      `rw ${project}`,
      `rw ${project}/.vscode`,
      `ro ${project}/lefthook.yml`,
      `ro ${project}/.vscode/settings.json`,
    ]);
  });

  it("keep a repository's settings and hooks, its submodules' and its worktrees'", () => {
    const parts = [
      "config",
      "hooks/",
      "info/attributes",
      "modules/libs/one/config",
      "modules/libs/one/HEAD",
      "worktrees/a/gitdir",
    ];
    const { machine, project } = place(["HEAD", "objects/", ...parts].map((name) => `project/.git/${name}`));
    const places = shownBelow(boxArguments(declare(project), machine, NOTHING_FOUND), `${project}/`);
    expect(places[0]).toBe(`rw ${project}/.git`);
    expect(new Set(places.slice(1))).toEqual(
      new Set(
        ["config", "hooks", "info/attributes", "modules/libs/one/config", "worktrees/a/gitdir"].map(
          (name) => `ro ${project}/.git/${name}`,
        ),
      ),
    );
  });

  it("cover secrets, but not one that a grant names", () => {
    const { machine, project } = place(["project/.env", "project/api/.env"]);
    const secrets = [join(project, ".env"), join(project, "api/.env")];
    const declaration = declare(project, { reads: [join(project, "api/.env")] });
    const places = shownBelow(boxArguments(declaration, machine, { run_later: [], secrets }), `${project}/`);
    expect(places).toEqual([`ro ${project}/.env covered`]);
  });

  it("show what may be read and written outside of it, outer folders first", () => {
    const { machine, project, home } = place([
      "data/",
      "data/inner/",
      "tree/.git/HEAD",
      "tree/.git/objects/",
      "tree/.git/config",
    ]);
    const declaration = declare(project, {
      reads: [join(home, "data")],
      writes: [join(home, "data/inner"), join(home, "tree/.git")],
    });
    const places = shownBelow(boxArguments(declaration, machine, NOTHING_FOUND), home).filter((line) =>
      /data|tree/.test(line),
    );
    expect(places).toEqual([
      `ro ${home}/data`,
      `rw ${home}/data/inner`,
      `rw ${home}/tree/.git`,
      `ro ${home}/tree/.git/config`,
    ]);
  });

  it("make the links that lead to the project", () => {
    const { machine, project, home } = place();
    symlinkSync(project, join(home, "link"));
    const args = boxArguments(declare(project, { cwd: join(home, "link") }), machine, NOTHING_FOUND);
    expect(args.join(" ")).toContain(`--symlink ${project} ${home}/link`);
    expect(args.slice(-2)).toEqual(["--chdir", join(home, "link")]);
  });

  it("cover the gate's own files where a folder above them may be read", () => {
    const { machine, project, home } = place();
    const declaration = declare(project, { reads: [join(home, ".local")] });
    const places = shownBelow(boxArguments(declaration, machine, NOTHING_FOUND), join(home, ".local"));
    expect(places).toEqual([`ro ${home}/.local`, `ro ${home}/.local/state/metnos covered`]);
  });

  it("show what the configuration lets every box read, but never the home, a folder above it or the gate's", () => {
    const { home, project, machine: found } = place(["data/"]);
    const [stateDir = ""] = found.gateFolders;
    const reads = [join(home, "data"), home, "/", stateDir, "/proc/1", join(home, "gone")];
    const machine = findMachine({ env: { HOME: home }, home, config: { ...CONFIG, reads }, state_dir: stateDir });
    expect(machine.reads).toEqual([join(home, "data")]);
    expect(shown(boxArguments(declare(project), machine, NOTHING_FOUND))).toContain(`ro ${home}/data`);
  });

  it("are refused for a file to be read that has become a link, whatever it was when that was allowed", () => {
    const { machine, project, home } = place(["data/a.csv", "data/b.csv"]);
    const declaration = declare(project, { reads: [join(home, "data/a.csv")] });
    expect(shown(boxArguments(declaration, machine, NOTHING_FOUND))).toContain(`ro ${home}/data/a.csv`);
    rmSync(join(home, "data/a.csv"));
    symlinkSync("b.csv", join(home, "data/a.csv"));
    expect(() => boxArguments(declaration, machine, NOTHING_FOUND)).toThrow(/can't be shown in a box/);
  });

  it.each([
    ["the root", () => declare("/")],
    ["the home", ({ home }: Place) => declare(home)],
    ["a folder above the home", ({ folder }: Place) => declare(folder)],
    ["the gate's folder", ({ home }: Place) => declare(join(home, ".local/state/metnos/box"))],
    ["a folder above the gate's", ({ home }: Place) => declare(join(home, ".local/state"))],
    ["the system's settings", () => declare("/etc")],
    ["the system's programs", () => declare("/usr/lib")],
    ["the folder of everybody's temporary files", () => declare("/tmp")],
    ["devices", () => declare("/dev")],
    ["processes", ({ project }: Place) => declare(project, { reads: ["/proc/1"] })],
    ["a socket of the session", ({ project }: Place) => declare(project, { reads: ["/run/user"] })],
    ["the home to be read", ({ project, home }: Place) => declare(project, { reads: [home] })],
    [
      "the gate's folder to be read",
      ({ project, home }: Place) => declare(project, { reads: [join(home, ".local/state/metnos/agents")] }),
    ],
  ] as const)("are refused for %s", (_, declaration) => {
    const made = place();
    expect(() => boxArguments(declaration(made), made.machine, NOTHING_FOUND)).toThrow(/can't be shown in a box/);
  });
});

describe("toolchains", () => {
  const toolchainsOf = (files: readonly string[], path: readonly string[] = [], env: Record<string, string> = {}) => {
    const { machine, home } = place(files, {});
    const PATH = ["/usr/bin", ...path.map((folder) => join(home, folder))].join(":");
    const found = findMachine({
      env: { PATH, HOME: home, ...env },
      home,
      config: CONFIG,
      state_dir: machine.gateFolders[0] ?? "",
    });
    return found.toolchains.paths.map((folder) => folder.replace(home, "~"));
  };

  it.each([
    ["nvm's, wherever PATH leads", [".nvm/versions/node/v24/bin/node"], [], ["~/.nvm"]],
    [
      "cargo's programs, not its passwords",
      [".cargo/bin/cargo", ".cargo/credentials.toml", ".cargo/config.toml"],
      [".cargo/bin"],
      ["~/.cargo/bin"],
    ],
    [
      "a PATH entry with what belongs to it",
      ["apps/jdk/bin/java", "apps/jdk/lib/a", "apps/jdk/notes"],
      ["apps/jdk/bin"],
      ["~/apps/jdk/bin", "~/apps/jdk/lib"],
    ],
    ["not the home, though it is on PATH", ["tool"], ["", "."], []],
    ["not a folder with a key in it", ["tools/bin/x", "keys/id_rsa", ".ssh/config"], ["keys", ".ssh"], []],
    ["not a project's own programs", ["web/node_modules/.bin/x"], ["web/node_modules/.bin"], []],
    ["not what lies in a cache", [".cache/tool/bin/x"], [".cache/tool/bin"], []],
    [
      "not what lies beside a working copy's programs",
      ["work/bin/x", "work/lib/a", "work/.git/HEAD"],
      ["work/bin"],
      ["~/work/bin"],
    ],
  ] as const)("are found: %s", (_, files, path, expected) => {
    expect(toolchainsOf(files, path)).toEqual(expected);
  });

  it("are followed along the links among a user's programs", () => {
    const { machine, home } = place([
      ".local/share/tool/versions/2/tool",
      ".local/lib/node_modules/a/cli.js",
      "secret/id_rsa",
    ]);
    mkdirSync(join(home, ".local/bin"));
    symlinkSync(join(home, ".local/share/tool/versions/2/tool"), join(home, ".local/bin/tool"));
    symlinkSync(join(home, "secret/id_rsa"), join(home, ".local/bin/key"));
    const env = { PATH: "/usr/bin", HOME: home };
    const found = findMachine({ env, home, config: CONFIG, state_dir: machine.gateFolders[0] ?? "" });
    expect(found.toolchains.paths).toEqual(
      [".local/bin", ".local/lib", ".local/share/tool/versions/2/tool"].map((name) => join(home, name)),
    );
  });
});

describe("the environment of a box", () => {
  it.each([
    ["PATH", true],
    ["LC_ALL", true],
    ["GIT_AUTHOR_NAME", true],
    ["CARGO_HOME", true],
    ["PYTHONPATH", true],
    ["MISE_GITHUB_TOKEN", false],
    ["ASDF_GITHUB_PAT", false],
    ["MISE_PAT", false],
    ["PYTHON_DSN", false],
    ["PYTHONPATH", true],
    ["UV_PYTHON_AUTH", false],
    ["VITEST_api_key", false],
    ["AWS_ACCESS_KEY_ID", false],
    ["ANTHROPIC_API_KEY", false],
    ["SSH_AUTH_SOCK", false],
    ["DBUS_SESSION_BUS_ADDRESS", false],
    ["DISPLAY", false],
    ["LD_PRELOAD", false],
    ["BASH_ENV", false],
    ["METNOS_GATE_SOCKET", false],
    ["DATABASE_PASSWORD", false],
    ["ASKED_FOR_TOKEN", true],
  ] as const)("%s: %s", (name, expected) => {
    expect(isKept(name, ["ASKED_FOR_TOKEN"])).toBe(expected);
  });

  it.each([
    ["MISE_REGISTRY", "https://me:secret@host/simple", false],
    ["CMAKE_ARGS", "-DA=1 -DURL=http://me:secret@host:80/x", false],
    ["PYTHON_INDEX", "https://ghp_0123456789@git.example.org/a/b", false],
    ["DEBUG", "https://:secret@host", false],
    ["ASKED_FOR", "https://me:secret@host", true],
    ["MISE_REGISTRY", "https://host:8443/me@x", true],
    ["GIT_AUTHOR_EMAIL", "me@example.com", true],
    ["DEBUG", "ssh://git@host/a", true],
  ] as const)("by a password or a token in a URL of its value: %s=%s: %s", (name, value, expected) => {
    expect(getsIn(name, value, ["ASKED_FOR"])).toBe(expected);
  });
});

describe("limits", () => {
  it("are words of ulimit; processes only where the kernel counts those of the box alone", () => {
    expect(limitCommands(CONFIG, "6.1.0")).toContain("ulimit -d 8388608; ulimit -f 4194304; ");
    expect(limitCommands(CONFIG, "5.14.0-rc1")).toContain("ulimit -u 1024");
    expect(limitCommands(CONFIG, "5.10.0-44")).not.toContain("ulimit -u");
  });
});

describe("the comparison of mounts", () => {
  const TABLE = [
    "20 1 254:0 / / rw - ext4 /dev/vda rw",
    "21 20 0:30 /@home /home rw - btrfs /dev/vdb rw",
    "22 21 0:31 /a\\040b /home/u/my\\040disk rw - ext4 /dev/vdc rw",
  ].join("\n");

  it("names file system and place of what may be written and what lies in it", () => {
    const args = [
      ..."--ro-bind /usr /usr --bind /gate/caches/npm /home/u/.npm --bind /home/u/p /home/u/p".split(" "),
      ...[
        "--ro-bind",
        "/home/u/p/.git/config",
        "/home/u/p/.git/config",
        "--ro-bind",
        "/gate/empty",
        "/home/u/p/it's.env",
      ],
      ...["--bind", "/home/u/my disk/x", "/home/u/my disk/x"],
    ];
    const checks = mountChecks(args, [], TABLE);
    const [, words] = /for mount in (.*); do/.exec(checks) ?? [];
    expect(words).toBe(
      [
        "' 0:30 /@home/u/p /home/u/p '",
        "' 0:30 /@home/u/p/.git/config /home/u/p/.git/config '",
        "' 254:0 /gate/empty /home/u/p/it'\\''s.env '",
        "' 0:31 /a\\040b/x /home/u/my\\040disk/x '",
      ].join(" "),
    );
  });
});

it("what only some may read of the system's settings is covered", () => {
  const { machine } = place();
  const covered = machine.system.hidden.map(({ path }) => path);
  expect(covered.includes("/etc/shadow")).toBe(process.getuid?.() === 0);
  for (const path of covered) expect(statSync(path).mode & 0o004).toBe(0);
});

it.skipIf(process.env.CI !== "true" && !hasProgram("bwrap"))(
  "so is what services keep in Homebrew's folder of the machine",
  () => {
    const brew = "/home/linuxbrew/.linuxbrew";
    const found = fileURLToPath(new URL("../../../main/box/arguments/system-folders.ts", import.meta.url));
    const make = `mkdir -p ${brew}/bin ${brew}/var/log ${brew}/etc; mkdir -m 700 ${brew}/var/postgres; echo x >${brew}/var/postgres/a`;
    const program = `const { systemFolders } = await import("${found}"); console.log(JSON.stringify(systemFolders().hidden));`;
    const words = ["--bind", "/", "/", "--dev", "/dev", "--tmpfs", "/home", "sh", "-ec", `${make}; "$@"`, "sh"];
    const node = [process.execPath, "--input-type=module", "-e", program];
    const hidden = execFileSync("bwrap", [...words, ...node], { encoding: "utf8" });
    expect(JSON.parse(hidden)).toContainEqual({ path: `${brew}/var/postgres`, is_folder: true });
  },
);

it("of a Homebrew in the home nothing is shown that services keep there", () => {
  const { machine, home } = place([".linuxbrew/bin/tool", ".linuxbrew/Cellar/a/bin/a", ".linuxbrew/var/postgres/a"]);
  const shown = machine.toolchains.paths.filter((path) => path.startsWith(`${home}/.linuxbrew`));
  expect(shown).toEqual([join(home, ".linuxbrew/Cellar"), join(home, ".linuxbrew/bin")]);
});

it("what a project's runs keep is its owner's alone, and no other project's", () => {
  const { machine, project, home } = place(["other/"]);
  const kept = [project, join(home, "other")].map((one) => {
    boxArguments(declare(one), machine, NOTHING_FOUND);
    return projectFolder(machine.boxFolder, one);
  });
  expect(kept[0]).not.toBe(kept[1]);
  for (const folder of [machine.boxFolder, ...kept]) expect(statSync(folder).mode & 0o777).toBe(0o700);
});
