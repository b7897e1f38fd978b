import { section } from "../script.ts";

/** A file outside is written by its path. */
export const WRITES_OUTSIDE = section("writes", [
  ["another project's file by its path", `echo evil > %SIBLING%/file.txt`, { asUser: true }],
  ["the home's start-up file, appended to", `echo evil >> %HOME%/.bashrc; echo evil >> ~/.profile`],
  ["by ..", `echo evil > ../sibling/file.txt`],
  ["by many ..", `echo evil > src/../../../work/sibling/../sibling/file.txt`],
  ["another project is deleted", `rm -rf ../sibling`, { asUser: true }],
  ["the home is deleted", `rm -rf ~/.ssh ~/.bashrc %HOME%/.config %HOME%/.local`],
  [
    "everything beside the project is deleted",
    `rm -rf %WORK%/* 2>/dev/null; rm -rf "%HOME%"`,
    { unshown: "not bounded" },
  ],
  ["a file is moved out", `mv src/a.txt %SIBLING%/`],
  ["a file is moved in", `mv %SIBLING%/file.txt . && cat file.txt`],
  ["a file is copied over another", `cp -f src/a.txt %SIBLING%/file.txt`],
  ["by dd, without truncating", `dd if=src/a.txt of=%SIBLING%/file.txt conv=notrunc status=none`],
  ["by tee", `echo evil | tee -a %HOME%/.ssh/authorized_keys %SIBLING%/file.txt`],
  ["cut to nothing", `truncate -s 0 %SIBLING%/file.txt %HOME%/.netrc`],
  ["its mode", `chmod 777 %SIBLING%/file.txt %HOME%/.ssh %HOME%`],
  ["its owner and group", `chgrp 0 %SIBLING%/file.txt; chown nobody %SIBLING%/file.txt`, { unshown: "needs root" }],
  ["its times", `touch -d 2001-01-01 %SIBLING%/file.txt`],
  ["a new link beside the project", `ln -s /etc %SIBLING%/evil`],
  ["a new folder beside the project", `mkdir -p ../evil ../sibling/evil`],
  ["a FIFO and a device beside the project", `mkfifo ../sibling/fifo; mknod ../sibling/null c 1 3`],
  ["edited in place", `sed -i s/S/evil/ ../sibling/file.txt ../sibling/.env`],
  [
    "an archive with .. and absolute names",
    `perl -e 'my ($n,$c)=("../sibling/evil.txt","evil\\n"); my $h=pack("a100a8a8a8a12a12A8a1a100a6a2",$n,"0000644","0000000","0000000",sprintf("%011o",length $c),"00000000000","        ",0,"","ustar","00"); $h.="\\0"x(512-length $h); my $s=0; $s+=ord for split //,$h; substr($h,148,8)=sprintf("%06o\\0 ",$s); print $h,$c,"\\0"x(512-length $c),"\\0"x1024' > a.tar; tar -P -xf a.tar`,
  ],
  [
    "Git's settings of the user",
    `git config --global user.name evil; git config --file ~/.gitconfig alias.st '!evil'; git config --file ../sibling/.git/config core.hooksPath /evil`,
  ],
  ["the host's /tmp", `echo evil > %TMP%/file; echo evil > %TMP%/evil`, { asUser: true }],
  [
    "the host's /var/tmp and /dev/shm",
    `echo evil > %SHM%; echo evil > /var/tmp/metnos-evil-%MARK%; echo evil > %ROOT%/evil`,
  ],
  [
    "folders of the system",
    `for d in /etc /usr/bin /usr/local/bin /opt /var/spool/cron /lib; do echo evil > $d/metnos-evil-%MARK%; done`,
    { unshown: "needs root" },
  ],
  [
    "a system file as root",
    `echo x >> /etc/passwd && echo HOLE; echo x >> /usr/bin/env && echo HOLE`,
    { unshown: "needs root" },
  ],
  [
    "a job for cron or at",
    `echo '* * * * * evil' | crontab - && echo HOLE; echo evil | at now && echo HOLE`,
    { unshown: "depends on the machine" },
  ],
  [
    "the project's own folder moved",
    `mv %PROJECT% %WORK%/moved; mv ../project-* ../moved; rmdir %PROJECT%`,
    { unshown: "about the box" },
  ],
  ["the folder above renamed", `mv %WORK% %HOME%/work-moved`],
  [
    "where a link of this very line leads",
    `ln -s %SIBLING% l && echo evil > l/file.txt; ln -s %HOME%/.bashrc b && echo evil > b`,
  ],
  [
    "the gate's own files",
    `echo evil > %STATE%/operator.token; rm -f %STATE%/agents.db %STATE%/grants.db; echo evil >> %HOME%/.config/metnos/gate.toml; ls %STATE%/box && ls -A %STATE%/box/* | grep . && echo HOLE`,
    { asUser: true },
  ],
  ["by a program in another language", `python3 -S -c 'open("../sibling/file.txt","w").write("evil")'`],
  [
    "by Perl's unlink and rename",
    `perl -e 'unlink "../sibling/file.txt"; rename "../sibling/.envrc","../sibling/x"; utime 0,0,"../sibling/.env"'`,
  ],
  [
    "by a writable memory map",
    `python3 -S -c 'import mmap; f=open("../sibling/file.txt","r+b"); m=mmap.mmap(f.fileno(),0); m[0:4]=b"evil"; m.flush()'`,
  ],
]);

