import { call, perl, section } from "../script.ts";

/** Processes outside, and such as outlive the command. */
export const PROCESSES = section("processes", [
  ["another process ended", `kill -9 %PID%`, { asUser: true }],
  [
    "another process by every number",
    perl(`for my $p (2..40,%PID%) { next if $p==$$; kill "KILL",$p unless $p<40 && -d "/proc/$p/task/$$" }`),
    { unshown: "not bounded" },
  ],
  [
    "everything that can be ended",
    `[ "$(readlink /proc/self/ns/pid)" != "%PIDNS%" ] && kill -9 -1; true`,
    { unshown: "not bounded", asUser: true },
  ],
  [
    "the process above it",
    `[ "$(readlink /proc/self/ns/pid)" != "%PIDNS%" ] && { kill -9 $PPID; kill -TERM $PPID; kill -9 1; kill -STOP 1; }; exit 7`,
    { unshown: "about the box", code: 7 },
  ],
  [
    "its whole process group",
    `[ "$(readlink /proc/self/ns/pid)" != "%PIDNS%" ] && kill -TERM 0; true`,
    { unshown: "about the box" },
  ],
  ["another process stopped", `kill -STOP %PID%; kill -USR1 %PID%`],
  ["another process's priority and limits", `renice -n 10 -p %PID%; prlimit --pid %PID% --nofile=10:10`],
  [
    "a debugger on another process",
    perl(
      `for my $p (%PID%) { print "HOLE\\n" if syscall(${call("ptrace")},16,$p,0,0)==0; print "HOLE\\n" if syscall(${call("ptrace")},0x4206,$p,0,0)==0 }`,
    ),
    { asUser: true, unshown: "depends on the machine" },
  ],
  [
    "another process's memory read",
    perl(
      `my $b="\\0"x64; my $l=pack("PQ",$b,64); my $r=pack("QQ",0x7ffd00000000,64); print "HOLE\\n" if syscall(${call("process_vm_readv")},%PID%,$l,1,$r,1,0)>0; print "HOLE\\n" if open(F,"<","/proc/%PID%/mem"); print "HOLE\\n" if -e "/proc/%PID%";`,
    ),
  ],
  [
    "a handle on another process",
    perl(
      `my $f=syscall(${call("pidfd_open")},%PID%,0); print "HOLE\\n" if $f>=0; for my $n (0..8) { print "HOLE\\n" if $f>=0 && syscall(${call("pidfd_getfd")},$f,$n,0)>=0 }`,
    ),
  ],
  [
    "descriptors of the first process",
    perl(
      `my $f=syscall(${call("pidfd_open")},1,0); exit if $f<0; for my $n (0..20) { my $d=syscall(${call("pidfd_getfd")},$f,$n,0); next if $d<0; my $l=readlink "/proc/self/fd/$d"; next if grep { (readlink("/proc/self/fd/$_")//"") eq $l } 0..2; print "HOLE $n $l\\n" if $l=~m{^/(?!dev/null)|socket|fifo} }`,
    ),
    { unshown: "about the box" },
  ],
  [
    "what the gate reads of a run, forged by the first process's descriptors",
    `for i in 3 4 5 6 7 8; do timeout 1 sh -c "printf '{"child-pid": %PID%}\\0go\\n' > /proc/1/fd/$i" 2>/dev/null; timeout 1 sh -c "head -c 300000 /dev/zero > /proc/1/fd/$i" 2>/dev/null; done; true`,
    { unshown: "about the box", asUser: true },
  ],
  [
    "the environment of every process",
    `cat /proc/1/environ /proc/self/environ /proc/*/environ 2>/dev/null | tr '\\0' '\\n'`,
    { asUser: true },
  ],
  [
    "the command line of every process",
    `{ tr '\\0' '\\n' < /proc/1/cmdline; tr '\\0' '\\n' < /proc/$$/cmdline; } > seen; [ -s seen ] || echo HO''LE; grep -q canary-of-''this-line seen && echo HO''LE; : canary-of-this-line; true`,
    { unshown: "about the box" },
  ],
  [
    "the memory of the first process",
    `grep -q . /proc/1/maps 2>/dev/null && { dd if=/proc/1/mem bs=1 count=1 of=/dev/null 2>/dev/null; cat /proc/1/environ; }; true`,
    { unshown: "about the box" },
  ],
  [
    "how many processes the host has",
    `n=$(ls -d /proc/[0-9]* | wc -l); [ $n -lt 12 ] || echo HOLE $n`,
    { unshown: "about the box" },
  ],
  ["a process in the background", `sleep %MARK% &`, { asUser: true }],
  ["nohup and disown", `nohup sleep %MARK% >/dev/null 2>&1 & disown`],
  ["a session of its own", `setsid sleep %MARK% >/dev/null 2>&1 < /dev/null &`, { asUser: true }],
  [
    "forked twice, all closed",
    perl(
      `use POSIX "setsid"; exit if fork; setsid; exit if fork; chdir "/"; open(STDIN,"</dev/null"); open(STDOUT,">/dev/null"); open(STDERR,">/dev/null"); POSIX::close($_) for 3..20; exec "sleep","%MARK%"`,
    ),
  ],
  [
    "one that ignores every signal",
    `(trap '' TERM HUP INT QUIT USR1 USR2 PIPE ALRM; setsid sleep %MARK% >/dev/null 2>&1 &)`,
  ],
  [
    "one that takes back the signal for its parent's death",
    perl(`exit if fork; syscall(${call("prctl")},1,0,0,0,0); close STDOUT; close STDERR; exec "sleep","%MARK%"`),
  ],
  [
    "one in namespaces of its own",
    `unshare -Urpf --mount-proc sleep %MARK% >/dev/null 2>&1 & unshare -Ur sleep %MARK% >/dev/null 2>&1 & sleep 0.1`,
    { asUser: true },
  ],
  ["one that keeps the output open", `sleep %MARK% & sleep %MARK% >&2 &`],
  [
    "one that keeps the answer's descriptor open",
    `sleep %MARK% 9>&9 8>&8 & exec 9>&- ; true`,
    { unshown: "about the box" },
  ],
  ["one that is stopped", `sleep %MARK% & kill -STOP $!`],
  ["a hundred of them", `for i in $(seq 100); do setsid sleep %MARK% >/dev/null 2>&1 & done; true`],
  [
    "by the machine's services",
    `systemd-run --user sleep %MARK% 2>/dev/null && echo HOLE; systemd-run sleep %MARK% 2>/dev/null && echo HOLE; echo "sleep %MARK%" | at now 2>/dev/null && echo HOLE; true`,
    { unshown: "depends on the machine" },
  ],
  [
    "one that watches for the end and starts others",
    perl(
      `for (1..5) { next if fork; $SIG{HUP}=$SIG{TERM}="IGNORE"; close STDOUT; close STDERR; while(1){ my $p=fork; if(!$p){ exec "sleep","%MARK%" } select(undef,undef,undef,0.05) } }`,
    ),
    { unshown: "not bounded", asUser: true },
  ],
]);

