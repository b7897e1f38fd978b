import { closeSync, existsSync, fstatSync, openSync, readdirSync, readFileSync, readSync } from "node:fs";
import { dirname, join } from "node:path";
import { isObject, type Json, parseObject } from "../../../ipc/json-object.ts";
import type { Env } from "../../../ipc/paths.ts";
import type { Rewritable } from "../dialect.ts";
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

/** True where Codex's sandbox is on for this turn, where it may ask, and where a rule of its own may be about the line. In doubt true. */
export function mayHaveRuleAbout({ line, cwd, transcript }: Rewritable, env: Env): boolean {
  if (PATCH.test(line) || FORCED_DELETION.test(line)) return true;
  if (transcript === undefined || !isUnrestricted(turnContext(transcript.file, transcript.turn))) return true;
  return MANAGED.some((path) => existsSync(path)) || ruleFolders(cwd, env).some(holdsRestrictingRules);
}

function isUnrestricted(context: Json | undefined): boolean {
  const { sandbox_policy, approval_policy } = context ?? {};
  return isObject(sandbox_policy) && sandbox_policy.type === "danger-full-access" && approval_policy === "never";
}

function ruleFolders(cwd: string, env: Env): string[] {
  const folders: string[] = [join(codexHome(env), "rules")];
  for (let folder = cwd; ; folder = dirname(folder)) {
    folders.push(join(folder, ".codex", "rules"));
    if (dirname(folder) === folder) return folders;
  }
}

function holdsRestrictingRules(folder: string): boolean {
  if (!existsSync(folder)) return false;
  return readdirSync(folder, { recursive: true, withFileTypes: true }).some(
    (entry) => !entry.isDirectory() && RESTRICTS.test(readFileSync(join(entry.parentPath, entry.name), "utf8")),
  );
}

/** A turn may have said much since it began. In bytes, from the end. */
const LOOKED_THROUGH = [64 * 1024, 1024 * 1024, 16 * 1024 * 1024];

/** How the turn runs, as Codex wrote down last; undefined where it isn't found. @throws the system's error */
function turnContext(file: string, turn: string): Json | undefined {
  const fd = openSync(file, "r");
  try {
    const { size } = fstatSync(fd);
    for (const looked_through of LOOKED_THROUGH) {
      const length = Math.min(size, looked_through);
      const bytes = Buffer.alloc(length);
      readSync(fd, bytes, 0, length, size - length);
      const found = contextIn(bytes.toString("utf8"), turn);
      if (found !== undefined || length === size) return found;
    }
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
