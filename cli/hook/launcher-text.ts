import { shellQuoted } from "../../ipc/base/shell-quoted.ts";
import { GIVEN_PATH } from "../../ipc/contract/shell-path.ts";
import { GIVEN_ENTRYPOINT } from "../agents/claude-code/editor.ts";

/** The script that clients call: it asks the gate over its pipes, or else by the hook's program, so that only an answer of the gate lets a call through. */

export interface LauncherParts {
  /** Variables that the hook needs, and no others reach it. */
  env: Readonly<Record<string, string>>;
  /** What holds the agent's token, where no variable does. */
  token_file?: string;
  /** How the hook is run. */
  program: { installed: string } | { nodes: readonly string[]; scripts: readonly string[] };
  /** The client continues while its program reports a call that ran: there is no box, so that no note for the model can come of it. */
  reportsBeside?: boolean;
  /** Where the gate waits for hooks (main/hooks/hook-pipes.ts); left out: its program alone asks. */
  pipesDir?: string;
  /** What turns zero bytes, which a shell drops, into others that no JSON holds. */
  tr?: string;
}

/** Claude Code takes this exit code as a refusal, in every version. */
const BLOCKS = 2;

const AGAIN = "tell the user to connect claude-code again from where Metnos Gate is now";

/** Of its variables, what the gate gets to know: the client's PATH, and where it was written with that of its settings. */
const SAID = "CLAUDE_CONFIG_DIR";

/** What a session says is there before it continues. */
const BESIDE = `if [ "$reports" = after ]; then { printf '%s\\n' "$payload" | "$@"; } >/dev/null 2>&1 & exit 0; fi
  `;

/** How long a hook waits whose command line doesn't say it, and one that only reports; in seconds. */
const [WAIT_SECONDS, REPORT_SECONDS] = [50, 5];
/** The gate itself gives up first: this is for one that has been stopped. */
const MARGIN_SECONDS = 5;
/** How long what keeps the time sleeps at once: it outlives a launcher that is killed. */
const SLEEP_SECONDS = 5;
/** Of a payload, in bytes: a pipe holds it with the rest, so that nobody waits for a gate that has been stopped to read it. */
const MAX_PIPED = 32_768;

/**
 * It begins with an empty environment, before a shell has read any of it: what a project's settings put there
 * (NODE_OPTIONS, SHELLOPTS, METNOS_*) reaches neither this shell nor the hook. The client's PATH is kept by another
 * name: its commands' programs are found along that.
 */
export const FIRST_LINE = `#!/usr/bin/env -S -i ${GIVEN_PATH}=\${PATH} ${GIVEN_ENTRYPOINT}=\${CLAUDE_CODE_ENTRYPOINT} /bin/sh`;

/**
 * A script for any POSIX shell. After a call, and of a session, nothing is left to block: it ends with 0 then.
 */
export function launcherText({
  env,
  program,
  token_file,
  pipesDir,
  reportsBeside = false,
  tr = "tr",
}: LauncherParts): string {
  const variables = Object.entries(env).map(([name, value]) => `export ${name}=${shellQuoted(value)}`);
  if (token_file !== undefined) variables.push(`export METNOS_AGENT_TOKEN="$(cat ${shellQuoted(token_file)})"`);
  return `${FIRST_LINE}
# Written by metnos-gate connect claude-code, which also replaces it.
${variables.join("\n")}

reports= lost=
blocks() {
  [ -z "$reports" ] || exit 0
  echo "Metnos Gate: $1; nothing is let through" >&2
  exit ${BLOCKS}
}

case \${1-} in
  '') blocks 'this Claude Code calls a hook without its arguments: tell the user to update it' ;;
  check) ;;
  *)
    case $1 in after | session) reports=$1 ;; esac
    payload=$(${shellQuoted(tr)} '\\000' '\\001')
    ;;
esac
${pipesDir === undefined ? "" : byPipe(pipesDir, env)}
[ -z "$reports" ] || set -- hook "$2" "$1"
${"installed" in program ? installedProgram(program.installed) : ownProgram(program.nodes, program.scripts)}
if [ "$1" = check ]; then
  printf '%s\\n' "$@"
  exit 0
fi
if [ -n "$reports" ]; then
  ${reportsBeside ? BESIDE : ""}printf '%s\\n' "$payload" | "$@"
  exit 0
fi
answer=$(printf '%s\\n' "$payload" | "$@" --parent "$PPID" --launcher "$$" $lost) || blocks "its hook failed ($?)"
case $answer in
  '{'*'}') printf '%s\\n' "$answer" || blocks 'its answer had no reader' ;;
  *) blocks 'its hook gave no answer' ;;
esac
`;
}

