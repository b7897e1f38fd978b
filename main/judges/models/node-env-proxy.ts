import type { Env } from "../../../ipc/base/paths.ts";

/**
 * Whether Node would send what is for `hostname` to a proxy that the environment names. It does so only where it is started with
 * NODE_USE_ENV_PROXY=1 or --use-env-proxy, and then also for this machine's own servers, unless NO_PROXY names them.
 */
export function isProxied(hostname: string, env: Env, node_options: readonly string[]): boolean {
  const options = [...node_options, ...(env.NODE_OPTIONS ?? "").split(/\s+/)];
  if (env.NODE_USE_ENV_PROXY !== "1" && !options.includes("--use-env-proxy")) return false;
  const names_proxy = [env.http_proxy, env.HTTP_PROXY, env.https_proxy, env.HTTPS_PROXY].some(Boolean);
  // An empty one in lower case counts, too; "*" only where it is alone.
  const no_proxy = env.no_proxy ?? env.NO_PROXY ?? "";
  return names_proxy && no_proxy !== "*" && !no_proxy.split(/[\s,]+/).includes(hostname);
}
