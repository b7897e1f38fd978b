import { dirname } from "node:path";
import { shortenHome } from "../../../ipc/base/visible-text.ts";
import type { Requirement } from "../../../ipc/contract/decision.ts";
import type { Description } from "../../../ipc/contract/description.ts";
import type { ProposedCall } from "../../../ipc/contract/wire.ts";
import { type Executor, loggedNameOf } from "../../decide/executors/catalog.ts";
import { pathName, type ResolvedRequirement, requirementOf } from "../../shell-reading/targets/target.ts";
import type { EndedRequest, RequestExtra } from "./pending-request.ts";
import { isWhole, type Question, shellCommands } from "./question.ts";

export function endedRequestOf(
  call: ProposedCall,
  executor: Executor,
  needs: readonly ResolvedRequirement[],
  { target_summary }: Pick<Question, "target_summary">,
  { home, project }: { home: string; project?: string | undefined },
): EndedRequest {
  const name = loggedNameOf(call.executor, executor.is_described);
  const is_command = shellCommands(call, executor.manifest).length > 0;
  const capabilities = needs.flatMap((need) => keptNeed(need, is_command && !isWhole(need, project)));
  if (is_command) {
    const location = call.context?.cwd === undefined ? name : `(in ${shortenHome(call.context.cwd, home)})`;
    return { target_summary: location, capabilities, executor: name };
  }
  // The same need as the card is about.
  const target = (needs.find((need) => need.target.kind !== "none") ?? needs[0])?.target;
  if (target?.kind === "path") return { target_summary, capabilities, executor: name };
  return { target_summary: target?.kind === "host" ? target.host : name, capabilities, executor: name };
}

/** Paths and hosts only. Of a command line the folder alone, of a tree the folder that it is in: a name in it may be anything. */
function keptNeed(need: ResolvedRequirement, is_command: boolean): Requirement[] {
  const { capability, target } = need;
  if (target.kind === "host") return [requirementOf(need)];
  if (target.kind !== "path") return [];
  if (!is_command) return [requirementOf(need)];
  return [{ capability, target: `${dirname(pathName(target))}/${target.is_tree ? "**" : "*"}`.replace("//", "/") }];
}

/** What stays as it is: any other field is forgotten, or kept in part below. */
const KEPT_FIELDS = [
  "subagent",
  "verb",
  "cwd",
  "reversibility",
  "recurrence_count",
  "needed",
  "price",
  "repeated",
  "confined",
  "withdrawn",
] as const;

/** A request's extra once it has ended. */
export function endedExtra({ kept, ...extra }: RequestExtra): RequestExtra {
  const whole = Object.fromEntries(KEPT_FIELDS.map((field) => [field, extra[field]]));
  return {
    ...(whole as Pick<RequestExtra, (typeof KEPT_FIELDS)[number]>),
    executor: kept?.executor ?? extra.executor,
    intent: "",
    args: null,
    capabilities: kept?.capabilities ?? [],
    choices: [],
    ...(extra.description === undefined ? {} : { description: endedDescription(extra.description) }),
    judge: {
      score: extra.judge.score,
      reason: "",
      ...(extra.judge.degraded === undefined ? {} : { degraded: extra.judge.degraded }),
    },
    ...(extra.reviews === undefined ? {} : { reviews: extra.reviews.map((review) => ({ ...review, sentence: "" })) }),
  };
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
