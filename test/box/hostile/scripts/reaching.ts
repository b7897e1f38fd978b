import { perl, section } from "../script.ts";

const connectTo = (path: string): string =>
  perl(`use Socket; socket(S,AF_UNIX,SOCK_STREAM,0); connect(S,pack_sockaddr_un("${path}")) and print <S>;`);

/** Sockets and the network. */
export const SOCKETS = section("sockets", [
  ["the gate's own socket", connectTo("%STATE%/run/gate.sock"), { asUser: true }],
  ["the operator's socket", connectTo("%STATE%/run/operator.sock")],
  ["a socket in the home, as Docker's", connectTo("%HOME%/docker.sock")],
  ["a socket in /tmp, as X11's", connectTo("%TMP%/socket")],
  [
    "the ssh-agent and the session bus that the environment names",
    perl(
      `use Socket; for my $p ($ENV{SSH_AUTH_SOCK}, "%ROOT%/agent.sock", "%ROOT%/bus.sock") { socket(S,AF_UNIX,SOCK_STREAM,0); connect(S,pack_sockaddr_un($p)) and print <S> }`,
    ),
    { asUser: true },
  ],
  ["an abstract socket", connectTo("\\0%ABSTRACT%"), { asUser: true }],
  ["a socket by a link in the project", `ln -s %HOME%/docker.sock s; ${connectTo("s")}`],
  [
    "a socket by a link that the user made",
    connectTo("s"),
    { setup: `ln -s %STATE%/run s.d; ln -s %HOME%/docker.sock s` },
  ],
  [
    "the system's services",
    perl(
      `use Socket; for my $p ("/run/dbus/system_bus_socket","/var/run/docker.sock","/run/docker.sock","/run/containerd/containerd.sock","/run/systemd/private","/run/systemd/journal/socket","/run/user/$</bus","/run/user/$</systemd/private","/tmp/.X11-unix/X0","/dev/log","/run/snapd.socket","/run/nscd/socket","/run/cups/cups.sock","/var/run/postgresql/.s.PGSQL.5432","/run/podman/podman.sock","/run/avahi-daemon/socket","/run/pcscd/pcscd.comm") { print "HOLE $p\\n" if -e $p }`,
    ),
    { unshown: "depends on the machine" },
  ],
  [
    "all abstract sockets that the kernel lists",
    `grep -q '@' /proc/net/unix && echo HOLE; true`,
    { unshown: "depends on the machine" },
  ],
  [
    "a server on the host's loopback",
    `(exec 3<>/dev/tcp/127.0.0.1/%PORT% && cat <&3) 2>/dev/null; true`,
    { asUser: true },
  ],
  [
    "the same by other spellings of the address",
    perl(
      `use Socket; for my $a ("127.0.0.1","0.0.0.0","127.1.2.3","localhost") { my $i=inet_aton($a) or next; socket(S,AF_INET,SOCK_STREAM,0); connect(S,pack_sockaddr_in(%PORT%,$i)) and print <S> }`,
    ),
  ],
  [
    "a datagram out",
    perl(
      `use Socket; socket(S,AF_INET,SOCK_DGRAM,0); print "HOLE\\n" if defined send(S,"x",0,pack_sockaddr_in(53,inet_aton("192.0.2.1")));`,
    ),
    { unshown: "depends on the machine" },
  ],
  ["a name looked up", `getent hosts example.org && echo HOLE; true`, { unshown: "depends on the machine" }],
  [
    "a connection out",
    `timeout 2 bash -c 'exec 3<>/dev/tcp/192.0.2.1/80' 2>/dev/null && echo HOLE; curl -s -m 2 http://169.254.169.254/ && echo HOLE; true`,
    { unshown: "depends on the machine" },
  ],
  [
    "raw packets",
    perl(
      `use Socket; print "HOLE\\n" if socket(S,AF_INET,SOCK_RAW,1); print "HOLE\\n" if socket(S,17,SOCK_RAW,0x0300);`,
    ),
    { unshown: "needs root" },
  ],
  [
    "network interfaces other than its own loopback",
    `ls /proc/sys/net/ipv4/conf 2>/dev/null | grep -vE '^(all|default|lo)$' && echo HOLE; tail -n +3 /proc/net/dev | grep -v '^ *lo:' && echo HOLE; true`,
    { unshown: "depends on the machine" },
  ],
  [
    "a machine's or its host's sockets (vsock)",
    perl(`print "HOLE\\n" if socket(S,40,1,0);`),
    { asUser: true, unshown: "depends on the machine" },
  ],
  [
    "kinds of sockets that no build needs",
    perl(`for my $d (9,17,21,31,38,44) { print "HOLE $d\\n" if socket(S,$d,1,0)||socket(S,$d,3,0)||socket(S,$d,5,0) }`),
    { unshown: "depends on the machine" },
  ],
  [
    "its own loopback is there",
    perl(
      `use Socket; socket(L,AF_INET,SOCK_STREAM,0); bind(L,pack_sockaddr_in(0,INADDR_LOOPBACK)); listen(L,1); my ($p)=unpack_sockaddr_in(getsockname L); socket(S,AF_INET,SOCK_STREAM,0); print connect(S,pack_sockaddr_in($p,INADDR_LOOPBACK))?"yes":"no $!"`,
    ),
    { stdout: "yes", unshown: "ordinary work" },
  ],
  [
    "a socket that somebody serves in the project",
    `mv d e; ${["s", "e/t"].map(connectTo).join("; ")}; rm -rf s e; ${connectTo("s")}`,
    { setup: `ln %HOME%/docker.sock s; mkdir d; ln %HOME%/docker.sock d/t`, asUser: true },
  ],
]);

