// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what looks like a placeholder is shell
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { needsOfLine } from "../../../packages/shell-reading/clear/line-needs.ts";
import { tempFolderForFile } from "../../support/temp-folder.ts";

/** Each rule by which a line is unclear, beside lines that differ from it in that alone and are clear. */

const HOME = tempFolderForFile();
const PROJECT = join(HOME, "project");
for (const folder of ["src/in", "links", "repository", "bin"]) mkdirSync(join(PROJECT, folder), { recursive: true });
mkdirSync(join(HOME, "other/deep"), { recursive: true });
for (const name of ["a.txt", "b.txt", "src/a.ts", "src/in/b.ts", "bin/cat", "repository/a.txt"])
  writeFileSync(join(PROJECT, name), "x\n");
symlinkSync("../../other", join(PROJECT, "links/out"));
symlinkSync("src", join(PROJECT, "short"));
symlinkSync("../other/deep", join(PROJECT, "far"));
execFileSync("git", ["init", "-q", join(PROJECT, "repository")], {
  env: { PATH: process.env.PATH, HOME, GIT_CONFIG_NOSYSTEM: "1" },
});

type Line = string | readonly string[];

const RULES: Readonly<Record<string, { unclear: readonly Line[]; clear: readonly Line[] }>> = {
  "a cd moves the shell only where every shell runs it in the line's own process": {
    unclear: ["for d in src; do cd src; done", "cd src | cat a.txt"],
    clear: ["cd src && cat a.ts", "cd src; cat a.txt"],
  },
  "shells move by names, programs by links: a folder where both differ isn't known": {
    unclear: ["cd far/.. && cat a.txt", "cd links/out/.. && ls"],
    clear: ["cd short/.. && cat a.txt", "cd src/.. && cat a.txt"],
  },
  "a list of words is what a shell would make of it": {
    unclear: [
      ["cat", "a b.txt"],
      ["cat", "src/*.ts"],
      ["cat", "'a.txt'"],
      ["cat", "a.txt", ";", "ls"],
      ["cat", "a.txt", "|", "wc"],
      ["cat", "a.txt", ">", "b.txt"],
    ],
    clear: [["cat", "a.txt"], "cat src/*.ts", "cat 'a.txt'"],
  },
  "a program that is called by another path may be any": {
    unclear: ["./cat a.txt", "bin/cat a.txt", "/opt/bin/cat a.txt"],
    clear: ["cat a.txt", "/bin/cat a.txt", "/usr/bin/cat a.txt"],
  },
  "what is changed is named in full": {
    unclear: ["rm src/*.ts", "touch src/*.ts", "chmod 644 src/*.ts", "cat a.txt > b*.txt"],
    clear: ["cat src/*.ts", "rm src/a.ts"],
  },
  "a tree is deleted only strictly below the folder that the line begins in": {
    unclear: [
      "rm -r .",
      "rm -r ..",
      "rm -rf /srv/x",
      `rm -rf ${PROJECT}`,
      "rm -r far",
      "rm -r src/..",
      "cd src && rm -r ../../x",
    ],
    clear: ["rm -r src", "rm -rf src/in", "cd src && rm -r ../bin"],
  },
  "the working directory, and what holds it, isn't moved": {
    unclear: [
      `mv ${PROJECT} x`,
      "cd src && mv ../src ../d",
      "cd src/in && mv ../../src ../../d",
      "cd short && mv ../src ../d",
    ],
    clear: ["mv src d", "cd src && mv in d"],
  },
  "a link that is moved leads elsewhere": {
    unclear: ["mv short d", "mv links d", "mv links/out d"],
    clear: ["mv src d", "mv a.txt d"],
  },
  "what is run for names that are found follows the links among them": {
    unclear: ["find links -exec cat {} +", "find links -exec cat {} ';'"],
    clear: ["find links -type f -exec cat {} +", "find src -exec cat {} +"],
  },
  "what is found is called as its starting point: that is no option, no file of words and no variable to any program": {
    unclear: [
      "find @d -type f -exec strings {} +",
      "find @d -type f -exec strings {} ';'",
      "find src @d -type f -exec strings {} +",
      "find @d -type f -print0 | xargs -0 strings",
      "find @d -type f -print0 | xargs -0 -I'{}' strings '{}'",
      ["find", "@d", "-type", "f", "-exec", "strings", "{}", "+"],
      "find a=b -type f -exec awk '{print}' {} +",
      "find s* -type f -exec awk '{print}' {} +",
      "find +d -type f -exec sort {} +",
      "find 2d -type f -exec od {} +",
      "find %d -type f -exec cat {} +",
      "find =d -type f -print0 | xargs -0 cat",
    ],
    clear: [
      "find ./@d -type f -exec strings {} +",
      "find . -type f -exec strings {} +",
      "find -type f -exec strings {} +",
      "find src -type f -print0 | xargs -0 strings",
      "find src/a=b -type f -exec cat {} +",
      "find ./sr* -type f -exec cat {} +",
      `find ${PROJECT}/@d -type f -exec strings {} +`,
      "find @d -type f",
    ],
  },
  "a home folder isn't taken as a whole": {
    unclear: ["grep -r x ~", "cp -r ~ d", "ls -R ~/..", "grep -r x .."],
    clear: ["grep -r x src", "ls ~"],
  },
  "bash opens connections by the names of devices": {
    unclear: ["echo x > /dev/tcp/host/1", "cat < /dev/tcp/host/1", "cat < /dev/../dev/udp/host/1"],
    clear: ["echo x > /dev/null", "cat < /dev/stdin", "echo x > dev"],
  },
  "a host is plain: curl reads addresses from a file, and expands them": {
    unclear: ["curl @list.txt", "curl 'http://a.example\\b'", "curl 'http://{a,b}.example'"],
    clear: ["curl http://a.example/x"],
  },
  "git expands patterns itself": {
    unclear: ["cd repository && git add a*", "cd repository && git log -- a*"],
    clear: ["cd repository && git add a.txt", "cd repository && git log -- a.txt"],
  },
  "git works in a repository that the line hasn't made": {
    unclear: [
      "cp -r repository copy && cd copy && git status",
      "mkdir -p x/objects x/refs && cd repository && git status",
    ],
    clear: ["mkdir x && cd repository && git status"],
  },
  "git looks into what was added, which may be a repository": {
    unclear: ["git -C .. status"],
    clear: ["git -C repository status"],
  },
  "git's own options may name another repository, or a program": {
    unclear: [
      "git --git-dir=repository/.git status",
      "git --work-tree=src status",
      "git -c core.pager=cat -C repository status",
      "git -C repository -c alias.x=y status",
    ],
    clear: ["git -C repository --no-pager status"],
  },
  "of git's subcommands only those are clear that run nothing and whose words are all known": {
    unclear: ["git -C repository clean -n", "git -C repository checkout a.txt", "git -C repository push"],
    clear: ["git -C repository status", "git -C repository log"],
  },
  "git reads no path outside of the repository": {
    unclear: [
      "git -C repository diff --stat ../a.txt b",
      "git -C repository log -- /etc/hosts",
      "git -C repository add ~/x",
    ],
    clear: ["git -C repository diff --stat a.txt"],
  },
  "xargs takes names only from what is printed to the last word": {
    unclear: [
      "echo a.txt > b.txt | xargs cat",
      "cat a.txt | xargs cat",
      "find src -type f -print0 | xargs -0 -I{} -n 2 grep x {}",
      "find src -type f -print0 | xargs -0 -n 2 -I {} grep x {}",
      "echo a.txt | xargs -P 2 cat",
    ],
    clear: ["echo a.txt b.txt | xargs cat", "find src -type f -print0 | xargs -0 cat"],
  },
  "an assignment in front of a command changes only how it prints": {
    unclear: [
      ...["TZ=/etc/x ls", "TZ=../x ls", "PATH=x ls", "GIT_PAGER=x ls", "LD_PRELOAD=x ls"],
      // There the backslash is the second half of a letter, `,` ends the pattern, and the output of `id` is run.
      ...["LC_ALL=zh_CN.gbk", "LC_CTYPE=zh_TW", "LANG=ja_JP.SJIS"].map(
        (locale) => `id | ${locale} sed -E 's,^|\u20ac\\,touch x #,e#,'`,
      ),
    ],
    clear: [
      "TZ=Europe/Rome ls",
      "LANG=C ls",
      "NO_COLOR=1 ls",
      "LC_ALL=C.UTF-8 ls",
      "LANG=de_DE.utf8 LC_CTYPE=POSIX ls",
    ],
  },
  "a line is no longer than a person could check": {
    unclear: [Array(257).fill("ls").join(";"), `cat ${"a".repeat(65 * 1024)}`],
    clear: [Array(256).fill("ls").join(";")],
  },
  "no link is on a pattern's way": {
    unclear: ["cat links/*", "cat links/o*", "cat links/o*/x"],
    clear: ["cat src/*.ts", "cat links/a*"],
  },
  "a background job, a list in braces or a function is no clear command": {
    unclear: [
      "sleep 1 &",
      "for i in 1 2 3; do sleep 1000 & done",
      "sleep 1 & cat a.txt",
      "ls |& cat",
      "ls &> x",
      "{ ls; }",
      "f() { ls; }",
    ],
    clear: ["for i in 1 2 3; do sleep 1; done", "ls && cat a.txt"],
  },
  "a here-document is its text": {
    unclear: ["cat <<E\n$x\nE", "cat <<E\n`x`\nE", "cat <<E\n\\x\nE"],
    clear: ["cat <<'E'\n$x\nE", "cat <<E\nx\nE"],
  },
  "inside of double quotes nothing is expanded": {
    unclear: ['echo "$x"', 'echo "`ls`"', 'echo "a!b"'],
    clear: ["echo '$x'", 'echo "x"'],
  },
  "a loop's variable is none that a shell gives a meaning": {
    unclear: ["for path in a; do echo $path; done", "for ifs in a; do echo $ifs; done", "for PATH in a; do ls; done"],
    clear: ["for f in a; do echo $f; done", "for file in a b; do cat $file; done"],
  },
  "an option is known, is harmless, and is written out": {
    unclear: ["ls --long", "ls --recu", "grep --inc=x y a.txt", "grep -R x src", "cat --show a.txt"],
    clear: ["ls -l", "ls --recursive src", "grep --include=x y a.txt", "grep -r x src"],
  },
  "an option is where every program takes it for one": {
    unclear: ["cat a.txt -n", "head -n -z a.txt", "head -n"],
    clear: ["cat -n a.txt", "head -n 3 a.txt", "head -n -3 a.txt", "grep x a.txt -n"],
  },
  "what its words may do is looked at where a program's options don't say": {
    unclear: ["mkdir -m 4777 x", "mkdir -m u+s x", "chmod 4755 a.txt", "chmod u+s a.txt", "chmod -R 644 src"],
    clear: ["mkdir -m 755 x", "chmod 755 a.txt", "chmod u+x a.txt"],
  },
  "find neither runs in other folders, nor asks, nor deletes": {
    unclear: [
      "find src -execdir cat {} +",
      "find src -ok cat {} ';'",
      "find src -delete",
      "find src -fprint x",
      "find -L src -name x",
    ],
    clear: ["find src -exec cat {} +", "find src -name x -print"],
  },
};

