import type { Capability, Level, Outcome } from "../../../ipc/contract/decision.ts";
import type { AgentView, PolicyRow } from "../../../ipc/contract/operator-api.ts";
import { LEVELS } from "../../gate/contract-lists.ts";
import type { PolicyWords } from "../../words/policy.ts";

/** The policy table as the page draws it: rows by family, columns by level. */

export interface MatrixFamily {
  family: PolicyRow["family"];
  rows: PolicyRow[];
}

export interface MatrixColumn {
  level: Level;
  /** Names of the paired agents at this level. */
  agents: string[];
  isInForce: boolean;
}

export interface OpenCell {
  capability: Capability;
  level: Level;
}

const FAMILY_ORDER: readonly PolicyRow["family"][] = ["files", "code", "network", "model", "mail", "channels", "local"];

export function familiesOf(rows: readonly PolicyRow[]): MatrixFamily[] {
  return FAMILY_ORDER.map((family) => ({ family, rows: rows.filter((row) => row.family === family) })).filter(
    (group) => group.rows.length > 0,
  );
}

/** The columns, and which one is in force for the chosen agent. */
export function columnsOf(agents: readonly AgentView[], chosen: string | null): MatrixColumn[] {
  const paired = agents.filter((agent) => agent.revoked_at === null);
  const levelInForce = paired.find((agent) => agent.name === chosen)?.level;
  return LEVELS.map((level) => ({
    level,
    agents: paired.filter((agent) => agent.level === level).map((agent) => agent.name),
    isInForce: level === levelInForce,
  }));
}

/** The agent that is shown first: one that is connected, otherwise any that is paired. */
export function firstAgent(agents: readonly AgentView[]): string | null {
  const paired = agents.filter((agent) => agent.revoked_at === null);
  return (paired.find((agent) => agent.is_connected) ?? paired[0])?.name ?? null;
}

/** Which rule made this cell, in one sentence of the user's language (docs/decisions/requirements-policy.md, "Levels and the table"). */
export function ruleSentence(words: PolicyWords, row: PolicyRow, level: Level): string {
  const what = words.descriptions[row.capability];
  const { outcome } = row.cells[level];
  if (row.default_approval === "none") return words.rules.free(row.capability);
  if (outcome === "denied") return words.rules.ReadOnly.denied(what);
  if (outcome === "allowed") return words.rules.Full(what);
  if (row.default_approval === "always") return words.rules.always(row.capability);
  return level === "ReadOnly" ? words.rules.ReadOnly.approval_required : words.rules.Supervised;
}

/** What grants mean for a cell; `impossible` where none can be stored. */
export function grantsNote(words: PolicyWords, row: PolicyRow, outcome: Outcome): string {
  return row.default_approval === "per_target" ? words.grantsAt[outcome] : words.noGrantsPossible;
}