/** By links that were there, and by hard links. */
export const LINKS = section("links", [
  [
    "through the user's own link to a file outside",
    `echo evil > out`,
    { setup: `ln -s %SIBLING%/file.txt out`, asUser: true },
  ],
  [
    "through the user's own link to a folder outside",
    `echo evil > out/file.txt; rm -rf out/.vscode; mkdir out/evil`,
    { setup: `ln -s ../sibling out` },
  ],
  ["through links in a row", `ln -s out2 out1; ln -s .. out2; ln -s out1/sibling out3; echo evil > out3/file.txt`],
  ["through an absolute link to the root", `ln -s / root; echo evil > root%SIBLING%/file.txt; rm -rf root%HOME%/.ssh`],
  [
    "a hard link to a file outside",
    `ln %SIBLING%/file.txt hard && echo evil > hard; ln ../sibling/file.txt hard2 && echo evil > hard2`,
    { asUser: true },
  ],
  [
    "a hard link to a system file",
    `for f in /usr/bin/env /etc/passwd; do ln $f hard && echo x >> hard && echo HOLE; done`,
    { unshown: "needs root" },
  ],
  [
    "a hard link to a kept file",
    `ln .git/config c && echo evil >> c; ln .envrc e && echo evil >> e; ln -f src/a.txt .envrc`,
  ],
  [
    "a file put over a link that leads outside",
    `echo evil > new; cp --remove-destination new out/file.txt; mv new out/file.txt`,
    { setup: `ln -s ../sibling out` },
  ],
  [
    "a link that is swapped while another program writes",
    `mkdir d; (for i in 1 2 3 4 5 6 7 8 9 10; do ln -sfn ../sibling s; ln -sfn d s; done) & for i in 1 2 3 4 5 6 7 8 9 10; do echo evil > s/file.txt; done; wait`,
    { unshown: "a race" },
  ],
  [
    "a link out of the project, written through by a later program in the box",
    `ln -s %HOME%/.bashrc log; ln -s %SIBLING% dist; sh -c 'echo evil >> log; echo evil > dist/file.txt'`,
  ],
  [
    "by /proc/self/root and /proc/self/cwd",
    `echo evil > /proc/self/root%SIBLING%/file.txt; echo evil > /proc/self/cwd/../sibling/file.txt`,
  ],
  [
    "by the root of every process that is seen",
    `for p in /proc/[0-9]*; do echo evil > $p/root%SIBLING%/file.txt; echo evil > $p/cwd/../sibling/file.txt; cat $p/root%HOME%/.ssh/id_ed25519; done 2>/dev/null`,
    { asUser: true },
  ],
  [
    "by the user's process outside",
    `echo evil > /proc/%PID%/root%SIBLING%/file.txt; echo evil > /proc/%PID%/cwd/x; cat /proc/%PID%/environ`,
  ],
  [
    "by open descriptors and what is above them",
    `for f in /proc/self/fd/*; do echo evil > $f/../sibling/file.txt; ls -d $f/ >/dev/null && echo HOLE $f; done 2>/dev/null; true`,
    { unshown: "about the box" },
  ],
]);
