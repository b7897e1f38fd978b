import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { withoutBox } from "../box-under-test.ts";
import { type Chain, runChains, type Seat } from "./hostile-chains.ts";

/** Chains by which a confined command would have the user's ordinary git run code, in whatever folder and by whatever name. */

const reason = withoutBox();
if (reason !== undefined) console.log(`skipped: chains by the user's git: ${reason}`);

const HOOKS =
  "pre-commit post-commit commit-msg pre-push update pre-receive post-receive post-update post-checkout post-merge post-rewrite reference-transaction post-index-change push-to-checkout pre-rebase pre-auto-gc proc-receive";
/** A shell's function: a repository with a commit, whose settings and hooks run the program. */
const EVIL = `evil() {
  mkdir -p "$1"; git init -q "$@"; at=$1; [ -d "$at/.git" ] && g=$at/.git || g=$at
  if [ "$g" != "$at" ]; then mkdir -p "$at/src" "$at/sub"; echo x > "$at/src/f"; cp "$at/src/f" "$at/sub/f"; (cd "$at"; git add .; git commit -qm x); fi
  mkdir -p "$g/hooks"; for h in ${HOOKS}; do printf '#!/bin/sh\\n$X\\n' > "$g/hooks/$h"; chmod +x "$g/hooks/$h"; done
  printf '[core]\\n\\tfsmonitor = $X\\n\\tsshCommand = $X\\n\\talternateRefsCommand = $X\\n[diff]\\n\\texternal = $X\\n' >> "$g/config"
}
`;
/** What a later command runs: the same function, on a folder. */
const LATER = "sed '/^#plant/,$d' plant.sh > later.sh; echo 'evil node_modules/r' >> later.sh";
const IN = (...folders: string[]) =>
  folders.map((at) => `(cd ${at} && git status && git diff && git add . )`).join("; ");
const REMOTE =
  "git push origin main; git push origin HEAD:x; git fetch origin; git pull origin main; git ls-remote origin";

/** A later confined command. */
const later = (line: string): NonNullable<Chain["act"]> => {
  return async ({ gate, worker, decide, start }: Seat) => {
    await expect.poll(() => gate.gate.core.box.status().running, { timeout: 5000, interval: 2 }).toBe(0);
    await start(line, await decide(worker, line));
  };
};

/** What the agent's own tool writes once that has ended, where it may unasked. */
const writes = (name: string, text: string): NonNullable<Chain["act"]> => {
  return async ({ gate, agent, project, home }: Seat) => {
    await expect.poll(() => gate.gate.core.box.status().running, { timeout: 5000, interval: 2 }).toBe(0);
    const [path, content] = [join(project, name), text.replaceAll("$X", join(home, "out/theirs"))];
    const { decision } = await agent.ask({ executor: "fs_write", args: { path, content }, context: { cwd: project } });
    expect(decision.outcome).toBe("allowed");
    writeFileSync(path, content);
  };
};

type Row = readonly [name: string, plant: string, user: string, more?: Partial<Chain>];

