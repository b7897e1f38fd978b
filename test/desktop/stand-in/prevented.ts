import type { EventEmitter } from "node:events";

/** Emits an event that listeners can prevent, as Electron's first argument. Returns whether one did. */
export function isPrevented(emitter: EventEmitter, name: string, details: object = {}, ...args: unknown[]): boolean {
  let isPrevented = false;
  const event = {
    ...details,
    preventDefault: () => {
      isPrevented = true;
    },
  };
  emitter.emit(name, event, ...args);
  return isPrevented;
}
