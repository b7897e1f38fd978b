import type { Json } from "../../../../ipc/base/json-object.ts";

/**
 * Freezes a call's arguments: what is asked about is what runs, and a plugin that would change it fails, and the call with it. Gives back the
 * one way to another command line.
 */
export function hold(args: Json): (command: string) => void {
  let { command } = args;
  if (typeof command === "string" && Object.getOwnPropertyDescriptor(args, "command")?.configurable === true)
    Object.defineProperty(args, "command", { get: () => command, enumerable: true });
  freeze(args);
  return (other) => {
    command = other;
  };
}

function freeze(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  Object.freeze(value);
  for (const member of Object.values(value)) freeze(member);
}