const LINKS: readonly Row[] = [
  ["in the place of a folder", "evil node_modules/r; rm -r src; ln -s node_modules/r/src src", IN("src")],
  ["by a new name", "evil target/r; ln -s target/r/src web; ln -s $PROJECT/target/r abs", IN("web", "abs")],
  [
    "to a folder that a later command makes a repository",
    `mkdir -p node_modules/r/src; ln -s node_modules/r/src web; ${LATER}`,
    IN("web"),
    { act: later("sh later.sh") },
  ],
  ["that leads nowhere yet", `ln -s node_modules/r/src web; ${LATER}`, IN("web"), { act: later("sh later.sh") }],
  [
    "to a link",
    "evil node_modules/r; ln -s r node_modules/l; ln -s node_modules/l/src one; ln -s one two; ln -s two three",
    IN("one", "three"),
  ],
  ["in a folder below", "evil .venv/r; ln -s ../.venv/r src/deep", IN("src/deep")],
  [
    "in a folder that replaces another",
    "evil node_modules/r; mkdir -p new/in; cp src/b.txt new; ln -s ../../node_modules/r/src new/in/s; rm -r src; mv new src",
    IN("src/in/s"),
  ],
  [
    "with the repository below where it leads",
    "mkdir node_modules/r; evil node_modules/r/sub; rm -r src; ln -s node_modules/r src",
    IN("src/sub"),
  ],
  [
    "with another link below where it leads",
    "mkdir node_modules/r; evil node_modules/e; ln -s ../e/src node_modules/r/x; ln -s node_modules/r web",
    IN("web/x"),
  ],
  [
    "to a folder with a .git file",
    "evil node_modules/e; mkdir -p node_modules/r/src; echo 'gitdir: ../e/.git' > node_modules/r/.git; ln -s node_modules/r/src web",
    IN("web"),
  ],
  [
    "to a repository without a work tree",
    "evil node_modules/o.git --bare; ln -s node_modules/o.git web",
    "cd web; git log; git update-ref refs/heads/y $(git commit-tree -m x $(git mktree < /dev/null)); git fetch . y:w",
  ],
  ["to the top of what builds make", "evil target; ln -s target/src web; ln -s target all", IN("web", "all")],
  ["into Git's own folder", "evil .git/x; ln -s .git/x/src web", IN("web")],
  [
    "to programs, with a repository above them",
    "mkdir -p .venv/bin; evil .venv; ln -s .venv/bin bin",
    "cd bin; git status",
  ],
  [
    "up from another folder",
    "evil node_modules/r; ln -s src/../node_modules/r/src web; ln -s ./src/.././node_modules//r/src ./web2",
    IN("web", "web2"),
  ],
  [
    "through the user's own link",
    "evil node_modules/lib; ln -s mine/src web",
    IN("web"),
    { setup: "mkdir node_modules/lib; ln -s node_modules/lib mine" },
  ],
  [
    "that was there, to what a command makes a repository",
    "evil node_modules/lib",
    IN("mine", "mine/src"),
    { setup: "mkdir node_modules/lib; ln -s node_modules/lib mine; git add -f mine; git commit -qm mine" },
  ],
  [
    "to the caches that boxes write",
    `d=$(awk '{ print $4 }' /proc/self/mountinfo | grep -m1 '/box/projects/.*/caches$'); c=$(awk '$4 ~ "/box/projects/.*/caches$" { print $5; exit }' /proc/self/mountinfo)
    evil $c/r; ln -s $d/r/src web; for p in / /var/ /tmp/ $HOME/; do ln -s $p$d/r/src w$(echo $p | tr -d /); done; ln -s $HOME/.local/state/metnos/box/projects/*/caches/r/src w2
    ln -s "$HOME/.local/state/metnos$(echo $d | sed 's,.*\\(/box/.*\\),\\1,')/r/src" w3`,
    `for f in w*; do (cd $f && git status && git diff); done`,
  ],
  [
    "to another project's packages",
    `ln -s $LIB/node_modules/r/src web; ${LATER}`,
    IN("web"),
    {
      act: async ({ worker, decide, start, project }) => {
        const lib = `${project.slice(0, project.lastIndexOf("/"))}/lib`;
        const line = "sh later.sh";
        copyFileSync(`${project}/later.sh`, `${lib}/later.sh`);
        await start(line, await decide(worker, line, lib), lib);
      },
    },
  ],
  [
    "and many folders beside the repository",
    "mkdir node_modules/r; (cd node_modules/r; mkdir -p $(seq -f 'a%g/b' 1200)); evil node_modules/r/z/z/z/z; ln -s node_modules/r web",
    IN("web/z/z/z/z"),
  ],
  [
    "whose name isn't UTF-8",
    "n=$(printf 'w\\\\377'); evil node_modules/$n; ln -s node_modules/$n/src $n",
    "for f in w*; do (cd $f && git status && git diff); done",
  ],
  [
    "to a folder with what runs later around it",
    "mkdir -p target/x; echo x > target/x/.tool-versions; mv src target/x; ln -s target/x/src src",
    "cd src; [ ! -e $(pwd -P)/../.tool-versions ] || $X",
  ],
  [
    "to a folder in one that can't be listed",
    "mkdir -p target/x/s; echo x > target/x/.tool-versions; ln -s target/x/s web; chmod 111 target/x",
    "[ ! -e web/../.tool-versions ] || $X",
  ],
  [
    "to a folder in which a later command leaves what runs later",
    "mkdir -p target/x; ln -s target/x web; echo 'echo x > target/x/.tool-versions' > later.sh",
    "[ ! -e web/.tool-versions ] || $X",
    { act: later("sh later.sh") },
  ],
  [
    "in a new repository of its own",
    "mkdir app; cd app; git init -q; echo a > a; git add a; git commit -qm a; cd ..; evil node_modules/o.git --bare; ln -s ../node_modules/o.git app/origin",
    "cd app; git push origin main",
  ],
];

