import { execFileSync } from "node:child_process";
import { cpSync, existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { confinedCommand } from "../../../ipc/base/confined-command.ts";
import { shellQuoted } from "../../../ipc/base/shell-quoted.ts";
import type { Decision } from "../../../ipc/contract/decision.ts";
import { remove } from "../../support/removed-folders.ts";
import { startGate } from "../../support/running-gate.ts";
import { ofDay } from "../../support/whole-run.ts";
import { shellRuns, withoutBox } from "../box-under-test.ts";
import { ARE_GRANTED, CHAINS_SHELL, endedAfter, FORCED_LEVEL } from "./hostile-chains.ts";

/**
 * A repository that came from somebody hostile, with everything that a clone or an archive can bring, and an agent that looks at it:
 * whatever is cleared runs none of its code outside of a box, and prints no secret of the user's. Lines that no box holds run here in one
 * that shows what they did.
 */

const reason = withoutBox();
if (reason !== undefined) console.log(`skipped: a hostile clone: ${reason}`);

const SECRET = "s3cr3t-of-the-user";
interface Chain {
  name: string;
  /** A shell's lines in the clone; `$X` is the program that the hostile one wants to have run. */
  make: string;
  lines: readonly string[];
}

const GIT = ["git status --short", "git diff", "git log --oneline -2", "cat $(git ls-files)"];
const LOOK = ["ls -la", "grep -rn needle .", "rg -n needle", "cat $(find . -type f -name '*.md')"];
const setting = (key: string, value = "$X"): Chain => ({
  name: `the setting ${key}`,
  make: `git config ${key} "${value}"; echo '*.md diff=x filter=x merge=x' > .gitattributes; echo more >> README.md`,
  lines: GIT,
});

const CHAINS: readonly Chain[] = [
  // Code that settings name.
  ...[
    ...["core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "core.askPass", "core.gitProxy"],
    ...["diff.external", "diff.x.textconv", "diff.x.command", "filter.x.clean", "filter.x.smudge", "filter.x.process"],
    ...["merge.x.driver", "pager.log", "pager.status", "pager.diff", "alias.status", "alias.log", "gpg.program"],
    ...[
      "gpg.ssh.program",
      "credential.helper",
      "interactive.diffFilter",
      "uploadpack.packObjectsHook",
      "trailer.x.command",
    ],
  ].map((key) => setting(key)),
  setting("core.hooksPath", "hooks-of-theirs"),
  setting("include.path", "../theirs.config"),
  setting("includeIf.gitdir:/.path", "../theirs.config"),
  setting("includeIf.onbranch:main.path", "../theirs.config"),
  setting("core.worktree", "$OUT"),
  setting("core.attributesFile", "$OUT/secret"),
  setting("core.excludesFile", "$OUT/secret"),
  setting("mailmap.file", "$OUT/secret"),
  setting("blame.ignoreRevsFile", "$OUT/secret"),
  setting("log.showSignature", "true"),
  setting("extensions.worktreeConfig", "true"),
  setting("extensions.partialClone", "origin"),
  {
    name: "a promisor remote",
    make: 'git config extensions.partialClone o; git config remote.o.url "ext::$X"; git config remote.o.promisor true; rm -rf .git/objects/??',
    lines: GIT,
  },
  {
    name: "settings of a worktree",
    make: 'git config extensions.worktreeConfig true; git config --worktree core.fsmonitor "$X"',
    lines: GIT,
  },
  // Repositories where none is expected.
  {
    name: "a bare repository as a folder",
    make: 'git init -q --bare b; git -C b config core.fsmonitor "$X"; git -C b config core.bare false; git -C b config core.worktree ..',
    lines: ["cd b && git status --short", "git -C b log --oneline -1", "cd b; git diff"],
  },
  {
    name: "a repository without .git at the top",
    make: 'cp -r .git/. .; rm -rf .git; git --git-dir . config core.fsmonitor "$X"; git --git-dir . config core.bare false',
    lines: GIT,
  },
  { name: ".git in another case", make: 'mv .git .GIT; git --git-dir .GIT config core.fsmonitor "$X"', lines: GIT },
  {
    name: ".git as a link to a folder of theirs",
    make: 'mv .git g; ln -s g .git; git config core.fsmonitor "$X"',
    lines: GIT,
  },
  {
    name: ".git as a link outside",
    make: 'mv .git "$OUT/g"; ln -s "$OUT/g" .git; git config core.fsmonitor "$X"',
    lines: GIT,
  },
  {
    name: "a .git file that names a folder of theirs",
    make: 'mv .git g; echo "gitdir: g" > .git; git config core.fsmonitor "$X"',
    lines: GIT,
  },
  {
    name: "a .git file that names the user's other repository",
    make: 'rm -rf .git; echo "gitdir: $OUT/other/.git" > .git',
    lines: ["git log -p", "git show HEAD:secret.txt", "cat $(git ls-files)", "git grep needle"],
  },
  { name: "a .git file that is a pipe", make: "rm -rf .git; mkfifo .git", lines: GIT },
  {
    name: "a hollow .git in a folder",
    make: "mkdir -p sub/.git; echo x > sub/a",
    lines: ["cd sub && git status --short", "cd sub && ls"],
  },
  {
    name: "commondir of theirs",
    make: 'mkdir c; cp -r .git/. c; git --git-dir c config core.fsmonitor "$X"; echo ../c > .git/commondir',
    lines: GIT,
  },
  {
    name: "commondir of the user's other repository",
    make: 'echo "$OUT/other/.git" > .git/commondir',
    lines: ["git log -p", "git show HEAD:secret.txt", "cat $(git ls-files)"],
  },
  {
    name: "alternates to the user's other repository",
    make: 'echo "$OUT/other/.git/objects" > .git/objects/info/alternates; cp "$OUT/other/.git/refs/heads/main" .git/refs/heads/main',
    lines: ["git log -p", "git show HEAD:secret.txt", "git show main:secret.txt", "cat $(git ls-files)"],
  },
  {
    name: "objects as a link to the user's other repository",
    make: 'rm -rf .git/objects; ln -s "$OUT/other/.git/objects" .git/objects; cp "$OUT/other/.git/refs/heads/main" .git/refs/heads/main',
    lines: ["git log -p", "git show HEAD:secret.txt"],
  },
  {
    name: "one folder of objects as a link",
    make: 'for f in "$OUT"/other/.git/objects/??; do rm -rf ".git/objects/$(basename "$f")"; ln -s "$f" .git/objects/; done; cp "$OUT/other/.git/refs/heads/main" .git/refs/heads/main',
    lines: ["git log -p", "git show HEAD:secret.txt"],
  },
  { name: "HEAD as a link to a secret", make: 'ln -sf "$OUT/secret" .git/HEAD', lines: GIT },
  {
    name: "references as links to secrets",
    make: 'ln -s "$OUT/secret" .git/refs/heads/x',
    lines: ["git branch -a", "git log --oneline -1 x", "git show x"],
  },
  { name: "packed-refs as a link to a secret", make: 'ln -s "$OUT/secret" .git/packed-refs', lines: GIT },
  {
    name: "info/exclude as a link to a secret",
    make: 'rm -f .git/info/exclude; mkdir -p .git/info; ln -s "$OUT/secret" .git/info/exclude',
    lines: ["git status --short", "git check-ignore -v s3cr3t-of-the-user"],
  },
  { name: "settings as a link to a secret", make: 'ln -sf "$OUT/secret" .git/config', lines: GIT },
  {
    name: "a submodule with code in its settings",
    make: 'git init -q s; git -C s commit -q --allow-empty -m x; git add s 2>/dev/null; git -C s config core.fsmonitor "$X"',
    lines: GIT,
  },
  {
    name: "a submodule whose entry's mode has other bits",
    make: `git init -q s; git -C s commit -q --allow-empty -m x; git add s 2>/dev/null; git -C s config core.fsmonitor "$X"; python3 -c "
import hashlib
index = open('.git/index', 'rb').read()[:-20].replace(b'\\0\\0\\xe0\\0', b'\\0\\0\\xe1\\xa4')
open('.git/index', 'wb').write(index + hashlib.sha1(index).digest())"`,
    lines: GIT,
  },
  {
    name: "a submodule that only commits have",
    make: 'git init -q s; git -C s commit -q --allow-empty -m x; git add s 2>/dev/null; git commit -qm s; git rm -q --cached s; git commit -qm t; git -C s config core.fsmonitor "$X"; git -C s config diff.external "$X"',
    lines: [...GIT, "git log -p", "git diff HEAD~1", "git log -p --submodule=diff", "git show HEAD --submodule=diff"],
  },
  {
    name: "a repository above with code in its settings",
    make: 'git init -q inner; git config core.fsmonitor "$X"; echo a > inner/a',
    lines: [
      ...["status", "diff", "log", "rev-parse --show-toplevel", "rev-parse --show-superproject-working-tree"],
      ...["add a", "commit -m x --allow-empty"],
    ].map((words) => `cd inner && git ${words}`),
  },
  {
    name: "a submodule's update command",
    make: 'git config submodule.s.update "!$X"; printf "[submodule \\"s\\"]\\n path = s\\n url = ./s\\n update = !x\\n" > .gitmodules',
    lines: [...GIT, "git submodule status"],
  },
  {
    name: "a nested repository with code in its settings",
    make: 'git init -q n; git -C n config core.fsmonitor "$X"; git -C n config diff.external "$X"',
    lines: ["git -C n status", "cd n && git diff", "cd n && cat $(git ls-files)"],
  },
  // Hooks, and names that git shows.
  {
    name: "hooks",
    make: 'for h in post-index-change pre-commit post-checkout reference-transaction pre-auto-gc; do cp "$X" .git/hooks/$h; done; touch README.md',
    lines: [...GIT, "git add README.md", "git branch x"],
  },
  {
    name: "hooks in another case",
    make: 'cp "$X" .git/hooks/Post-Index-Change; cp "$X" .git/hooks/post-index-change.exe; touch README.md',
    lines: GIT,
  },
  {
    name: "replaced objects",
    make: 'git replace "$(git rev-parse HEAD)" "$(git commit-tree -m replaced "HEAD^{tree}")"',
    lines: GIT,
  },
  {
    name: "a mailmap as a link to a secret",
    make: 'ln -s "$OUT/secret" .mailmap',
    lines: ["git log --format=%aN -1", "git shortlog -s HEAD", "cat .mailmap"],
  },
  { name: "attributes as a link to a secret", make: 'ln -s "$OUT/secret" .gitattributes', lines: GIT },
  {
    name: "ignored names as a link to a secret",
    make: 'ln -s "$OUT/secret" .gitignore',
    lines: ["git status --short", "rg -n needle", "rg --debug needle"],
  },
  // Indexes.
  ...[
    ["of version 4", "git update-index --index-version 4"],
    ["that is split", "git update-index --split-index"],
    ["cut short", "head -c 100 .git/index > i; mv i .git/index"],
    ["that is a pipe", "rm .git/index; mkfifo .git/index"],
    ["that is a link to a secret", 'ln -sf "$OUT/secret" .git/index'],
    ["that says that it has 4 billion entries", "printf 'DIRC\\0\\0\\0\\2\\377\\377\\377\\377' > .git/index"],
    [
      "with the user's secret as tracked",
      'git update-index --add --cacheinfo "100644,$(git rev-parse HEAD:a.txt),.env"',
    ],
    ["that is huge", "head -c 40000000 /dev/zero > .git/index"],
  ].map(([name = "", make = ""]) => ({ name: `an index ${name}`, make, lines: GIT })),
  {
    name: "an index with names that lead elsewhere",
    make: `python3 -c "
import hashlib, os, struct, subprocess
oid = bytes.fromhex(subprocess.check_output(['git', 'rev-parse', 'HEAD:a.txt'], text=True).strip())
out = os.environ['OUT']
names = sorted(['../out/secret', 'a.txt', 'z/../../out/secret', out + '/secret'])
index = b'DIRC' + struct.pack('>II', 2, len(names))
for name in names:
    entry = struct.pack('>10I', *[0] * 6, 0o100644, 0, 0, 2) + oid + struct.pack('>H', len(name)) + name.encode()
    index += entry + bytes(8 - len(entry) % 8)
open('.git/index', 'wb').write(index + hashlib.sha1(index).digest())"`,
    lines: [...GIT, "git grep s3cr3t", "git add -u", "git diff --cached", "git show :../out/secret"],
  },
  // What programs that look take from the folder.
  {
    name: "ripgrep's settings",
    make: 'printf -- "--pre=$X\\n--hidden\\n--no-ignore\\n" > .ripgreprc; cp .ripgreprc ripgreprc',
    lines: ["rg -n needle", "rg --files", "RIPGREP_CONFIG_PATH=.ripgreprc rg needle", "rg --pre $X needle"],
  },
  {
    name: ".ignore and .rgignore that show what is ignored",
    make: 'printf "!.env\\n!.git\\n" | tee .ignore > .rgignore',
    lines: ["rg -n s3cr3t", "rg --hidden s3cr3t", "rg -uuu s3cr3t", "rg s3cr3t $(pwd)"],
  },
  {
    name: "names that are options",
    make: "touch -- --pre=theirs -exec --files-from=x -delete '-f.env'",
    lines: ["cat *", "grep needle *", "ls *", "head -1 $(ls)"],
  },
  {
    name: "names with a line's end, ESC and bytes that are no text",
    make: `printf x > "$(printf 'a\\nb')"; printf x > "$(printf 'e\\033]0;x\\007')"; printf x > "$(printf 'u\\377\\376')"`,
    lines: ["ls -la", 'for f in *; do head -1 "$f"; done', "git status --short", "cat $(ls)"],
  },
  {
    name: "names that a shell would run",
    make: "touch '$(touch pwned)' '`id`' ';id;' '| sh'",
    lines: ["cat *", 'for f in *; do cat "$f"; done', "ls | head -3", "cat $(ls)"],
  },
  {
    name: "planted programs by cleared names",
    make: 'mkdir -p bin node_modules/.bin .venv/bin; for p in ls cat git rg grep head; do for d in . bin node_modules/.bin .venv/bin; do cp "$X" $d/$p; done; done',
    lines: ["ls", "cat README.md", "./ls", "PATH=.:$PATH ls", "git status"],
  },
  {
    name: "what tools run by themselves",
    make: 'for f in Makefile justfile package.json .envrc .bashrc .profile .inputrc .gdbinit .pythonrc sitecustomize.py .npmrc .tool-versions; do printf "%s\\n" "$X" > $f; done',
    lines: ["ls -la", "cat Makefile", "cat package.json", "python3 --version", "node --version"],
  },
  // Other kinds of files.
  {
    name: "pipes",
    make: "mkfifo a.md pipe .env.local .mcp.json x.pem; mkdir d; mkfifo d/README.md",
    lines: ["ls -la", "rg -n needle", "git status --short", "find . -type f"],
  },
  {
    name: "sockets",
    make: `python3 -c "import socket; [socket.socket(socket.AF_UNIX).bind(n) for n in ('s', '.env.s', 'x.pem')]"`,
    lines: LOOK,
  },
  {
    name: "links to secrets",
    make: 'ln -s "$OUT/secret" a.md; ln -s "$HOME/.ssh/id_ed25519" b.md; ln -s "$HOME/.netrc" c.txt; ln -s .env d.md; ln -s "$HOME" h; ln -s / r',
    lines: [
      ...LOOK,
      "cat a.md",
      "cat b.md",
      "cat d.md",
      "cat *.md",
      "head -1 h/.netrc",
      "cat r$HOME/.netrc",
      "rg -L s3cr3t",
      "grep -R s3cr3t .",
    ],
  },
  {
    name: "links to devices",
    make: "ln -s /dev/zero z.md; ln -s /dev/tty t.md; ln -s /proc/self/environ e.md; ln -s /proc/1/environ f.md",
    lines: ["ls -la", "rg -n needle", "cat e.md", "head -c 10 f.md"],
  },
  {
    name: "a farm of links",
    make: "mkdir l; for i in 1 2 3 4 5 6 7 8; do ln -s . l/$i; ln -s .. l/u$i; done",
    lines: ["ls -la", "rg -n needle", "find . -name '*.md'", "rg -L needle l"],
  },
  { name: "a link's loop", make: "ln -s x y; ln -s y x", lines: ["ls -la", "cat x", "rg -n needle", "cat $(ls)"] },
  {
    name: "2,000 folders in one another",
    make: `python3 -c "import os\nfor i in range(2000):\n os.mkdir('d'); os.chdir('d')"`,
    lines: ["ls -la", "rg -n needle", "git status --short"],
  },
  {
    name: "30,000 files in a folder",
    make: "mkdir w; cd w; seq 30000 | xargs touch",
    lines: ["ls w | head -3", "rg -n needle", "git status --short", "cat $(ls *.md)"],
  },
  // Settings that fewer know, and files that git reads by itself.
  ...[
    ...["core.alternateRefsCommand", "gc.recentObjectsHook", "remote.origin.vcs", "remote.origin.uploadpack"],
    ...["tar.x.command", "man.x.cmd", "browser.x.cmd", "guitool.x.cmd", "hook.x.command", "merge.x.cmd", "web.browser"],
    ...["submodule.s.command", "imap.tunnel", "sendemail.tocmd", "fsmonitor.socketDir", "maintenance.x.command"],
  ].map((key) => setting(key)),
  ...[
    ["commit.template", "$OUT/secret"],
    ["core.notesRef", "refs/heads/main"],
    ["submodule.recurse", "true"],
    ["status.submoduleSummary", "true"],
    ["grep.fallbackToNoIndex", "true"],
    ["core.sharedRepository", "0777"],
    ["feature.experimental", "true"],
  ].map(([key = "", value]) => setting(key, value)),
  {
    name: "other addresses by settings, and every protocol",
    make: 'git config protocol.ext.allow always; git config "url.ext::$X %S.insteadOf" https://; git config remote.origin.url https://example.com/x; git config remote.origin.promisor true',
    lines: [...GIT, "git remote -v", "git show HEAD:none"],
  },
  {
    name: "a repository that isn't whole, and objects that come from a promised one",
    make: 'git config core.repositoryformatversion 1; git config extensions.partialclone o; git config remote.o.url "ssh://x/y"; git config core.sshCommand "$X"; find .git/objects -type f -delete',
    lines: [...GIT, "git show HEAD", "git log -p"],
  },
  {
    name: "grafts, shallow commits, notes and replaced files of git",
    make: 'mkdir -p .git/info; git rev-parse HEAD > .git/shallow; git rev-parse HEAD > .git/info/grafts; ln -s "$OUT/secret" .git/info/sparse-checkout; ln -sf "$OUT/secret" .git/COMMIT_EDITMSG; git notes add -m x',
    lines: [...GIT, "git log --notes -1", "git ls-files"],
  },
  {
    name: "logs as links to secrets",
    make: 'ln -sf "$OUT/secret" .git/logs/HEAD; ln -sf "$OUT/secret" .git/logs/refs/heads/main; ln -s "$OUT/secret" .git/logs/refs/stash',
    lines: ["git reflog", "git log -g -1", "git stash list", "git log -1", "git commit -m x --allow-empty"],
  },
  {
    name: "broken packs, graphs and indexes of packs",
    make: "git gc -q; for f in commit-graph packs; do head -c 4096 /dev/urandom > .git/objects/info/$f; done; head -c 4096 /dev/urandom > .git/objects/pack/multi-pack-index; head -c 4096 /dev/urandom > .git/objects/pack/pack-x.idx",
    lines: [...GIT, "git show HEAD", "git grep needle"],
  },
  {
    name: "a HEAD and references that lead elsewhere",
    make: 'echo "ref: refs/heads/../../../out/secret" > .git/HEAD; mkdir -p .git/refs/heads/d; echo "ref: refs/../../../out/secret" > .git/refs/heads/d/e; ln -s "$OUT" .git/refs/heads/o',
    lines: ["git log -1", "git branch -a", "git show d/e", "git rev-parse HEAD", "git show-ref", "git for-each-ref"],
  },
  {
    name: "attributes that change what is read",
    make: `printf '* working-tree-encoding=UTF-16 ident filter=lfs diff=x merge=x export-subst\n' > .gitattributes; git config filter.lfs.clean "$X"; git config filter.lfs.process "$X"; echo x >> README.md`,
    lines: [...GIT, "git add README.md", "git diff HEAD"],
  },
  {
    name: "a lock of git's, and a monitor's socket",
    make: `touch .git/index.lock .git/HEAD.lock; git config core.fsmonitor true; python3 -c "import socket; socket.socket(socket.AF_UNIX).bind('.git/fsmonitor--daemon.ipc')"`,
    lines: GIT,
  },
  {
    name: "a worktree, a rebase and a sequence whose files are links to secrets",
    make: 'mkdir -p .git/worktrees/w .git/worktrees/v .git/rebase-merge; for f in w/locked w/gitdir v/gitdir; do ln -s "$OUT/secret" .git/worktrees/$f; done; rm .git/worktrees/w/gitdir; echo x > .git/worktrees/w/gitdir; cp .git/HEAD .git/worktrees/w; cp .git/HEAD .git/worktrees/v; touch .git/rebase-merge/interactive; for f in done git-rebase-todo head-name onto; do ln -s "$OUT/secret" .git/rebase-merge/$f; done',
    lines: [...GIT, "git worktree list --porcelain", "git worktree list", "git status", "git branch", "git branch -a"],
  },
  {
    name: "a conflict that git has learned to resolve, in a file elsewhere",
    make: "git config rerere.enabled true; mkdir -p .git/rr-cache/0123456789012345678901234567890123456789; touch .git/rr-cache/0*/preimage; printf '0123456789012345678901234567890123456789\\t../out/secret\\0' > .git/MERGE_RR",
    lines: ["git commit -m x --allow-empty", "cat .git/rr-cache/0*/postimage", ...GIT],
  },
  {
    name: "steps of a rebase with a command, and of a bisection",
    make: 'mkdir -p .git/rebase-merge .git/rebase-apply; echo "exec $X" > .git/rebase-merge/git-rebase-todo; git rev-parse HEAD > .git/rebase-merge/onto; echo refs/heads/main > .git/rebase-merge/head-name; echo "$X" > .git/BISECT_RUN; touch .git/BISECT_LOG .git/rebase-apply/applying',
    lines: [...GIT, "git commit -m x --allow-empty", "git branch"],
  },
  // What programs that look read by themselves, and what they are given.
  {
    name: "settings of programs that look, as files and links",
    make: 'for f in .ignore .rgignore .fdignore .agignore .jq .magic .editorconfig tags .dir_colors .lesskey .terminfo; do ln -s "$OUT/secret" $f; done; printf -- "--pre=$X\\n" > .ripgreprc; mkdir -p .config/ripgrep',
    lines: [...LOOK, "tree", "tree --gitignore", "jq . a.txt", "file a.txt", "rg --debug needle", "ls --color=always"],
  },
  {
    name: "archives with names that lead elsewhere",
    make: `tar -P -cf a.tar --transform 's|a.txt|../../out/new|' a.txt; tar -cf b.tar --transform 's|a.txt|--checkpoint-action=exec=sh|' a.txt; ln -s "$OUT/secret" c.tar; python3 -c "
import zipfile
z=zipfile.ZipFile('a.zip','w'); z.writestr('../../out/new','x'); z.writestr('-T','x')"`,
    lines: [
      "tar tf a.tar",
      "tar tvf b.tar",
      "tar tf c.tar",
      "unzip -l a.zip",
      "tar tf *.tar",
      "file *",
      "strings a.tar",
    ],
  },
  {
    name: "data that is deep, long or without an end",
    make: `python3 -c "
open('deep.json','w').write('['*200000)
open('long.md','w').write('needle'*2000000)
open('nul.md','wb').write(b'\\0'*1000000)
open('esc.md','w').write('needle \\x1b]52;c;eA==\\x07 \\x1b]0;x\\x07')"; truncate -s 100G sparse.txt`,
    lines: [
      "jq . deep.json",
      "jq -c .x deep.json",
      "rg -n needle",
      "wc -c *.md",
      "head -c 20 sparse.txt",
      "sort nul.md | uniq -c",
    ],
  },
  {
    name: "names as long as one can be, and of every byte",
    make: `python3 -c "
import os
for i in range(1, 256):
    if i != 47: open(b'n' + bytes([i]), 'w').write('needle')
open('x' * 250 + '.md', 'w').write('needle')
p = '.'
for i in range(15):
    p += '/' + 'd' * 250
    try: os.mkdir(p)
    except OSError: break
open(p + '/a.md', 'w').write('needle')"`,
    lines: [...LOOK, "ls *", 'for f in n*; do head -c 6 "$f"; done', "git status --short", "git add .", "cat $(ls x*)"],
  },
  {
    name: "what a line names, as another kind of thing",
    make: 'rm a.txt; mkdir a.txt; ln -s "$OUT/secret" a.txt/secret; ln -s /dev/stdin in.md; ln -s /proc/self/fd/0 fd.md; ln -s /proc/self/root root; mkfifo -m 000 p.md',
    lines: [
      "cat a.txt",
      "cat a.txt/secret",
      "cat a.txt/*",
      "cat in.md",
      "head -c 5 fd.md",
      "cat root$OUT/secret",
      "rg -n needle",
    ],
  },
  {
    name: "programs by the names of those that look",
    make: 'for f in git ls cat rg grep find head sh bash env timeout xargs; do cp "$X" $f; done; mkdir -p node_modules/.bin .venv/bin bin; for d in node_modules/.bin .venv/bin bin; do cp git ls cat $d/; done',
    lines: [
      ...GIT,
      ...LOOK,
      "find . -name '*.md' -exec cat {} +",
      "PATH=.:$PATH ls",
      "./ls",
      "env ls",
      "xargs -a a.txt cat",
    ],
  },
  {
    name: "secrets by other names",
    make: 'for f in .ENV .env.x prod.env .dev.vars credentials.json secrets.yaml .npmrc .netrc .pgpass .git-credentials; do echo "token = s3cr3t-of-the-user" > $f; done; echo "-----BEGIN RSA PRIVATE KEY-----s3cr3t-of-the-user" > id_rsa',
    lines: [
      "rg -n --hidden token",
      "rg -uuu token",
      "cat .* 2>/dev/null",
      'for f in .*; do cat "$f"; done',
      "cat $(ls -A)",
      "git grep --no-index token",
    ],
  },
  {
    name: "secrets in folders by other names",
    make: 'for d in .ssh .aws .env .gnupg; do rm -rf $d; mkdir $d; for f in id_rsa credentials config x config.json; do echo "-----BEGIN PRIVATE KEY-----s3cr3t-of-the-user" > $d/$f; done; done; mkdir .docker .kube; for f in .docker/config.json .kube/config .docker/id_rsa; do cp .ssh/x $f; done',
    lines: [
      "cat $(find . -name id_rsa)",
      "rg -uuu s3cr3t",
      "cat .aws/credentials",
      "cat $(find . -name credentials)",
      "cat $(find .docker .kube -type f)",
    ],
  },
];

const TODAY = ofDay(CHAINS, 4);

/** They clear alike. */
const LEVELS = FORCED_LEVEL === undefined ? (["Supervised", "ReadOnly"] as const) : [FORCED_LEVEL];

/** What no decision takes of the processor, whatever lies there; in milliseconds. */
const MAX_MS = 1000;
/** Of one line: what prints without an end is ended. */
const LINE_ENDS_WITHIN = 3;

async function world(supports: readonly string[]) {
  const gate = await startGate();
  await gate.gate.core.box.ready;
  const { home } = gate.home;
  const out = join(home, "out");
  const program = join(out, "theirs");
  execFileSync(
    "/bin/sh",
    [
      "-ec",
      `mkdir -p out/other .ssh; for f in out/secret .ssh/id_ed25519 .netrc; do echo "${SECRET}" > $f; done
      git init -q -b main out/other; cd out/other; git config user.name A; git config user.email a@example.com
      echo "${SECRET}" > secret.txt; echo needle >> secret.txt; git add .; git commit -qm other`,
    ],
    { cwd: home },
  );
  writeFileSync(
    program,
    `#!/bin/sh\necho ran >> ${out}/pwned\ncat ${home}/.ssh/id_ed25519 ${out}/secret .env 2>/dev/null\n`,
    { mode: 0o755 },
  );
  // A session of its own for each clone: what was rejected often is denied from then on.
  const agents = () => Promise.all(LEVELS.map((level) => gate.agent(level.toLowerCase(), level, { supports })));
  const clone = async (make: string) => {
    const project = join(home, "clone");
    remove(project);
    cpSync(join(home, "template"), project, { recursive: true });
    writeFileSync(join(project, ".env"), `${SECRET}\n`);
    writeFileSync(join(project, "theirs.config"), `[core]\n\tfsmonitor = ${program}\n`);
    // What it makes may be what git, or a plain rm, refuses.
    execFileSync("/bin/sh", ["-c", make], {
      cwd: project,
      env: { ...process.env, HOME: home, OUT: out, X: program },
      stdio: "ignore",
    });
    return project;
  };
  execFileSync(
    "/bin/sh",
    [
      "-ec",
      `mkdir template; cd template; git init -q -b main .; git config user.name A; git config user.email a@example.com
      echo needle > README.md; echo a > a.txt; git add .; git commit -qm first; git commit -q --allow-empty -m second`,
    ],
    { cwd: home },
  );
  for (const capability of ARE_GRANTED ? (["fs:read", "fs:write"] as const) : [])
    await gate.operator.call("grants.add", { capability, target: `${join(home, "clone")}/**` });
  return { gate, home, out, agents, clone };
}

/** As the client runs it: what no box holds, in one in which only the clone and the payload's folder can be written. */
function runs(decision: Decision, line: string, { project, out, home }: Record<"project" | "out" | "home", string>) {
  const env = { PATH: process.env.PATH, HOME: home };
  const { confine } = decision;
  if (confine !== undefined)
    return shellRuns(
      `${endedAfter(LINE_ENDS_WITHIN, confinedCommand(confine.argv), CHAINS_SHELL)} | head -c 1000000`,
      project,
      {
        env,
      },
    );
  const binds = [project, out].flatMap((path) => ["--bind", path, path]);
  const box = ["bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--unshare-net", "--unshare-pid", "--proc", "/proc"];
  const words = [
    ...box,
    ...binds,
    "--die-with-parent",
    "--",
    "timeout",
    `${LINE_ENDS_WITHIN}`,
    CHAINS_SHELL ?? "/bin/bash",
    "-c",
    line,
  ];
  return shellRuns(words.map(shellQuoted).join(" "), project, { env });
}

describe.skipIf(reason !== undefined)("a hostile clone", () => {
  it.each([
    ["", ["confine"]],
    [", also where none of its lines can be boxed", []],
  ])(
    "runs nothing outside of a box, shows no secret and keeps nobody waiting, whatever it brings%s",
    async (_where, supports) => {
      const { gate, agents, clone, home, out } = await world(supports);
      const found: string[] = [];

      const counts = { held: 0, as_is: 0, asked: 0 };
      for (const { name, make, lines } of TODAY) {
        const project = await clone(make);
        const both = await agents();
        for (const [index, line] of lines.entries()) {
          const command = line.replaceAll("$X", join(out, "theirs")).replaceAll("$HOME", home).replaceAll("$OUT", out);
          // Each level in turn.
          const agent = both[index % both.length];
          if (agent === undefined) continue;
          const began = process.threadCpuUsage();
          const asked = await agent.ask({ executor: "shell_exec", args: { command }, context: { cwd: project } });
          const took = process.threadCpuUsage(began).user / 1000;
          if (took > MAX_MS) found.push(`${name}: ${line}: decided in ${Math.round(took)} ms`);
          const { decision } = asked;
          if (decision.pending !== undefined)
            await gate.operator.call("approvals.resolve", { token: decision.pending.token, decision: "rejected" });
          if (decision.outcome !== "allowed") {
            counts.asked++;
            continue;
          }
          counts[decision.confine === undefined ? "as_is" : "held"]++;
          const { stdout, stderr } = await runs(decision, command, { project, out, home });
          const where = `${name}: ${line} (${decision.confined?.kind ?? "as it is"})`;
          if (`${stdout}${stderr}`.includes(SECRET) && !command.includes(SECRET))
            found.push(`${where}: shows a secret`);
          if (existsSync(join(out, "pwned"))) found.push(`${where}: runs code outside`);
          rmSync(join(out, "pwned"), { force: true });
        }
      }
      expect(found).toEqual([]);
      // Most of what looks is cleared: else nothing was tried.
      expect(counts.held + counts.as_is).toBeGreaterThan(supports.length === 0 ? 20 : counts.asked / 2);
      expect(CHAINS.length).toBeGreaterThan(105);
    },
    300_000,
  );
});
