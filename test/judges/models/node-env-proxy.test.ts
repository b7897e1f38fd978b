import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { isProxied } from "../../../main/judges/models/provider-model.ts";

const PROXY = { HTTP_PROXY: "http://10.0.0.1:3128" };
const ON = { NODE_USE_ENV_PROXY: "1" };

it.each([
  ["nothing", {}, [], false],
  ["a proxy alone, which Node doesn't use", PROXY, [], false],
  ["a proxy that Node is set to use", { ...PROXY, ...ON }, [], true],
  ["the same by an option", PROXY, ["--use-env-proxy"], true],
  ["the same by NODE_OPTIONS", { ...PROXY, NODE_OPTIONS: "--expose-gc --use-env-proxy" }, [], true],
  ["in lower case", { http_proxy: "http://10.0.0.1:3128", ...ON }, [], true],
  ["but not for this host", { ...PROXY, ...ON, NO_PROXY: "localhost,127.0.0.1" }, [], false],
  ["but not for another host", { ...PROXY, ...ON, NO_PROXY: "127.0.0.1.example.com" }, [], true],
  ["but for no host", { ...PROXY, ...ON, no_proxy: "*" }, [], false],
  ["and every host beside another one, which Node doesn't read", { ...PROXY, ...ON, NO_PROXY: "x, *" }, [], true],
  [
    "and an empty list in lower case, which Node reads first",
    { ...PROXY, ...ON, no_proxy: "", NO_PROXY: "127.0.0.1" },
    [],
    true,
  ],
])("with %s in the environment: 127.0.0.1 is proxied is %s", (_what, env, options, expected) => {
  expect(isProxied("127.0.0.1", env, options)).toBe(expected);
});

it("where Node would use a proxy, nothing for a model of this machine is sent to it", () => {
  const program = `
    import { createServer } from "node:http";
    import { once } from "node:events";
    const root = process.argv[1];
    const { ProviderModel } = await import(root + "/main/judges/models/provider-model.ts");
    const seen = [];
    const proxy = createServer((request, response) => { seen.push(request.url); response.end(); });
    proxy.on("connect", (request, socket) => { seen.push(request.url); socket.destroy(); });
    proxy.on("connection", () => seen.push("a connection"));
    proxy.listen(0, "127.0.0.1");
    await once(proxy, "listening");
    process.env.HTTP_PROXY = process.env.http_proxy = "http://127.0.0.1:" + proxy.address().port;
    const config = { dialect: "openai", base_url: "http://127.0.0.1:9/v1", model: "m", timeout_seconds: 5, max_tokens: 16, input_price: 0, output_price: 0 };
    const spending = { today: () => ({ calls: 0, cost: 0 }), sent: () => seen.push("counted"), cost: () => undefined };
    const model = new ProviderModel("m", config, { env: {}, spending, closed: new AbortController().signal, changed: () => undefined });
    const asked = await model.ask({ system: "", messages: [], max_tokens: 16 }, new AbortController().signal).catch((error) => error.message);
    await model.probe();
    console.log(JSON.stringify({ asked, seen }));
    proxy.close();`;
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ["--input-type=module", "-e", program, join(import.meta.dirname, "../../..")],
    { encoding: "utf8", env: { PATH: process.env.PATH, NODE_USE_ENV_PROXY: "1", HTTP_PROXY: "http://127.0.0.1:1" } },
  );
  expect(stderr).toBe("");
  expect(JSON.parse(stdout)).toEqual({ asked: "Node would send it to a proxy: add 127.0.0.1 to NO_PROXY", seen: [] });
});