const REMOTES: readonly Row[] = [
  ["a link", "evil node_modules/o.git --bare; ln -s node_modules/o.git origin", REMOTE],
  ["a link by the longer name", "evil node_modules/o.git --bare; ln -s node_modules/o.git origin.git", REMOTE],
  ["a file that leads there", "evil node_modules/o.git --bare; echo 'gitdir: node_modules/o.git' > origin", REMOTE],
  [
    "a file that leads there, by the longer name",
    "evil node_modules/o.git --bare; echo 'gitdir: node_modules/o.git' > origin.git",
    REMOTE,
  ],
  [
    "a link to a file that leads there",
    "evil node_modules/o.git --bare; echo 'gitdir: node_modules/o.git' > src/data.txt; ln -s src/data.txt origin",
    REMOTE,
  ],
  [
    "a link to such a file among packages",
    "evil node_modules/o.git --bare; echo 'gitdir: node_modules/o.git' > node_modules/f; ln -s node_modules/f origin",
    REMOTE,
  ],
  [
    "a file of a linked work tree",
    "evil node_modules/o.git --bare; git worktree add -q w; echo 'gitdir: ../node_modules/o.git' > w/origin",
    `cd w; git push origin HEAD:main`,
  ],
  [
    "a folder whose .git is a file",
    "evil node_modules/o.git --bare; mkdir origin; echo 'gitdir: node_modules/o.git' > origin/.git",
    REMOTE,
  ],
  [
    "a folder whose .git is a link",
    "evil node_modules/o.git --bare; mkdir origin; ln -s ../node_modules/o.git origin/.git",
    REMOTE,
  ],
  ["a repository without a work tree", "evil origin --bare", REMOTE],
  [
    "a folder of references, with the others elsewhere",
    "evil node_modules/o.git --bare; mkdir origin; cp node_modules/o.git/HEAD origin; echo ../node_modules/o.git > origin/commondir; mkdir origin/refs origin/objects",
    REMOTE,
  ],
  [
    "a file of Git's earlier remotes",
    "evil node_modules/o.git --bare; mkdir -p .git/remotes .git/branches; echo 'URL: node_modules/o.git' > .git/remotes/origin; echo node_modules/o.git > .git/branches/up",
    `${REMOTE}; git push up main`,
  ],
  [
    "settings beside the repository's",
    "evil node_modules/o.git --bare; git config extensions.worktreeConfig true; git config -f .git/config.worktree remote.origin.url node_modules/o.git",
    REMOTE,
  ],
  [
    "a bundle",
    "git bundle create -q origin --all; evil node_modules/o.git --bare",
    `${REMOTE}; git clone origin got; git bundle verify origin`,
  ],
];

