import { expect, it } from "vitest";
import type { Asked } from "../../../cli/mcp/asked-calls.ts";
import { McpProxy } from "../../../cli/mcp/proxy.ts";

it("a client that wants to know is sent that its call waits, with its own token and growing, until it is cancelled", async () => {
  const said: string[] = [];
  let withdrawn = 0;
  const asked: Asked = { key: "k", ended: new Promise(() => undefined), withdraw: () => withdrawn++ };
  const proxy = new McpProxy({
    server: "notes",
    cwd: "/",
    env: {},
    ends: { toClient: (line) => said.push(line.toString()), toServer: () => expect.unreachable("nothing was allowed") },
    gateFor: () => ({
      isPairing: false,
      ask: () => asked,
      announce: () => undefined,
      outcome: () => undefined,
      close: () => undefined,
    }),
    waitSeconds: () => 60,
    progressMs: 5,
  });
  const params = '{"name":"look","_meta":{"progressToken":"\\u0061"}}';
  expect(proxy.fromClient(Buffer.from(`{"id":1,"method":"tools/call","params":${params}}\n`))).toBeUndefined();
  await expect.poll(() => said.length).toBeGreaterThan(2);
  expect(said[0]).toContain('"params":{"progressToken":"\\u0061","progress":0.000001,');
  expect(JSON.parse(said[2] ?? "").params.progress).toBeGreaterThan(JSON.parse(said[1] ?? "").params.progress);
  const cancelled = '{"method":"notifications/cancelled","params":{"requestId":1}}\n';
  expect(proxy.fromClient(Buffer.from(cancelled))).toBeUndefined();
  expect(withdrawn).toBe(1);
  expect(await proxy.idle(1)).toBeUndefined();
});
