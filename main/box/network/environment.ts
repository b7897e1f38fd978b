import { RELAY_PORT } from "./relay.ts";

const PROXY = `http://127.0.0.1:${RELAY_PORT}`;
const DIRECT = "localhost,127.0.0.1,::1";
/** A connection waits while the user is asked: longer than many programs would. */
const PATIENCE_SECONDS = "600";

/** By which programs find the proxy, and wait for its answer. */
export const NETWORK_ENVIRONMENT: Readonly<Record<string, string>> = {
  // curl reads the plain name in lower case only; others only upper case.
  HTTP_PROXY: PROXY,
  HTTPS_PROXY: PROXY,
  ALL_PROXY: PROXY,
  NO_PROXY: DIRECT,
  http_proxy: PROXY,
  https_proxy: PROXY,
  all_proxy: PROXY,
  no_proxy: DIRECT,
  // Node's own fetch and http, from 22.21 and 24 on.
  NODE_USE_ENV_PROXY: "1",
  npm_config_proxy: PROXY,
  npm_config_https_proxy: PROXY,
  npm_config_noproxy: DIRECT,
  npm_config_fetch_timeout: `${PATIENCE_SECONDS}000`,
  YARN_HTTP_PROXY: PROXY,
  YARN_HTTPS_PROXY: PROXY,
  PIP_DEFAULT_TIMEOUT: PATIENCE_SECONDS,
  UV_HTTP_TIMEOUT: PATIENCE_SECONDS,
  CARGO_HTTP_TIMEOUT: PATIENCE_SECONDS,
};
