import { closeSync, constants, existsSync, fstatSync, openSync, readSync } from "node:fs";
import { dirname, join } from "node:path";
import { isObject, type Json, parseObject } from "../../../ipc/json-object.ts";
import { type HookPlace, LeftToProgram, type Rewritable } from "../dialect.ts";
import { RuleFiles } from "../rule-files.ts";
import { codexHome } from "./codex-home.ts";

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
/** Codex refuses this by itself, or asks. */
const FORCED_DELETION = /\brm\b[\s\S]*-(?:\w*f|-force)/;

/** True where Codex's sandbox is on for this turn, where it may ask, and where a rule of its own may be about the line. In doubt true. @throws LeftToProgram */
export function mayHaveRuleAbout({ line, cwd, transcript }: Rewritable, { env, is_gate }: HookPlace): boolean {
  if (PATCH.test(line) || FORCED_DELETION.test(line)) return true;
  if (transcript === undefined) return true;
  if (!isUnrestricted(turnContext(transcript, is_gate))) return true;
  const files = new RuleFiles(is_gate);
  return (
    MANAGED.some((path) => existsSync(path)) ||
    ruleFolders(cwd, env).some((folder) => files.below(folder).some((file) => RESTRICTS.test(files.read(file))))
  );
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

/** A turn may have said much since it began. In bytes, from the end; the gate itself looks through less. */
const LOOKED_THROUGH = [64 * 1024, 512 * 1024, 16 * 1024 * 1024];
const LOOKS_OF_GATE = 2;

/** How the turn runs, as Codex wrote down last; undefined where it isn't found. @throws LeftToProgram; the system's error */
function turnContext({ file, turn }: NonNullable<Rewritable["transcript"]>, is_gate: boolean): Json | undefined {
  const fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const { size } = fstatSync(fd);
    for (const looked_through of LOOKED_THROUGH.slice(0, is_gate ? LOOKS_OF_GATE : LOOKED_THROUGH.length)) {
      const length = Math.min(size, looked_through);
      const bytes = Buffer.alloc(length);
      readSync(fd, bytes, 0, length, size - length);
      const found = contextIn(bytes.toString("utf8"), turn);
      if (found !== undefined || length === size) return found;
    }
    if (is_gate) throw new LeftToProgram();
    return undefined;
  } finally {
    closeSync(fd);
  }
}

function contextIn(text: string, turn: string): Json | undefined {
  for (const line of text.split("\n").reverse()) {
    if (!line.includes('"turn_context"') || !line.includes(turn)) continue;
    const { type, payload } = parseObject(line) ?? {};
    if (type === "turn_context" && isObject(payload) && payload.turn_id === turn) return payload;
  }
  return undefined;
}
