import { type Command, Option } from "commander";
import { ownCommand } from "../../ipc/base/own-command.ts";
import { CAPABILITIES, LEVELS } from "../../ipc/contract/decision.ts";
import { runningGate } from "../operator.ts";
import { printWord, usageError } from "../output.ts";
import { shortTokens } from "../short-tokens.ts";

/** `completion`: what a shell needs to complete this command; the words come from the command itself, some from the running gate. */

const SHELLS = ["bash", "zsh", "fish"] as const;
const WORDS_FLAG = "--words";

export function completionCommand(program: Command): void {
  program
    .command("completion <shell> [words...]")
    .description(`prints a script for ${SHELLS.join(", ")}, such as: source <(... completion bash)`)
    // For the scripts alone: the words that may come next.
    .addOption(new Option(WORDS_FLAG).hideHelp())
    .action(async (shell: string, words: string[], options: { words?: boolean }) => {
      if (!SHELLS.some((known) => known === shell))
        throw usageError(`there is no completion for ${JSON.stringify(shell)}`, `one of: ${SHELLS.join(", ")}`);
      if (options.words === true) return (await nextWords(program, words)).forEach(printWord);
      printWord(scriptFor(shell as (typeof SHELLS)[number]));
    });
}

/** What may follow the words before the cursor; the shell keeps those that begin as what is typed. */
async function nextWords(program: Command, typed: readonly string[]): Promise<string[]> {
  const before = typed.slice(0, -1);
  let command = program;
  let at = 0;
  for (let below: Command | undefined; ; at++) {
    below = command.commands.find((known) => known.name() === before[at]);
    if (below === undefined) break;
    command = below;
  }
  const last = before.at(-1) ?? "";
  const help = command.createHelp();
  const option = help.visibleOptions(command).find(({ long }) => long === last);
  if (option !== undefined && (option.required || option.optional)) return await valuesOf(option.name(), option);
  const options = help.visibleOptions(command).flatMap(({ long }) => long ?? []);
  const below = help.visibleCommands(command).map((known) => known.name());
  if (below.length > 0) return [...below, ...options];
  const given = before.slice(at).filter((word) => !word.startsWith("-")).length;
  const argument = command.registeredArguments[given];
  return [...(argument === undefined ? [] : await valuesOf(argument.name())), ...options];
}

async function valuesOf(name: string, option?: Option): Promise<string[]> {
  if (option?.argChoices !== undefined) return [...option.argChoices];
  switch (name) {
    case "level":
      return [...LEVELS];
    case "capability":
      return [...CAPABILITIES];
    case "shell":
      return [...SHELLS];
    case "token":
    case "name":
    case "agent":
      return await fromGate(name === "token" ? "tokens" : "names");
    case "refusal":
    case "model":
      return await fromGate(name === "refusal" ? "refusals" : "models");
    default:
      return [];
  }
}

/** Silent without a gate: a completion is no place for errors. */
async function fromGate(what: "tokens" | "names" | "refusals" | "models"): Promise<string[]> {
  const api = await runningGate().catch(() => undefined);
  if (api === undefined) return [];
  try {
    if (what === "tokens") {
      const waiting = await api.call("approvals.list", { limit: 1000 });
      return [...shortTokens(waiting.map(({ token }) => token)).values()];
    }
    if (what === "refusals") return (await api.call("reviews.list", {})).refused.map(({ id }) => id);
    if (what === "models") return (await api.call("judge.status", {})).models.map(({ name }) => name);
    const { agents, requests } = await api.call("agents.list", {});
    return [...agents.filter(({ revoked_at }) => revoked_at === null), ...requests].map(({ name }) => name);
  } catch {
    return []; // the gate has just ended
  } finally {
    await api.close();
  }
}

function scriptFor(shell: (typeof SHELLS)[number]): string {
  const ask = (words: string) => `${ownCommand(`completion ${shell} ${WORDS_FLAG}`)} -- ${words} 2>/dev/null`;
  switch (shell) {
    case "bash":
      // Not by compgen's word list, in which a shell would expand what looks like an expansion.
      return `_metnos_gate() {
  local word
  COMPREPLY=()
  while IFS= read -r word; do
    [[ $word == "\${COMP_WORDS[COMP_CWORD]}"* ]] && COMPREPLY+=("$word")
  done < <(${ask(`"\${COMP_WORDS[@]:1:COMP_CWORD}"`)})
}
complete -F _metnos_gate metnos-gate metnos-gate.js`;
    case "zsh":
      return `#compdef metnos-gate metnos-gate.js
_metnos_gate() {
  compadd -- \${(f)"$(${ask(`"\${(@)words[2,CURRENT]}"`)})"}
}
compdef _metnos_gate metnos-gate metnos-gate.js`;
    case "fish":
      return `complete -c metnos-gate -f -a "(${ask("(commandline -opc)[2..] (commandline -ct)")})"`;
  }
}
