import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Env } from "../../../ipc/base/paths.ts";
import { GIVEN_PATH } from "../../../ipc/contract/shell-path.ts";
import { exactText } from "../../../ipc/socket/frames.ts";
import { PipePairs } from "../../base/pipes/pipe-pairs.ts";
import { askGate, optionsOf } from "../answer.ts";
import type { HookDialect, HookPlace } from "../dialect.ts";
import { type Ending, HookPipes, type HookPipesParts } from "../hook-pipes.ts";
import { isUnread } from "../parent.ts";
import type { PipeWords } from "../pipe-words.ts";
import { pipesFolder } from "../pipes-folder.ts";
import { dialectOf } from "./dialects.ts";

/** What the gate answers hooks over its pipes: by the same way as their own program, over the agents' socket. */

/** A longer payload is the program's to read: many at once would keep the gate. What is reported may hold long output. In bytes. */
const [MAX_CALL, MAX_REPORT] = [128 * 1024, 256 * 1024];

/** What a launcher says of its variables. */
const SAID: ReadonlySet<string> = new Set([GIVEN_PATH, "CLAUDE_CONFIG_DIR"]);

export interface OpenedPipes {
  state_dir: string;
  env: Env;
  ahead: HookPipesParts["ahead"];
  most: HookPipesParts["most"];
  failed: HookPipesParts["failed"];
}

/** The pipes of this gate, which have still to begin. */
export function hookPipes({ state_dir, env, ahead, most, failed }: OpenedPipes): HookPipes {
  const prefix = randomBytes(4).toString("hex");
  const made = join(state_dir, "hook", "made-pipes");
  const slots = new PipePairs(made, prefix, (error) => failed("making or removing the pipes of hooks", error), ahead);
  const folder = pipesFolder(state_dir);
  return new HookPipes({ folder, slots, prefix, ahead, most, answer: answersOf(env), failed }, made);
}

/** @param env the gate's own */
export function answersOf(env: Env): HookPipesParts["answer"] {
  // Where the gate itself was started says nothing about a client, nor is it one of the agents.
  const own = Object.entries(env).filter(([name]) => !SAID.has(name) && name !== "METNOS_AGENT_TOKEN");
  const kept = Object.fromEntries(own);
  return async (words, hook) => {
    try {
      const answer = await answered(words, { env: placeOf(kept, words), isGate: true }, hook);
      return answer === undefined ? undefined : JSON.stringify(answer);
    } catch {
      return undefined; // nobody waits any more, or it is left to the program, which says itself what is wrong
    }
  };
}

/** With what says where the client looks for programs and settings. */
function placeOf(env: Env, { variables }: PipeWords): Env {
  const said = variables.map((text): [string, string] => {
    const at = text.indexOf("=");
    return [text.slice(0, at), text.slice(at + 1)];
  });
  return { ...env, ...Object.fromEntries(said.filter(([name]) => SAID.has(name))) };
}

async function answered(words: PipeWords, place: HookPlace, hook: Ending): Promise<object | undefined> {
  const [kind, agent, ...argv] = words.argv;
  const dialect = await dialectOf(agent);
  if (dialect === undefined) return undefined;
  if (kind === "after" || kind === "session") return reported(dialect, kind, words, place);
  return kind === "hook" ? decided(dialect, argv, words, place, hook) : undefined;
}

function reported(
  { events }: HookDialect,
  event: "after" | "session",
  { payload, reader }: PipeWords,
  place: HookPlace,
): Promise<object> | undefined {
  const text = payload.length > MAX_REPORT ? undefined : exactText(payload);
  return text === undefined ? undefined : events[event](text, { ...place, reader });
}

async function decided(
  dialect: HookDialect,
  argv: readonly string[],
  { launcher, reader, payload }: PipeWords,
  place: HookPlace,
  hook: Ending,
): Promise<object | undefined> {
  const options = optionsOf(dialect, argv);
  if (options === undefined || payload.length > MAX_CALL) return undefined;
  const { client } = options;
  const answer = await askGate({
    ...place,
    dialect,
    options: { ...options, parent: reader },
    input: () => payload,
    isAbandoned: () => isUnread(launcher, reader, client),
    ended: hook,
  });
  return "permission" in answer ? dialect.write(answer) : undefined;
}
