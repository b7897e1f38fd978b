import { execFileSync } from "node:child_process";
import { appendFileSync, closeSync, ftruncateSync, mkdirSync, openSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { holdLeases } from "../support/file-leases.ts";
import { entrySize, indexOf } from "../support/git-index.ts";

/** What a hostile agent may leave in its project, and what it then asks for there, as fast as it is answered. */

export interface Situation {
  name: string;
  /** Makes it in an empty repository. @returns what is printed of it */
  make(project: string): unknown;
  /** Its lines; `touch` and `sh` beside them in each situation. */
  lines: readonly string[];
  /** Files that it reads, writes and edits by its client's own tools. */
  files?: readonly string[];
  /** Below the project. */
  cwd?: string;
}

/** By a command, as a process of the agent's would. */
function python(script: string, ...args: readonly string[]): string {
  return execFileSync("python3", ["-c", `import os, socket, stat, sys, time\n${script}`, ...args], {
    encoding: "utf8",
  });
}

function write(project: string, files: Readonly<Record<string, string | Buffer>>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(project, name)), { recursive: true });
    writeFileSync(join(project, name), content);
  }
}

const GIT = ["git status --short", "git add .", "git commit -qam x", "git checkout -- .", "git diff HEAD"];
const SCRIPTS = ["npm test", "npm run build", "make all", "make -f Makefile.x", "node x.js", "./x.sh", "npx vitest"];
const DELETING = ["rm -rf .", "rm -rf wide", "rm *", "git clean -fdx", "find . -delete", "mv wide other"];
const LOOKING = ["ls", "ls -R", "grep -rn needle .", "cat *", "cat $(ls)", "find . -name '*.ts'", "rg needle", "ls *"];
const KEPT = ["package.json", "Makefile", ".env", ".git/config", ".git/index", ".gitignore", ".gitattributes"];

/** Folders with one entry each in the place of what is usually read: what `make` puts there by a name. */
function inPlaceOf(project: string, make: (path: string) => void): void {
  for (const name of [".git", "package.json", "Makefile", ".env", ".gitignore", ".gitattributes", "x.sh"]) {
    const folder = join(project, `of-${name}`);
    mkdirSync(folder);
    make(join(folder, name));
    if (name !== ".git") make(join(project, name));
  }
}

const IN_PLACE = [".git", "package.json", "Makefile", ".env", ".gitignore"].flatMap((name) => [
  `cd of-${name} && git status`,
  `cd of-${name} && npm test`,
  `cd of-${name} && make all`,
  `cd of-${name} && cat ${name}`,
  `rm -r of-${name}`,
]);

const WIDE = 499_000;

/** Names that are made within some seconds: a million where that is all there is time for. */
const MANY_SECONDS = process.env.WHOLE_RUN === "true" ? 60 : 4;
const MANY = 1_000_000;

/** Its user's own, as `os.link` makes them: a thousand names of a file are as many files for whoever looks. */
const MAKE_MANY = `
project, files, seconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
end, made = time.monotonic() + seconds, 0
os.chdir(project)
while made < files and time.monotonic() < end:
    folder = "wide/%d" % (made // 1000)
    os.makedirs(folder)
    open(folder + "/0.ts", "w").close()
    for index in range(1, 1000):
        os.link(folder + "/0.ts", folder + "/%d.ts" % index)
    made += 1000
print(made, end="")
`;

const MAKE_WIDE = `
project, files = sys.argv[1], int(sys.argv[2])
os.makedirs(project + "/wide")
os.chdir(project + "/wide")
open("0", "w").close()
for index in range(1, files):
    os.link("0", "%d" % index)
`;

const MAKE_DEEP = `
os.chdir(sys.argv[1])
for index in range(1900):
    os.mkdir("d")
    os.chdir("d")
    if index % 100 == 0:
        open("package.json", "w").close()
`;

const deepest = (depth: number) => "d/".repeat(depth).slice(0, -1);

const MAKE_CHAINS = `
os.chdir(sys.argv[1])
os.makedirs("d/d")
for index in range(39):
    os.symlink("../../" + "d/../" * 600 + "d/d/chain%d" % (index + 1), "d/d/chain%d" % index)
    os.symlink("../../" + "d/../" * 120 + "d/d/short%d" % (index + 1), "d/d/short%d" % index)
for index in range(2000):
    os.symlink("d/d/%s%d" % ("chain" if index % 2 else "short", index % 39), "l%d" % index)
    if index < 300:
        os.symlink("d/d/chain%d" % (index % 39), "k%d.pem" % index)
os.symlink("loop", "loop")
os.symlink("d/d/chain0", ".env")
os.symlink("d/d/chain1", "package.json")
`;

const LINE_BYTES = 16 * 1024;
const MB = 1024 * 1024;

