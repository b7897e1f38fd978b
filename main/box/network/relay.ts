import { basename, dirname } from "node:path";

/**
 * The relay inside a box: programs know proxies by an address of TCP, and the box has a network of its own, in which nothing listens
 * but this. It passes each connection on to the gate's proxy, and decides nothing.
 */

/** In the box's own network: of no meaning outside. */
export const RELAY_PORT = 3128;
/** Where the gate's things are in a box. */
export const BOX_FOLDER = "/run/metnos-gate";
export const BOX_SOCKET = `${BOX_FOLDER}/proxy.sock`;

/** Closes its output once it listens: whoever started it waits for that. */
const PROGRAM = `
const net = require("node:net");
const server = net.createServer({ allowHalfOpen: true }, (inside) => {
  const outside = net.connect({ path: "${BOX_SOCKET}", allowHalfOpen: true });
  const onward = (from, to) => {
    from.pipe(to);
    from.on("error", () => to.destroy());
    from.on("close", () => (to.writableFinished ? to.destroy() : to.destroySoon()));
  };
  onward(inside, outside);
  onward(outside, inside);
});
server.on("error", () => process.exit(1));
server.listen(${RELAY_PORT}, "127.0.0.1", () => require("node:fs").closeSync(1));
`;

/** Which Node runs the relay: the gate's own, bound into the box. */
export interface Runtime {
  exec_path: string;
  /** It is Electron, which needs what lies beside it. */
  is_electron: boolean;
}

const RUNTIME: Runtime = { exec_path: process.execPath, is_electron: process.versions.electron !== undefined };

/** Bubblewrap's arguments for the relay's program, and the words that start it. */
export function relayStart({ exec_path, is_electron }: Runtime = RUNTIME): { binds: string[]; start: string } {
  const inside = is_electron ? `${BOX_FOLDER}/runtime/${basename(exec_path)}` : `${BOX_FOLDER}/node`;
  const binds = is_electron
    ? ["--ro-bind", dirname(exec_path), `${BOX_FOLDER}/runtime`]
    : ["--ro-bind", exec_path, inside];
  const environment = `NODE_OPTIONS= NODE_USE_ENV_PROXY= ${is_electron ? "ELECTRON_RUN_AS_NODE=1 " : ""}`;
  const program = quoted(PROGRAM.replace(/\n\s*/g, " ").trim());
  // The substitution ends once nobody holds its output any more: the relay runs on, and the command begins.
  const start = `: "$(${environment}${quoted(inside)} -e ${program} </dev/null 2>/dev/null 8>&- 9>&- &)"`;
  return { binds, start };
}

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;
