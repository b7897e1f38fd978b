import { once } from "node:events";
import { mkdirSync, readdirSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { isPublicAddress } from "../../../main/box/network/addresses.ts";
import type { AddressRules } from "../../../main/box/network/lookup.ts";
import { configSchema } from "../../../main/config/config.ts";
import { HAS_BUBBLEWRAP } from "../../support/boxes.ts";
import { processesWith } from "../../support/judged-gate.ts";
import { agentsUnderTest } from "./agents-under-test.ts";
import { ScriptedModel } from "./scripted-model.ts";

/** A server of the test's own that counts as public, under names of the test's own. */
async function serve(server: Server, names: Record<string, string>) {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const lookedUp: string[] = [];
  const addressRules: AddressRules = {
    resolve: async (name) => {
      const bare = name.replace(/\.$/, "");
      lookedUp.push(bare);
      const address = names[bare];
      if (address === undefined) throw new Error("ENOTFOUND");
      return [address];
    },
    isAllowed: (address, at) => (address === "127.0.0.1" && at === port) || isPublicAddress(address),
  };
  return { port, lookedUp, addressRules };
}

const ASKS = `
import socket, urllib.request, urllib.error
def ask(name, url):
    try:
        print(name, urllib.request.urlopen(url, timeout=20).read().decode())
    except urllib.error.HTTPError as error:
        print(name, error.code, error.reason)
def direct(name, host, port):
    try:
        socket.create_connection((host, port), timeout=3)
        print(name, "reached")
    except OSError:
        print(name, "failed")
`;

describe.skipIf(!HAS_BUBBLEWRAP)("a judge agent with a list of hosts", () => {
  it("reaches those, by the gate's proxy alone, and nobody else", async () => {
    const requests: string[] = [];
    const server = createServer((request, response) => {
      requests.push(`${request.headers.host}${request.url}`);
      response.end("welcome");
    });
    const names = { "good.test": "127.0.0.1", "a.wide.test": "127.0.0.1", "other.test": "127.0.0.1" };
    const privateNames = { "inside.test": "10.0.0.1", "cloud.test": "169.254.169.254", "own.test": "127.0.0.1" };
    const { port, lookedUp, addressRules } = await serve(server, { ...names, ...privateNames });
    const { agent, script, project, failures } = agentsUnderTest();
    mkdirSync(join(project, "src"));
    for (const path of ["service.sock", "src/service.sock"]) {
      const service = createServer((_request, response) => response.end("reached"));
      onTestFinished(() => void service.close());
      service.listen(join(project, path));
      await once(service, "listening");
    }
    const program = script(`/usr/bin/python3 - <<'END' 2>&1
${ASKS}
ask("listed", "http://good.test:${port}/x")
ask("pattern", "http://a.wide.test:${port}/y")
ask("other", "http://other.test:${port}/")
ask("above", "http://wide.test:${port}/")
ask("port", "http://good.test/")
for name in ["inside", "cloud", "own"]:
    ask(name, "http://%s.test/" % name)
direct("loopback", "127.0.0.1", ${port})
direct("internet", "1.1.1.1", 443)
END
for socket in ./service.sock src/service.sock /workspace/service.sock; do curl -s --unix-socket $socket http://x/ || echo $socket failed; done
curl -s -o /dev/null -w 'address %{http_code}\\n' --noproxy '' http://127.0.0.1:${port}/
ls /run/metnos-gate | tr '\\n' ' '`);
    const hosts = [`good.test:${port}`, `*.wide.test:${port}`, "inside.test", "cloud.test", "own.test"];
    const looking = agent({ kind: "command", command: [program], hosts }, undefined, { addressRules });
    const said = await looking.judge({}, { cwd: project, agent_name: "w" }, AbortSignal.timeout(60_000));
    const notListed = "403 Metnos Gate: this host isn't on the judge agent's list";
    const notPublic = (name: string) => `403 Metnos Gate: ${name} leads to an address that isn't public`;
    expect(said.split("\n")).toEqual([
      "listed welcome",
      "pattern welcome",
      `other ${notListed}`,
      `above ${notListed}`,
      `port ${notListed}`,
      `inside ${notPublic("inside.test")}`,
      `cloud ${notPublic("cloud.test")}`,
      `own ${notPublic("own.test")}`,
      "loopback failed",
      "internet failed",
      "./service.sock failed",
      "src/service.sock failed",
      "/workspace/service.sock failed",
      "address 403",
      "node proxy.sock ",
    ]);
    expect(requests).toEqual([`good.test:${port}/x`, `a.wide.test:${port}/y`]);
    // A name that isn't listed is never looked up: the question itself would leave the machine.
    expect(lookedUp).toEqual(["good.test", "a.wide.test", "inside.test", "cloud.test", "own.test"]);
    expect(looking.is_online).toBe(true);
    expect(failures).toEqual([]);
  });

  it("gives them to the commands of a model's cmd.run", async () => {
    const server = createServer((_request, response) => response.end("welcome"));
    const { port, addressRules } = await serve(server, { "good.test": "127.0.0.1" });
    const { agent, project } = agentsUnderTest();
    const command = `curl -sS http://good.test:${port}/`;
    const model = new ScriptedModel(JSON.stringify({ tool: "cmd.run", args: { command } }), "done");
    const tools = [{ name: "cmd.run" as const, allowlist: [command], timeout_seconds: 30 }];
    const looking = agent(
      { kind: "model", model: "scripted", prompt: "p", tools, max_steps: 3, hosts: [`good.test:${port}`] },
      model,
      { addressRules },
    );
    await looking.judge({}, { cwd: project, agent_name: "w" }, AbortSignal.timeout(60_000));
    expect(model.sentAfter(0)).toContain("exit code 0\nwelcome");
  });

  it("leaves no connection, no socket and no process when it is aborted", async () => {
    const server = createServer(() => undefined);
    const { port, addressRules } = await serve(server, { "good.test": "127.0.0.1" });
    const { agent, script, project, state_dir } = agentsUnderTest();
    const url = `http://good.test:${port}/`;
    const looking = agent(
      { kind: "command", command: [script(`exec curl -sS ${url}`)], hosts: [`good.test:${port}`] },
      undefined,
      { addressRules },
    );
    const controller = new AbortController();
    const asked = once(server, "request");
    const judged = looking.judge({}, { cwd: project, agent_name: "w" }, controller.signal);
    const [request] = (await asked) as [IncomingMessage];
    const closed = once(request.socket, "close");
    expect(readdirSync(join(state_dir, "box/judges")).length).toBe(1);
    controller.abort(new Error("the call was withdrawn"));
    await expect(judged).rejects.toThrow("the call was withdrawn");
    await closed;
    expect(readdirSync(join(state_dir, "box/judges"))).toEqual([]);
    expect(processesWith(project)).toEqual([]);
    expect(processesWith(url)).toEqual([]);
  });
});

describe("a judge agent's list of hosts", () => {
  it("is refused where nothing may leave this machine, and where there is no Node for the relay", () => {
    const { agent, machine } = agentsUnderTest();
    const config = { kind: "command" as const, command: ["/bin/true"] as [string], hosts: ["example.com"] };
    expect(() => agent(config, undefined, { machine: { ...machine(), node: null } })).toThrow(
      /hosts can't be reached from the box: no Node program was found/,
    );
    expect(() => configSchema.parse({ judge_agents: { one: config } })).toThrow(/online = true/);
    expect(() => configSchema.parse({ judge: { online: true }, judge_agents: { one: config } })).not.toThrow();
  });
});
