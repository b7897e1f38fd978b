import { join } from "node:path";

/** Where the gate waits for hooks, and their launchers look for it. */
export const pipesFolder = (stateDir: string): string => join(stateDir, "hook", "pipes");