function sparse(file: string, bytes: number): void {
  const fd = openSync(file, "w");
  ftruncateSync(fd, bytes);
  closeSync(fd);
}

/** Of as many short names as fit. */
function largeIndex(mb: number): Buffer {
  const count = Math.floor((mb * MB - 64) / entrySize("wide/000000"));
  return indexOf(Array.from({ length: count }, (_, index) => `wide/${String(index).padStart(6, "0")}`));
}

/** Of three names that are as long as fits. */
function longNames(mb: number): Buffer {
  return indexOf(["a", "m", "w"].map((letter) => `${letter}/${"x".repeat((mb * MB) / 3)}`));
}

export const SITUATIONS: readonly Situation[] = [
  {
    name: "leases on what is read",
    async make(project) {
      write(project, { "package.json": "{}", Makefile: "all:\n\ttrue\n", ".env": "A=b\n", "x.sh": "true\n" });
      execFileSync("git", ["add", "."], { cwd: project });
      const held = [".git/config", ".git/index", ".git/HEAD", "package.json", "Makefile", ".env", "x.sh"];
      await holdLeases(
        held.map((name) => join(project, name)),
        300,
      );
    },
    lines: [...GIT, ...SCRIPTS, "rm -r x.sh", "cat package.json"],
    files: KEPT,
  },
  {
    name: "pipes and sockets",
    make(project) {
      const paths: string[] = [];
      inPlaceOf(project, (path) => paths.push(path));
      python("for path in sys.argv[1:]: os.mkfifo(path)", ...paths.filter((_, at) => at % 2 === 0));
      python(
        "for path in sys.argv[1:]:\n  os.chdir(os.path.dirname(path))\n  socket.socket(socket.AF_UNIX).bind(os.path.basename(path))",
        ...paths.filter((_, at) => at % 2 === 1),
      );
      python("for index in range(300): os.mkfifo(sys.argv[1] + '/pipe%d' % index)", project);
    },
    lines: [...IN_PLACE, ...SCRIPTS, ...LOOKING],
    files: KEPT,
  },
  {
    name: "devices",
    make(project) {
      // Only root makes one; a link to one is as good.
      const device =
        process.getuid?.() === 0
          ? "os.mknod(path, 0o666 | stat.S_IFCHR, os.makedev(1, 5))"
          : "os.symlink('/dev/zero', path)";
      const [paths, links]: [string[], string[]] = [[], []];
      inPlaceOf(project, (path) => (paths.length > links.length ? links : paths).push(path));
      python(`for path in sys.argv[1:]: ${device}`, ...paths);
      for (const [index, path] of links.entries())
        symlinkSync(["/dev/zero", "/dev/random", "/dev/tty"][index % 3] ?? "", path);
      symlinkSync("/proc/self/fd/0", join(project, "stdin"));
    },
    lines: [...IN_PLACE, ...SCRIPTS, ...LOOKING, "cat stdin", "cp /dev/zero x", "cat /proc/self/mem"],
    files: [...KEPT, "/dev/zero", "/dev/tty", "stdin"],
  },
  {
    name: "1,900 folders in one another",
    make: (project) => python(MAKE_DEEP, project),
    lines: [
      ...GIT,
      ...SCRIPTS,
      ...DELETING,
      ...LOOKING,
      `cat ${deepest(1900)}/package.json`,
      `rm -r ${deepest(1000)}`,
      `ls ${"d/../".repeat(400)}`,
    ],
    files: [`${deepest(1801)}/package.json`, `${deepest(1900)}/${"x/".repeat(100)}y`, `${"d/../".repeat(700)}x`],
    cwd: deepest(1801),
  },
  {
    name: "500,000 names in a folder",
    make: (project) => python(MAKE_WIDE, project, String(WIDE)),
    lines: [
      ...GIT,
      ...DELETING,
      ...LOOKING,
      "cat wide/*",
      "ls wide",
      "touch wide/x",
      "bash wide/*",
      "cp wide/* other",
      "tar cf x.tar wide",
    ],
    files: ["wide", "wide/1"],
  },
  {
    name: "a million files",
    make: (project) => `${python(MAKE_MANY, project, String(MANY), String(MANY_SECONDS))} files`,
    lines: [...GIT, ...DELETING, ...LOOKING, "cat */*", "cat wide/*/1.ts", "touch wide/1/x", "chmod -R 700 ."],
    files: ["wide", "wide/1/1.ts"],
  },
  {
    name: "a git index of 10 MB",
    make: (project) => write(project, { ".git/index": largeIndex(10), "wide/000001": "x", "dir/.env": "a" }),
    lines: [...GIT, "rm -rf wide", "rm wide/000001", "rm -rf .", ...LOOKING, "git rm -r wide", "git ls-files"],
    files: [".env", "dir/.env"],
  },
  {
    name: "a git index of long names",
    make(project) {
      write(project, { ".git/index": longNames(9) });
      for (let index = 0; index < 400; index++) write(project, { [`wide/${index}`]: "x" });
      for (let index = 0; index < 100; index++) write(project, { [`k/${index}/x.pem`]: "-----BEGIN PRIVATE KEY" });
    },
    lines: [...GIT, "rm -rf wide", "rm wide/*", "rm -rf .", ...LOOKING, "git rm -r wide"],
  },
  {
    name: "a git index of 40 MB",
    make: (project) => write(project, { ".git/index": largeIndex(40), "wide/000001": "x", "dir/.env": "a" }),
    lines: [...GIT, "rm -rf wide", "rm wide/000001", "rm -rf .", ...LOOKING, "git rm -r wide", "git ls-files"],
  },
  {
    name: "quadratic patterns and settings",
    make(project) {
      const stars = "*a".repeat(4000);
      const ignored = Array.from({ length: 2000 }, (_, index) => `**/${"*a".repeat(30)}${index}`).join("\n");
      write(project, {
        ".gitignore": `${stars}\n${ignored}\n${"[".repeat(LINE_BYTES)}\n${"\\".repeat(LINE_BYTES)}`,
        ".gitattributes": `${stars} filter=x\n${`${"*a".repeat(30)} filter=x diff=y\n`.repeat(2000)}`,
        "dist/x.js": "",
        [`${"a".repeat(200)}`]: "",
      });
      appendFileSync(
        join(project, ".git/config"),
        `${"[".repeat(60_000)}\n[core]\n${`\tattributesfile = ${"../".repeat(1000)}x\n`.repeat(20)}\t${"a".repeat(40_000)}\n${`[filter "x${" ".repeat(300)}"]\n\tclean = ${"a/b ".repeat(200)}\n`.repeat(60)}${`[url "${"a:".repeat(900)}"]\n\tinsteadOf = ${"a".repeat(900)}\n`.repeat(20)}${`\textraheader ${" ".repeat(900)}\n`.repeat(20)}`,
      );
    },
    lines: [...GIT, "git check-ignore x", "rm -rf dist", ...LOOKING, "git log", "git fetch", "git config -l"],
    files: KEPT,
  },
  {
    name: "chains of links",
    make: (project) => python(MAKE_CHAINS, project),
    lines: [
      ...GIT,
      ...SCRIPTS,
      ...DELETING,
      ...LOOKING,
      "cat l1 l2 l3 l4 l5 l6 l7 l8",
      "cat loop/x",
      `cat ${Array.from({ length: 300 }, (_, index) => `l${index}`).join(" ")}`,
    ],
    files: ["l1", "l2/x", "loop", "package.json", ".env"],
  },
  {
    name: "long words in what may hold passwords",
    make: (project) => {
      const words = ["token-", "password:\n", "a://b:", "secret = \n\n\n", "_auth"];
      const names = ["mcp.json", "database.yml", "appsettings.json", "nuget.config", ".npmrc"];
      for (let folder = 0; folder < 30; folder++)
        for (const [at, name] of names.entries())
          write(project, { [`d${folder}/${name}`]: (words[(folder + at) % words.length] ?? "").repeat(40_000) });
    },
    lines: ["cat d0/*.json", "grep -r x .", "cat $(ls -A)"],
  },
  {
    name: "huge package.json, Makefile and .env",
    make(project) {
      const scripts = Array.from(
        { length: 4000 },
        (_, index) => `"s${index}": "npm run s${index + 1} && make m${index}"`,
      );
      write(project, {
        "package.json": `{"scripts":{"test":"${'sh -c \\"npm run s1\\" && '.repeat(80)}true","build":"${"a ".repeat(900)}",${scripts.join(",")}}}`,
        Makefile: `${"a ".repeat(20_000)}: b\n${Array.from({ length: 8000 }, (_, index) => `m${index}: m${index + 1}\n\t@make m${index + 2}\n`).join("")}all: ${"\\\n".repeat(20_000)}\n\ttrue`,
        "Makefile.x": `${"$(".repeat(60_000)}`,
        ".env": "a-b ".repeat(64 * 1024),
        ".npmrc": "a-b-".repeat(64 * 1024),
        "x.js": Buffer.alloc(8 * MB, "a"),
        "x.sh": `${"cat <<E\n".repeat(4000)}${"((".repeat(4000)}`,
        "wide/x": "",
      });
      sparse(join(project, "huge"), 100 * 1024 * MB);
    },
    lines: [
      ...SCRIPTS,
      ...GIT,
      "cat huge",
      "npm run s1 s2 s3",
      "make m1 m2 m3",
      "bash huge",
      "sh x.sh",
      ". ./x.sh",
      "cat .npmrc",
    ],
    files: [...KEPT, "x.js", "huge", ".npmrc"],
  },
];
