import { basename, dirname } from "node:path";
import { shortened } from "../../../ipc/visible-text.ts";
import type { ProposedCall } from "../../../ipc/wire.ts";
import type { ExecutorManifest } from "../executors/manifest.ts";
import { commandLine } from "../executors/needs.ts";
import { shortenHome } from "../targets/path.ts";
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
  manifest: ExecutorManifest,
  needs: readonly Need[],
  home: string,
  language: Language,
): Question {
  return {
    action_verb: manifest.verb[language],
    target_summary: shortened(summary(call, manifest, needs, home), MAX_SUMMARY),
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

function summary(call: ProposedCall, manifest: ExecutorManifest, needs: readonly Need[], home: string): string {
  const command = shellCommand(call, manifest);
  if (command !== undefined) {
    const place = call.context?.cwd === undefined ? "" : `  (in ${shortenHome(call.context.cwd, home)})`;
    return `${command}${place}`;
  }
  const [need] = needs;
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
  if (target.kind === "host") return `${urlOrHost(call, target.host)}${size}${others}`;
  if (need.capability === "code:exec") {
    const place = call.context?.cwd === undefined ? "" : `  (in ${shortenHome(call.context.cwd, home)})`;
    const is_command = targetText(target) !== call.executor;
    return is_command ? `${targetText(target)}${place}` : `${call.executor}${place}`;
  }
  if (target.kind === "none") return call.executor;
  return `${targetText(target)}${size}${others}`;
}

/** A shell's command line is what is asked about, whatever it turns out to need. */
function shellCommand(call: ProposedCall, manifest: ExecutorManifest): string | undefined {
  for (const { target } of manifest.needs) {
    if (target.from === "command" && target.is_shell) return commandLine(call.args, target.args);
  }
  return undefined;
}

function urlOrHost(call: ProposedCall, host: string): string {
  const { url } = call.args;
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
