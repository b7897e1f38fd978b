import { call, perl, section } from "../script.ts";

/** What the kernel offers below /proc, /sys and /dev. */
export const KERNEL_FILES = section("kernel-files", [
  ["/proc/sysrq-trigger", `echo h > /proc/sysrq-trigger && echo HOLE`, { unshown: "needs root" }],
  [
    "core_pattern, put back as it is",
    `v=$(cat /proc/sys/kernel/core_pattern) && printf '%s\\n' "$v" > /proc/sys/kernel/core_pattern && echo HOLE`,
    { unshown: "needs root" },
  ],
  [
    "any setting of the kernel opened to be written, but those of the box's own namespaces",
    perl(
      `use File::Find; find({no_chdir=>1,wanted=>sub{ return unless -f; return if m{^/proc/sys/(?:(?:net|user|fs/mqueue)/|kernel/(?:auto_msgmni|msg\\w+|sem\\w*|shm\\w*|ns_last_pid|pid_max|hostname|domainname)$)}; print "HOLE $_\\n" if open(my $f,">>",$_); }}, "/proc/sys");`,
    ),
    { unshown: "needs root", asUser: true },
  ],
  [
    "anything below /sys opened to be written",
    perl(
      `my @q=("/sys/kernel","/sys/fs","/sys/power","/sys/module"); while(@q){my $d=shift @q; next unless opendir(my $h,$d); for(readdir $h){next if /^\\.\\.?$/; my $p="$d/$_"; if(-l $p){next} if(-d _){push @q,$p if @q<500} else {print "HOLE $p\\n" if open(my $f,">>",$p)}}}`,
    ),
    { unshown: "needs root" },
  ],
  [
    "a control group of its own",
    `for d in /sys/fs/cgroup /sys/fs/cgroup/*; do mkdir $d/metnos-evil 2>/dev/null && rmdir $d/metnos-evil && echo HOLE; done; true`,
    { unshown: "needs root" },
  ],
  [
    "physical memory and the kernel's",
    `for f in /dev/mem /dev/kmem /proc/kcore /dev/port; do head -c 16 $f > x 2>/dev/null && [ -s x ] && echo HOLE $f; done; true`,
    { unshown: "needs root" },
  ],
  [
    "the kernel's log",
    `cat /dev/kmsg < /dev/null && echo HOLE; timeout 1 head -c 10 /proc/kmsg && echo HOLE; true`,
    { unshown: "needs root" },
  ],
  [
    "disks",
    `for f in /dev/[svx]d* /dev/nvme* /dev/loop* /dev/dm-* /dev/mapper/*; do [ -e $f ] && echo HOLE $f; done; true`,
    { unshown: "needs root" },
  ],
  [
    "a disk's node made by itself",
    `mknod disk b 254 0 && head -c 512 disk > x && echo HOLE; mknod %PROJECT%/m c 1 1 && head -c 1 m && echo HOLE; true`,
    { unshown: "needs root" },
  ],
  [
    "devices that are a way to other things",
    `for f in /dev/kvm /dev/fuse /dev/uinput /dev/input /dev/vhost-vsock /dev/net/tun /dev/dri /dev/snd /dev/video0 /dev/bus/usb /dev/tty0 /dev/vcs; do [ -e $f ] && echo HOLE $f; done; true`,
    { unshown: "depends on the machine" },
  ],
  [
    "the numbers of its user namespace",
    `echo 0 0 1 > /proc/self/uid_map && echo HOLE; echo 0 0 4294967295 > /proc/self/gid_map && echo HOLE; echo allow > /proc/self/setgroups && echo HOLE; true`,
    { unshown: "needs root" },
  ],
  [
    "rights that it should not have",
    `grep -E '^Cap(Inh|Prm|Eff|Amb):' /proc/self/status | grep -v '0000000000000000$' && echo HOLE; grep -q '^NoNewPrivs:.1' /proc/self/status || echo HOLE`,
    { asUser: true, unshown: "about the box" },
  ],
  [
    "a program that gives more rights",
    `for f in /usr/bin/su /usr/bin/sudo /usr/bin/passwd /usr/bin/mount; do [ -e $f ] && cp $f x && chmod u+s x && ./x --version >/dev/null; done; find / -xdev -perm -4000 -newer src/a.txt -user root 2>/dev/null | grep -v %PROJECT%; su -c id root < /dev/null && [ "$(id -u)" != 0 ] && echo HOLE; true`,
    { unshown: "needs root" },
  ],
  [
    "where the host's other mounts are",
    `cut -d' ' -f5 /proc/self/mountinfo | grep -E '^(/root|/home|/mnt|/media|/boot|/srv)$' | grep -v "^$HOME" && ls -A $(cut -d' ' -f5 /proc/self/mountinfo | grep -E '^(/root|/mnt|/media|/boot|/srv)$') | grep . && echo HOLE; true`,
    { unshown: "depends on the machine" },
  ],
  [
    "other users' and root's homes",
    `ls -A /root 2>/dev/null | grep -q . && echo HOLE root; for d in /home/*; do [ "$d" = /home/* ] || ls -A $d | grep -q . && [ -d $d/.ssh ] && echo HOLE $d; done 2>/dev/null; true`,
    { unshown: "depends on the machine" },
  ],
]);

