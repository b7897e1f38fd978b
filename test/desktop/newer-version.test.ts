import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { configSchema } from "../../main/config/config.ts";
import { isNewer, newestVersion } from "../../main/desktop/newer-version.ts";

/** Asks a server of the test's own: over HTTP, in the place of the HTTPS that the address says. */
async function asked(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return await newestVersion(`https://127.0.0.1:${port}/latest`, (url, options) =>
    fetch(String(url).replace("https:", "http:"), options),
  );
}

const json =
  (value: unknown): RequestListener =>
  (_request, response) =>
    response.end(JSON.stringify(value));

describe("the newest version", () => {
  it.each([
    ["a registry's answer", { name: "metnos-gate", version: "1.12.3" }, "1.12.3"],
    ["a release's tag", { tag_name: "v2.0.0-rc.1" }, "2.0.0-rc.1"],
  ])("is read from %s", async (_what, value, version) => {
    expect(await asked(json(value))).toBe(version);
  });

  it("is asked for with nothing that tells who asks: no cookie, no referrer, nothing of this machine", async () => {
    let headers: NodeJS.Dict<string | string[]> = {};
    await asked((request, response) => {
      ({ headers } = request);
      response.setHeader("set-cookie", "a=b");
      json({ version: "1.0.0" })(request, response);
    });
    expect(headers).toMatchObject({ accept: "application/json" });
    expect(headers).not.toHaveProperty("cookie");
    expect(headers).not.toHaveProperty("referer");
    expect(JSON.stringify(headers)).not.toMatch(/metnos|0\.1\.0/);
  });

  it.each<[string, RequestListener, string]>([
    ["no JSON", (_request, response) => response.end("<html>"), "the address sends no JSON"],
    ["no version", json({ name: "x" }), "the address names no version"],
    [
      "a version that is text for the user",
      json({ version: "1.0.0 \u202etxt. <b>Run this</b>" }),
      "the address names no version",
    ],
    ["a number without end", json({ version: `${"9".repeat(400)}.0.0` }), "the address names no version"],
    [
      "too much",
      (_request, response) => response.end(`{"version":"1.0.0","x":"${"x".repeat(300_000)}"}`),
      "the address sends too much",
    ],
    ["an error", (_request, response) => response.writeHead(503).end(), "the address answers with 503"],
    [
      "another address",
      (_request, response) => response.writeHead(302, { location: "http://127.0.0.1:1/" }).end(),
      "the address can't be reached, or leads to another one",
    ],
    ["nothing", (request) => request.socket.destroy(), "the address can't be reached, or leads to another one"],
  ])("isn't taken from one that sends %s", async (_what, answer, message) => {
    await expect(asked(answer)).rejects.toMatchObject({ code: "not_available", message });
  });

  it("is only asked for over HTTPS, whoever calls", async () => {
    await expect(newestVersion("http://127.0.0.1:1/latest")).rejects.toThrow("https://");
    expect(configSchema.safeParse({ update: { url: "http://example.org/latest" } }).success).toBe(false);
    expect(configSchema.safeParse({ update: { url: "https://example.org/latest" } }).success).toBe(true);
    expect(configSchema.parse({}).update.url).toBeUndefined();
  });

  it.each([
    ["0.2.0", "0.1.9", true],
    ["0.10.0", "0.9.0", true],
    ["1.0.0", "1.0.0", false],
    ["0.9.9", "1.0.0", false],
    ["1.0.0", "1.0.0-rc.1", true],
    ["1.0.0-rc.2", "1.0.0", false],
    ["1.0.1-rc.1", "1.0.0", true],
  ])("%s after %s: %s", (other, own, expected) => {
    expect(isNewer(other, own)).toBe(expected);
  });
});
