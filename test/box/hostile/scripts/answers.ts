import { perl, section } from "../script.ts";

/** What the caller gets: exit codes, the working directory, output. */
export const ANSWERS = section(
  "answers",
  [
    ["its code", `exit 42`, { code: 42, asUser: true }],
    ["a code above 255", `exit 300`, { code: 44 }],
    ["ended by a signal", `kill -9 $$`, { code: 137 }],
    ["replaced by another program", `cd src; exec sh -c 'exit 5'`, { code: 5 }],
    ["the folder it ends in", `cd src; sh -c "exit 3"`, { code: 3, cwd: "src", asUser: true }],
    ["a folder that is gone", `mkdir gone; cd gone; rmdir ../gone`],
    [
      "a folder with a new line in its name",
      `mkdir "$(printf 'a\\nb')"; cd "$(printf 'a\\nb')"; true`,
      { cwd: "a\nb" },
    ],
    ["a folder that is an option", `mkdir -- -P -; cd -- ./-P`, { cwd: "-P" }],
    ["the home in the box", `cd; true`, { cwd: "%HOME%" }],
    ["/tmp of the box", `mkdir /tmp/own; cd /tmp/own; true`],
    ["a forged answer: another project", `echo %SIBLING% >&9; exec 9>&-; true`, { asUser: true }],
    ["a forged answer: the home's keys", `printf '%s' %HOME%/.ssh >&9; exec 9>&-; exit 4`, { code: 4 }],
    ["a forged answer: an option, a dash", `echo - >&9; exec 9>&-; true`],
    [
      "a forged answer that is a command",
      `printf '%s\\n' '$(echo evil > ../sibling/file.txt)' '; echo evil > ../sibling/file.txt' '\`echo evil > ../sibling/file.txt\`' >&9; true`,
    ],
    ["a forged answer, then the shell's end", `printf %SIBLING% >&9; kill -9 $$`, { code: 137 }],
    ["an answer by a process that stays", `(sleep 0.2; echo %SIBLING% >&9) & exec 9>&-; true`],
    ["a huge answer", `head -c 3000000 /dev/zero | tr '\\0' a >&9; true`, { asUser: true }],
    ["an answer of zeros and escape sequences", `printf '\\0\\0\\033[2J%s\\n' x >&9; true`],
    [
      "the descriptors closed",
      `exec 8>&-; exec 9>&-; exec 3>&- 4>&- 5>&- 6>&- 7>&-; echo out; exit 6`,
      { code: 6, stdout: "out\n", asUser: true },
    ],
    ["the descriptors exchanged", `exec 9>&1; echo out; exit 6`, { code: 6 }],
    ["standard output and error closed", `exec 1>&- 2>&-; exit 9`, { code: 9 }],
    ["output by the other descriptors", `echo eight >&8; true`],
    [
      "open descriptors that lead anywhere",
      perl(
        `for my $n (3..255) { my $l=readlink "/proc/self/fd/$n"; next unless defined $l; next if $l=~m{^pipe:|^/dev/null$|^/proc/\\d+/fd|^socket:}; print "HOLE $n $l\\n" }`,
      ),
      { asUser: true },
    ],
    [
      "a descriptor that the gate reads",
      perl(
        `for my $n (3..7,10..255) { open(my $f,">&=",$n) or next; my $l=readlink("/proc/self/fd/$n"); print "HOLE $n $l\\n" if defined $l && $l!~/^pipe:/ && syswrite($f,"forged\\n") }`,
      ),
    ],
    ["a line that ends in a backslash", `exit 8\\`, { code: 2 }],
    ["a line that ends in a comment", `exit 8 # and more }`, { code: 8 }],
    ["a line that closes what it was put into", `true; } 9>&1; echo evil > ../sibling/file.txt; {`, { asUser: true }],
    ["a line that closes a substitution", `true) ; echo evil > ../sibling/file.txt; (`],
    ["a line that closes quotes", `true'; echo evil > ../sibling/file.txt; '`],
    ["a line that closes double quotes", `true"; echo evil > ../sibling/file.txt; "`],
    ["a here-document without an end", `cat <<EOF\n$(exit 3)\n}; r=$?; echo evil > ../sibling/file.txt`],
    [
      "a here-document with the box's own words",
      `cat <<'METNOS_BOX_COMMAND'\nx\nMETNOS_BOX_COMMAND\necho $?`,
      { stdout: "x\n0\n" },
    ],
    ["an end that is trapped", `trap 'exit 0' EXIT; trap 'exit 0' TERM; exit 5`, { code: 0 }],
    [
      "builtins that are replaced",
      `pwd() { echo %SIBLING%; }; exit() { builtin exit 0; }; cd() { :; }; printf() { :; }; builtin() { :; }; command() { :; }; eval() { :; }; cat() { :; }; true`,
      {
        knownHole:
          "the shell in the box says where it has ended, and the line that it runs can have it name any folder: the caller is led there if it exists",
      },
    ],
    [
      "aliases and options of the shell",
      `shopt -s expand_aliases extdebug; alias pwd='echo %SIBLING%' exit=true; set -eu; set -o noclobber; set -f; enable -n pwd printf; true`,
    ],
    ["variables that can't be changed", `readonly r=0 d=%SIBLING% PWD=%SIBLING% OLDPWD; false`, { code: 1 }],
    [
      "other variables of the caller",
      `d=%SIBLING%; r=0; PWD=%SIBLING%; OLDPWD=%SIBLING%; export d r PWD; exit 2`,
      { code: 2 },
    ],
    ["a code that looks like the launcher's", `exit 126`, { code: 126 }],
    [
      "escape sequences are passed on as they are",
      `printf '\\033]0;evil\\007\\033[2J\\033[31mred\\r\\n\\0\\377'`,
      { stdout: "\x1b]0;evil\x07\x1b[2J\x1b[31mred\r\n\0\xff" },
    ],
    [
      "words that a shell would run are passed on as they are",
      `echo '$(echo evil > ../sibling/file.txt)' '\`evil\`' '}; evil'`,
      { stdout: "$(echo evil > ../sibling/file.txt) `evil` }; evil\n" },
    ],
    ["standard output and error stay apart", `echo out; echo err >&2`, { stdout: "out\n" }],
    ["output without an end of line", `printf 'no newline'`, { stdout: "no newline" }],
    ["nothing is printed by the box itself", `true`, { stdout: "", asUser: true }],
    ["a line of many lines", `for i in 1 2\ndo\n  echo $i\ndone\n\n`, { stdout: "1\n2\n" }],
    ["a syntax error", `if then fi (`, { code: 2 }],
    ["nothing at all", `:`, { stdout: "", code: 0 }],
    ["a line of 90 KB", `: ${"x".repeat(90_000)}; echo done`, { stdout: "done\n" }],
    [
      "the terminal's input forged (TIOCSTI, TIOCLINUX)",
      perl(
        `open(T,"+<","/dev/tty") and print "HOLE tty\\n"; for my $f (\\*STDIN,\\*STDOUT,\\*STDERR) { my $c="x"; print "HOLE\\n" if ioctl($f,0x5412,$c); print "HOLE\\n" if ioctl($f,0x541C,$c); print "HOLE\\n" if ioctl($f,0x100005412,$c) }`,
      ),
    ],
  ],
  { unshown: "about the box" },
);