/** Mounts and namespaces. */
export const NAMESPACES = section("namespaces", [
  [
    "a kept file mounted writable",
    `mount -o remount,rw,bind .git/config && echo evil >> .git/config; mount -o remount,rw / && echo HOLE; mount -o remount,rw /usr && echo HOLE; true`,
    { unshown: "needs root" },
  ],
  [
    "a kept file's mount taken away",
    `for p in .git/config .git/hooks .envrc .env %HOME% /tmp /proc; do umount $p; umount -l $p; done 2>/dev/null; cat .env; echo evil >> .envrc`,
    { unshown: "about the box", asUser: true },
  ],
  [
    "the same with rights over a namespace of its own",
    `unshare -Urm sh -c 'umount -l .git/config .git/hooks .envrc .env; echo evil >> .git/config; echo evil > .git/hooks/pre-commit; echo evil >> .envrc; cat .env' 2>/dev/null; unshare -Urm sh -c 'umount -l %HOME%; cat %HOME%/.ssh/id_ed25519' 2>/dev/null; true`,
    { unshown: "about the box", asUser: true },
  ],
  [
    "a kept file renamed where it is no mount",
    `unshare -Urm sh -c 'mv .git .git2; mv .envrc x; mv .vscode y; mkdir .vscode; echo evil > .vscode/tasks.json; echo evil > .envrc' 2>/dev/null; true`,
    { asUser: true, unshown: "depends on the machine" },
  ],
  [
    "a second mount of the project, without what covers it",
    `unshare -Urm sh -c 'mkdir /tmp/m; mount --bind %PROJECT% /tmp/m && { echo evil >> /tmp/m/.git/config; cat /tmp/m/.env; }; mount --rbind %PROJECT% /tmp/m && umount -l /tmp/m/.env && cat /tmp/m/.env' 2>/dev/null; true`,
    { asUser: true, unshown: "about the box" },
  ],
  [
    "kept files made writable in a namespace of its own",
    `unshare -Urm sh -c 'mount -o remount,bind,rw .git/config; mount -o remount,bind,rw .envrc; echo evil >> .git/config; echo evil >> .envrc; mount -o remount,bind,rw /usr && echo x > /usr/bin/metnos-evil-%MARK%' 2>/dev/null; true`,
    { asUser: true, unshown: "about the box" },
  ],
  [
    "a box in the box, with all that there is",
    `bwrap --bind / / --dev-bind /dev /dev --proc /proc sh -c 'echo evil > %SIBLING%/file.txt; echo evil >> .git/config; cat .env %HOME%/.ssh/id_ed25519' 2>/dev/null; bwrap --unshare-user --cap-add ALL --bind / / sh -c 'umount -l .env; cat .env' 2>/dev/null; true`,
    { asUser: true },
  ],
  [
    "/proc of another process namespace",
    `unshare -Urmpf sh -c 'mount -t proc proc /tmp && cat /tmp/%PID%/environ; mount -t proc proc /proc && echo x > /proc/sys/kernel/hostname' 2>/dev/null; mount -t proc proc /tmp && echo HOLE; true`,
    { asUser: true, unshown: "about the box" },
  ],
  [
    "file systems of the kernel mounted",
    `for t in tmpfs sysfs cgroup2 debugfs tracefs securityfs devtmpfs bpf mqueue overlay; do mount -t $t none /tmp 2>/dev/null && echo HOLE $t; unshare -Urm mount -t $t none /tmp 2>/dev/null && [ $t != tmpfs ] && [ $t != mqueue ] && [ $t != overlay ] && [ $t != bpf ] && echo HOLE in its own $t; done; true`,
    { unshown: "about the box" },
  ],
  [
    "the new way to mount",
    perl(
      `for my $n ("%PROJECT%/.git","%PROJECT%","/") { my $p=$n; my $f=syscall(${call("open_tree")},-100,$p,1); print "HOLE $p\\n" if $f>=0 }`,
    ),
    { unshown: "needs root" },
  ],
  [
    "a namespace's mounts changed by mount_setattr",
    perl(
      `my $a=pack("QQQQ",0,1,0,0); my $p="%PROJECT%/.envrc"; print "HOLE\\n" if syscall(${call("mount_setattr")},-100,$p,0,$a,32)==0;`,
    ),
    { unshown: "needs root" },
  ],
  [
    "pivot_root",
    perl(`my ($n,$o)=("%PROJECT%","%PROJECT%/src"); print "HOLE\\n" if syscall(${call("pivot_root")},$n,$o)==0;`),
    { unshown: "needs root" },
  ],
  [
    "chroot and back out of it",
    perl(
      `mkdir "c"; chroot("c") and print "HOLE\\n"; chdir("..") for 1..50; chroot("."); open(F,">","%SIBLING%/file.txt") and print "HOLE\\n";`,
    ),
    { unshown: "needs root" },
  ],
  [
    "the first process's namespaces",
    `for n in mnt user pid net ipc uts cgroup; do nsenter -t 1 --$n true 2>/dev/null && echo entered $n; done; nsenter -t 1 -m sh -c 'cat %HOME%/.ssh/id_ed25519' 2>/dev/null; nsenter -t %PID% -a true 2>/dev/null && echo HOLE; true`,
    { unshown: "about the box" },
  ],
  [
    "another process's namespaces by descriptor",
    perl(
      `for my $n ("mnt","user","net") { for my $p ("%PID%",1) { next unless open(my $f,"<","/proc/$p/ns/$n"); syscall(${call("setns")},fileno $f,0); } } open(F,"<","%HOME%/.ssh/id_ed25519") and print "HOLE\\n";`,
    ),
    { unshown: "about the box" },
  ],
  [
    "a file by its number, past all mounts",
    perl(
      `for my $h (1,2,128,256) { my $b=pack("Ii",8,1).pack("II",$h,0); for my $d ("/","%PROJECT%","/usr") { opendir(my $r,$d); my $f=syscall(${call("open_by_handle_at")},fileno $r,$b,0); print "HOLE $h\\n" if $f>=0 } }`,
    ),
    { unshown: "needs root" },
  ],
  [
    "its root made another by unshare and chroot",
    `unshare -Ur /usr/sbin/chroot / sh -c 'cat %HOME%/.ssh/id_ed25519; echo evil > %SIBLING%/file.txt' 2>/dev/null; true`,
  ],
  [
    "an overlay over the project's kept files",
    `unshare -Urm sh -c 'mkdir /tmp/u /tmp/w /tmp/m && mount -t overlay o -o lowerdir=%PROJECT%,upperdir=/tmp/u,workdir=/tmp/w /tmp/m && { cat /tmp/m/.env; echo evil >> /tmp/m/.git/config; }' 2>/dev/null; true`,
    { unshown: "about the box", asUser: true },
  ],
  [
    "a user of another number",
    `unshare -U --map-user=0 sh -c 'cat %HOME%/.ssh/id_ed25519' 2>/dev/null; setpriv --reuid 1 true 2>/dev/null && echo HOLE; perl -e '$<=1;$>=1; print "HOLE\\n" if $>==1 && $< ==1'; true`,
    { unshown: "needs root" },
  ],
]);

