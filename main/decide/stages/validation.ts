import { hasTooManyNames } from "@metnos-gate/shell-reading/files";
import { MAX_TARGETS, needsOf } from "../executors/needs.ts";
import { type Denial, denied, type Proposed, passed, type Requirements } from "./examination.ts";

const TOO_MANY = { rule: "validation.too-many-targets", instead: "send several calls" } as const;
const NO_URL = { rule: "validation.not-a-web-address", instead: "send a whole URL" } as const;

/** Do the arguments fit the executor's schema? From here on the call's needs are known. */
export function validation(x: Proposed): Denial | Requirements {
  const problem = x.lines.once("invalid arguments", () => x.executor.validate(x.call.args));
  const unusable = problem === null ? x.lines.once("an unusable path", () => unusablePath(x)) : null;
  if (problem !== null || unusable !== null) {
    return denied(x, "validation", `validation failed: ${problem ?? unusable}`, {
      rule: problem === null ? "validation.unusable-path" : "validation.invalid-arguments",
      instead: "send the arguments that the executor declares",
    });
  }
  const { home, env, grants } = x.settings;
  const needs = needsOf(x.call, x.executor, home, env, (path) => grants?.isWriteGranted(path) === true);
  if (needs.length > MAX_TARGETS) {
    const reason = `validation failed: more than ${MAX_TARGETS} targets in one call`;
    return denied(x, "validation", reason, TOO_MANY, { needs });
  }
  const web = needs.some((need) => need.capability === "network:http" && need.target.kind === "unknown");
  if (web && x.executor.manifest.needs.some(({ target }) => target.from === "url")) {
    return denied(x, "validation", "validation failed: url: expected an http or https URL", NO_URL, { needs });
  }
  passed(x, "validation", describedBy(x));
  return { needs };
}

function describedBy({ executor: { is_described, mcp } }: Proposed): string {
  if (is_described) return "the arguments fit";
  switch (mcp?.state) {
    case undefined:
      return "nothing describes this executor";
    case "looks":
      return "you said that this tool only looks";
    case "changed":
      return "this tool isn't what it was when you last allowed it";
    default:
      return "you have not said what this tool is";
  }
}

/** Longer than any path the system takes. */
const MAX_PATH = 4096;

const TOO_DEEP = "lies in too many folders, one in another";

/** What no schema says: a NUL byte ends a path for the system, and hides the rest of it from a reader. */
function unusablePath(x: Proposed): string | null {
  if (hasTooManyNames(x.call.context?.cwd ?? "")) return `the working directory ${TOO_DEEP}`;
  for (const { target } of x.executor.manifest.needs) {
    if (target.from !== "path" && target.from !== "glob") continue;
    for (const key of target.from === "path" ? [target.arg] : [target.arg, target.path_arg]) {
      const value = x.call.args[key];
      for (const path of Array.isArray(value) ? value : [value]) {
        if (typeof path !== "string") continue;
        if (path.includes("\0")) return `${key}: holds a NUL byte`;
        if (path.length > MAX_PATH) return `${key}: longer than ${MAX_PATH} characters`;
        if (hasTooManyNames(path)) return `${key}: ${TOO_DEEP}`;
      }
    }
  }
  return null;
}
