import type { Description } from "../../../ipc/description.ts";
import type { CallKind, Effect } from "../../../ipc/hazards.ts";
import { shellCommands } from "../approvals/question.ts";
import type { ExecutorManifest } from "../executors/manifest.ts";
import type { Reviewable } from "../stages/examination.ts";

/** What a call is, once for every surface: made when the user is asked about it. */
export function describe({ call, executor: { manifest }, needs }: Reviewable): Description {
  const is_command = shellCommands(call, manifest).length > 0;
  const has = (capability: string) => needs.some((need) => need.capability === capability);
  const kind: CallKind = is_command
    ? "command"
    : has("fs:write")
      ? "write"
      : has("fs:read")
        ? "read"
        : has("network:http")
          ? "fetch"
          : "other";
  return {
    kind,
    effect: effectOf(manifest, has),
    hazards: [],
    commands: [],
    changes: [],
    stands_for: [],
    mcp: null,
    request: null,
    project: null,
  };
}

function effectOf(manifest: ExecutorManifest, has: (capability: string) => boolean): Effect {
  if (has("code:exec")) return "anything";
  if (has("mail:send") || has("channel:out")) return "sends";
  if (has("fs:write")) return manifest.reversibility === "irreversible" ? "final" : "changes_files";
  return "reads";
}

/** What stays of a description once its request has ended: no value of the call or of a file. */
export function endedDescription({ kind, effect, hazards }: Description): Description {
  return {
    kind,
    effect,
    hazards: hazards.map(({ id }) => ({ id, span: null })),
    commands: [],
    changes: [],
    stands_for: [],
    mcp: null,
    request: null,
    project: null,
  };
}
