import { isObject, type Json } from "../../ipc/base/json-object.ts";

/** The gate's hooks among those of a client's settings: each client that has hooks keeps them in groups, in a list for each event. */

/** The name of the file that the gate's hooks call: they are recognized by it. */
export const LAUNCHER_NAME = "metnos-gate-hook";

/** Seconds that a hook waits beyond the gate's own time, and the client beyond the hook's: what is late for a client may run. */
export const MARGIN_SECONDS = 15;

/** The list for an event as it is, also what isn't understood; empty where there is none. */
export function groupListOf({ hooks }: Json, event: string): unknown[] {
  const groups = isObject(hooks) ? hooks[event] : undefined;
  return Array.isArray(groups) ? groups : [];
}

/** The groups of hooks for an event; what isn't one is left out. */
export function hookGroupsOf(settings: Json, event: string): Json[] {
  return groupListOf(settings, event).filter(isObject);
}

export function hooksIn(group: unknown): Json[] {
  return isObject(group) && Array.isArray(group.hooks) ? group.hooks.filter(isObject) : [];
}

/** True if a hook's command calls the gate in this client's name. */
export function callsGate(command: unknown, client: string): boolean {
  if (typeof command !== "string" || !command.includes(LAUNCHER_NAME)) return false;
  return new RegExp(` (?:hook|after|session) ${client}\\b`).test(command);
}

/** Which hooks of a client's settings are the gate's. */
export class GateHooks<Event extends string> {
  /** Whose hooks are ours to write. */
  readonly events: readonly Event[];
  readonly isOurs: (hook: Json) => boolean;

  constructor(events: readonly Event[], isOurs: (hook: Json) => boolean) {
    this.events = events;
    this.isOurs = isOurs;
  }

  /** Ours for an event, in their order. */
  in(settings: Json, event: Event): Json[] {
    return hookGroupsOf(settings, event).flatMap((group) => hooksIn(group).filter(this.isOurs));
  }

  areIn(settings: Json): boolean {
    return this.events.some((event) => this.in(settings, event).length > 0);
  }

  isIn(group: unknown): boolean {
    return hooksIn(group).some(this.isOurs);
  }

  /** A group without ours; one that has none is given as it is. */
  outOf(group: unknown): unknown {
    if (!this.isIn(group)) return group;
    return { ...(group as Json), hooks: hooksIn(group).filter((hook) => !this.isOurs(hook)) };
  }

  /** What is left of a group without ours: nothing where it held nothing else. */
  leftOf(group: unknown): unknown[] {
    return this.isIn(group) && hooksIn(group).every(this.isOurs) ? [] : [this.outOf(group)];
  }

  /** The list for an event without ours, and everything else as it is. */
  outOfList(settings: Json, event: Event): unknown[] {
    return groupListOf(settings, event).flatMap((group) => this.leftOf(group));
  }

  /** Settings without ours, and without what they alone had made. */
  outOfAll(settings: Json): Json {
    return this.events.reduce((changed, event) => this.#outOfEvent(changed, event), settings);
  }

  #outOfEvent(settings: Json, event: Event): Json {
    if (this.in(settings, event).length === 0) return settings;
    const groups = this.outOfList(settings, event);
    const { [event as string]: _, ...events } = settings.hooks as Json;
    const hooks: Json = groups.length > 0 ? { ...(settings.hooks as Json), [event]: groups } : events;
    if (Object.keys(hooks).length > 0) return { ...settings, hooks };
    const { hooks: _hooks, ...rest } = settings;
    return rest;
  }
}
