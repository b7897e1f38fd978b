import { shellQuoted } from "../../../ipc/base/shell-quoted.ts";

/**
 * The relay inside a box: programs know proxies by an address of TCP, and the box has a network of its own, in which nothing listens
 * but this. It passes each connection on to the gate's proxy, and decides nothing.
 */

/** In the box's own network: of no meaning outside. */
export const RELAY_PORT = 3128;
/** Where the gate's things are in a box. */
export const BOX_FOLDER = "/run/metnos-gate";
export const BOX_SOCKET = `${BOX_FOLDER}/proxy.sock`;

/** What the relay asks the proxy for: the hosts that wait for the user, a line each. */
export const WAITING = "/waiting";

/** A server of this machine, and the socket by which the gate reaches it. */
export interface LoopbackWay {
  readonly port: number;
  /** On this machine. */
  readonly socket: string;
}

/** Where the box has a way's socket. */
const loopbackSocket = ({ port }: LoopbackWay): string => `${BOX_FOLDER}/loopback-${port}.sock`;

/** The command's terminal says which hosts wait for the user: nothing but a host's name gets there, and nothing else of the relay's. */
const TELLS = `
process.on("uncaughtException", () => process.exit(1));
const waiting = net.connect("${BOX_SOCKET}", () => waiting.write("GET ${WAITING} HTTP/1.0\\r\\n\\r\\n"));
let rest = "";
waiting.setEncoding("latin1").on("error", () => waiting.destroy()).on("data", (more) => {
  const lines = (rest + more).split("\\n");
  rest = lines.pop();
  for (const host of lines)
    if (/^[a-z0-9_.:[\\]-]{1,255}$/.test(host))
      require("node:fs").write(2, "Metnos Gate: waits for your answer about " + host + "\\n", () => {});
});
`;

/** Closes its output once it listens: whoever started it waits for that. No connection may get the number of it. */
const program = (
  ways: readonly (readonly [port: number, socket: string])[],
  { is_announced, tells }: Omit<RelayOptions, "loopback">,
): string => `
const net = require("node:net");
const serve = (path) => net.createServer({ allowHalfOpen: true }, (inside) => {
  const outside = net.connect({ path, allowHalfOpen: true });
  const onward = (from, to) => {
    from.pipe(to);
    from.on("error", () => to.destroy());
    from.on("close", () => (to.writableFinished ? to.destroy() : to.destroySoon()));
  };
  onward(inside, outside);
  onward(outside, inside);
});
const ways = ${JSON.stringify(ways)};
let left = ways.length;
const ready = () => {
  const { closeSync, openSync } = require("node:fs");
  closeSync(1);
  openSync("/dev/null", "w");
};
const announced = () => {
  const first = net.connect("${BOX_SOCKET}", () => first.end(ready));
  first.on("error", () => process.exit(1));
};
for (const [port, path] of ways)
  serve(path)
    .on("error", () => process.exit(1))
    .listen(port, "127.0.0.1", () => --left || ${is_announced ? "announced" : "ready"}());
${tells ? TELLS : ""}`;

/** Where the box has Node. */
const NODE = `${BOX_FOLDER}/node`;

interface RelayOptions {
  loopback: readonly LoopbackWay[];
  /** It connects to the proxy once before the command begins: the gate knows by it that the box is made. */
  is_announced: boolean;
  /** The command's terminal says which hosts wait for the user. */
  tells: boolean;
}

/** Bubblewrap's arguments for the relay's program, and the words that start it. @param node absolute */
export function relayStart(
  node: string,
  { loopback, is_announced, tells }: RelayOptions,
): { binds: string[]; start: string } {
  const ways = [[RELAY_PORT, BOX_SOCKET] as const, ...loopback.map((way) => [way.port, loopbackSocket(way)] as const)];
  const text = shellQuoted(program(ways, { is_announced, tells }).replace(/\n\s*/g, " ").trim());
  // The substitution ends once nobody holds its output any more: the relay runs on, and the command begins.
  const errors = tells ? "" : " 2>/dev/null";
  const start = `: "$(NODE_OPTIONS= NODE_NO_WARNINGS=1 NODE_USE_ENV_PROXY= ${NODE} -e ${text} </dev/null${errors} 8>&- 9>&- &)"`;
  const sockets = loopback.flatMap((way) => ["--ro-bind", way.socket, loopbackSocket(way)]);
  return { binds: ["--ro-bind", node, NODE, ...sockets], start };
}