describe.each(Object.entries(RULES))("%s", (_rule, { unclear, clear }) => {
  it.each(unclear.map((line) => [line]))("unclear: %j", (line) => {
    expect(needsOfLine(line, HOME, PROJECT).unclear).not.toBeNull();
  });

  it.each(clear.map((line) => [line]))("clear: %j", (line) => {
    expect(needsOfLine(line, HOME, PROJECT).unclear).toBeNull();
  });
});

describe("what a line needs besides", () => {
  const needed = (line: string) =>
    needsOfLine(line, HOME, PROJECT).needs.flatMap(({ capability, target }) =>
      target.kind === "path"
        ? [`${capability} ${target.lexical.replace(PROJECT, ".")}${target.is_tree ? "/**" : ""}`]
        : [],
    );

  it("only behind && is it known that a cd has worked: else it is either folder", () => {
    expect(needed("cd src && cat a.ts")).toEqual(["fs:read ./src/a.ts"]);
    for (const line of ["cd src; cat a.ts", "cd src || cat a.ts", "cd src\ncat a.ts", "ls a.txt || cd src && cat a.ts"])
      expect([line, needed(line)]).toEqual([line, expect.arrayContaining(["fs:read ./a.ts", "fs:read ./src/a.ts"])]);
  });

  it("a redirection reads or writes its file", () => {
    expect(needed("cat < a.txt")).toEqual(["fs:read ./a.txt"]);
    expect(needed("echo x > b.txt")).toEqual(["fs:write ./b.txt"]);
    expect(needed("cat a.txt >> b.txt")).toEqual(["fs:write ./b.txt", "fs:read ./a.txt"]);
  });

  it("what isn't there yet may be a folder that an earlier command has made", () => {
    expect(needed("cp a.txt new")).toEqual(["fs:read ./a.txt", "fs:write ./new"]);
    expect(needed("mkdir new && cp a.txt new")).toContain("fs:write ./new/a.txt");
    expect(needed("mv later d")).toContain("fs:read ./later");
    expect(needed("mkdir later && mv later d")).toContain("fs:read ./later/**");
  });

  it("a log lists names, and with patches it shows the contents of the files that are named", () => {
    expect(needed("cd repository && git log -- a.txt")).not.toContain("fs:read ./repository/a.txt");
    expect(needed("cd repository && git log -p -- a.txt")).toContain("fs:read ./repository/a.txt");
  });

  it("an option's file that is written is a write, and one that is read a read", () => {
    expect(needed("sort -o out.txt a.txt")).toEqual(["fs:write ./out.txt", "fs:read ./a.txt"]);
    expect(needed("grep -f a.txt b.txt")).toEqual(["fs:read ./a.txt", "fs:read ./b.txt"]);
  });
});
