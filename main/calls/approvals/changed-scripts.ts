import { GateError } from "../../../ipc/contract/gate-error.ts";
import type { ProposedCall } from "../../../ipc/contract/wire.ts";
import { placeOf } from "../../decide/description/call-place.ts";
import { runsUnasked } from "../../decide/description/hazards.ts";
import { changedSince, standsForOf } from "../../decide/description/run-by-name.ts";
import { skillTexts } from "../../decide/description/skill-text.ts";
import { CommandLines } from "../../decide/executors/command-lines.ts";
import type { PendingRequest } from "./pending-request.ts";

/**
 * An approval is for what the card said: where a file that the call would run is another one by now, nothing is allowed, and the user
 * is asked anew. Identical calls share a request, and so what it was described by.
 */

/** The request with what its names stand for now; undefined where that is what its card says. */
export function withScriptsOfNow(request: PendingRequest, home: string): PendingRequest | undefined {
  const { extra } = request;
  const { description, args } = extra;
  const is_skill = description !== undefined && runsUnasked(description.hazards);
  if (description === undefined || args === null) return undefined;
  if (description.commands.length === 0 && !is_skill) return undefined;
  const call: ProposedCall = { intent: "", executor: extra.executor, args };
  if (extra.cwd !== null) call.context = { cwd: extra.cwd };
  const described = new Set(description.commands.map(({ arg }) => arg));
  const lines = new CommandLines(call, home).all.filter(({ arg }) => described.has(arg));
  const place = placeOf(call, home, undefined);
  const now = [...standsForOf(lines, place), ...(is_skill ? skillTexts(args, place) : [])];
  const stands_for = changedSince(description.stands_for, now);
  if (stands_for === null) return undefined;
  return { ...request, extra: { ...extra, description: { ...description, stands_for } } };
}

/** The answer to a request whose script changed while its card was shown. */
export function scriptChanged(): GateError {
  return new GateError(
    "script_changed",
    "what would run has changed since you were asked: nothing was allowed",
    "look at the request again, then answer it",
  );
}