const OTHERS: readonly Row[] = [
  [
    "git pull and a local clone",
    "evil node_modules/o.git --bare; printf '%s/node_modules/o.git/objects\\n' $PROJECT > .git/objects/info/alternates",
    "git pull . main; git clone -q . got; git clone -q --shared . got2; cd got; git pull; git push",
  ],
  [
    "the top of a build folder, as an editor finds it",
    "for d in target .next .turbo .tox venv __pycache__; do evil $d; done",
    "for d in */ .[a-z]*/; do [ $d = .git/ ] || [ $d = node_modules/ ] || (cd $d; git rev-parse --show-toplevel; git status -z -uall); done",
  ],
  [
    "a linked work tree by its notes",
    "evil node_modules/r; git worktree add -q w; echo $PROJECT/node_modules/r/.git > .git/worktrees/w/gitdir; cp -r node_modules/r/.git/hooks .git/worktrees/w/; echo ../../../node_modules/r/.git > .git/worktrees/w/commondir",
    "git worktree list; git worktree repair; git worktree remove -f w; (cd w; git status); git worktree prune",
  ],
  [
    "settings of a linked work tree",
    "git worktree add -q w; printf '[core]\\n\\tfsmonitor = $X\\n' > .git/worktrees/w/config.worktree; git config extensions.worktreeConfig true",
    IN("w"),
  ],
  [
    "a linked work tree among packages",
    "git worktree add -q node_modules/w; evil node_modules/e; echo 'gitdir: ../e/.git' > node_modules/w/.git",
    "git worktree list; git worktree repair; git fetch .; git branch -a; git worktree remove node_modules/w; git gc -q",
  ],
  [
    "a submodule that isn't there",
    "evil .git/modules/m --bare; printf '[submodule \"m\"]\\n\\tpath = m\\n\\turl = ./m\\n' > .gitmodules; git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),m; git add .gitmodules; git commit -qm m",
    "git checkout -q -- .; git fetch --recurse-submodules .; git submodule init; git submodule update; git status; git submodule status",
  ],
  [
    "a submodule whose folder is a link",
    "evil node_modules/r; git update-index --add --cacheinfo 160000,$(git -C node_modules/r rev-parse HEAD),m; git commit -qm m; ln -s node_modules/r m",
    "git status; git diff; git submodule status; git add -A; git stash; git checkout -q .; git submodule foreach git status",
    { setup: "echo node_modules >> .git/info/exclude" },
  ],
  [
    "a submodule's .git that is a file to packages",
    "evil node_modules/e; mkdir m; echo 'gitdir: ../node_modules/e/.git' > m/.git; git update-index --add --cacheinfo 160000,$(git -C node_modules/e rev-parse HEAD),m; git commit -qm m",
    "git status; git diff; git submodule status; git add -A; git clean -ffdn",
  ],
  [
    "a repository that is added as it is",
    "evil m; git add m; git commit -qm m",
    "git status; git diff; git add -A; git stash -u; git clean -ffdxn; git submodule status",
  ],
  [
    "steps of a bisection",
    "git bisect start -q HEAD; echo \"'--output=$OUT/new'\" > .git/BISECT_NAMES",
    "git bisect visualize --oneline; git bisect view -p; git bisect log; git bisect next; git bisect reset",
  ],
  [
    "terms and the start of a bisection",
    "git bisect start -q HEAD; printf '%s\\n%s\\n' '--output=$OUT/n' '$(touch $OUT/n)' > .git/BISECT_TERMS; echo '--output=$OUT/n' > .git/BISECT_START",
    "git bisect terms; git bisect next; git bisect bad; git bisect reset; git status",
  ],
  [
    "settings that say where the work tree is",
    "evil node_modules/r; git config core.worktree node_modules/r; git config includeIf.gitdir:/.path ../node_modules/r/.git/config; git config include.path ../node_modules/r/.git/config",
    "git status; git diff; git add -A; git commit -qm x",
  ],
  [
    "settings that say where hooks and templates are",
    "evil node_modules/r; git config core.hooksPath node_modules/r/.git/hooks; git config init.templateDir node_modules/r/.git",
    "git init -q got; git init -q; cd got; git commit -q --allow-empty -m x; cd ..; git commit -q --allow-empty -m y",
  ],
  [
    "Git's folder in another place",
    "evil node_modules/r; mv .git node_modules/g; echo 'gitdir: node_modules/g' > .git; printf '[core]\\n\\tfsmonitor = $X\\n' >> node_modules/g/config",
    "git status; git commit -q --allow-empty -m x",
  ],
  [
    "Git's folder as a link",
    "mv .git node_modules/g; ln -s node_modules/g .git; printf '[core]\\n\\tfsmonitor = $X\\n' >> node_modules/g/config",
    "git status; git commit -q --allow-empty -m x",
  ],
  [
    "attributes by which the user's own filters run",
    "printf '* filter=f diff=d merge=m\\n' | tee .gitattributes src/.gitattributes > .git/info/attributes",
    "git -c filter.f.clean=$X -c filter.f.smudge=$X -c diff.d.textconv=$X -c merge.m.driver=$X status; git -c diff.d.textconv=$X log -p -1; git -c filter.f.clean=$X add -A",
  ],
  [
    "steps of a rebase",
    "git rebase -q HEAD; mkdir .git/rebase-merge; git rev-parse HEAD | tee .git/rebase-merge/onto > .git/rebase-merge/orig-head; echo refs/heads/main > .git/rebase-merge/head-name; : > .git/rebase-merge/interactive; echo 'exec $X' > .git/rebase-merge/git-rebase-todo; echo 1 | tee .git/rebase-merge/msgnum > .git/rebase-merge/end",
    "git rebase --continue; git rebase --skip; git status",
  ],
  [
    "steps of a series of picks",
    "mkdir .git/sequencer; echo 'exec $X' > .git/sequencer/todo; git rev-parse HEAD > .git/sequencer/head; git rev-parse HEAD > .git/CHERRY_PICK_HEAD; printf '[options]\\n\\tstrategy = ./x\\n\\tedit = true\\n' > .git/sequencer/opts",
    "git cherry-pick --continue; git cherry-pick --skip; git revert --continue; git status",
  ],
  [
    "a rewrite of history",
    "mkdir -p .git-rewrite/t; for f in commit message backup-refs map; do printf '$X\\n' > .git-rewrite/$f; done; printf '$X\\n' > .git-rewrite/env",
    "git filter-branch --msg-filter cat HEAD; FILTER_BRANCH_SQUELCH_WARNING=1 git filter-branch -f --msg-filter cat HEAD",
  ],
  [
    "notes of a merge, and messages",
    "for f in MERGE_MSG SQUASH_MSG COMMIT_EDITMSG MERGE_MODE MERGE_HEAD FETCH_HEAD ORIG_HEAD GITGUI_MSG gc.log; do printf '$(%s)`%s`\\n--output=$OUT/n\\n' $X $X > .git/$f; done",
    "GIT_EDITOR=true git commit; git merge --continue; git status; git pull . main; git log -1 ORIG_HEAD; git gc --auto",
  ],
  [
    "names of branches, in a prompt",
    "git update-ref 'refs/heads/$($X)' HEAD; printf 'ref: refs/heads/$($X)\\n' > .git/HEAD; mkdir .git/rebase-merge; echo '$($X)' | tee .git/rebase-merge/head-name .git/rebase-merge/msgnum .git/rebase-merge/end; : > .git/rebase-merge/interactive",
    'for p in /usr/lib/git-core/git-sh-prompt /etc/bash_completion.d/git-prompt; do [ -f $p ] && . $p; done; GIT_PS1_SHOWUPSTREAM=verbose GIT_PS1_SHOWDIRTYSTATE=1; PS1=\'$(__git_ps1 "(%s)")\'; : "$PS1"; eval "echo \\"$PS1\\""; __git_ps1 a b; eval "echo \\"$PS1\\""',
  ],
  [
    "patches that are being applied",
    "mkdir .git/rebase-apply; cd .git/rebase-apply; for f in next last; do echo 1 > $f; done; : > applying; printf \"'--directory=../out'\" > apply-opt; echo '--output=$OUT/n' | tee sign utf8 keep messageid scissors threeway quiet > abort-safety; printf \"GIT_AUTHOR_NAME='x'; $X\\n\" > author-script; cd ../..; git format-patch -q -1 --stdout --root > .git/rebase-apply/0001; cp .git/rebase-apply/0001 .git/rebase-apply/patch",
    "git am --continue; git am --skip; git am --abort; git rebase --continue",
  ],
  [
    "references of another kind",
    "printf '[core]\\n\\trepositoryformatversion = 1\\n[extensions]\\n\\trefStorage = reftable\\n' >> .git/config; mkdir .git/reftable; echo ../../../out/secret > .git/reftable/tables.list",
    "git status; git pack-refs --all; git gc -q",
  ],
  [
    "replaced objects and grafts",
    "git replace --graft HEAD; echo $(git rev-parse HEAD) > .git/info/grafts; echo '--output=$OUT/n' > .git/shallow; git rev-parse HEAD > .git/refs/replace/x",
    "git log; git fetch .; git status; git gc -q",
  ],
  [
    "references by names of options",
    "for n in --output=x --exec=$X --upload-pack=$X; do mkdir -p $(dirname .git/refs/heads/$n); git rev-parse HEAD > .git/refs/heads/$n; git rev-parse HEAD > .git/refs/tags/$(basename -- $n); done",
    "git branch -a; git for-each-ref; git tag; git pull . main; git describe --all; git push . main:x",
  ],
  [
    "files by names of options",
    "touch -- --output=x --exec=$(basename $X) '-c' '--git-dir=node_modules/r/.git'; evil node_modules/r",
    "git add *; git diff; git status; git log *",
  ],
  [
    "programs by git's names",
    "for n in git-status git git-remote-x ssh gpg less pager; do printf '#!/bin/sh\\n$X\\n' > $n; chmod +x $n; cp $n src; cp $n node_modules/.bin 2>/dev/null; done",
    "git fetch x::y; git log; GNUPGHOME=/dev/shm git commit -qS -m x --allow-empty; git fetch ssh://h/x",
  ],
  [
    "git's own tools of several commands",
    "mkdir -p .git/gitweb .git/svn .git/p4 .git/lost-found; printf '$X\\n' | tee .git/gitweb/gitweb_config.perl .git/gitweb/httpd.conf .git/svn/.metadata .git/svn/config > .git/p4/config; evil node_modules/r; echo x > .git/pid",
    "git fsck --lost-found; git maintenance run; git rerere; git request-pull HEAD . ; git submodule summary; git subtree split -P src; git describe; git archive HEAD > /dev/null; git blame a.txt; git stash; git stash pop; git notes add -m x; git worktree add -q got; git shortlog HEAD; git bugreport -o /dev/shm; git difftool -y --extcmd=cat HEAD",
  ],
];

