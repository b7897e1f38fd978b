import { connect } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { ALLOWED, type HostAccess } from "../../../main/box/network/host-access.ts";
import { NETWORK_LIMITS } from "../../../main/box/network/limits.ts";
import { RunProxy } from "../../../main/box/network/run-proxy.ts";
import { tempFolder } from "../../support/temp-folder.ts";

/** A name whose servers don't answer keeps one of the few threads by which the gate looks up names, for its judges as well. */

const EVERY_HOST: HostAccess = {
  ask: () => Promise.resolve(ALLOWED),
  mayStay: () => true,
  forgetAllowed: () => undefined,
  forgetApproved: () => undefined,
  close: () => undefined,
};

it("a box has one name looked up at a time, each once for all that wait for it, and none after its end", async () => {
  const path = join(tempFolder(), "proxy");
  const going: { name: string; fail: () => void }[] = [];
  const rules = {
    resolve: (name: string) =>
      new Promise<string[]>((_, reject) => going.push({ name, fail: () => reject(new Error("no answer")) })),
    isAllowed: () => true,
  };
  const proxy = RunProxy.listen({ path, hosts: EVERY_HOST, rules, limits: NETWORK_LIMITS, failed: () => undefined });
  onTestFinished(() => proxy.close());
  const ask = (host: string) =>
    new Promise<string>((resolve) => {
      const socket = connect(path, () => socket.write(`CONNECT ${host}:443 HTTP/1.1\r\nHost: ${host}:443\r\n\r\n`));
      socket.setEncoding("latin1").once("data", resolve);
      socket.on("error", () => resolve("")).once("close", () => resolve(""));
      onTestFinished(() => void socket.destroy());
    });
  const names = () => going.map(({ name }) => name);
  const first = Array.from({ length: 20 }, () => ask("a.example.org"));
  await expect.poll(names).toEqual(["a.example.org."]);
  const others = ["b.example.org", "c.example.org"].map(ask);
  await ask("localhost");
  expect(names()).toEqual(["a.example.org."]);
  going[0]?.fail();
  for (const answer of await Promise.all(first)) expect(answer).toContain("a.example.org has no address");
  await expect.poll(names).toEqual(["a.example.org.", "b.example.org."]);
  // Another program may try it again.
  void ask("a.example.org");
  await ask("localhost");
  proxy.close();
  going[1]?.fail();
  await Promise.all(others);
  expect(names()).toEqual(["a.example.org.", "b.example.org."]);
});
