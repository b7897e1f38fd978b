import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { isObject, type Json, parseObject } from "../../../ipc/base/json-object.ts";
import { type HookPlace, LeftToProgram, type Rewritable } from "../dialect.ts";
import { RuleFiles } from "../rule-files.ts";
import { codexHome } from "./codex-home.ts";
import { foundInTranscript, QUICKLY_READ } from "./transcript.ts";

/**
 * Codex's own sandbox and rules (tried with 0.169.0). In its sandbox the gate's box can't be made, and its rules see a rewritten call's
 * wrapper instead of its command line: there a call is not rewritten.
 */

/** An administrator's: its rules count before all others. */
const MANAGED = ["/etc/codex/requirements.toml", "/etc/codex/rules"];
/** What its rules say where they don't allow. */
const RESTRICTS = /forbidden|prompt/;
/** Codex runs it itself, by writing the files. */
const PATCH = /\bapply_?patch\b/;
/** Codex refuses this by itself, or asks. Two expressions: one for both takes long where `rm` is there often. */
const DELETION = /\brm\b/;
const FORCED = /-(?:\w*f|-force)/;

/** True where Codex's sandbox is on for this turn, where it may ask, and where a rule of its own may be about the line. In doubt true. @throws LeftToProgram */
export function mayHaveRuleAbout({ line, cwd, transcript }: Rewritable, { env, is_gate }: HookPlace): boolean {
  if (PATCH.test(line) || isForcedDeletion(line)) return true;
  if (transcript === undefined) return true;
  if (!isUnrestricted(turnContext(transcript, is_gate))) return true;
  const files = new RuleFiles(is_gate);
  return (
    MANAGED.some((path) => existsSync(path)) ||
    ruleFolders(cwd, env).some((folder) => files.below(folder).some((file) => RESTRICTS.test(files.read(file))))
  );
}

function isForcedDeletion(line: string): boolean {
  const at = line.search(DELETION);
  return at !== -1 && FORCED.test(line.slice(at));
}

function isUnrestricted(context: Json | undefined): boolean {
  const { sandbox_policy, approval_policy } = context ?? {};
  return isObject(sandbox_policy) && sandbox_policy.type === "danger-full-access" && approval_policy === "never";
}

function ruleFolders(cwd: string, env: HookPlace["env"]): string[] {
  const folders: string[] = [join(codexHome(env), "rules")];
  for (let folder = cwd; ; folder = dirname(folder)) {
    folders.push(join(folder, ".codex", "rules"));
    if (dirname(folder) === folder) return folders;
  }
}

/** How the turn runs, as Codex wrote down last; undefined where it isn't found. @throws LeftToProgram; the system's error */
function turnContext({ file, turn }: NonNullable<Rewritable["transcript"]>, is_gate: boolean): Json | undefined {
  const found = foundInTranscript(file, (lines) => contextIn(lines, turn), is_gate ? QUICKLY_READ : undefined);
  if (found === undefined && is_gate) throw new LeftToProgram();
  return found;
}

function contextIn(lines: readonly string[], turn: string): Json | undefined {
  for (const line of lines) {
    if (!line.includes('"turn_context"') || !line.includes(turn)) continue;
    const { type, payload } = parseObject(line) ?? {};
    if (type === "turn_context" && isObject(payload) && payload.turn_id === turn) return payload;
  }
  return undefined;
}