/** A folder that builds make and git doesn't ignore, or no more. */
const ADD = "git add -A; git status --short; git diff";
const IGNORED = { setup: "printf 'target\\nnode_modules\\n' > .gitignore; git add .gitignore; git commit -qm i" };

const ADDED: readonly Row[] = [
  ["in a folder that builds make", "evil target/r; evil target/a/b/node_modules/c", ADD],
  [
    "after a line that takes back what is ignored",
    "evil node_modules/r; echo '!node_modules/' >> .gitignore",
    ADD,
    IGNORED,
  ],
  [
    "by a list in a folder below",
    "mkdir src/target; evil src/target/r; printf '!target\\n' > src/.gitignore",
    ADD,
    IGNORED,
  ],
  ["by its own name", "evil target/r; printf 'target/*\\n!target/r\\n' > .gitignore", ADD, IGNORED],
  [
    "as nothing is ignored any more",
    "evil .tox/r; : > .git/info/exclude",
    ADD,
    { setup: "echo .tox > .git/info/exclude" },
  ],
  [
    "by the list of a .git that git passes over",
    "git init -q sub; echo nothing > sub/.git/HEAD; echo target > sub/.git/info/exclude; evil sub/target/r",
    ADD,
  ],
  [
    "by a list that is longer than what is read of it",
    "{ yes '# a comment' | head -c 70000; echo; echo '!target/'; } > .gitignore; evil target/r",
    ADD,
    { setup: "echo target >> .git/info/exclude" },
  ],
  ["by a line that git reads in another way", "evil target/r; printf ' target\\n' > .gitignore", ADD, IGNORED],
];

