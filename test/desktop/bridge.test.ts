import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { agentTokenFile } from "../../ipc/base/paths.ts";
import type { Bridge } from "../../ipc/socket/bridge.ts";
import { OperatorClient } from "../../ipc/socket/operator-client.ts";
import { AgentConnection } from "../support/agent-connection.ts";
import { readToken } from "../support/running-gate.ts";
import type { TemporaryHome } from "../support/temporary-home.ts";
import type { DesktopApp } from "./driver/desktop-app.ts";
import { describeDesktop, launchDesktop } from "./driver/launch.ts";

// The page's way to the gate: ipc/socket/bridge.ts, over Electron's channels.

interface Scope {
  metnos: Bridge;
  received: string[];
  end(): void;
}

describeDesktop("window.metnos", () => {
  let app: DesktopApp & { home: TemporaryHome };
  let operator: OperatorClient;
  beforeAll(async () => {
    app = await launchDesktop();
    const { operator_socket, operatorToken } = app.home.paths;
    operator = await OperatorClient.connect(operator_socket, operatorToken);
    return () => operator.close();
  });

  it("calls the gate that runs in the app", async () => {
    const page = await app.page("approvals");
    const answer = await page.evaluate(() => (globalThis as unknown as Scope).metnos.call("status", {}));
    expect(answer).toMatchObject({ ok: true, result: { pid: app.pid, approvals_pending: 0 } });
  });

  it("gives refusals as values: a code, a sentence, a hint", async () => {
    const page = await app.page("approvals");
    const answers = await page.evaluate(async () => {
      const { metnos } = globalThis as unknown as Scope;
      return [
        await metnos.call("agents.level", { name: "nobody", level: "Full" }),
        await metnos.call("grants.revoke", { id: "one" } as never),
        await metnos.call("__proto__" as "status", {}),
        await metnos.call("constructor" as "status", {}),
        await metnos.call(7 as unknown as "status", {}),
      ];
    });
    expect(answers).toMatchObject([
      { ok: false, failure: { code: "unknown_agent", hint: "see: metnos-gate agents list" } },
      { ok: false, failure: { code: "invalid_params" } },
      { ok: false, failure: { code: "unknown_method" } },
      { ok: false, failure: { code: "unknown_method" } },
      { ok: false },
    ]);
  });

  it("gets events, in every window, until it unsubscribes", async () => {
    const pages = [await app.page("approvals"), await app.page("popup")];
    for (const page of pages) {
      await page.evaluate(async () => {
        const scope = globalThis as unknown as Scope;
        scope.received = [];
        scope.end = scope.metnos.subscribe(({ type }) => scope.received.push(type));
        // An answer follows everything that was sent before.
        await scope.metnos.call("status", {});
      });
    }
    const received = (index: number) => pages[index]?.evaluate(() => (globalThis as unknown as Scope).received);
    await operator.call("grants.add", { capability: "fs:read", target: "/srv/a/**" });
    await expect.poll(() => received(0)).toContain("grants.changed");
    await expect.poll(() => received(1)).toContain("grants.changed");
    await pages[0]?.evaluate(() => {
      const scope = globalThis as unknown as Scope;
      scope.end();
      scope.received = [];
    });
    await pages[1]?.evaluate(() => {
      (globalThis as unknown as Scope).received = [];
    });
    await operator.call("grants.add", { capability: "fs:read", target: "/srv/b/**" });
    await expect.poll(() => received(1)).toContain("grants.changed");
    expect(await received(0)).toEqual([]);
  });

  it("an agent asks, the page gets the request and answers, the agent gets the answer: also the next time, without asking", async () => {
    const page = await app.page("approvals");
    await page.evaluate(async () => {
      const scope = globalThis as unknown as Scope;
      scope.received = [];
      scope.metnos.subscribe((event) => {
        if (event.type === "approval.waiting") scope.received.push(event.data.token);
      });
      await scope.metnos.call("status", {});
    });
    await operator.call("agents.pair", { name: "asker", level: "Supervised" });
    const agent = await AgentConnection.open(app.home.paths.agent_socket);
    await agent.hello("asker", { token: readToken(agentTokenFile(app.home.paths, "asker")) });
    mkdirSync(join(app.home.home, "notes"));
    const ask = (id: string, name: string) =>
      agent.send("tool.call", {
        id,
        intent: "write a file",
        executor: "fs_write",
        args: { path: join(app.home.home, "notes", name), content: "a" },
      });
    ask("1", "a.txt");
    expect(await agent.next("tool.decision")).toMatchObject({ data: { outcome: "approval_required" } });
    await expect.poll(() => page.evaluate(() => (globalThis as unknown as Scope).received.length)).toBe(1);
    const folder = join(app.home.home, "notes");
    const answered = await page.evaluate(async (target) => {
      const { metnos, received } = globalThis as unknown as Scope;
      const expiresAt = new Date(Date.now() + 30 * 86_400_000).toISOString();
      const answer = {
        token: received[0] ?? "",
        decision: "approved",
        scope: "permanent",
        target,
        expires_at: expiresAt,
      } as const;
      return await metnos.call("approvals.resolve", answer);
    }, `${folder}/**`);
    expect(answered).toMatchObject({ ok: true, result: { status: "approved" } });
    expect(await agent.next("tool.decision")).toMatchObject({ data: { outcome: "allowed" } });
    ask("2", "b.txt");
    expect(await agent.next("tool.decision")).toMatchObject({ data: { id: "2", outcome: "allowed" } });
    agent.socket.destroy();
  });

  it("opens a place of the main window, and only one that looks like a place", async () => {
    const popup = await app.page("popup");
    await popup.evaluate(() => {
      const { metnos } = globalThis as unknown as Scope;
      metnos.open("https://example.invalid/");
      metnos.open("../../etc/passwd");
      metnos.open("approvals/0123456789abcdef");
    });
    const page = await app.page("approvals/0123456789abcdef");
    expect(await page.evaluate(() => (globalThis as unknown as { location: { hash: string } }).location.hash)).toBe(
      "#/approvals/0123456789abcdef",
    );
    expect(await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length, undefined)).toBe(2);
  });

  it("where nobody answers a call, it is rejected, and the page says that the gate is not answering", async () => {
    const page = await app.page("approvals/0123456789abcdef");
    await app.evaluate(({ ipcMain }) => ipcMain.removeHandler("operator:call"), undefined);
    const outcome = page.evaluate(() => (globalThis as unknown as Scope).metnos.call("status", {}));
    await expect(outcome).rejects.toThrow();
    await operator.call("grants.add", { capability: "fs:read", target: "/srv/c/**" });
    await page.getByRole("alert").filter({ hasText: "The gate isn't answering" }).waitFor();
  });
});
