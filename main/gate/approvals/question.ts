import { basename, dirname } from "node:path";
import { shortened, shortenHome } from "../../../ipc/visible-text.ts";
import type { ProposedCall } from "../../../ipc/wire.ts";
import type { Executor } from "../executors/catalog.ts";
import type { ExecutorManifest } from "../executors/manifest.ts";
import { commandsOf } from "../executors/needs.ts";
import { type Need, targetText } from "../targets/target.ts";
import type { Language } from "./card.ts";

/** Longer ones are shortened in the middle on the card; the whole call is shown beside it. */
const MAX_SUMMARY = 300;

/** What the card says, made from the manifest and the arguments, never from the agent's words. */
export interface Question {
  action_verb: string;
  target_summary: string;
  capability_class: string;
}

export function questionFor(
  call: ProposedCall,
  { manifest, is_described }: Executor,
  needs: readonly Need[],
  home: string,
  language: Language,
): Question {
  const name = is_described ? "" : `${call.executor}: `;
  return {
    action_verb: manifest.verb[language],
    target_summary: shortened(summary(call, manifest, needs, home, name), MAX_SUMMARY),
    capability_class: needs.map((need) => capabilityClass(need, home)).join(", ") || "none",
  };
}

/** `fs_write:~/downloads/*`: the capability and the place, a file's folder rather than the file. */
function capabilityClass({ capability, target }: Need, home: string): string {
  const name = capability.replace(":", "_");
  if (target.kind === "path" && !target.is_tree)
    return `${name}:${shortenHome(dirname(target.lexical), home)}/*`.replace("//*", "/*");
  if (target.kind === "exact" && capability === "code:exec") return name;
  if (target.kind === "none" || target.kind === "unknown") return name;
  return `${name}:${shortenHome(targetText(target), home)}`;
}

function summary(
  call: ProposedCall,
  manifest: ExecutorManifest,
  needs: readonly Need[],
  home: string,
  name: string,
): string {
  const [command, ...more] = shellCommands(call, manifest);
  if (command !== undefined) {
    const place = call.context?.cwd === undefined ? "" : `  (in ${shortenHome(call.context.cwd, home)})`;
    return `${name}${command}${place}${more.length === 0 ? "" : ` (and ${more.length} more)`}`;
  }
  // What has a target says more than what has none.
  const need = needs.find(({ target }) => target.kind !== "none") ?? needs[0];
  const size = contentSize(call, manifest);
  const others = needs.length > 1 ? ` (and ${needs.length - 1} more)` : "";
  if (need === undefined) return call.executor;
  const { target } = need;
  if (target.kind === "path" && !target.is_tree) {
    const link =
      target.real !== null && target.real !== target.lexical ? ` (really ${shortenHome(target.real, home)})` : "";
    const folder = shortenHome(dirname(target.lexical), home);
    const place = `${folder === "/" ? "" : folder}/`;
    const name = basename(target.lexical);
    const sense = need.capability === "fs:write" ? `${name} -> ${place}` : `${name} from ${place}`;
    return `${sense}${link}${size}${others}`;
  }
  if (target.kind === "path") return `${shortenHome(targetText(target), home)}${others}`;
  if (target.kind === "host") return `${urlOrHost(call, manifest, target.host)}${size}${others}`;
  if (need.capability === "code:exec") {
    const place = call.context?.cwd === undefined ? "" : `  (in ${shortenHome(call.context.cwd, home)})`;
    const is_command = targetText(target) !== call.executor;
    return is_command ? `${name}${targetText(target)}${place}${others}` : `${call.executor}${place}${others}`;
  }
  if (target.kind === "none") return call.executor;
  return `${targetText(target)}${size}${others}`;
}

/** A shell's command lines are what is asked about, whatever they turn out to need. */
export function shellCommands(call: ProposedCall, manifest: ExecutorManifest): string[] {
  return manifest.needs.flatMap(({ target }) =>
    target.from === "command" && target.is_shell ? commandsOf(call, target.args, { manifest }) : [],
  );
}

function urlOrHost(call: ProposedCall, manifest: ExecutorManifest, host: string): string {
  const source = manifest.needs.find(({ target }) => target.from === "url")?.target;
  const url = source?.from === "url" ? call.args[source.arg] : undefined;
  return typeof url === "string" ? `${url} (${host})` : host;
}

/** ` (~2.4 MB)`: how much content would be written or sent; nothing where there is none. */
function contentSize(call: ProposedCall, manifest: ExecutorManifest): string {
  let bytes = 0;
  for (const key of manifest.content_args) {
    const value = call.args[key];
    if (typeof value === "string") bytes += Buffer.byteLength(value);
  }
  return bytes === 0 ? "" : ` (~${readableSize(bytes)})`;
}

function readableSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${Math.round(bytes / 100) / 10} kB`;
  return `${Math.round(bytes / 100_000) / 10} MB`;
}
