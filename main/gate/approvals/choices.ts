import { dirname } from "node:path";
import type { Requirement } from "../../../ipc/decision.ts";
import type { Choice } from "../../../ipc/operator-api.ts";
import { CAPABILITY_REGISTRY } from "../capabilities.ts";
import { GateError } from "../errors.ts";
import { hostMatches } from "../targets/host.ts";
import { grantTarget, literalPattern, pathMatches } from "../targets/pattern.ts";
import { type Need, targetText } from "../targets/target.ts";

/** What a human can answer, and exactly what each answer would store. */

const BELOW = "this folder and below";

interface Reach {
  label: string;
  target: string;
}

/** The ways to say yes to these needs. Only once, where one of them is asked about every time or can't be told. */
export function choicesFor(needs: readonly Need[], home: string): Choice[] {
  const once: Choice = { scope: "none", label: "once", grants: [] };
  const reaches = needs.map((need) => ({ need, reaches: reachesOf(need, home) }));
  if (needs.length === 0 || reaches.some((entry) => entry.reaches.length === 0)) return [once];
  const [first] = reaches;
  if (reaches.length > 1 || first === undefined) {
    // Several needs at once: each is remembered as narrowly as it was asked.
    const grants = reaches.map(({ need, reaches: [narrowest] }) => ({
      capability: need.capability,
      target: narrowest?.target ?? "",
    }));
    const wide = reaches.map((entry) => entry.reaches.find(({ label }) => label === BELOW));
    const is_wide = reaches.every(({ need }, index) => need.target.kind !== "path" || wide[index] !== undefined);
    if (!is_wide || wide.every((reach) => reach === undefined)) return [once, ...territories("exactly this", grants)];
    // One answer for all of them: each folder and below, the rest as narrowly as it was asked.
    const below = grants.map((grant, index) => ({ ...grant, target: wide[index]?.target ?? grant.target }));
    return [once, ...territories("exactly this", grants), ...territories(BELOW, withoutCovered(below))];
  }
  const { need } = first;
  return [
    once,
    ...first.reaches.flatMap(({ label, target }) => territories(label, [{ capability: need.capability, target }])),
  ];
}

/** A folder below another one that is granted as well needs no grant of its own. */
function withoutCovered(grants: readonly Requirement[]): Requirement[] {
  const distinct = [...new Map(grants.map((grant) => [`${grant.capability} ${grant.target}`, grant])).values()];
  return distinct.filter(
    (grant) =>
      !distinct.some(
        (other) =>
          other !== grant &&
          other.capability === grant.capability &&
          other.target.endsWith("/**") &&
          grant.target.startsWith(other.target.slice(0, -2)),
      ),
  );
}

function territories(label: string, grants: Requirement[]): Choice[] {
  return [
    { scope: "session", label: `${label}, this session`, grants },
    { scope: "permanent", label: `${label}, permanently`, grants },
  ];
}

function reachesOf({ capability, target }: Need, home: string): Reach[] {
  if (CAPABILITY_REGISTRY[capability].default_approval !== "per_target") return [];
  const holds = ({ target: text }: Reach): boolean => {
    try {
      grantTarget(capability, text, home);
      return true;
    } catch (error) {
      if (error instanceof GateError) return false; // the whole disk, for one: it isn't offered
      throw error;
    }
  };
  switch (target.kind) {
    case "path": {
      const path = literalPattern(target.lexical);
      if (path === null || target.real === null) return [];
      if (target.is_tree) return [{ label: BELOW, target: `${path}/**` }].filter(holds);
      if (target.is_folder) {
        const itself = [{ label: "this folder", target: path }];
        return [...itself, { label: BELOW, target: `${path}/**` }].filter(holds);
      }
      const folder = dirname(path);
      return [
        { label: "this file", target: path },
        { label: "this folder", target: `${folder}/*` },
        { label: BELOW, target: `${folder}/**` },
      ].filter(holds);
    }
    case "host":
      return [{ label: "this host", target: target.host }].filter(holds);
    case "exact":
      return [{ label: "exactly this", target: target.value }].filter(holds);
    case "none":
      return [{ label: "always", target: targetText(target) }];
    case "unknown":
      return [];
  }
}

/**
 * What an answer grants: the proposal of its scope, or the human's own target in its place.
 * @throws GateError `only_once` where nothing can be remembered, `target_mismatch` where the target doesn't cover what was asked
 */
export function grantsFor(
  choices: readonly Choice[],
  scope: "session" | "permanent",
  target: string | undefined,
  requirements: readonly Requirement[],
  home: string,
): Requirement[] {
  const proposals = choices.filter((choice) => choice.scope === scope);
  const [first] = proposals;
  if (first === undefined) {
    throw new GateError("only_once", "this can only be approved once", "approve it without --session or --permanent");
  }
  if (target === undefined) return first.grants;
  const [grant] = first.grants;
  if (first.grants.length !== 1 || grant === undefined) {
    throw new GateError(
      "target_mismatch",
      "this request needs several grants; their targets can't be replaced by one",
      "approve it without --target",
    );
  }
  if (!requirements.some((asked) => asked.capability === grant.capability && coversAsked(asked, target, home))) {
    throw new GateError(
      "target_mismatch",
      `${JSON.stringify(target)} does not cover what was asked for`,
      "give a target that does, or grant the other one by itself: metnos-gate policy grant",
    );
  }
  return [{ capability: grant.capability, target }];
}

/** True if a grant on `target` would have let the asked call through. */
function coversAsked(asked: Requirement, target: string, home: string): boolean {
  const granted = grantTarget(asked.capability, target, home).target;
  switch (CAPABILITY_REGISTRY[asked.capability].target_kind) {
    case "path_glob": {
      const is_tree = asked.target.endsWith("/**");
      return pathMatches(granted, is_tree ? asked.target.slice(0, -3) : asked.target, is_tree);
    }
    case "host":
      return hostMatches(granted, asked.target);
    default:
      return granted === asked.target;
  }
}
