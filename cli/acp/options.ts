import { isObject, type Json } from "../../ipc/base/json-object.ts";
import { skipsPermission } from "./modes.ts";

/** The answers that an agent offers with its question. */

export interface PermissionOption {
  id: string;
  kind: "allow_once" | "reject_once";
  /** As it was offered. */
  offered: Json;
}

/**
 * Those that hold for this one call. One that is remembered (`allow_always`) would write a rule of the agent's own, past the gate; one
 * that changes the mode would end the asking; of an id that is offered twice nobody knows what it means.
 */
export function onceOptions(options: unknown): PermissionOption[] {
  const offered = Array.isArray(options) ? options.filter(isObject) : [];
  return offered.flatMap((option): PermissionOption[] => {
    const { optionId: id, kind } = option;
    if (typeof id !== "string" || (kind !== "allow_once" && kind !== "reject_once")) return [];
    if (offered.filter(({ optionId }) => optionId === id).length > 1) return [];
    if (kind === "allow_once" && skipsPermission(id)) return [];
    return [{ id, kind, offered: option }];
  });
}

/** What the agent is answered: an option that it has offered, or that nobody chose one. */
export function outcomeFor(options: readonly PermissionOption[], kind: PermissionOption["kind"] | "cancelled"): Json {
  const found = options.find((option) => option.kind === kind);
  return found === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId: found.id };
}
