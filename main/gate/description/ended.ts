import type { Description } from "../../../ipc/description.ts";

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
