import {
  REACHES,
  type Reach,
  type Requirement,
  type Territory,
  territorySchema,
} from "../../../ipc/contract/decision.ts";
import type { Choice } from "../../../ipc/contract/operator-api.ts";

/** What 0.1.0 called each reach, before its territory: the rows that it left name a choice by these words alone. */
const REACH_OF_LABEL: ReadonlyMap<string, Reach> = new Map([
  ["this file", "file"],
  ["this folder", "folder"],
  ["this folder and below", "tree"],
  ["this host", "host"],
  ["exactly this", "exact"],
  ["always", "any"],
]);

/** The choices as a request's row has them, one of an earlier version among them; undefined where they can't be read. */
export function storedChoices(stored: readonly object[]): Choice[] | undefined {
  const choices: Choice[] = [];
  for (const one of stored) {
    const choice = storedChoice(one);
    if (choice === undefined) return undefined;
    choices.push(choice);
  }
  return choices;
}

function storedChoice(stored: {
  scope?: unknown;
  reach?: unknown;
  label?: unknown;
  grants?: unknown;
}): Choice | undefined {
  const { scope, grants } = stored;
  if (!isTerritory(scope) || !Array.isArray(grants)) return undefined;
  const reach = scope === "none" ? null : storedReach(stored.reach, stored.label);
  return reach === undefined ? undefined : { scope, reach, grants: grants as Requirement[] };
}

function storedReach(reach: unknown, label: unknown): Reach | undefined {
  if (reach !== undefined) return REACHES.find((known) => known === reach);
  if (typeof label !== "string") return undefined;
  return REACH_OF_LABEL.get(label.replace(/, (?:this session|permanently)$/, ""));
}

function isTerritory(scope: unknown): scope is Territory {
  return territorySchema.options.some((known) => known === scope);
}
