import { isAtOrBelow } from "../../shell-reading/targets/pattern.ts";
import { pathTarget, type ResolvedRequirement } from "../../shell-reading/targets/target.ts";
import { type Confinement, confinementOf, type NotConfined } from "../confinement/confinement.ts";
import type { GrantHolder } from "../grants/store.ts";
import { effectiveOutcome, policyFor } from "../policy/policy.ts";
import type { Validated } from "./examination.ts";

interface DecidedOn {
  /** Null where it isn't confined. */
  confinement: Confinement | null;
  needs: readonly ResolvedRequirement[];
}

/** Whether this call is decided on as a confined one, and on what. */
export function confinementIn(x: Validated, holder: GrantHolder): DecidedOn {
  const as_stated = { confinement: null, needs: x.needs };
  // Mostly there is no box, or no command line: nothing more is looked at then.
  if ((x.settings.box === undefined && x.subject.agent_box === undefined) || !runsCommands(x)) return as_stated;
  const found = confinementFor(x, holder);
  if (found.reason !== null) return { confinement: null, needs: found.needs ?? x.needs };
  return isRefusedWithin(x, found) ? as_stated : { confinement: found, needs: found.needs };
}

const runsCommands = ({ executor: { manifest } }: Validated): boolean =>
  manifest.needs.some(({ capability }) => capability === "code:exec");

/** The same with the reason why it isn't confined. */
export function confinementFor(
  x: Validated,
  holder: GrantHolder,
  { even_clear }: { even_clear?: boolean } = {},
): Confinement | NotConfined {
  const { call, executor, needs, lines, settings, subject } = x;
  return confinementOf({
    call,
    executor,
    needs,
    lines,
    settings,
    level: subject.level,
    can_confine: subject.can_confine === true,
    agent_box: subject.agent_box,
    even_clear,
    grantedFolder: (folder) => settings.grants?.folderGranted(holder, "fs:write", folder),
    mayRead: (folder) => mayRead(x, holder, folder),
  });
}

/** All of a folder: what of it was refused no box may show. */
function mayRead({ call, settings, subject }: Validated, holder: GrantHolder, folder: string): boolean {
  const target = pathTarget(folder, settings.home, undefined, true);
  const { agent, session = "" } = subject;
  const needs = [{ capability: "fs:read" as const, target }];
  if (agent !== null && settings.refusals?.find(agent.agent_id, session, { call, needs }) !== undefined) return false;
  const { table } = policyFor(settings.overrides, subject);
  const find = () => settings.grants?.find(holder, "fs:read", target);
  return effectiveOutcome(subject.level, "fs:read", find, table).outcome === "allowed";
}

/** A box can't keep a program from one place in the project that the user refused: then it is asked about as without one. */
function isRefusedWithin({ call, settings, subject }: Validated, { needs, declaration }: Confinement): boolean {
  const { agent, session } = subject;
  if (agent === null || declaration.kind === "needs") return false;
  const refused = settings.refusals?.find(agent.agent_id, session ?? "", { call, needs });
  return refused !== undefined && refused.target !== "" && isWithin(refused.target, declaration.project);
}

function isWithin(target: string, project: string): boolean {
  return target.startsWith("/") && isAtOrBelow(target, project) && target !== `${project}/**`;
}
