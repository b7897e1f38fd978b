import { expect, it } from "vitest";
import { type StartedProcess, startServe } from "../support/gate-process.ts";
import { NotificationServer } from "../support/notification-server.ts";
import { ask, sessionIn } from "../support/page-visitor.ts";
import { cantRun, PrivateBus } from "../support/private-bus.ts";
import { operatorOf, pairedAgent } from "../support/served-agent.ts";
import { temporaryHome } from "../support/temporary-home.ts";

const SECRET = "Zx9-Secret-4711";

/** The lines of one area, without the process's id. */
function linesOf(serve: StartedProcess, area: string): string[] {
  const prefix = `metnos:${area} ${serve.child.pid}: `;
  return serve.stderr
    .split("\n")
    .filter((line) => line.startsWith(prefix))
    .map((line) => line.slice(prefix.length));
}

it("METNOS_DEBUG shows what happens in the areas that it names, and nothing of an argument, a token or a link", async () => {
  const home = temporaryHome();
  const serve = await startServe(home, ["--web"], { METNOS_DEBUG: "socket, stage,storage,web" });
  const operator = await operatorOf(home);
  const agent = await pairedAgent(home, operator, "worker", "Supervised");
  const intent = `because of ${SECRET}`;
  const args = { path: `/tmp/${SECRET}/a.txt`, content: SECRET };
  const asked = await agent.ask({ executor: "fs_write", args, intent });
  const denied = await agent.ask({ executor: "fs_read", args: { path: "/etc/shadow", note: SECRET }, intent });
  await agent.ask({ executor: `mcp__${SECRET}`, args: { deep: [SECRET] }, intent });
  const { url } = await operator.call("web.link", {});
  const { port, pathname, search } = new URL(url);
  const session = sessionIn(Number(port), await ask(Number(port), pathname + search));
  await ask(Number(port), `/${SECRET}`, { headers: { Cookie: session.cookie } });
  await ask(Number(port), "/", { headers: { Cookie: session.cookie } });
  // Sockets share the numbers of their connections.
  const opened = /^gate\.sock connection (\d+) opened, 1 open$/m.exec(linesOf(serve, "socket").join("\n"));
  await agent.close();
  await expect.poll(() => linesOf(serve, "socket")).toContain(`gate.sock connection ${opened?.[1]} closed, 0 open`);

  expect(linesOf(serve, "storage")).toContainEqual(expect.stringMatching(/^approvals\.db opened: version 0 of \d+/));
  const stages = linesOf(serve, "stage");
  expect(stages).toContain(`decision ${asked.decision.decision_id}: approval_required by approval`);
  expect(stages).toContain("guard: denied");
  expect(stages).toContain(`decision ${denied.decision.decision_id}: denied by guard`);
  expect(stages.indexOf("pairing: continues")).toBe(0);
  expect(linesOf(serve, "web")).toEqual(["GET a link: 200", "GET another path: 404", "GET /: 200"]);
  expect(serve.stderr).not.toContain(SECRET);
  // The link that was asked for here; the one of the start is printed for the user.
  expect(serve.stderr).not.toContain(search.slice("?token=".length));
  expect(serve.stderr).not.toContain(session.cookie.split("=")[1]);
});

it("an area that METNOS_DEBUG doesn't name says nothing, and one that doesn't exist is named", async () => {
  const home = temporaryHome();
  const serve = await startServe(home, [], { METNOS_DEBUG: "storage,sockets" });
  await (await operatorOf(home)).call("status", {});
  expect(linesOf(serve, "storage").length).toBeGreaterThan(0);
  expect(linesOf(serve, "socket")).toEqual([]);
  expect(serve.stderr).toMatch(/METNOS_DEBUG has no area sockets; there are socket, stage,/);
});

it.skipIf(cantRun("the debug lines of notifications", ["dbus-run-session"]))(
  "a notification that is shown is a line, by its kind alone",
  async () => {
    const home = temporaryHome();
    const { address } = await PrivateBus.start();
    await NotificationServer.start(address);
    const serve = await startServe(home, [], { METNOS_DEBUG: "notifications", DBUS_SESSION_BUS_ADDRESS: address });
    const agent = await pairedAgent(home, await operatorOf(home), "worker", "Supervised");
    await agent.ask({ executor: "fs_write", args: { path: `/tmp/${SECRET}`, content: SECRET } });
    await expect.poll(() => linesOf(serve, "notifications")).toContain("approval shown");
    expect(serve.stderr).not.toContain(SECRET);
  },
);
