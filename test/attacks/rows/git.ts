import type { Entry } from "../row.ts";
import { CODE, commands, section, write } from "../row.ts";
import { repository, type World } from "../world.ts";

/** C6: git runs what its settings name, and finds its settings in many places. */

const MONITOR = "[core]\n\tfsmonitor = touch pwned\n";

/** A repository with more in it. */
const repositoryWith = (more: (world: World) => void): Partial<Entry> => ({
  prepare: (world) => {
    repository(world);
    more(world);
  },
});

const settings = (...pairs: (readonly [string, string])[]) =>
  repositoryWith((world) => {
    for (const [key, value] of pairs) world.git("proj", "config", key, value);
  });

const submodule = repositoryWith((world) => {
  world.put("proj/sub/b.txt");
  world.git("proj/sub", "init", "-q");
  world.git("proj/sub", "add", "b.txt");
  world.git("proj/sub", "commit", "-q", "-m", "one");
  world.git("proj", "add", "sub");
  world.git("proj/sub", "config", "core.fsmonitor", "touch pwned");
});

const bare: Partial<Entry> = {
  prepare: (world) => {
    world.put("proj/evil/HEAD", "ref: refs/heads/main\n");
    world.put("proj/evil/objects/x");
    world.put("proj/evil/refs/x");
    world.put("proj/evil/config", `${MONITOR}\tworktree = .\n`);
  },
};

const attributes = (...pairs: (readonly [string, string])[]) =>
  repositoryWith((world) => {
    for (const [key, value] of pairs) world.git("proj", "config", key, value);
    world.put("proj/.gitattributes", "* diff=x filter=x merge=x\n");
  });

const one = (why: string, command: string, more: Partial<Entry>): Entry => ({ ...more, command, why });

const GIT_FILES = [
  "{home}/proj/.git/config",
  "{home}/proj/.git/config.worktree",
  "{home}/proj/.git/commondir",
  "{home}/proj/.git/HEAD",
  "{home}/proj/.git/hooks/pre-commit",
  "{home}/proj/.git/info/attributes",
  "{home}/proj/.git/objects/info/alternates",
  "{home}/proj/.git/modules/sub/config",
  "{home}/proj/sub/.git/config",
  "{home}/proj/sub/.git",
  "{home}/proj/.gitmodules",
  "{home}/proj/.gitattributes",
  "{home}/proj/src/.gitattributes",
] as const;

export const GIT = section("C6", CODE, [
  one("diff.x.command", "git diff", attributes(["diff.x.command", "touch pwned"])),
  one(
    "a missing object is fetched by the promisor's program",
    "git show 1111111111111111111111111111111111111111",
    settings(
      ["extensions.partialClone", "origin"],
      ["remote.origin.promisor", "true"],
      ["remote.origin.url", "."],
      ["remote.origin.uploadpack", "touch pwned"],
    ),
  ),
  one(
    "core.alternateRefsCommand",
    "git log --alternate-refs",
    repositoryWith((world) => {
      world.git("proj", "config", "core.alternateRefsCommand", "touch pwned");
      world.put("proj/.git/objects/info/alternates", `${world.proj}/.git/objects\n`);
    }),
  ),
  one(
    "config.worktree",
    "git status",
    repositoryWith((world) => {
      world.git("proj", "config", "extensions.worktreeConfig", "true");
      world.put("proj/.git/config.worktree", MONITOR);
    }),
  ),
  one(
    "commondir",
    "git status",
    repositoryWith((world) => {
      world.put("proj/.git/commondir", "../evil\n");
      world.put("proj/evil/config", MONITOR);
    }),
  ),
  one("a submodule's own settings", "git status", submodule),
  one("a submodule's own settings", "git diff", submodule),
  one("a bare repository under any name", "cd evil && git status", bare),
  one("a bare repository under any name", "git -C evil status", bare),
  one("a bare repository as the working directory", "git status", { ...bare, cwd: "proj/evil" }),
  one("core.fsmonitor", "git status", settings(["core.fsmonitor", "touch pwned"])),
  one("core.hooksPath", "git status", settings(["core.hooksPath", "src"])),
  one("include.path", "git status", settings(["include.path", "../evil.txt"])),
  one("filter.x.clean", "git status", attributes(["filter.x.clean", "touch pwned"])),
  one("diff.x.textconv", "git diff", attributes(["diff.x.textconv", "touch pwned"])),
  one("diff.external", "git diff", settings(["diff.external", "touch pwned"])),
  one("an alias", "git st", settings(["alias.st", "!touch pwned"])),
  one("a pager of one command", "git log", settings(["pager.log", "touch pwned"])),
  one("core.sshCommand", "git fetch", settings(["core.sshCommand", "touch pwned"])),
  one("core.worktree elsewhere", "git status", settings(["core.worktree", "../../other"])),
  one("a .git file that leads elsewhere", "git status", {
    prepare: (world) => world.put("proj/.git", "gitdir: evil\n"),
  }),
  one(
    "a hook",
    "git commit -m x",
    repositoryWith((world) => world.put("proj/.git/hooks/pre-commit", "touch pwned\n")),
  ),
  one(
    "the user's own settings",
    "git status",
    repositoryWith((world) => world.put(".gitconfig", MONITOR)),
  ),
  one(
    "the user's own settings, where XDG puts them",
    "git status",
    repositoryWith((world) => world.put(".config/git/config", MONITOR)),
  ),
  ...GIT_FILES.map((path): Entry => ({ call: write(path), why: "git reads it and runs what it names" })),
  ...["config", "HEAD"].map(
    (name): Entry => ({ ...bare, call: write(`{home}/proj/evil/${name}`), why: "beside objects and refs" }),
  ),
  ...commands("git reads it and runs what it names, whatever writes it", [
    "cp a.txt .git/config",
    "echo '* diff=x' >> .gitattributes",
    "mv evil.txt .git/hooks/pre-commit",
    "cp -r x .git",
    "tee .gitmodules",
  ]),
]);
