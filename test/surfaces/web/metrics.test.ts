import { request } from "node:http";
import { expect, it } from "vitest";
import { ask, linkTo } from "../../support/page-visitor.ts";
import { startGate } from "../../support/running-gate.ts";

const ENABLED = "[metrics]\nenabled = true\n";

it("are answered without a link where they are enabled, and nothing else is", async () => {
  const gate = await startGate({ web: true, config: ENABLED });
  const { port } = await linkTo(gate);
  const { status, body, headers } = await ask(port, "/metrics");
  expect(status).toBe(200);
  expect(headers["content-type"]).toContain("version=0.0.4");
  expect(body).toContain("asi_safety_paused 0");
  for (const path of ["/", "/index.html", "/metrics/", "/metrics?x", "/operator"])
    expect([path, (await ask(port, path)).status]).toEqual([path, 403]);
});

it("aren't there where they aren't enabled", async () => {
  const gate = await startGate({ web: true });
  const { port } = await linkTo(gate);
  expect((await ask(port, "/metrics")).status).toBe(403);
});

it.each([
  ["a forged host", { Host: "evil.example" }, 421],
  ["another origin", { Origin: "http://evil.example" }, 403],
  ["another page in the browser", { "Sec-Fetch-Site": "cross-site" }, 403],
])("are refused to %s", async (_who, headers, expected) => {
  const gate = await startGate({ web: true, config: ENABLED });
  const { port } = await linkTo(gate);
  expect((await ask(port, "/metrics", { headers: headers as Record<string, string> })).status).toBe(expected);
});

it("are read only: POST is refused", async () => {
  const gate = await startGate({ web: true, config: ENABLED });
  const { port } = await linkTo(gate);
  const status = await new Promise((resolve) => {
    request({ host: "127.0.0.1", port, path: "/metrics", method: "POST" }, (answer) =>
      resolve(answer.statusCode),
    ).end();
  });
  expect(status).toBe(405);
});
