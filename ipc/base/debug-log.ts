import { debuglog } from "node:util";

/**
 * Debug logs of the process's interfaces, on stderr: `METNOS_DEBUG=socket,stage`. Lines name connections, stages, files and
 * outcomes; they must not contain any part of a call's arguments, or a token or link.
 */

const AREAS = ["socket", "stage", "storage", "web", "notifications"] as const;
export type DebugArea = (typeof AREAS)[number];

export interface DebugLog {
  /** To be checked before a line is built, so that a disabled log costs nothing. */
  readonly isOn: boolean;
  /** Writes one line to stderr. */
  write(line: string): void;
}

const wanted = new Set((process.env.METNOS_DEBUG ?? "").split(",").map((area) => area.trim()));
const unknown = [...wanted].filter((area) => !["", "all", ...AREAS].includes(area));
if (unknown.length > 0) {
  process.stderr.write(`METNOS_DEBUG has no area ${unknown.join(", ")}; there are ${AREAS.join(", ")} and all\n`);
}

/** The log of one area. On where METNOS_DEBUG names it (or `all`), or Node's own NODE_DEBUG names `metnos:AREA`. */
export function debugLog(area: DebugArea): DebugLog {
  const isOn = wanted.has(area) || wanted.has("all") || debuglog(`metnos:${area}`).enabled;
  const prefix = `metnos:${area} ${process.pid}:`;
  return {
    isOn,
    write(line) {
      process.stderr.write(`${prefix} ${line}\n`);
    },
  };
}