/** A call with the given arguments must fail. Perl hands only variables on that a call could write to. */
const expectFailure = (name: string, ...words: string[]): string =>
  perl(
    `my @a=(${words.join(",")}); print "HOLE\\n" if syscall(${call(name)},${words.map((_, index) => `$a[${index}]`).join(",")})>=0;`,
  );

/** System calls that no build needs. */
export const SYSTEM_CALLS = section(
  "system-calls",
  [
    ["loading a module", expectFailure("init_module", `"\\0"x64`, "64", `""`)],
    ["another kernel", expectFailure("kexec_load", "0", "0", "0", "0")],
    [
      "a restart of the machine (a wrong number: refused for its right, not for the number)",
      perl(`syscall(${call("reboot")},1,2,3,0); print "HOLE\\n" if $!{EINVAL};`),
    ],
    [
      "the clock",
      perl(`my $t=pack("qq",time,0); print "HOLE\\n" if syscall(${call("settimeofday")},$t,0)==0;`) +
        `; date -s now >/dev/null 2>&1 && echo HOLE; true`,
    ],
    ["the host's name", `hostname evil 2>/dev/null && echo HOLE; ${expectFailure("sethostname", `"evil"`, "4")}`],
    [
      "the host's name is not shown",
      `[ "$(cat /proc/sys/kernel/hostname)" = "$(uname -n)" ]`,
      { unshown: "about the box" },
    ],
    ["swap", expectFailure("swapoff", `"/swapfile"`)],
    [
      "programs in the kernel (bpf)",
      perl(
        `my $a=pack("IIII",1,4,8,1).("\\0"x56); print "HOLE\\n" if syscall(${call("bpf")},0,$a,72)>=0; my $p=pack("II","5","2"); print "HOLE\\n" if syscall(${call("bpf")},5,$p,8)>=0;`,
      ),
    ],
    [
      "counters of the processor (perf)",
      perl(
        `my $a=pack("IIQ",1,112,0).("\\0"x96); print "HOLE\\n" if syscall(${call("perf_event_open")},$a,-1,0,-1,0)>=0; print "HOLE\\n" if syscall(${call("perf_event_open")},$a,0,-1,-1,0)>=0;`,
      ),
    ],
    [
      "page faults handled by a program (userfaultfd)",
      perl(
        `print "HOLE\\n" if syscall(${call("userfaultfd")},0)>=0; print "HOLE\\n" if syscall(${call("userfaultfd")},1)>=0;`,
      ),
      { asUser: true },
    ],
    [
      "input and output past the filter (io_uring)",
      perl(`my $p="\\0"x120; print "HOLE\\n" if syscall(${call("io_uring_setup")},1,$p)>=0;`),
      { asUser: true },
    ],
    ["all files watched (fanotify)", expectFailure("fanotify_init", "4", "0")],
    ["accounting of processes", expectFailure("acct", `"/tmp/x"`)],
    [
      "the kernel's log by call",
      perl(`my $b="\\0"x4096; print "HOLE\\n" if syscall(${call("syslog")},5,0,0)>=0;`),
      { unshown: "needs root" },
    ],
    ["quotas", expectFailure("quotactl", "0", `"/dev/vda"`, "0", `"\\0"x64`)],
    [
      "a key of the caller's session read",
      perl(
        `my $t="user"; my $d="metnos-hostile"; my $b="\\0"x64; my $k=syscall(${call("keyctl")},10,-3,$t,$d,0); syscall(${call("keyctl")},11,$k,$b,64)>0 and print "HOLE $b\\n"; for my $r (-1,-2,-3,-4,-5) { print "HOLE $r\\n" if syscall(${call("keyctl")},6,$r,$b,64)>=0 }`,
      ),
      { asUser: true },
    ],
    [
      "a key left for others",
      perl(
        `my ($t,$d,$v)=("user","metnos-evil","evil"); for my $r (-3,-4,-5) { print "HOLE $r\\n" if syscall(${call("add_key")},$t,$d,$v,4,$r)>=0 }`,
      ),
      { asUser: true },
    ],
    [
      "better times than others'",
      `renice -n -20 -p $$ 2>/dev/null && echo HOLE; nice -n -5 true 2>&1 | grep -q 'cannot' || echo HOLE; chrt -f 50 true 2>/dev/null && echo HOLE; ionice -c 1 true 2>/dev/null && echo HOLE; renice -n 19 -p %PID% 2>/dev/null; true`,
      { unshown: "needs root" },
    ],
    [
      "a file lease, for which the gate would wait",
      perl(
        `for my $p ("package.json","/etc/passwd",".git/config",".env") { open(my $f,"<",$p); for my $k (0,1) { print "HOLE $p\\n" if fcntl($f,1024,$k) } }`,
      ),
      { asUser: true },
    ],
    [
      "a program that runs with its owner's rights, left behind",
      `cp /bin/true t; chmod u+s t; chmod g+s t; install -m 4755 /bin/true i; ` +
        perl(`syscall(${call("openat")},-100,my $n="o",65,04755); mkdir "d"; chmod 02755,"d";`) +
        `; find . -perm /6000 | grep . && echo HOLE; true`,
      { asUser: true },
    ],
    [
      "the box's first process debugged, or its memory written",
      perl(
        `for my $r (16,0x4206) { print "HOLE $r\\n" if syscall(${call("ptrace")},$r,1,0,0)==0 } my $v=pack("QQ",unpack("Q",pack("P","x"x8)),8); print "HOLE\\n" if syscall(${call("process_vm_writev")},1,$v,1,$v,1,0)>=0; print "HOLE mem\\n" if open(my $m,"+<","/proc/1/mem");`,
      ),
      { asUser: true },
    ],
  ],
  { unshown: "depends on the machine" },
);
