/** Programs that are given a socket by its path, and when they only talk on it. */
export interface SocketTool {
  /** Words with which it listens in the socket's place, or runs what comes; else it talks. */
  listens?: RegExp;
  /** It looks whether the socket is there, and doesn't open it. */
  only_looks?: true;
}

const NETCAT: SocketTool = { listens: /^-[A-Za-z]*l|^--listen|^-[A-Za-z]*[ce]$|^--(?:exec|sh-exec)/ };
const LOOKS: SocketTool = { only_looks: true };

const SOCKET_TOOLS: Readonly<Record<string, SocketTool>> = {
  nc: NETCAT,
  ncat: NETCAT,
  netcat: NETCAT,
  socat: { listens: /LISTEN|RECV|EXEC|SYSTEM|OPEN|unlink/i },
  curl: {},
  test: LOOKS,
  "[": LOOKS,
  "[[": LOOKS,
  ls: LOOKS,
  stat: LOOKS,
};

/** Programs that are given the names of hosts. */
const HOST_TOOLS: ReadonlySet<string> = new Set(
  "curl wget wget2 http https xh aria2c axel lynx w3m links elinks nc ncat netcat socat telnet ssh openssl grpcurl".split(
    " ",
  ),
);

/** The names of all of them. */
export const NETWORK_TOOL_NAMES: readonly string[] = [...Object.keys(SOCKET_TOOLS), ...HOST_TOOLS];

/** What a program does with a socket that it is given, or undefined where that isn't known. */
export function socketToolCalled(name: string): SocketTool | undefined {
  return Object.hasOwn(SOCKET_TOOLS, name) ? SOCKET_TOOLS[name] : undefined;
}

/** True if the program's words may be names of hosts. */
export function takesHosts(name: string): boolean {
  return HOST_TOOLS.has(name);
}
