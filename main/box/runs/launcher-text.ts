import { shellQuoted, shellWord } from "../../../ipc/base/shell-quoted.ts";
import { firstProcessFollows } from "./first-process.ts";
import { CALLER } from "./greeting.ts";

/** The program that starts a confined run: words in, bubblewrap out. It is a script, as Node would cost 30 ms for each command. */

export interface LauncherParts {
  /** The gate's folder for the box, absolute. */
  folder: string;
  /** What makes the box, and bash, absolute: what PATH names may be the project's. */
  maker: string;
  bash: string;
  /** Bubblewrap's arguments that every box begins with: alone they make one that holds nothing but the system. */
  common: readonly string[];
  /** Lines of bash that set the limits, before the command. */
  limits: string;
  /** What it starts may keep the terminal that it was started on; left out: it gets a session of its own. */
  keepsTerminal?: boolean;
  /** Whether there is a filter of system calls beside the launcher. */
  hasFilter: boolean;
}

const NEW_SESSION = "--new-session";

/** Where the machine has no memory left, the kernel ends a confined command before anything of the user's. */
const ENDED_FIRST = "{ echo 1000 >| /proc/self/oom_score_adj; } 2>/dev/null";

/** The exit code of a run that didn't start, as of a program that can't be run. */
const NOT_STARTED = 126;

/**
 * Lines of bash that end the box's shell where bubblewrap has ended: the end of a pipe that no other process writes to says so. On it come
 * the launcher's empty line, and what bubblewrap says before it lets the box be made.
 */
const ENDS_WITHOUT_BUBBLEWRAP = `read -r -u 8 metnos_box_said; read -r -u 8 metnos_box_said
${firstProcessFollows(8)}
read -r -t 0 -u 8 metnos_box_said && exit ${NOT_STARTED}
exec 8<&-; unset metnos_box_said`;

/** Says that the command did not run; read by people and by the test of a client. */
const NOT_RUN = "the command did not run";

/**
 * A script for bash. What it reads of its environment it sends to the gate, which sends back what may be kept; bubblewrap itself
 * starts with none of it, so that its first process shows none. Bubblewrap starts while the gate works on its answer, which it reads by
 * itself. What confines at all is written here, not in what comes over the pipe: without an answer, or with a refusal, there is a box
 * without a project, whose shell ends at once.
 * Its descriptors: 3 and 4 to the gate, 5 from it, 6 the filter; bubblewrap passes none of them on. What its caller has open is
 * closed, as a folder among it would lead out of the box, and 255 last, where bash has the script itself; 9 takes the working directory.
 * Bubblewrap alone writes to 7, of which 8 is the other end: what ended it before its box could follow is seen by that, and the command
 * doesn't begin.
 * `--norc`: where its input is a socket, bash runs the settings of an interactive shell.
 */
export function launcherText(parts: LauncherParts): string {
  const { folder, maker, bash, common, limits, hasFilter, keepsTerminal = false } = parts;
  const refused = `echo "Metnos Gate: \${METNOS_BOX_REFUSED:-the gate has ended}: ${NOT_RUN}" >&2; exit ${NOT_STARTED}`;
  // One line: what the shell says of the command counts the lines from there.
  const inner = [
    `[ "$METNOS_BOX_WHOLE" = 1 ] || { ${refused}; }`,
    'eval "$METNOS_BOX_START"',
    ...(limits === "" ? [] : [limits]),
    ...ENDS_WITHOUT_BUBBLEWRAP.split("\n"),
    'eval "unset METNOS_BOX_WHOLE METNOS_BOX_START METNOS_BOX_COMMAND; $METNOS_BOX_COMMAND" 9>&-',
    "r=$?",
    "{ pwd -P >&9; } 2>/dev/null",
    "exit $r",
  ].join("; ");
  return `#!${bash} -p
# Written by Metnos Gate as it starts: starts one confined command, once.
refuse() {
  printf 'Metnos Gate: %s: ${NOT_RUN}\\n' "$1" >&2
  exit ${NOT_STARTED}
}
[ "$1" = run ] && [ $# -eq 2 ] || refuse 'expected run and an ID'
# Where too few files may be open, bash ends at a redirection, with 0.
trap '[ $? -eq ${NOT_STARTED} ] || refuse "too few files may be open (ulimit -n)"' EXIT
id=$2 slot=\${2%.*}
case $slot in '' | *[!0-9a-f-]*) refuse 'this is no ID of a run' ;; esac
pipe=${shellQuoted(`${folder}/`)}$slot
[ -p "$pipe.up" ] && [ -p "$pipe.down" ] || refuse 'the gate that allowed this is gone'
set -C
{ : > "$pipe.taken"; } 2>/dev/null || refuse 'this run was started before'
for open in /proc/self/fd/*; do
  case \${open##*/} in [0-2] | 255) ;; 9) [ -p "$open" ] || exec 9>&- ;; *) eval "exec \${open##*/}>&-" ;; esac
done
trap '' PIPE
{ exec 3<>"$pipe.up" 4>"$pipe.up" 3<>"$pipe.down" 5<"$pipe.down" 3>&-; } 2>/dev/null && [ -p /proc/self/fd/4 ] || refuse 'the gate that allowed this is gone'
mapfile -d '' -t environment </proc/self/environ
environment+=("${CALLER}=$$ $PPID")
{ printf '%s\\0' "$id" "\${#environment[@]}" "\${environment[@]}" >&4; } 2>/dev/null || refuse 'this run is over, or the gate has ended'
trap - PIPE
# A pipe that bubblewrap alone holds open for writing: its box's shell reads 8.
BASH_COMPAT=
exec 8<<<''; [ -p /proc/self/fd/8 ] || exec 8< <(echo)
exec 7<>/proc/self/fd/8
${
  keepsTerminal
    ? `session=${NEW_SESSION}; [ -t 0 ] && session=
`
    : `${ENDED_FIRST}
`
}exec -c ${shellQuoted(maker)} ${common
    .filter((word) => !keepsTerminal || word !== NEW_SESSION)
    .map(shellWord)
    .join(
      " ",
    )}${keepsTerminal ? " $session" : ""} --args 5 --sync-fd 4 --info-fd 3 --json-status-fd 7 ${hasFilter ? "--seccomp 6 " : ""}\\
  -- ${shellQuoted(bash)} --norc -c ${shellQuoted(inner)} bash 255>&- 3>&4${hasFilter ? ` 6<${shellQuoted(`${folder}/system-calls`)}` : ""}
`;
}
