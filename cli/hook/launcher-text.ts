import { shellQuoted } from "../../ipc/shell-quoted.ts";
import { MISSING_TEXTS, REFUSAL_TEXTS } from "../../main/hooks/refusal-texts.ts";

/** The script that clients call: it wraps the hook, so that only an answer of the gate lets a call through. */

export interface LauncherParts {
  /** The folder in which the gate names the calls that it waits for. */
  calls_dir: string;
  /** Variables that the hook needs, and no others reach it. */
  env: Readonly<Record<string, string>>;
  /** What holds the agent's token, where no variable does. */
  token_file?: string;
  /** How the hook is run. */
  program: { installed: string } | { nodes: readonly string[]; scripts: readonly string[] };
}

/** How the name of a call's file ends once the call has started as a confined one. */
const STARTED = ".started";

/** Claude Code takes this exit code as a refusal, in every version. */
const BLOCKS = 2;

const AGAIN = "tell the user to connect claude-code again from where Metnos Gate is now";

/**
 * A script for any POSIX shell. Its first line begins with an empty environment, before a shell has read any of it: what a project's
 * settings put there (NODE_OPTIONS, SHELLOPTS, METNOS_*) reaches neither this shell nor the hook.
 */
export function launcherText({ env, calls_dir, program, token_file }: LauncherParts): string {
  const variables = Object.entries(env).map(([name, value]) => `export ${name}=${shellQuoted(value)}`);
  if (token_file !== undefined) variables.push(`export METNOS_AGENT_TOKEN="$(cat ${shellQuoted(token_file)})"`);
  return `#!/usr/bin/env -S -i /bin/sh
# Written by metnos-gate connect claude-code, which also replaces it.
${reports(calls_dir)}
${variables.join("\n")}

blocks() {
  [ -z "$reports" ] || exit 0
  echo "Metnos Gate: $1; nothing is let through" >&2
  exit ${BLOCKS}
}

[ $# -gt 0 ] || blocks 'this Claude Code calls a hook without its arguments: tell the user to update it'
${"installed" in program ? installedProgram(program.installed) : ownProgram(program.nodes, program.scripts)}
if [ "$1" = check ]; then
  printf '%s\\n' "$@"
  exit 0
fi
case $reports in
  now) printf '%s\\n' "$payload" | "$@"; exit 0 ;;
  later) { printf '%s\\n' "$payload" | "$@"; } >/dev/null 2>&1 & exit 0 ;;
esac
answer=$("$@" --parent "$PPID") || blocks "its hook failed ($?)"
case $answer in
  '{'*'}') printf '%s\\n' "$answer" || blocks 'its answer had no reader' ;;
  *) blocks 'its hook gave no answer' ;;
esac
`;
}

/**
 * After a call, of which there are many: Claude Code waits for the program only after one that the gate allowed as a confined one, if it
 * never started so, if it continues in the background, or if its output says that something was refused or isn't there. All others are reported while Claude Code continues. What a session
 * says is reported before it continues: the user's words are there before the first call is. Neither can be blocked: without the
 * program nothing is said.
 */
function reports(calls_dir: string): string {
  const refused = [...REFUSAL_TEXTS, ...MISSING_TEXTS].map((text) => `*${shellQuoted(text)}*`).join(" | ");
  return `payload=
reports=
if [ "$1" = session ]; then
  reports=now
  payload=$(cat)
  set -- hook "$2" session
elif [ "$1" = after ]; then
  reports=later
  agent=$2
  payload=$(cat)
  if cd ${shellQuoted(calls_dir)} 2>/dev/null; then
    set -- *
    if [ "$agent" = gemini ]; then
      case $payload in ${refused}) reports=now ;; esac
    fi
    for call in "$@"; do
      case $agent:$call in gemini:'*' | gemini:*${STARTED}) ;; gemini:*) reports=now ;; esac
      case $payload in
        *'"tool_use_id":"'"\${call%${STARTED}}"'"'*) ;;
        *) continue ;;
      esac
      case $call in
        *${STARTED}) case $payload in *'"run_in_background":true'* | ${refused}) reports=now ;; esac ;;
        *) reports=now ;;
      esac
      break
    done
    cd /
  fi
  set -- hook "$agent" after
fi`;
}

function installedProgram(command: string): string {
  const quoted = shellQuoted(command);
  return `[ -x ${quoted} ] || blocks 'the installed metnos-gate is missing; ${AGAIN}'
[ "$1" = check ] && set -- check ${quoted} || set -- ${quoted} "$@"`;
}

function ownProgram(nodes: readonly string[], scripts: readonly string[]): string {
  return `node=
for found in ${nodes.map(shellQuoted).join(" ")}; do
  if [ -x "$found" ]; then node=$found; break; fi
done
[ -n "$node" ] || node=$(command -v node) || blocks 'no Node is left of those that were there; ${AGAIN}'
script=
for found in ${scripts.map(shellQuoted).join(" ")}; do
  if [ -f "$found" ]; then script=$found; break; fi
done
[ -n "$script" ] || blocks 'its program is missing; ${AGAIN}'
if [ "$1" = check ]; then set -- check "$node" "$script"; else set -- "$node" "$script" "$@"; fi`;
}
