import { createConnection, type Socket } from "node:net";
import { LineClient } from "./line-client.ts";

/**
 * Many clients in one process: `node crowd.ts JSON`. Each line on its standard input is a crowd to add; it prints
 * one line for each, once that crowd is connected. It ends with its standard input.
 */

export interface Member {
  name: string;
  token: string;
}

export type Crowd =
  /** Connections that send pings of 100 KiB before any hello, and read nothing. */
  | { kind: "pings"; connections: number }
  /** Connections that send nothing. */
  | { kind: "silent"; connections: number }
  /** Each connection asks for as many calls, one after the other, and keeps waiting. `connections`: of all members together. */
  | { kind: "waiting"; members: Member[]; connections: number; calls: number }
  /** Each connection sends one plan after the other. */
  | { kind: "plans"; members: Member[]; connections: number; calls: object[] };

const PING = Buffer.from(`{"type":"ping","data":{"id":"a","x":"${"x".repeat(102_400)}"}}\n`);
const PINGS = 39;

const sockets: Socket[] = [];

function connect(path: string): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = createConnection(path, () => resolve(socket));
    sockets.push(socket);
    socket.on("error", () => {
      socket.destroy();
      resolve(undefined);
    });
  });
}

async function pings(path: string, connections: number): Promise<void> {
  for (let index = 0; index < connections; index++) {
    const socket = await connect(path);
    for (let ping = 0; ping < PINGS; ping++) socket?.write(PING);
  }
}

async function greeted(path: string, { name, token }: Member): Promise<LineClient> {
  const client = await LineClient.connect(path);
  const { type } = await client.ask({ type: "hello", data: { id: "h", protocol: 1, agent: { name }, token } });
  if (type !== "hello.ok") throw new Error(`the gate answered ${type}`);
  return client;
}

async function waiting(
  path: string,
  { members, connections, calls }: Extract<Crowd, { kind: "waiting" }>,
): Promise<void> {
  await Promise.all(
    Array.from({ length: connections }, async (_, index) => {
      const member = members[index % members.length];
      if (member === undefined) throw new Error("a crowd needs members");
      const client = await greeted(path, member);
      for (let call = 0; call < calls; call++) {
        const target = `/srv/crowd/${index}-${call}.txt`;
        const { data } = await client.ask({
          type: "tool.call",
          data: { id: `c${call}`, intent: "", executor: "fs_write", args: { path: target, content: "" } },
        });
        if (data.outcome !== "approval_required") throw new Error(`not asked: ${JSON.stringify(data)}`);
      }
    }),
  );
}

async function plans(path: string, { members, connections, calls }: Extract<Crowd, { kind: "plans" }>): Promise<void> {
  for (let index = 0; index < connections; index++) {
    const member = members[index % members.length];
    if (member === undefined) throw new Error("a crowd needs members");
    const client = await greeted(path, member);
    const data = { id: "p", intent: "tidy up", calls };
    const next = (): void => void client.ask({ type: "tool.plan", data }).then(next);
    next();
  }
}

async function join(path: string, crowd: Crowd): Promise<void> {
  switch (crowd.kind) {
    case "pings":
      return pings(path, crowd.connections);
    case "silent":
      for (let index = 0; index < crowd.connections; index++) await connect(path);
      return;
    case "waiting":
      return waiting(path, crowd);
    case "plans":
      return plans(path, crowd);
  }
}

const [path] = process.argv.slice(2);
if (path === undefined) throw new Error("which socket?");
let rest = "";
process.stdin.setEncoding("utf8").on("data", (text: string) => {
  const lines = (rest + text).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) void join(path, JSON.parse(line) as Crowd).then(() => console.log("there"));
});
process.stdin.on("end", () => process.exit(0));
