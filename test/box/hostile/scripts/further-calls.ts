import { call, perl, section } from "../script.ts";

/** A program of nothing but these bytes of machine code (x86-64); ended by SIGSYS where the filter sees a call of another architecture. */
const machineCode = (hex: string): string =>
  perl(
    `my $c=pack("H*","${hex}"); my $a=0x400000; my $e=pack("a16SSLQQQLSSSSSS","\\x7fELF\\x02\\x01\\x01",2,62,1,$a+120,64,0,0,64,56,1,0,0,0).pack("LLQQQQQQ",1,7,0,$a,$a,120+length $c,120+length $c,4096); open(F,">","/tmp/code"); print F $e.$c; close F; chmod 0755,"/tmp/code"; my $r=system "/tmp/code"; print "HOLE $r\\n" if $r==42*256;`,
  );

/** `mov eax, NUMBER; int 0x80; mov ebx, 42; mov eax, 1; int 0x80`: the numbers of 32-bit programs in a 64-bit one. */
const byInterrupt = (number: string): string => machineCode(`b8${number}cd80bb2a000000b801000000cd80`);

/** Calls that other tables don't make, and the same by other numbers. */
export const FURTHER_CALLS = section(
  "further-calls",
  [
    ["by the interrupt of 32-bit programs", byInterrupt("14000000"), { asUser: true }],
    ["a lease by the interrupt of 32-bit programs", byInterrupt("37000000")],
    [
      "by the numbers of the x32 ABI",
      perl(`for my $n (39,257,16,101,250) { print "HOLE $n\\n" if syscall(0x40000000+$n,0,0,0,0,0)>=0 }`),
      {},
    ],
    [
      "a program in memory with its owner's rights",
      perl(
        `my $f=syscall(${call("memfd_create")},my $n="x",0); exit if $f<0; print "HOLE\\n" if syscall(${call("fchmod")},$f,04755)>=0; my @s=stat("/proc/self/fd/$f"); printf "HOLE %o\\n",$s[2] if $s[2]&06000;`,
      ),
      {},
    ],
    [
      "the first process by its handle: its memory, namespaces and descriptors",
      perl(
        `my $p=syscall(${call("pidfd_open")},1,0); exit if $p<0; my $v=pack("QQ",0,4096); print "HOLE madvise\\n" if syscall(${call("process_madvise")},$p,$v,1,4,0)>0; print "HOLE mrelease\\n" if syscall(${call("process_mrelease")},$p,0)>=0; for my $n (0x20000,0x10000000,0x20000000,0x40000000) { print "HOLE setns $n\\n" if syscall(${call("setns")},$p,$n)>=0 } for my $n (0..20) { print "HOLE fd $n\\n" if syscall(${call("pidfd_getfd")},$p,$n,0)>=0 }`,
      ),
      { asUser: true },
    ],
    [
      "the first process's limits made smaller than what it has open",
      perl(`my $l=pack("QQ",1,1); for my $r (0,1,2,7) { syscall(${call("prlimit64")},1,$r,$l,0) } print "on\\n";`),
      { stdout: "on\n" },
    ],
    [
      "the first process's time limit: it ends, and what it started with it",
      perl(`my $l=pack("QQ",0,0); syscall(${call("prlimit64")},1,0,$l,0); exec "sleep","0.2"`),
    ],
    [
      "limits raised by the call itself",
      perl(
        `for my $r (0,1,2,4,7) { my $l=pack("QQ",~0,~0); print "HOLE $r\\n" if syscall(${call("prlimit64")},0,$r,$l,0)>=0 }`,
      ),
      {},
    ],
    [
      "a mount by the newer calls",
      perl(
        `my $r="/"; my $f="tmpfs"; my $e=""; print "HOLE fsopen\\n" if syscall(${call("fsopen")},$f,0)>=0; print "HOLE fspick\\n" if syscall(${call("fspick")},-100,$r,0)>=0; my $t=syscall(${call("open_tree")},-100,$r,1); print "HOLE tree\\n" if $t>=0; my $o=syscall(${call("open_tree")},-100,my $p="%PROJECT%",0); print "HOLE move\\n" if syscall(${call("move_mount")},$o,$e,-100,my $q="%PROJECT%/src",4)>=0;`,
      ),
      { asUser: true },
    ],
    [
      "a read-only mount made writable",
      perl(
        `for my $d ("/","/usr","/proc","/dev","%PROJECT%/.git/config","%PROJECT%/.envrc") { my $a=pack("QQQQ",0,1,0,0); print "HOLE $d\\n" if syscall(${call("mount_setattr")},-100,$d,0x8000,$a,32)>=0; my ($n,$t)=("none",""); print "HOLE mount $d\\n" if syscall(${call("mount")},$n,$d,$t,0x1020,0)>=0 }`,
      ),
      {},
    ],
    [
      "mounts taken away",
      perl(
        `for my $d ("%PROJECT%/.env","%PROJECT%/.git/config","%HOME%","/tmp","/proc") { for my $f (0,1,2,8) { print "HOLE $d $f\\n" if syscall(${call("umount2")},$d,$f)>=0 } }`,
      ),
      {},
    ],
    [
      "namespaces by clone and clone3",
      perl(
        `for my $n (0x20000,0x2000000,0x4000000,0x8000000,0x10000000,0x20000000,0x40000000) { my $r=syscall(${call("clone")},$n|17,0,0,0,0); exit if $r==0; print "HOLE clone $n\\n" if $r>0; my $a=pack("Q11",$n,0,0,0,17,0,0,0,0,0,0); my $s=syscall(${call("clone3")},$a,88); exit if $s==0; print "HOLE clone3 $n\\n" if $s>0 }`,
      ),
      { asUser: true },
    ],
    [
      "every namespace by unshare",
      perl(
        `for my $n (0x80,0x20000,0x2000000,0x4000000,0x8000000,0x10000000,0x20000000,0x40000000) { print "HOLE $n\\n" if syscall(${call("unshare")},$n)>=0 }`,
      ),
      {},
    ],
    [
      "every namespace that /proc shows",
      perl(
        `for my $l (glob("/proc/*/ns/*"),glob("/proc/*/task/*/ns/*")) { next if $l=~m{/(time_for_children|pid_for_children|time)$}; open(my $f,"<",$l) or next; print "HOLE $l\\n" if syscall(${call("setns")},fileno $f,0)>=0 }`,
      ),
    ],
    [
      "shared memory of the machine (System V)",
      `[ "$(wc -l < /proc/sysvipc/shm)" = 1 ] && [ "$(wc -l < /proc/sysvipc/msg)" = 1 ] && [ "$(wc -l < /proc/sysvipc/sem)" = 1 ] || echo HOLE`,
    ],
    [
      "shared memory left for the next run (System V)",
      perl(
        `my $i=shmget(7771,4096,0666|01000); shmwrite($i,"HO"."LE of another run",0,32) if defined $i; print "made\\n" if defined $i`,
      ),
      { later: [perl(`my $i=shmget(7771,4096,0); my $b=""; print $b if defined $i && shmread($i,$b,0,32)`)] },
    ],
    [
      "files in memory left for the next run",
      `for d in /dev/shm /tmp /run "$XDG_RUNTIME_DIR" ~/.config ~/.local/share; do mkdir -p $d; echo HO''LE > $d/left; done 2>/dev/null; true`,
      {
        later: [
          `cat /dev/shm/left /tmp/left /run/left "$XDG_RUNTIME_DIR/left" ~/.config/left ~/.local/share/left 2>/dev/null; true`,
        ],
      },
    ],
    [
      "an abstract socket left for the next run",
      perl(
        `use Socket; exit if fork; close STDOUT; close STDERR; socket(S,AF_UNIX,SOCK_STREAM,0); bind(S,pack_sockaddr_un("\\0metnos-%MARK%")); listen(S,1); sleep 3;`,
      ),
      {
        later: [
          perl(
            `use Socket; socket(S,AF_UNIX,SOCK_STREAM,0); print "HOLE\\n" if connect(S,pack_sockaddr_un("\\0metnos-%MARK%"))`,
          ),
        ],
      },
    ],
    [
      "queues of messages left for the next run (POSIX)",
      perl(`syscall(${call("mq_open")},my $n="metnos-evil",0101,0600,0); print "on\\n"`),
      {
        stdout: "on\n",
        later: [perl(`print "on\\n"; print "HOLE\\n" if syscall(${call("mq_open")},my $n="metnos-evil",0,0600,0)>=0`)],
      },
    ],
    [
      "a segment of its own in the descriptor table of the processor",
      perl(`my $b="\\0"x64; syscall(${call("modify_ldt")},0,$b,64); print "on\\n"`),
      { stdout: "on\n" },
    ],
    [
      "another personality, without its addresses at random",
      `setarch -R sh -c 'cat %HOME%/.ssh/id_ed25519; echo evil > %SIBLING%/file.txt' 2>/dev/null; setarch i686 true 2>/dev/null; true`,
    ],
    [
      "how it is treated where memory ends",
      `for v in -1000 -500 0 999; do { echo $v > /proc/self/oom_score_adj; } 2>/dev/null && echo HOLE $v; { echo $v > /proc/1/oom_score_adj; } 2>/dev/null && echo HOLE $v; done; true`,
      { asUser: true },
    ],
    [
      "what /proc lets a process set of itself",
      perl(
        `for my $f (qw(attr/current attr/exec clear_refs comm coredump_filter gid_map loginuid mem oom_adj oom_score_adj projid_map setgroups timens_offsets timerslack_ns uid_map)) { for my $p ("self",1,"thread-self") { next unless -e "/proc/$p/$f"; print "HOLE $p/$f\\n" if open(my $h,">","/proc/$p/$f") } }`,
      ),
      {},
    ],
    [
      "a handle of a file outside, and back",
      perl(
        `for my $d ("/","/usr","%PROJECT%","%PROJECT%/..") { my $h=pack("Ii",128,0)."\\0"x128; my $m=pack("i",0); syscall(${call("name_to_handle_at")},-100,$d,$h,$m,0); opendir(my $r,$d); print "HOLE $d\\n" if syscall(${call("open_by_handle_at")},fileno $r,$h,0)>=0 }`,
      ),
    ],
    [
      "filters of its own that lie to those it starts",
      perl(
        `my @p=([0x20,0,0,0],[0x06,0,0,0x7fff0000]); my $c=join "",map { pack("SCCL",@$_) } @p; my $f=pack("SxxxxxxP",2,$c); my $l=syscall(${call("seccomp")},1,8,$f); my $u=pack("L",0); print "on\\n";`,
      ),
      { stdout: "on\n" },
    ],
    [
      "a file system of its own (FUSE)",
      `ls /dev/fuse 2>/dev/null && echo HOLE; mkdir -p m; fusermount3 -u m 2>/dev/null && echo HOLE; true`,
    ],
    [
      "programs of another kind registered (binfmt_misc)",
      `{ echo ':evil:E::evil::/bin/sh:' > /proc/sys/fs/binfmt_misc/register; } 2>/dev/null && echo HOLE; ls /proc/sys/fs/binfmt_misc/register 2>/dev/null && [ -w /proc/sys/fs/binfmt_misc/register ] && echo HOLE; true`,
    ],
    [
      "descriptors passed on through a pair of sockets",
      perl(
        `use Socket; socketpair(A,B,AF_UNIX,SOCK_STREAM,0); for my $n (0..255) { my $l=readlink("/proc/self/fd/$n"); next unless defined $l && $l=~m{^/}; next if $l=~m{^/dev/null$}; print "HOLE $l\\n" if -d $l && opendir(my $d,"/proc/self/fd/$n/..") }`,
      ),
    ],
    [
      "every file descriptor of every process opened again",
      perl(
        `for my $f (glob("/proc/[0-9]*/fd/*")) { my $l=readlink $f; next unless defined $l; next if $l=~m{^(/dev/null|/proc/|pipe:|socket:|anon_inode:)|/box/[0-9a-f-]+[.]up$}; print "HOLE $f $l\\n" if $l!~m{^%PROJECT%} && open(my $h,"+<",$f) }`,
      ),
      {},
    ],
    [
      "a file of /sys and /proc of the whole machine changed",
      perl(
        `for my $f ("/proc/sys/vm/drop_caches","/proc/sys/kernel/panic","/proc/sys/fs/file-max","/proc/sys/user/max_user_namespaces","/proc/sys/user/max_inotify_instances","/proc/sys/net/ipv4/ip_forward","/proc/irq/default_smp_affinity","/proc/mtrr","/proc/acpi/wakeup","/proc/scsi/scsi","/sys/kernel/mm/transparent_hugepage/enabled","/sys/kernel/profiling","/sys/fs/cgroup/cgroup.procs") { print "HOLE $f\\n" if open(my $h,">",$f) }`,
      ),
      { unshown: "needs root", asUser: true },
    ],
    [
      "the machine's messages between processes of the kernel (netlink)",
      perl(
        `for my $k (4,9,11,15,16,18,20) { next unless socket(my $s,16,3,$k); bind($s,pack("SSLL",16,0,0,~0&0xffffffff)); } print "on\\n"`,
      ),
      { stdout: "on\n" },
    ],
    [
      "network devices made",
      `ip link add evil type dummy 2>/dev/null && echo HOLE; ip addr add 127.0.0.9/8 dev lo 2>/dev/null && echo HOLE; ip link set lo down 2>/dev/null && echo HOLE; true`,
      { unshown: "needs root" },
    ],
    [
      "clocks that wake the machine",
      perl(
        `my $f=syscall(${call("timerfd_create")},8,0); print "HOLE $f\\n" if $f>=0; $f=syscall(${call("timerfd_create")},9,0); print "HOLE $f\\n" if $f>=0`,
      ),
      { unshown: "needs root" },
    ],
    [
      "memory that can't be swapped out, without end",
      perl(`my $l=pack("QQ",0,0); print "on\\n" if syscall(${call("mlockall")},3)>=-1`),
      { stdout: "on\n" },
    ],
    [
      "attributes of files that give rights",
      `cp /bin/true t; setcap cap_sys_admin+ep t 2>/dev/null && echo HOLE; setfattr -n security.capability -v 0x0100000200002000000000000000000000000000 t 2>/dev/null && echo HOLE; chattr +i t 2>/dev/null && echo HOLE; chattr +a src 2>/dev/null && echo HOLE; true`,
      { unshown: "needs root" },
    ],
    [
      "an access list for others",
      `setfacl -m u:nobody:rwx src/a.txt 2>/dev/null; find . -perm /6000 | grep . && echo HOLE; true`,
    ],
    [
      "a folder whose group's bit is taken over",
      `mkdir -m 2777 g 2>/dev/null; perl -e 'mkdir "h",02777; chmod 02777,"h"'; find . -perm /6000 | grep . && echo HOLE; true`,
      {},
    ],
    [
      "a set-user-ID file by an archive, a copy and an install",
      `cp /bin/true t; for a in 'tar --numeric-owner -p'; do perl -e 'my ($n,$c)=("suid","x"); my $h=pack("a100a8a8a8a12a12A8a1a100a6a2",$n,"0004755","0000000","0000000",sprintf("%011o",length $c),"00000000000","        ",0,"","ustar","00"); $h.="\\0"x(512-length $h); my $s=0; $s+=ord for split //,$h; substr($h,148,8)=sprintf("%06o\\0 ",$s); print $h,$c,"\\0"x(512-length $c),"\\0"x1024' > a.tar; $a -xf a.tar 2>/dev/null; done; cp -p /usr/bin/passwd p 2>/dev/null; cp -a /usr/bin/su s 2>/dev/null; rsync -a /usr/bin/mount m 2>/dev/null; find . -perm /6000 | grep . && echo HOLE; true`,
      { asUser: true },
    ],
  ],
  { unshown: "depends on the machine" },
);
