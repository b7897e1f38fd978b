import { randomBytes } from "node:crypto";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { makePrivate } from "../box-folder.ts";
import type { HostAccess } from "./host-access.ts";
import { NETWORK_LIMITS, type NetworkLimits } from "./limits.ts";
import { type AddressRules, PUBLIC_ADDRESSES } from "./lookup.ts";
import { BOX_FOLDER, BOX_SOCKET, type LoopbackWay, RELAY_PORT, relayStart } from "./relay.ts";
import { RunProxy } from "./run-proxy.ts";

const PROXY = `http://127.0.0.1:${RELAY_PORT}`;
const DIRECT = "localhost,127.0.0.1,::1";
/** A connection waits while the user is asked: longer than many programs would. */
const PATIENCE_SECONDS = "600";

/** By which programs find the proxy, and wait for its answer. */
const NETWORK_ENVIRONMENT: Readonly<Record<string, string>> = {
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

/** One box's way to hosts. */
export interface RunNetwork {
  /** Bubblewrap's: before what fills the folders in memory. */
  readonly first?: readonly string[];
  /** Bubblewrap's: behind what makes /run, and behind what clears the environment. */
  readonly arguments: readonly string[];
  /** Words of a POSIX shell that start the relay in the box, and come back when programs can use it. */
  readonly start: string;
  /** The run has ended, or never began. */
  close(): void;
}

export interface RunNetworkParts {
  /** The gate's own folder for the sockets: private, and nobody else's. */
  folder: string;
  /** Absolute: what the relay runs on. */
  node: string;
  /** Logs an unexpected error. */
  failed(what: string, error: unknown): void;
  /** Others only in tests. */
  rules?: AddressRules;
  limits?: NetworkLimits;
  /** Servers of this machine that the box reaches, at the same address. */
  loopback?: readonly LoopbackWay[];
  /** The box is made, and has begun. */
  reached?(): void;
}

/** Makes the folder where it isn't there, 0700, and removes the sockets of a gate that was killed. @throws the system's error */
export function makeSocketFolder(path: string): string {
  makePrivate(path);
  for (const name of readdirSync(path)) rmSync(join(path, name), { force: true, recursive: true });
  return path;
}

/** Opens a way through a proxy of its own, which `hosts` decides for. @throws GateError `box_unavailable` */
export function openRunNetwork(
  hosts: HostAccess,
  parts: RunNetworkParts,
): { proxy: RunProxy; way: Omit<RunNetwork, "close"> } {
  const { folder, node, failed, rules = PUBLIC_ADDRESSES, limits = NETWORK_LIMITS, loopback = [], reached } = parts;
  // Short: the path of a socket has about a hundred characters.
  const path = join(folder, randomBytes(6).toString("hex"));
  const proxy = RunProxy.listen({ path, hosts, rules, limits, failed, reached });
  const { binds, start } = relayStart(node, {
    loopback,
    is_announced: reached !== undefined,
    tells: hosts.asks === true,
  });
  const environment = Object.entries(NETWORK_ENVIRONMENT).flatMap(([name, value]) => ["--setenv", name, value]);
  const words = ["--dir", BOX_FOLDER, "--ro-bind", path, BOX_SOCKET, ...binds, ...environment];
  return { proxy, way: { arguments: words, start } };
}
