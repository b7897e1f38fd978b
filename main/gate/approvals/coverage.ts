import { ownCommand } from "../../../ipc/own-command.ts";
import { ApprovalError } from "./approval-error.ts";
import { coversAsked } from "./choices.ts";
import type { ApprovalRegistry } from "./registry.ts";

/** A target's reach is measured against this many requests. */
const RECENT_REQUESTS = 100;

/** Of the agent's last requests for the same capability, how many a grant on `target` would have covered. @throws GateError */
export function coverageOf(
  registry: ApprovalRegistry,
  token: string,
  target: string,
  home: string,
): { covered: number; of: number } {
  const request = registry.getPending(token);
  if (request === undefined)
    throw new ApprovalError("unknown_token", "unknown token", `see: ${ownCommand("approvals list")}`);
  const capability = request.extra.capabilities[0]?.capability;
  const asked = registry.listRecent(request.agent_id, RECENT_REQUESTS).flatMap(({ extra: { capabilities, written } }) =>
    capabilities
      .filter((need) => need.capability === capability)
      .slice(0, 1)
      .map((need) => ({ need, written })),
  );
  const covered = asked.filter(({ need, written }) => coversAsked(need, target, home, written));
  return { covered: covered.length, of: asked.length };
}
