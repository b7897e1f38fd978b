import { z } from "zod";
import { ownCommand } from "../../../ipc/base/own-command.ts";
import {
  capabilitySchema,
  REACHES,
  type Reach,
  type Requirement,
  type Territory,
  territorySchema,
} from "../../../ipc/contract/decision.ts";
import type { Choice } from "../../../ipc/contract/operator-api.ts";
import type { DamagedRowReport } from "../../base/sqlite/damaged-row-report.ts";
import type { Granted } from "./choices.ts";
import { NO_EXTRA, type PendingRequest, type RequestExtra } from "./pending-request.ts";

/** Reading a request as it is stored. One that can't be read any more is shown as that, and can only be denied or end by itself. */

const grantedSchema = z.array(
  z.object({ capability: capabilitySchema, target: z.string(), target_real: z.string().optional() }),
);

const DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** What an approval grants, as it is stored; undefined where that can't be read. */
function storedGrants(text: string): Granted[] | undefined {
  if (text === "[]") return [];
  try {
    const parsed = grantedSchema.safeParse(JSON.parse(text));
    return parsed.success ? (parsed.data as Granted[]) : undefined;
  } catch {
    return undefined; // not JSON: reported by the caller
  }
}

function hasDates({ created_at, expires_at }: Pick<PendingRequest, "created_at" | "expires_at">): boolean {
  return DATE.test(created_at) && DATE.test(expires_at);
}

/** As every surface shows it, in place of what it was about. */
const DAMAGED_SUMMARY = "this request can't be read any more: it can only be denied";

/** How it is named in a report. */
export function requestRow(token: string): string {
  return `request ${token}`;
}

export type StoredRow = Omit<PendingRequest, "extra" | "granted"> & { request_extra: string | null; granted: string };

export function readRequest({ request_extra, granted, ...row }: StoredRow, report: DamagedRowReport): PendingRequest {
  const own = request_extra === null ? undefined : ownExtra(request_extra);
  const given = storedGrants(granted);
  // Another writer of the required table names no agent, and leaves the extra's shape open.
  if (given !== undefined && (own !== undefined || row.agent_id === "") && hasDates(row))
    return { ...row, extra: own ?? NO_EXTRA, granted: given };
  const isWaiting = row.status === "pending";
  if (isWaiting) report.damaged(requestRow(row.token), `deny it: ${ownCommand(`approvals reject ${row.token}`)}`);
  const targetSummary = isWaiting ? DAMAGED_SUMMARY : row.target_summary;
  return { ...row, target_summary: targetSummary, extra: NO_EXTRA, granted: [], isDamaged: true };
}

/** What this gate wrote, whole; another writer's extra (the requirements leave its shape open) says nothing that a card could show. */
export function ownExtra(text: string): RequestExtra | undefined {
  try {
    const extra: unknown = JSON.parse(text);
    if (!isOwn(extra)) return undefined;
    const choices = storedChoices(extra.choices);
    return choices === undefined ? undefined : { ...extra, choices };
  } catch {
    return undefined; // not JSON: not written by this gate
  }
}

/** What is shown of it, and granted by it, has the form that it is written in. */
function isOwn(extra: unknown): extra is Omit<RequestExtra, "choices"> & { choices: object[] } {
  if (typeof extra !== "object" || extra === null) return false;
  const { choices, capabilities, executor, intent, judge } = extra as Partial<Record<keyof RequestExtra, unknown>>;
  return (
    Array.isArray(choices) &&
    choices.every(isObject) &&
    Array.isArray(capabilities) &&
    capabilities.every(isObject) &&
    isObject(judge) &&
    typeof executor === "string" &&
    typeof intent === "string"
  );
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

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
function storedChoices(stored: readonly object[]): Choice[] | undefined {
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
