import { call, perl, section } from "../script.ts";

/** Flags of renameat2: not over another one, both exchanged, a whiteout left behind. */
const renamed = (from: string, to: string): string =>
  perl(
    `for my $f (0,1,2,4) { my ($a,$b)=("${from}","${to}"); syscall(${call("renameat2")},-100,$a,-100,$b,$f) } print "on\\n"`,
  );

/** What covers hide and keep, uncovered by names: moves, exchanges, links, folders that are deleted. */
export const COVERS = section("covers", [
  [
    "a hidden file renamed, and what was under it",
    `mv .env x; mv -f src/a.txt .env; cat x .env; true`,
    { asUser: true },
  ],
  ["a hidden file exchanged with another one", renamed(".env", "src/a.txt"), { stdout: "on\n" }],
  ["Git's settings exchanged with another file", renamed("src/a.txt", ".git/config"), { stdout: "on\n" }],
  [
    "Git's hooks exchanged with another folder",
    `mkdir h; echo evil > h/pre-commit; ${renamed("h", ".git/hooks")}`,
    { planted: [".git/hooks/post-merge"] },
  ],
  [
    ".git exchanged with another repository",
    `mkdir g; cp -r .git/. g/; echo '[core] fsmonitor = evil' >> g/config; ${renamed("g", ".git")}`,
    { asUser: true },
  ],
  [
    "the folder of a hidden file exchanged with another one",
    `mkdir q; ${renamed("pkg", "q")}; cat q/.env pkg/.env; true`,
    { mayMove: true },
  ],
  ["the folder of a hidden file deleted", `rm -rf pkg; cat pkg/.env; rmdir pkg; mkdir pkg; cat pkg/.env; true`, {}],
  [
    "hidden files deleted",
    `rm -f .env .env.local pkg/.env; unlink .env; find . -name '.env*' -delete; cat .env; true`,
    {},
  ],
  [
    "a hard link to a hidden and to a kept file",
    `for f in .env .envrc .git/config .git/hooks/pre-commit .mcp.json; do ln $f l 2>/dev/null && { echo evil >> l; cat l; }; ln -P /proc/self/cwd/$f l 2>/dev/null && cat l; done; true`,
    { asUser: true },
  ],
  [
    "a hidden file by a descriptor of its folder",
    perl(
      `opendir(my $d,"."); for my $n (".env","pkg/.env") { my $f=syscall(${call("openat")},fileno $d,my $p=$n,0,0); next if $f<0; open(my $h,"<&=",$f); print <$h> } for my $n (".env") { my $f=syscall(${call("openat")},-100,my $p=$n,010000000,0); open(H,"<","/proc/self/fd/$f") and print <H> }`,
    ),
    {},
  ],
  [
    "a hidden file by a copy in the kernel",
    `${perl(
      `open(my $i,"<",".env"); open(my $o,">","out"); syscall(${call("copy_file_range")},fileno $i,0,fileno $o,0,4096,0); ioctl($o,0x40049409,fileno $i); close $o; open($o,"<","out"); print <$o>`,
    )}; cp --reflink=always .env o2 2>/dev/null && cat o2; true`,
    {},
  ],
  [
    "a hidden file by an archive, by Git and by a search",
    `tar cf a.tar . 2>/dev/null; tar xOf a.tar ./.env ./pkg/.env; git add -f .env pkg/.env 2>/dev/null; git show :.env :pkg/.env; git stash -u -q 2>/dev/null; git show 'stash^3:.env'; grep -rh PASSWORD . ; true`,
    {},
  ],
  [
    "a kept file by a file without a name that is linked there",
    perl(
      `for my $t (".envrc",".mcp.json",".git/config",".vscode/tasks.json") { my $f=syscall(${call("openat")},-100,my $d=".",020200002,0644); next if $f<0; open(my $h,">&=",$f); syswrite $h,"evil"; unlink $t; syscall(${call("linkat")},-100,my $s="/proc/self/fd/$f",-100,my $n=$t,0x400) } print "on\\n"`,
    ),
    { stdout: "on\n", asUser: true },
  ],
  [
    "a kept file by mapped memory, by splice and by allocation",
    perl(
      `for my $t (".envrc",".git/config",".mcp.json") { open(my $h,"+<",$t) and do { print "HOLE $t\\n" }; open(my $r,"<",$t); my $m=syscall(${call("mmap")},0,4096,2,1,fileno $r,0); print "HOLE mmap\\n" if $m>0; print "HOLE fallocate\\n" if syscall(${call("fallocate")},fileno $r,3,0,4)>=0; print "HOLE ftruncate\\n" if syscall(${call("ftruncate")},fileno $r,0)>=0 }`,
    ),
    {},
  ],
  [
    "a kept file by the descriptor of /proc, opened again to be written",
    perl(
      `for my $t (".envrc",".git/config",".git/hooks/pre-commit") { open(my $r,"<",$t); print "HOLE $t\\n" if open(my $w,"+<","/proc/self/fd/".fileno $r) } `,
    ),
    {},
  ],
  [
    "flags, attributes and times of kept files",
    perl(
      `for my $t (".envrc",".git/config",".env") { print "HOLE utime $t\\n" if utime 0,0,$t; print "HOLE chmod $t\\n" if chmod 0777,$t; open(my $r,"<",$t); my $v=pack("L",0x10); print "HOLE flags $t\\n" if ioctl($r,0x40086602,$v) }`,
    ),
    {},
  ],
  [
    "the folder above the project, and the project itself renamed",
    perl(
      `for my $f (0,2) { my ($a,$b)=("%PROJECT%","%PROJECT%-2"); print "HOLE\\n" if syscall(${call("renameat2")},-100,$a,-100,$b,$f)>=0 } rename "..","../x"; rename ".","../x"; print "on\\n"`,
    ),
    { stdout: "on\n", unshown: "about the box" },
  ],
]);