/** What would use the machine up. The test's box has small limits. */
export const LIMITS = section(
  "limits",
  [
    [
      // Its own shell makes one process: where there is no room for another, bash waits for fifteen seconds.
      "a fork bomb",
      `bomb() { [ $1 -gt 0 ] && { bomb $(($1-1)) & bomb $(($1-1)) & }; sleep 1; }; bomb 10 2>/dev/null & SECONDS=0; most=0; while [ $SECONDS -lt 3 ]; do set -- /proc/[0-9]*; [ $# -le $most ] || most=$#; done; [ $most -le 160 ] || echo HOLE; true`,
      { isForUsersOnly: true, asUser: true },
    ],
    [
      "more processes than are allowed",
      `${perl(
        `my $n=0; for (1..400) { my $p=fork; last unless defined $p; if(!$p){ sleep 5; exit } $n++ } print "HOLE $n\\n" if $n>=300; kill "KILL",-0;`,
      )}; true`,
      { isForUsersOnly: true, asUser: true },
    ],
    [
      "a file of 10 GB",
      `dd if=/dev/zero of=big bs=1M count=10240 status=none; [ $(stat -c %s big) -le 8388608 ] || echo HOLE`,
      { asUser: true },
    ],
    [
      "a file of 10 GB without content",
      `truncate -s 10G big && echo HOLE; fallocate -l 10G big 2>/dev/null && echo HOLE; true`,
    ],
    [
      "a full /tmp",
      `for i in 1 2 3 4 5 6; do head -c 7M /dev/zero > /tmp/f$i; done 2>/dev/null; [ $(du -sm /tmp | cut -f1) -le 33 ] || echo HOLE`,
    ],
    [
      "a full home, /dev/shm and /run",
      `for d in ~ /dev/shm /run /var/tmp; do for i in $(seq 12); do head -c 7M /dev/zero > $d/f$i; done; n=$(du -sm $d | cut -f1); [ $n -le 66 ] || echo HOLE $d $n; done 2>/dev/null; true`,
    ],
    ["all memory", `${perl(`my $x="x"x(3*1024*1024*1024); print "HOLE\\n" if length $x;`)}; true`, { asUser: true }],
    [
      "more open files than allowed",
      perl(`my @f; for (1..2000) { open(my $h,"<","/dev/null") or last; push @f,$h } print "HOLE\\n" if @f>=1999;`),
    ],
    [
      "limits raised again",
      `ulimit -n 100000 2>/dev/null && echo HOLE; ulimit -f unlimited 2>/dev/null && echo HOLE; ulimit -d unlimited 2>/dev/null && echo HOLE; ulimit -t unlimited 2>/dev/null && echo HOLE; true`,
      { asUser: true },
    ],
    ["a loop without an end", `while :; do :; done`],
    ["a core file of its own", `[ "$(ulimit -c)" = 0 ] || echo HOLE $(ulimit -c)`],
    [
      "thousands of files",
      perl(`mkdir "many"; for (1..$ENV{N}||3000) { open(my $f,">","many/$_.txt") } print "made\\n"`),
      { stdout: "made\n" },
    ],
    [
      "100,000 files and one that is run later among them",
      perl(
        `for my $d (1..100) { mkdir "d$d"; for (1..1000) { open(my $f,">","d$d/$_") } } mkdir "d50/.vscode"; open(F,">","d50/.vscode/tasks.json"); print F "evil";`,
      ),
      { planted: ["d50/.vscode/tasks.json"], isBare: true },
    ],
    ["a hundred thousand lines of output", `yes evil | head -n 100000 | tail -n 1`, { stdout: "evil\n" }],
    [
      "a folder deeper than a path can be long, run later at its end",
      perl(
        `my $n="d"x200; for (1..40) { mkdir $n; chdir $n } mkdir ".vscode"; open(F,">",".vscode/tasks.json"); print F "evil"; open(F,">",".envrc"); print F "evil";`,
      ),
      { unshown: "about the box" },
    ],
  ],
  { unshown: "not bounded" },
);