/** What is secret, read in many ways. */
export const SECRETS = section("secrets", [
  [".env by its name", `cat .env .env.local pkg/.env; . ./.env; echo "$PASSWORD"`, { asUser: true }],
  [
    ".env by programs that read all",
    `grep -rI SECRET . ; tar c . 2>/dev/null | tr -d '\\0'; find . -type f -exec cat {} +`,
    { asUser: true },
  ],
  [
    ".env copied, moved or linked first",
    `cp .env x; ln .env y; mv .env z; ln -s .env l; cat x y z l 2>/dev/null; true`,
  ],
  [".env by another spelling", `cat ./././.env "$PWD"/src/../.env %PROJECT%/.env .en? .[e]nv .e*v`],
  [
    ".env by /proc",
    `cat /proc/self/cwd/.env /proc/1/cwd/.env /proc/self/root%PROJECT%/.env /proc/1/root%PROJECT%/.env; true`,
  ],
  [
    ".env by a descriptor of the folder",
    perl(
      `opendir(D,"."); chdir(*D); open(F,"<",".env"); print <F>; open(F,"<","/proc/self/fd/".fileno(D)."/.env"); print <F>;`,
    ),
  ],
  [
    ".env put into Git's index",
    `git add -f .env pkg/.env; git show :.env; git show :pkg/.env; git stash -a 2>/dev/null; git log -p -g 2>/dev/null | cat`,
  ],
  [".env by its folder's being moved", `mv pkg pkg2; cat pkg2/.env; mv pkg2 pkg; cat pkg/.env`],
  [
    ".env by a program that maps it",
    `python3 -S -c 'import os; print(os.read(os.open(".env",os.O_RDONLY),100))'; dd if=.env status=none; sort .env; wc -c < .env`,
  ],
  [
    "a new .env is the command's own",
    `rm -f .env.test; echo own > .env.test && cat .env.test`,
    { stdout: "own\n", isBare: true, unshown: "ordinary work" },
  ],
  [
    "keys in the home",
    `cat ~/.ssh/id_ed25519 %HOME%/.ssh/* ~/.aws/credentials ~/.netrc ~/.gnupg/* ~/.config/gh/hosts.yml ~/.docker/config.json ~/.npmrc ~/.pypirc ~/.bash_history ~/.local/share/keyrings/*`,
    { asUser: true },
  ],
  [
    "the home, listed",
    `ls -A ~ | grep -E '^\\.(ssh|aws|netrc|gnupg|bash_history)$' && echo HOLE; true`,
    { unshown: "about the box" },
  ],
  [
    "another project",
    `cat ../sibling/file.txt ../sibling/.env %SIBLING%/.git/config %WORK%/notes.txt; ls %WORK% | grep sibling && echo HOLE; true`,
  ],
  ["the gate's token and databases", `cat %STATE%/operator.token %STATE%/agents.db %HOME%/.config/metnos/gate.toml`],
  [
    "the system's passwords and keys",
    `for f in /etc/shadow /etc/gshadow /etc/shadow- /etc/sudoers /etc/ssh/ssh_host_*_key /etc/ssl/private/* /etc/krb5.keytab /etc/machine-id; do [ -s $f ] && head -c 1 $f > x 2>/dev/null && [ -s x ] && [ $f != /etc/machine-id ] && echo HOLE $f; done; true`,
    { unshown: "needs root", asUser: true },
  ],
  [
    "the host's /tmp and /dev/shm",
    `cat %TMP%/file %SHM%; ls -A /tmp | grep metnos-hostile && ls -A %TMP% && echo HOLE; true`,
  ],
  [
    "logs and mail of the machine",
    `for d in /var/log /var/mail /var/spool /var/backups /var/lib/docker /srv /mnt /media /boot; do ls -A $d 2>/dev/null | grep -q . && echo HOLE $d; done; true`,
    { unshown: "depends on the machine" },
  ],
  [
    "the environment",
    `env; export -p; set; printenv GITHUB_TOKEN AWS_SECRET_ACCESS_KEY; echo $DATABASE_URL $ANTHROPIC_API_KEY $HTTPS_PROXY`,
    { asUser: true },
  ],
  [
    "variables that lead to services",
    `env | grep -E '^(SSH_AUTH_SOCK|DBUS_|DISPLAY|WAYLAND|XAUTHORITY|METNOS_|GPG_|LD_|BASH_ENV|ENV=)' && echo HOLE; true`,
    { caller: `export XAUTHORITY=/x GPG_AGENT_INFO=/x WAYLAND_DISPLAY=wayland-0`, unshown: "about the box" },
  ],
  [
    "the line itself is in no variable, no command line of others",
    `env | grep -q canary-of-this-line && echo HO''LE; tr '\\0' '\\n' < /proc/1/environ | grep -q canary-of-this-line && echo HO''LE; tr '\\0' ' ' < /proc/1/cmdline | grep -q canary-of-this-line && echo HO''LE; true`,
    { unshown: "about the box" },
  ],
]);