/**
 * Takes a waiting pair of pipes, which nobody else then takes, says the call, and reads a line. Both pipes are opened for reading and
 * writing first, which never waits; then each only one way, so that either side sees the other's end. Without an answer the program asks.
 * dash ends at a failed redirection of \`:\` or \`exec\`, not of \`true\` and \`command exec\`; it has no \`read -t\`, but ends reading where a
 * process of its own ends, which bash doesn't. What is no whole line, as the gate has ended within it, is no answer.
 */
function byPipe(folder: string, env: LauncherParts["env"]): string {
  const said = [
    `"${GIVEN_PATH}=\${${GIVEN_PATH}-}"`,
    ...(env[SAID] === undefined ? [] : [shellQuoted(`${SAID}=${env[SAID]}`)]),
  ];
  return `
ask() {
  [ -n "$reports" ] || [ "\${#payload}" -le ${MAX_PIPED} ] || return 1
  pipe=
  set -C
  for up in ${shellQuoted(`${folder}/`)}*.up; do
    found=\${up%.up}
    [ -p "$up" ] && [ -p "$found.down" ] || continue
    { true >"$found.taken"; } 2>/dev/null || continue
    # The gate removes that mark last: whoever could make it anew finds the pipes gone.
    [ -p "$up" ] && [ -p "$found.down" ] || continue
    pipe=$found
    break
  done
  set +C
  [ -n "$pipe" ] || return 1
  { command exec 3<>"$pipe.up" 4>"$pipe.up" 3<>"$pipe.down" 5<"$pipe.down" 3>&-; } 2>/dev/null || return 1
  [ -p /dev/fd/4 ] && [ -p /dev/fd/5 ] || return 1
  trap '' PIPE
  { printf '%s\\0' "$$ $PPID" "$#" ${said.length} "$@" ${said.join(" ")} "$payload" >&4; } 2>/dev/null || return 1
  trap - PIPE
  late= whole= lost='--lost 1'
  if [ -n "\${BASH_VERSION-}" ]; then
    IFS= read -r -t "$seconds" answer <&5 && whole=1
    [ $? -le 128 ] || late=1
  else
    while :; do
      late= part= piece=$seconds
      [ "$piece" -le ${SLEEP_SECONDS} ] || piece=${SLEEP_SECONDS}
      trap 'late=1' CHLD
      sleep "$piece" </dev/null >/dev/null 2>&1 4>&- 5<&- &
      IFS= read -r part <&5 && whole=1
      trap - CHLD
      kill "$!" 2>/dev/null
      answer=$answer$part seconds=$((seconds - piece))
      [ -z "$whole" ] && [ -n "$late" ] && [ "$seconds" -gt 0 ] && wait "$!" || break
    done
  fi
  if [ -z "$whole" ]; then
    [ -z "$late" ] || blocks 'the gate does not answer'
    return 1
  fi
  case $answer in '{'*'}') ;; *) return 1 ;; esac
}

if [ "$1" != check ]; then
  seconds=${WAIT_SECONDS + MARGIN_SECONDS} before= answer=
  for word in "$@"; do
    [ "$before" != --wait ] || case $word in '' | *[!0-9]*) ;; *) seconds=$((word + ${MARGIN_SECONDS})) ;; esac
    before=$word
  done
  [ -z "$reports" ] || seconds=${REPORT_SECONDS}
  if ask "$@"; then
    printf '%s\\n' "$answer" || blocks 'its answer had no reader'
    exit 0
  fi
  trap - PIPE
  exec 4>&- 5<&-
fi`;
}

function installedProgram(command: string): string {
  const quoted = shellQuoted(command);
  return `[ -x ${quoted} ] || blocks 'the installed metnos-gate is missing; ${AGAIN}'
[ "$1" = check ] && set -- check ${quoted} || set -- ${quoted} "$@"`;
}

function ownProgram(nodes: readonly string[], scripts: readonly string[]): string {
  return `${ownProgramFound(nodes, scripts, (why) => `blocks '${why}; ${AGAIN}'`)}
if [ "$1" = check ]; then set -- check "$node" "$script"; else set -- "$node" "$script" "$@"; fi`;
}

/** Lines that leave the first Node and script that are there in `$node` and `$script`. `fails`: what is run where there is none. */
export function ownProgramFound(
  nodes: readonly string[],
  scripts: readonly string[],
  fails: (why: string) => string,
): string {
  return `node=
for found in ${nodes.map(shellQuoted).join(" ")}; do
  if [ -x "$found" ]; then node=$found; break; fi
done
[ -n "$node" ] || node=$(command -v node) || ${fails("no Node is left of those that were there")}
script=
for found in ${scripts.map(shellQuoted).join(" ")}; do
  if [ -f "$found" ]; then script=$found; break; fi
done
[ -n "$script" ] || ${fails("its program is missing")}`;
}
