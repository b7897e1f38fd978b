import { ownCommand } from "../ipc/base/own-command.ts";
import { GateError } from "../ipc/contract/gate-error.ts";
import type { Answer, ApprovalView, OperatorApi } from "../ipc/contract/operator-api.ts";
import { approvalColumns } from "./listings.ts";
import { list, usageError } from "./output.ts";
import { SHORTEST } from "./short-tokens.ts";
import { spanText } from "./times.ts";

/** Which request an answer is for: it is answered by the whole token of one that was looked up, and so never another one. */

const WHOLE = 16;
const MOST = 1000;
/** Of those that ended, the last. */
const LOOKED_AT = 50;
/** Nobody has seen a request that came just now, in milliseconds. */
const SEEN_AFTER_MS = 1000;
/** What went away so shortly ago may be what the user had seen, in milliseconds. */
const SWAPPED_WITHIN_MS = 60_000;

/**
 * The token of the request that is meant. @param given a token, its beginning, or nothing where one request waits
 * @throws GateError `unknown_token`, `usage`; `not_available` for a yes without a token to what the user may not have seen
 */
export async function tokenMeant(
  api: OperatorApi,
  given: string | undefined,
  decision: Answer["decision"],
  now = Date.now(),
): Promise<string> {
  if (given !== undefined && (given.length >= WHOLE || !/^[0-9a-f]+$/.test(given))) return given;
  if (given !== undefined && given.length < SHORTEST)
    throw usageError(`${JSON.stringify(given)} is too short`, `give at least ${SHORTEST} characters of the token`);
  const waiting = await api.call("approvals.list", { limit: MOST });
  const meant = waiting.filter(({ token }) => token.startsWith(given ?? ""));
  const [first, second] = meant;
  if (first === undefined) throw nothingMeant(given);
  if (second !== undefined || waiting.length >= MOST) {
    list(meant, approvalColumns(meant, now));
    const what = given === undefined ? `${meant.length} requests wait` : `${meant.length} tokens begin with ${given}`;
    throw usageError(`${what}: say which`, "give the beginning of its token");
  }
  if (given === undefined && decision === "approved") {
    const { approvals: ended } = await api.call("approvals.history", { limit: LOOKED_AT });
    refuseUnseen(first, ended, now);
  }
  return first.token;
}

function nothingMeant(given: string | undefined): GateError {
  return given === undefined
    ? new GateError("unknown_token", "nothing is waiting")
    : new GateError(
        "unknown_token",
        `no waiting request's token begins with ${given}`,
        `see: ${ownCommand("approvals list")}`,
      );
}

/** Without a token the user means what they saw last: an agent must not have put another request into its place meanwhile. */
function refuseUnseen({ token, created_at }: ApprovalView, ended: readonly ApprovalView[], now: number): void {
  const named = `look at it, then name it: ${ownCommand("approvals list")}`;
  const age = now - Date.parse(created_at);
  // Dates are in whole seconds.
  if (age < SEEN_AFTER_MS + 1000)
    throw new GateError("not_available", `request ${token} came only just now, nothing was answered`, named);
  const gone = ended.find(
    ({ status, decision_at }) =>
      (status === "cancelled" || status === "expired") &&
      decision_at !== null &&
      now - Date.parse(decision_at) < SWAPPED_WITHIN_MS,
  );
  if (gone === undefined) return;
  const ago = spanText(now - Date.parse(gone.decision_at ?? ""));
  const message = `another request went away ${ago} ago, and ${token} waits now: nothing was answered`;
  throw new GateError("not_available", message, named);
}
