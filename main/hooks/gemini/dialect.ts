import { dirname, join } from "node:path";
import { confinedCommandAlone, remarked, shownLine } from "../../../ipc/base/confined-command.ts";
import { isObject, type Json } from "../../../ipc/base/json-object.ts";
import type { Env } from "../../../ipc/base/paths.ts";
import { argumentsOf, environmentOf } from "../client-program.ts";
import type { HookAnswer, HookDialect } from "../dialect.ts";
import { canConfine } from "../rewriting.ts";
import { RuleFiles } from "../rule-files.ts";
import { readCall } from "./payload.ts";
import { geminiFolder, settingsSources, systemSettingsFile } from "./settings-sources.ts";

/** Of a command line that is longer than 150 characters Gemini shows the description; with `$(` in its remark it would refuse it. */
const REMARK = "Metnos Gate has this command run confined; the description says it as it was written by the model";

/**
 * Gemini CLI's hook: the BeforeTool payload on stdin, a decision on stdout. Never `ask`: without a terminal it ends the run. A call that
 * is allowed still gets Gemini's own question, where its mode asks one.
 */
export const GEMINI: HookDialect = {
  agent: "gemini",
  // What `connect` writes says how long both wait; this is for a command line that doesn't.
  wait_seconds: 50,
  offline: "deny",
  read: readCall,
  write,
  canConfine: ({ rewritable: call }, { reader, state_dir, isGate }) =>
    canConfine({ agent: "gemini", call, reader, state_dir }, (client, { cwd }) =>
      mayHaveRuleAbout({ words: argumentsOf(client), env: environmentOf(client), cwd, isGate }),
    ),
  rewritten: ({ input, line }, argv) => ({
    ...input,
    command: remarked(REMARK, confinedCommandAlone(argv)),
    description: shownLine(line),
  }),
  events: {
    /** After a command: a note for the model, or nothing. */
    after: async (input, place) => {
      const { afterCall } = await import("./after-call.ts");
      return afterCall(input, place);
    },
    /** Something happened in a session: nothing is answered. */
    session: async (input, { env }) => {
      const { reportSession } = await import("../session-event.ts");
      // It has no id for the user's messages: their times tell them apart, and a call belongs to the last one.
      return reportSession(input, { env, agent_name: "gemini", turn: "timestamp" });
    },
  },
};

function write({ permission, reason, notice = reason, updatedInput }: HookAnswer): object {
  if (permission === "allow" && updatedInput === undefined) return { decision: "allow" };
  if (permission === "allow")
    return { decision: "allow", hookSpecificOutput: { hookEventName: "BeforeTool", tool_input: updatedInput } };
  // Without a reason the model would read that there was none.
  // Its screen shows neither the call nor the reason.
  return { decision: "deny", reason: `Metnos Gate: ${reason}`, systemMessage: `Metnos Gate: ${notice}` };
}

// Gemini CLI's own question, policies and sandbox (tried with 0.61.0). All of them see a rewritten call's wrapper instead of its command line,
// and the gate's box can't be made in another sandbox: there a call is not rewritten.

/** What its policies say where they don't allow. */
const RESTRICTS = /deny|ask_user/;
/** Words that name policies or a sandbox of this start. */
const SETS_RULES = /^(?:-s|--(?:sandbox|policy|admin-policy|core-tools|exclude-tools)(?:=.*)?)$/;

interface AskedGemini {
  /** That its process was started with. */
  words: readonly string[];
  env: Env;
  /** The folder that its session runs in. */
  cwd: string;
  isGate: boolean;
}

/** True where Gemini may ask, where a policy or setting of its own may be about a command, and where it has a sandbox. In doubt true. @throws LeftToProgram */
export function mayHaveRuleAbout({ words, env, cwd, isGate }: AskedGemini): boolean {
  if (!asksNothing(words) || words.some((word) => SETS_RULES.test(word))) return true;
  if (env.SANDBOX || env.GEMINI_SANDBOX) return true;
  const files = new RuleFiles(isGate);
  return (
    policyFolders(env, cwd).some((folder) =>
      files.below(folder).some((file) => file.endsWith(".toml") && RESTRICTS.test(files.read(file))),
    ) || settingsSources(cwd, env, files).some(mayRestrict)
  );
}

function asksNothing(words: readonly string[]): boolean {
  return words.some(
    (word, at) =>
      word === "--yolo" ||
      word === "-y" ||
      word === "--approval-mode=yolo" ||
      (word === "--approval-mode" && words[at + 1] === "yolo"),
  );
}

function mayRestrict({ settings, problem }: { settings: Json | undefined; problem?: string }): boolean {
  if (problem !== undefined) return true;
  if (settings === undefined) return false;
  const { tools, security, policyPaths, adminPolicyPaths, excludeTools, coreTools, sandbox } = settings;
  const { sandbox: toolSandbox, exclude, core } = isObject(tools) ? tools : {};
  const { enableConseca, toolSandboxing } = isObject(security) ? security : {};
  return (
    [policyPaths, adminPolicyPaths, excludeTools, coreTools, sandbox, toolSandbox, exclude, core].some(isSet) ||
    [enableConseca, toolSandboxing].some(isSet)
  );
}

const isSet = (value: unknown): boolean => (Array.isArray(value) ? value.length > 0 : Boolean(value));

/** The user's, the machine's, the project's, and those of extensions. */
function policyFolders(env: Env, cwd: string): string[] {
  const own = geminiFolder(env);
  const machine = dirname(systemSettingsFile(env));
  const above = [own, machine, "/etc/gemini-cli", join(cwd, ".gemini")].map((folder) => join(folder, "policies"));
  return [...above, join(own, "extensions")];
}
