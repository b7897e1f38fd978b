import { join } from "node:path";

/** Where the gate waits for hooks, and their launchers look for it. */
export const pipesFolder = (state_dir: string): string => join(state_dir, "hook", "pipes");
