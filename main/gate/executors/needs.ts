import picomatch from "picomatch";
import { type Capability, capabilitySchema } from "../../../ipc/decision.ts";
import type { ProposedCall } from "../../../ipc/wire.ts";
import { type CallTarget, type Need, pathTarget, urlTarget } from "../targets/target.ts";
import type { Executor } from "./catalog.ts";
import type { TargetSource } from "./manifest.ts";

/**
 * The capabilities and targets a call needs: the manifest's, and the one that the agent itself declares in `context.capability`.
 * What the agent says can only add a need, never take one away.
 */
export function needsOf(call: ProposedCall, executor: Executor, home: string): Need[] {
  const needs: Need[] = [];
  for (const { capability, target } of executor.manifest.needs) {
    for (const found of targetsOf(target, call, home, executor)) needs.push({ capability, target: found });
  }
  const declared = declaredCapability(call);
  if (declared !== undefined && !needs.some((need) => need.capability === declared)) {
    needs.push({ capability: declared, target: { kind: "unknown", shown: call.executor } });
  }
  return needs;
}

/** The capability that the agent says it uses, if it is one. */
export function declaredCapability(call: ProposedCall): Capability | undefined {
  if (call.context?.capability === undefined) return undefined;
  const parsed = capabilitySchema.safeParse(call.context.capability);
  return parsed.success ? parsed.data : undefined;
}

function targetsOf(source: TargetSource, call: ProposedCall, home: string, executor: Executor): CallTarget[] {
  const cwd = call.context?.cwd;
  const values = (arg: string): string[] => {
    const value = call.args[arg];
    if (typeof value === "string") return [value];
    return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
  };
  switch (source.from) {
    case "path": {
      const paths = values(source.arg);
      if (paths.length === 0) paths.push(source.or_cwd ? "." : "");
      return paths.map((path) => pathTarget(path, home, cwd, source.is_tree === true));
    }
    case "glob":
      return values(source.arg).map((glob) => globTarget(glob, values(source.path_arg)[0] ?? ".", home, cwd));
    case "url":
      return values(source.arg).map(urlTarget);
    case "exact":
      return values(source.arg).map((value) => ({ kind: "exact", value }));
    case "command": {
      const commands = source.args.map((name) => commandLine(call.args, [name])).filter((text) => text !== undefined);
      if (commands.length === 0) commands.push(executor.manifest.name);
      return commands.map((value) => ({ kind: "exact", value }));
    }
    case "fixed":
      return [fixedTarget(source.value)];
    case "none":
      return [{ kind: "none" }];
  }
}

/** The command of a shell call: the first of `names` that is there; a list is joined with spaces (seed 000). */
export function commandLine(args: Record<string, unknown>, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = args[name];
    if (typeof value === "string") return value;
    if (Array.isArray(value)) return value.filter((word) => typeof word === "string").join(" ");
  }
  return undefined;
}

function globTarget(glob: string, path: string, home: string, cwd: string | undefined): CallTarget {
  // The fixed part of the glob says how high up it begins: an absolute one or `../..` leaves `path` behind.
  // `!a` reaches everything but a: it has no fixed part.
  const base = /^!(?!\()/.test(glob) ? "" : picomatch.scan(glob).base;
  const start = base.startsWith("/") || base.startsWith("~") ? base : `${path}/${base}`;
  // `a/*/../..` climbs after its fixed part: where it ends can't be told.
  if (glob.slice(base.length).includes("..")) return { kind: "unknown", shown: glob };
  // `\\.` is a dot to some and a name with a backslash to others.
  if (glob.includes("\\")) return { kind: "unknown", shown: glob };
  // Brace alternatives may be absolute or climb; the fixed part of a glob that begins with one is empty.
  if (/[{,](\/|~|\.\.)/.test(glob)) return { kind: "unknown", shown: glob };
  return pathTarget(start, home, cwd, true);
}

function fixedTarget(value: string): CallTarget {
  return { kind: "host", host: value };
}
