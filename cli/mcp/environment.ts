import type { Env } from "../../ipc/base/paths.ts";

/** The environment of the proxy and of the server behind it: they are not the same. */

/** What the launcher keeps NODE_OPTIONS in: for the server, not for the proxy. */
export const GIVEN_NODE_OPTIONS = "METNOS_GIVEN_NODE_OPTIONS";

/** As the client gave it. */
export function environmentOfServer(env: Env): Record<string, string | undefined> {
  const { [GIVEN_NODE_OPTIONS]: nodeOptions, METNOS_MCP_HEADERS: _headers, ...given } = env;
  return nodeOptions ? { ...given, NODE_OPTIONS: nodeOptions } : given;
}

/** Puts the variables in place that decide which gate is asked; null takes one out. */
export function setPlaces(places: Readonly<Record<string, string | null>>, env: NodeJS.ProcessEnv): void {
  for (const [name, value] of Object.entries(places)) {
    if (value === null) delete env[name];
    else env[name] = value;
  }
}