const planted = (...names: string[]): { planted: readonly string[]; isBare: true } => ({
  planted: names,
  isBare: true,
});

/** What is run later, hidden from the look after a run: by names, times, links, places that move. */
export const UNSEEN = section("unseen", [
  [
    "with the times of before",
    `touch -r src ref; mkdir src/.vscode; echo evil > src/.vscode/tasks.json; touch -r ref src src/.vscode src/.vscode/tasks.json; touch -d @0 .`,
    { ...planted("src/.vscode/tasks.json"), asUser: true },
  ],
  [
    "with times of the future",
    `mkdir src/.vscode; echo evil > src/.vscode/tasks.json; echo evil > .envrc; touch -d 2100-01-01 . src src/.vscode src/.vscode/tasks.json .envrc`,
    { ...planted("src/.vscode/tasks.json", ".envrc") },
  ],
  [
    "in a second run, in a folder that the first has left as it was seen",
    `mkdir -p deep/a; touch -d @1000000000 deep deep/a`,
    {
      ...planted("deep/a/.envrc"),
      later: [`touch -d @0 x; echo evil > deep/a/.envrc; touch -d @1000000000 deep/a`],
    },
  ],
  [
    "under the number that another file had (inodes used again)",
    `for i in $(seq 50); do echo x > .envrc-$i; rm .envrc-$i; echo evil > .envrc; rm .envrc; done; echo evil > .envrc`,
    { ...planted(".envrc") },
  ],
  [
    "in the place of one that was known and was deleted with its folder",
    `rm -rf pkg; mkdir -p pkg/.vscode; for i in 1 2 3 4 5 6 7 8; do echo evil > pkg/.vscode/tasks.json; done`,
    { asUser: true, planted: ["pkg/.vscode/settings.json"] },
  ],
  [
    "with a new line, a tab, a quote and a backslash in the folder's name",
    `for d in $'n\\nl' $'t\\tb' "q'q" 'b\\b' '$(x)' '*' '-rf' ' '; do mkdir -p -- "./$d/.vscode"; echo evil > "./$d/.vscode/tasks.json"; echo evil > "./$d/.envrc"; done`,
    {
      ...planted(
        "n\nl/.envrc",
        "t\tb/.envrc",
        "q'q/.envrc",
        "b\\b/.envrc",
        "$(x)/.vscode/tasks.json",
        "*/.envrc",
        "-rf/.envrc",
        " /.envrc",
      ),
    },
  ],
  [
    "in a folder whose name is 255 bytes long",
    `d=$(printf 'a%.0s' $(seq 255)); mkdir -p $d/.vscode; echo evil > $d/.envrc; echo evil > $d/.vscode/tasks.json`,
    { ...planted(`${"a".repeat(255)}/.envrc`, `${"a".repeat(255)}/.vscode/tasks.json`) },
  ],
  [
    "at the end of a path that is nearly as long as one can be",
    perl(
      `my $n="p"x250; my $d=""; while (length("%PROJECT%/$d$n/.envrc")<4090) { $d.="$n/"; mkdir substr $d,0,-1 } open(F,">","$d.envrc"); print F "evil"; mkdir "$d.husky"; open(F,">","$d.husky/x"); print F "evil"; open(F,">","list"); print F "$d.envrc"`,
    ),
    { later: [`cat "$(cat list)" && echo HO''LE; true`], isBare: true, unshown: "about the box" },
  ],
  [
    "at the end of forty links",
    `mkdir e; echo evil > e/tasks.json; ln -s e l0; for i in $(seq 39); do ln -s l$((i-1)) l$i; done; ln -s l39 .vscode; ln -s l39/tasks.json .envrc`,
    { ...planted(".vscode", ".envrc") },
  ],
  [
    "by a loop of links, and one that leads to itself",
    `ln -s .vscode .vscode; ln -s .envrc .mcp.json; ln -s .mcp.json .envrc; mkdir x; ln -s . x/.husky`,
    { ...planted(".vscode", ".envrc", ".mcp.json", "x/.husky"), asUser: true },
  ],
  [
    "by letters that only look alike, or that fold to it",
    `echo evil > $'.envrc\\u200b'; echo evil > $'.\\u017fh'; mkdir -p .vſcode .VSCODE; echo evil > .VSCODE/TASKS.JSON; echo evil > .ENVRC`,
    { ...planted(".VSCODE/TASKS.JSON", ".ENVRC") },
  ],
  [
    "moved out of a folder that builds make",
    `mkdir -p node_modules/x/.vscode node_modules/h; echo evil > node_modules/x/.vscode/tasks.json; echo evil > node_modules/h/post-merge; mv node_modules/x x; mv node_modules/h .git/hooks/ 2>/dev/null; mkdir -p target/p/.claude; echo evil > target/p/.claude/settings.json; mv target t2`,
    { ...planted("x/.vscode/tasks.json", "t2/p/.claude/settings.json") },
  ],
  [
    "in a folder that is called node_modules only during the look",
    `mkdir -p m/.vscode; echo evil > m/.vscode/tasks.json; (for i in $(seq 40); do mv m node_modules; mv node_modules m; done) 2>/dev/null; mv node_modules m 2>/dev/null; true`,
    { ...planted("m/.vscode/tasks.json") },
  ],
  [
    "in a repository below whose folder is not called .git",
    `git init -q --separate-git-dir=meta sub 2>/dev/null; echo '[core] fsmonitor = evil' >> meta/config; mkdir -p meta/hooks; echo evil > meta/hooks/post-checkout`,
    { ...planted("meta/config", "meta/hooks/post-checkout", "sub/.git"), asUser: true },
  ],
  [
    "in a worktree's own settings and in a submodule's",
    `git worktree add -q wt 2>/dev/null; mkdir -p .git/worktrees/wt; echo '[core] fsmonitor = evil' > .git/worktrees/wt/config.worktree; mkdir -p .git/modules/a/modules/b; for d in .git/modules/a .git/modules/a/modules/b; do echo 'ref: refs/heads/x' > $d/HEAD; mkdir -p $d/objects $d/refs $d/hooks; echo evil > $d/config; echo evil > $d/hooks/post-checkout; done`,
    {
      ...planted(
        ".git/worktrees/wt/config.worktree",
        ".git/modules/a/config",
        ".git/modules/a/modules/b/hooks/post-checkout",
      ),
    },
  ],
  [
    "other objects for Git (alternates)",
    `mkdir -p .git/objects/info; echo %SIBLING%/.git/objects > .git/objects/info/alternates; echo /x > .git/objects/info/http-alternates; true`,
    { ...planted(".git/objects/info/alternates") },
  ],
  [
    "by a program that ends as the look begins, many times",
    perl(
      `for (1..6) { next if fork; close STDOUT; close STDERR; $SIG{TERM}=$SIG{HUP}="IGNORE"; my $e=time+3; while (time<$e) { mkdir "z$_"; open(F,">","z$_/.envrc") and print F "evil"; close F; select(undef,undef,undef,0.002) } exit } select(undef,undef,undef,0.05)`,
    ),
    { ...planted("z1/.envrc", "z3/.envrc", "z6/.envrc"), unshown: "a race" },
  ],
  [
    "by writing on through a file that was open before it got its name",
    perl(
      `open(F,">","plain"); rename "plain",".envrc"; syswrite F,"evil"; for (1..20) { rename ".envrc","plain"; rename "plain",".envrc" }`,
    ),
    { ...planted(".envrc") },
  ],
  [
    "as a hard link of a file that stays",
    `echo evil > ordinary; ln ordinary .envrc; ln ordinary .mcp.json; mkdir .vscode; ln ordinary .vscode/tasks.json`,
    { ...planted(".envrc", ".mcp.json", ".vscode/tasks.json"), asUser: true },
  ],
  [
    "as a hard link of a known one, in a new place",
    `for f in .npmrc .envrc .husky/pre-commit .vscode/tasks.json; do mkdir -p new/.husky new/.vscode; ln $f new/$f; mv $f new/$f; done 2>/dev/null; true`,
    { mayMove: true, planted: ["new/.npmrc", "new/.envrc", "new/.husky/pre-commit", "new/.vscode/tasks.json"] },
  ],
  [
    "a rebase that continues with a command",
    `mkdir -p .git/rebase-merge; git rev-parse HEAD > .git/rebase-merge/onto; cp .git/rebase-merge/onto .git/rebase-merge/orig-head; echo refs/heads/main > .git/rebase-merge/head-name; echo 'exec touch evil' > .git/rebase-merge/git-rebase-todo; touch .git/rebase-merge/interactive`,
    { ...planted(".git/rebase-merge/git-rebase-todo") },
  ],
]);
