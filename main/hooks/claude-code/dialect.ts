import { readlinkSync } from "node:fs";
import { dirname } from "node:path";
import { isObject, type Json, parseObject } from "../../../ipc/base/json-object.ts";
import { argumentsOf, environmentOf } from "../client-program.ts";
import type { HookAnswer, HookDialect } from "../dialect.ts";
import { canConfine, rewritten } from "../rewriting.ts";
import { RuleFiles } from "../rule-files.ts";
import { mayMean } from "../rule-pattern.ts";
import { projectSources, settingsSources } from "./effective-settings.ts";
import { readCall } from "./payload.ts";

/** Claude Code's hook: the PreToolUse payload on stdin, `hookSpecificOutput` on stdout. */
export const CLAUDE_CODE: HookDialect = {
  agent: "claude-code",
  // Claude Code gives a hook up after 600 s.
  wait_seconds: 590,
  offline: "ask",
  read: readCall,
  write,
  canConfine: ({ rewritable: call }, { reader, state_dir, ...place }) =>
    canConfine({ agent: "claude-code", call, reader, state_dir }, (pid, { line, cwd }) =>
      mayHaveRuleAbout({ line, cwd, pid, ...place }),
    ),
  rewritten,
  events: {
    /** After a call: a note for the model, or nothing. */
    after: async (input, place) => {
      const { afterCall } = await import("./after-call.ts");
      return afterCall(input, place);
    },
    /** Something happened in a session: nothing is answered, but to its start. */
    session: async (input, place) => {
      const { answerClaudeSession } = await import("./session.ts");
      return answerClaudeSession(input, place);
    },
  },
};

function write({ permission, reason, notice, updatedInput }: HookAnswer): object {
  return {
    ...(notice === undefined ? {} : { systemMessage: `Metnos Gate: ${notice}` }),
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: permission,
      permissionDecisionReason: `Metnos Gate: ${reason}`,
      ...(updatedInput === undefined ? {} : { updatedInput: updatedInput }),
    },
  };
}

// Claude Code's own permission rules. They see a rewritten call's wrapper instead of its command line (tried with 2.1.197 and 2.1.330),
// so a call that one of them may be about is not rewritten.

interface Asked {
  line: string;
  /** The folder that the session is in. */
  cwd: string;
  /** The client's process. */
  pid: number;
  env: Readonly<Record<string, string | undefined>>;
  isGate: boolean;
}

/** Options that bring rules along, which no file shows. */
const OPTIONS = /^--(?:disallowed-?tools|settings|managed-?settings|setting-sources)(?:=|$)/i;

/** True where a `deny` or `ask` rule may be about the line, or Claude Code's own sandbox is on. In doubt true. @throws LeftToProgram */
export function mayHaveRuleAbout({ line, cwd, pid, env, isGate }: Asked): boolean {
  const words = argumentsOf(pid);
  if (words.some((word, at) => OPTIONS.test(word) && !holdsNoRule(word, words[at + 1]))) return true;
  const { CLAUDE_CONFIG_DIR: configFolder } = environmentOf(pid);
  const context = { cwd, env: configFolder === undefined ? env : { ...env, CLAUDE_CONFIG_DIR: configFolder } };
  // Claude Code reads its project's settings where it was started; the session may have moved since.
  const folders = new Set([...foldersUpFrom(readlinkSync(`/proc/${pid}/cwd`)), ...foldersUpFrom(dirname(cwd))]);
  const files = new RuleFiles(isGate);
  return [...settingsSources(context, files), ...[...folders].flatMap((folder) => projectSources(folder, files))].some(
    ({ settings, problem }) => problem !== undefined || (settings !== undefined && isAbout(settings, line, files)),
  );
}

/** What `run` starts it with: hooks, and no rules. */
function holdsNoRule(word: string, value = ""): boolean {
  const settings = word === "--settings" ? parseObject(value) : undefined;
  return settings !== undefined && Object.keys(settings).every((key) => key === "hooks" || key === "disableAllHooks");
}

function foldersUpFrom(folder: string): string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...foldersUpFrom(above)];
}

function isAbout({ permissions, sandbox }: Json, line: string, files: RuleFiles): boolean {
  if (isObject(sandbox) && sandbox.enabled !== undefined && sandbox.enabled !== false) return true;
  if (!isObject(permissions)) return false;
  return [permissions.deny, permissions.ask].some(
    (rules) => rules !== undefined && (!Array.isArray(rules) || rules.some((rule) => mayBeAbout(rule, line, files))),
  );
}

/** A rule for a whole tool holds for a rewritten call, too. */
function mayBeAbout(rule: unknown, line: string, files: RuleFiles): boolean {
  files.takeTime();
  if (typeof rule !== "string") return true;
  // Not by an expression: a project's rule may be made to take it long.
  const [whole, from] = [rule.trimEnd(), rule.indexOf("(")];
  return from !== -1 && whole.endsWith(")") && mayMean(whole.slice(from + 1, -1), line, () => files.takeTime());
}
