import { ownCommand } from "../../../ipc/base/own-command.ts";
import { gatePaths } from "../../../ipc/base/paths.ts";
import { loadConfig } from "../../../main/config/config.ts";
import { pairAgent } from "../../agents/pairing.ts";
import { levelOf } from "../../commands/policy.ts";
import { withOperator } from "../../operator.ts";
import { printWord, say, tell, usageError } from "../../output.ts";
import { EDITOR_AGENTS } from "./agents.ts";
import { connectEditor, disconnectEditor, type Editor, entryOf, luaOf, RESTARTED, settingsOf } from "./editors.ts";

/** `connect EDITOR AGENT`: writes the entry by which the editor starts the agent behind the gate, or prints it, and pairs the agent. */
export async function connectInEditor(
  editor: Editor,
  name: string | undefined,
  { remove, level }: { remove?: boolean; level?: string },
): Promise<void> {
  const agent = name !== undefined && Object.hasOwn(EDITOR_AGENTS, name) ? EDITOR_AGENTS[name] : undefined;
  if (agent === undefined) throw usageError("which agent?", `one of: ${Object.keys(EDITOR_AGENTS).join(", ")}`);
  const file = settingsOf(editor);
  if (remove === true) {
    if (file === undefined) throw usageError(`${editor}'s settings are a program`, "take the entry out of it yourself");
    const result = disconnectEditor(file, { name: `${agent.title} (Metnos Gate)` });
    tell(result, result.changed ? `the entry is out of ${file}` : `there was no entry in ${file}`);
    if (result.changed) say(RESTARTED[editor]);
    return;
  }
  const entry = entryOf(agent);
  const config = loadConfig(gatePaths(process.env).configFile, process.env);
  const paired = await withOperator((api) =>
    pairAgent(api, entry.agent, levelOf(level ?? config.agents.default_level)),
  );
  if (file === undefined) printWord(luaOf(entry));
  else {
    const result = connectEditor(editor, file, entry);
    const before = result.backup === null ? "" : ` (before: ${result.backup})`;
    tell(
      { ...result, agent: paired },
      result.changed ? `the entry is in ${file}${before}` : `the entry was in ${file} already`,
    );
  }
  say(`${entry.agent} is paired at level ${paired.level}; choose ${JSON.stringify(entry.name)} in the editor`);
  say(RESTARTED[editor]);
  say(`start the gate, where none runs, with: ${ownCommand("start")}; answer with: ${ownCommand("watch")}`);
}
