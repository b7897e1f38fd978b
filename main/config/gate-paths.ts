import type { Env } from "../../ipc/base/paths.ts";
import { type GatePaths, gatePaths } from "../../ipc/base/paths.ts";
import { configuredFiles } from "../decide/places/configured-files.ts";
import type { Config } from "./config.ts";

/** The paths, with the configuration's for the databases, which the environment overrides, and for the files that it names. */
export function gatePathsWith(config: Config, env: Env): GatePaths {
  const paths = { ...gatePaths(env), ...configuredFiles(config) };
  if (!env.METNOS_GRANTS_DB && config.grants.db !== undefined) paths.grants_db = config.grants.db;
  if (!env.METNOS_APPROVALS_DB && config.approvals.db !== undefined) paths.approvals_db = config.approvals.db;
  return paths;
}