/** What another program than git reads or writes by itself. */
const PROGRAMS: readonly Row[] = [
  [
    "git's monitor and git-annex, which write in folders of git's own",
    "mkdir -p .git/annex .git/fsmonitor--daemon; ln -s $OUT .git/annex/journal; ln -s $OUT .git/fsmonitor--daemon/cookies",
    "for f in annex/journal fsmonitor--daemon/cookies; do mkdir -p .git/$f; echo x > .git/$f/new; done",
  ],
  [
    "direnv, for an .envrc that the user allowed",
    "echo $X | tee scripts/env.sh .env.local src/own > src/.env",
    "[ ! -e .env.local ] || $X; [ ! -e src/.env ] || $X; [ ! -e src/own ] || $X; . scripts/env.sh",
    {
      setup:
        "mkdir scripts; echo true > scripts/env.sh; printf 'source_env scripts/env.sh\\ndotenv_if_exists .env.local\\n. \"$PWD/src/own\"\\n' > .envrc; echo dotenv_if_exists > src/.envrc; git add -f .envrc src scripts; git commit -qm e",
    },
  ],
  [
    "direnv, by what an allowed .envrc loads behind a condition, in turn, and finds on PATH",
    "echo $X | tee .env.sh > scripts/more.sh; cp $X tools/ls; cp $X tools/git",
    "[ ! -e .env.sh ] || $X; . scripts/more.sh; PATH=$PWD/tools:$PATH; ls; git status",
    {
      setup:
        "mkdir scripts tools; echo true > scripts/more.sh; echo '. scripts/more.sh' > scripts/env.sh; printf '[ -f .env.sh ] && . .env.sh\\nsource scripts/env.sh\\nPATH_add tools\\n' > .envrc; git add -f .envrc scripts; git commit -qm e",
    },
  ],
  [
    "direnv, by each folder that an allowed .envrc puts on PATH",
    "for f in a/ls tools/ls local/bin/git; do cp $X $f; done",
    "PATH=$PWD/local/bin:$PWD/a:$PWD/tools:$PATH; ls; git status",
    {
      setup:
        "mkdir -p a tools local/bin; touch a/k tools/k local/bin/k; printf 'PATH=\"$PWD/a:$PWD/tools:$PATH\"\nload_prefix local\n' > .envrc; git add -f .envrc a tools local; git commit -qm e",
    },
  ],
  [
    "git, by a filter that is named behind a variable or without its ending",
    "echo $X > tools/c.sh; echo \"require('child_process').execSync('$X')\" > tools/d.js",
    "git status; git add -A; git diff",
    {
      setup:
        "mkdir tools; printf '#!/bin/sh\ncat\n' > tools/c.sh; chmod +x tools/c.sh; printf 'process.stdin.pipe(process.stdout)\n' > tools/d.js; git config filter.f.clean '\"$(git rev-parse --show-toplevel)\"/tools/c.sh'; git config filter.g.clean 'node tools/d'; printf '*.txt filter=f\na.txt filter=g\n' > .gitattributes; git add .; git commit -qm t; echo y >> a.txt",
    },
  ],
  [
    "tar, by names that it takes for options",
    "printf '$X\n' > x.sh; touch -- '--checkpoint=1' '--checkpoint-action=exec=sh x.sh'",
    "tar cf /dev/null *",
  ],
  [
    "npx, by the project's own name for the gate's command",
    `printf '{"name":"p","version":"1.0.0","bin":{"metnos-gate":"e.js"}}' > package.json; printf '#!/usr/bin/env node\\nrequire("child_process").execSync("$X")\\n' > e.js; chmod +x e.js`,
    "npm_config_cache=/dev/shm/npm npx --offline --yes metnos-gate status",
  ],
  [
    "glab, by settings in Git's folder",
    "mkdir .git/glab-cli; echo 'editor: $X' > .git/glab-cli/config.yml",
    "[ ! -e .git/glab-cli/config.yml ] || $X",
  ],
  [
    "an agent's tool, by another name of settings",
    "git init -q n; ln n/.git/config src/c",
    "cd n; git status; git add -A",
    { act: writes("src/c", "[core]\n\tfsmonitor = $X\n") },
  ],
  [
    "an agent's tool, by another name of what says which version runs",
    "echo stable > rust-toolchain; ln rust-toolchain src/t.txt",
    "if grep -q path rust-toolchain; then $X; fi",
    { act: writes("src/t.txt", '[toolchain]\npath = "$X"\n') },
  ],
  [
    "rvm, at cd",
    "echo x | tee .ruby-env > .versions.conf",
    "for f in .ruby-env .versions.conf; do [ ! -e $f ] || $X; done",
  ],
  [
    "hg, as it continues what was broken off",
    "mkdir -p .hg/store; echo x | tee .hg/store/journal .hg/store/journal.backupfiles > .hg/histedit-state",
    "for f in store/journal store/journal.backupfiles histedit-state; do [ ! -e .hg/$f ] || $X; done",
  ],
  [
    "hg, jj and others, by links in folders of their own",
    "mkdir -p .hg/store .jj/repo .sl .bzr .svn; for d in .hg/cache .hg/store/data .jj/repo/op_store .sl/blackbox .bzr/repository .svn/tmp; do ln -s $OUT $d; done; ln -s ../../../out/new .hg/store/phaseroots",
    "for d in .hg/cache .hg/store/data .jj/repo/op_store .sl/blackbox .bzr/repository .svn/tmp; do mkdir -p $d; echo x > $d/new; done; mkdir -p .hg/store; echo x > .hg/store/phaseroots",
  ],
  [
    "hg, by links in its own folder to others there",
    "mkdir -p .hg/s; echo $X | tee .hg/x > .hg/s/journal; ln -s x .hg/hgrc; ln -s s .hg/store",
    "for f in hgrc store/journal; do [ ! -e .hg/$f ] || $X; done",
  ],
  [
    "hg, as it takes back what was done, or enters another repository",
    "mkdir -p .hg/store; printf '2\\nplain\\0hgrc\\0undo.backup.x\\0000\\n' > .hg/store/undo.backupfiles; printf '../../a\\0000\\n' > .hg/store/undo; echo 'a = target/r' > .hgsub",
    "for f in .hg/store/undo .hg/store/undo.backupfiles .hgsub; do [ ! -e $f ] || $X; done",
  ],
];

const chainOf =
  (group: string) =>
  ([name, plant, user, more]: Row): Chain => ({
    name: `${group}: ${name}`,
    level: "Supervised",
    plant: `${EVIL}#plant\n${plant}`,
    user,
    ...more,
  });

const CHAINS = [
  ...LINKS.map(chainOf("a link")),
  ...REMOTES.map(chainOf("a remote by a name")),
  ...OTHERS.map(chainOf("git")),
  ...ADDED.map(chainOf("a repository that git add takes in")),
  ...PROGRAMS.map(chainOf("another program")),
];

describe.skipIf(reason !== undefined)("what a confined command leaves", () => {
  it("has the user's git run nothing", async () => {
    const only = process.env.CHAIN;
    const { found, counts } = await runChains(CHAINS.filter(({ name }) => only === undefined || name.includes(only)));
    console.log(JSON.stringify(counts));
    expect(found).toEqual([]);
  }, 600_000);
});