/** What the caller's shell or its settings could be made to run outside, by the environment or by names in the project. */
export const CALLER = section(
  "caller",
  [
    [
      "programs of the project in front of the PATH: none of them is run outside",
      `true`,
      {
        setup: `mkdir evil; for p in bwrap bash sh env cat mkfifo dirname date id mktemp rm sleep true tr head od printf readlink setpriv; do printf '#!/bin/sh\\nPATH=/usr/bin:/bin\\necho evil > %SIBLING%/file.txt\\nexit 0\\n' > evil/$p; chmod +x evil/$p; done`,
        caller: `export PATH="%PROJECT%/evil:evil:.:$PATH"`,
        asUser: true,
      },
    ],
    [
      "what a shell runs as it starts, and functions of the environment",
      `true`,
      {
        setup: `echo 'echo evil > %SIBLING%/file.txt' > rc`,
        caller: `export BASH_ENV=%PROJECT%/rc ENV=%PROJECT%/rc PS4='$(echo evil > %SIBLING%/file.txt)' SHELLOPTS; read() { echo evil > %SIBLING%/file.txt; }; mapfile() { read; }; exec() { read; }; trap() { read; }; export -f read mapfile exec trap; export PROMPT_COMMAND=read`,
      },
    ],
    [
      "what other programs load as they start is not handed on",
      `env | grep -E '^(LD_PRELOAD|LD_AUDIT|PERL5OPT|GIT_SSH_COMMAND|GIT_DIR|GIT_CONFIG_COUNT|BASH_ENV|ENV|PS4)=' && echo HOLE; true`,
      {
        caller: `export PERL5OPT=-w LD_AUDIT= GIT_CONFIG_COUNT=0 ENV=/x GIT_SSH_COMMAND=/x GIT_DIR=/x BASH_ENV=/dev/null PS4=x`,
      },
    ],
    ["CDPATH and OLDPWD", `cd src`, { caller: `export CDPATH=/:/usr OLDPWD=/usr`, cwd: "src" }],
    [
      "how the caller's shell splits words",
      `cd src`,
      { caller: `IFS="/esrc 0123456789"; set -f; export IFS`, cwd: "src" },
    ],
    [
      "a caller that ends at the first failure, or at an unset variable",
      `cd src`,
      { caller: `set -eu; set -o pipefail`, cwd: "src" },
    ],
    [
      "a caller without a folder of its own any more",
      `true`,
      { caller: `mkdir %PROJECT%/gone; cd %PROJECT%/gone; rmdir %PROJECT%/gone` },
    ],
  ],
  { unshown: "about the box" },
);
