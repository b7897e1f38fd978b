import { mcpTarget } from "../contract/mcp-names.ts";
import type { Answer, ApprovalView, Choice } from "../contract/operator-api.ts";

/** The answer that a server's tool only looks, on every surface that can show what the server says of it. */

/** The ways to say so, and what each would store; none where that can't be said. */
export function looksOf({ mcp }: Pick<ApprovalView, "mcp">): readonly Choice[] {
  return mcp?.looks ?? [];
}

/** The request as it would be asked about if its tool only looked: its choices are those of saying so. */
export function asLooking(view: ApprovalView): ApprovalView {
  const { mcp } = view;
  if (mcp === null) return view;
  const target = mcpTarget(mcp.server, mcp.tool);
  return { ...view, choices: [...mcp.looks], capabilities: [{ capability: "channel:out", target }], proposal: null };
}

/** The same answer, which also says that the tool only looks. */
export function alsoLooking(answer: Answer): Answer {
  return { ...answer, only_looks: true };
}
