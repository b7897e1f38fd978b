import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import type { Bridge } from "../../ipc/socket/bridge.ts";
import { OperatorClient } from "../../ipc/socket/operator-client.ts";
import { PAGE_POLICY } from "../../main/desktop/page.ts";
import type { TemporaryHome } from "../support/temporary-home.ts";
import type { DesktopApp } from "./driver/desktop-app.ts";
import { describeDesktop, launchDesktop } from "./driver/launch.ts";

// docs/decisions/requirements-surfaces.md, "The desktop app"
// What no page may do, asserted on what the app really set and on what its pages really can.

/**
 * As the app itself would do it: what the page does is not allowed. Ends when the page that was there is gone and the new one has
 * loaded: an event may be of the first load, which still continues.
 */
async function reloadApprovals(app: DesktopApp): Promise<void> {
  const page = await app.page("approvals");
  await page.evaluate(() => Object.assign(globalThis, { is_before: true }));
  await app.evaluate(({ BrowserWindow }) => {
    const windows = BrowserWindow.getAllWindows();
    windows.find(({ webContents }) => webContents.getURL().endsWith("approvals"))?.webContents.reload();
  }, undefined);
  const hasLoaded = () =>
    page.evaluate(() => {
      const { document } = globalThis as unknown as { document: { readyState: string } };
      return !("is_before" in globalThis) && document.readyState === "complete";
    });
  await expect.poll(hasLoaded).toBe(true);
}

describeDesktop("a window's page", () => {
  let app: DesktopApp;
  beforeAll(async () => {
    app = await launchDesktop();
    await Promise.all([app.page("approvals"), app.page("popup")]);
  });

  it("is isolated and sandboxed, has no Node and no webview: every window's", async () => {
    const all = await app.evaluate(
      ({ BrowserWindow }) =>
        BrowserWindow.getAllWindows().map((window) => {
          const contents = window.webContents as unknown as { getLastWebPreferences(): Record<string, unknown> };
          const { preload, ...others } = contents.getLastWebPreferences();
          return { ...others, hasPreload: String(preload).endsWith("preload.cjs") };
        }),
      undefined,
    );
    expect(all).toHaveLength(2);
    for (const preferences of all) {
      expect(preferences).toMatchObject({
        hasPreload: true,
        contextIsolation: true,
        sandbox: true,
        nodeIntegration: false,
        nodeIntegrationInWorker: false,
        nodeIntegrationInSubFrames: false,
        webSecurity: true,
        allowRunningInsecureContent: false,
        experimentalFeatures: false,
        webviewTag: false,
        spellcheck: false,
      });
    }
  });

  it("has window.metnos with its five functions, and nothing of Node or Electron", async () => {
    const page = await app.page("approvals");
    const seen = await page.evaluate(() => {
      const scope = globalThis as unknown as Record<string, unknown>;
      const names = ["require", "process", "module", "Buffer", "ipcRenderer", "electron", "__dirname"];
      return {
        bridge: Object.keys(scope.metnos as object).sort(),
        node: names.filter((name) => typeof scope[name] !== "undefined"),
      };
    });
    expect(seen).toEqual({ bridge: ["call", "open", "resize", "subscribe", "watchGate"], node: [] });
  });

  it("comes with the strict policy, and its files with nosniff", async () => {
    const page = await app.page("approvals");
    const [response] = await Promise.all([
      page.waitForResponse((answer) => answer.request().isNavigationRequest()),
      reloadApprovals(app),
    ]);
    const headers = await response.allHeaders();
    expect(headers["content-security-policy"]).toBe(PAGE_POLICY);
    expect(PAGE_POLICY).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/);
    expect(headers["x-content-type-options"]).toBe("nosniff");
  });

  it.each(["/../package.json", "/..%2f..%2fpackage.json", "/%2e%2e/desktop/main.js", "/index.html%00", "/", "/assets"])(
    "is served built files only: %s is not there",
    async (path) => {
      const page = await app.page("approvals");
      const status = await page.evaluate(async (asked) => (await fetch(asked)).status, path);
      expect(status).toBe(404);
    },
  );

  it("runs no script of its own making", async () => {
    const page = await app.page("approvals");
    const ran = await page.evaluate(async () => {
      const { document } = globalThis as unknown as {
        document: { createElement(name: string): { textContent: string }; body: { append(node: object): void } };
      };
      const script = document.createElement("script");
      script.textContent = "globalThis.was_run = true";
      document.body.append(script);
      await new Promise((resolve) => setTimeout(resolve, 0));
      return "was_run" in globalThis;
    });
    expect(ran).toBe(false);
  });

  it("stays where it is", async () => {
    const page = await app.page("approvals");
    const before = page.url();
    await page.evaluate(() => {
      (globalThis as unknown as { location: { href: string } }).location.href = "https://example.invalid/";
    });
    await page.evaluate(() => {
      (globalThis as unknown as { location: { assign(url: string): void } }).location.assign("/assets/none.js");
    });
    await expect(page.evaluate(() => "metnos" in globalThis)).resolves.toBe(true);
    expect(page.url()).toBe(before);
  });

  it("opens no window", async () => {
    const page = await app.page("approvals");
    const before = app.pages().length;
    await page.evaluate(() => {
      const { open } = globalThis as unknown as { open(url: string): void };
      open("https://example.invalid/");
      open("about:blank");
    });
    // A window of the app's own is opened after those that the page opens: when it is there, so would be the others.
    await app.evaluate(async ({ BrowserWindow }) => {
      await new BrowserWindow({ show: false }).loadURL("about:blank?later");
    }, undefined);
    await expect.poll(() => app.pages().some((other) => other.url() === "about:blank?later")).toBe(true);
    await expect.poll(() => app.pages().length).toBe(before + 1);
    await app.evaluate(({ BrowserWindow }) => {
      for (const window of BrowserWindow.getAllWindows()) {
        if (window.webContents.getURL() === "about:blank?later") window.close();
      }
    }, undefined);
    await expect.poll(() => app.pages().length).toBe(before);
  });

  it("gets no permission", async () => {
    const page = await app.page("approvals");
    const states = await page.evaluate(async () => {
      const { permissions } = globalThis.navigator as unknown as {
        permissions: { query(of: { name: string }): Promise<{ state: string }> };
      };
      const names = ["geolocation", "notifications", "camera", "microphone", "clipboard-read"];
      return await Promise.all(names.map(async (name) => (await permissions.query({ name })).state));
    });
    expect(states).not.toContain("granted");
    const located = await page.evaluate(
      () =>
        new Promise<string>((resolve) => {
          const { geolocation } = globalThis.navigator as unknown as {
            geolocation: { getCurrentPosition(found: () => void, failed: (error: { code: number }) => void): void };
          };
          geolocation.getCurrentPosition(
            () => resolve("found"),
            ({ code }) => resolve(code === 1 ? "denied" : `failed ${code}`),
          );
        }),
    );
    expect(located).toBe("denied");
  });

  it("reaches nothing but its own origin: by fetch, picture, script, frame, socket, beacon or form", async () => {
    let reached = 0;
    const server = createServer((_request, response) => {
      reached++;
      response.setHeader("access-control-allow-origin", "*").end("here");
    });
    server.on("upgrade", (_request, socket) => {
      reached++;
      socket.destroy();
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    expect(await (await fetch(url)).text()).toBe("here");
    reached = 0;
    const page = await app.page("approvals");
    await page.evaluate(async (there) => {
      interface Node {
        src: string;
        href: string;
        rel: string;
        action: string;
        onload: () => void;
        onerror: () => void;
        submit(): void;
      }
      const scope = globalThis as unknown as {
        document: { createElement(name: string): Node; body: { append(node: Node): void } };
        navigator: { sendBeacon(url: string): boolean };
        WebSocket: new (url: string) => { onerror: () => void; onopen: () => void };
      };
      await fetch(there, { mode: "no-cors" }).catch(() => undefined);
      scope.navigator.sendBeacon(there);
      for (const name of ["img", "script", "iframe", "link"]) {
        await new Promise<void>((resolve) => {
          const node = scope.document.createElement(name);
          node.onload = resolve;
          node.onerror = resolve;
          if (name === "link") {
            node.rel = "stylesheet";
            node.href = there;
          } else node.src = there;
          scope.document.body.append(node);
        });
      }
      await new Promise<void>((resolve) => {
        try {
          const socket = new scope.WebSocket(there.replace("http", "ws"));
          socket.onerror = resolve;
          socket.onopen = resolve;
        } catch {
          resolve();
        }
      });
      const form = scope.document.createElement("form");
      form.action = there;
      scope.document.body.append(form);
      form.submit();
    }, url);
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 100)));
    expect(reached).toBe(0);
    expect(page.url()).toContain("index.html");
  });

  it("asks for nothing elsewhere while it loads", async () => {
    const page = await app.page("approvals");
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await reloadApprovals(app);
    await page.waitForLoadState("networkidle");
    expect(asked.length).toBeGreaterThan(1);
    expect(asked.filter((url) => !url.startsWith(`${app.pageOrigin}/`))).toEqual([]);
  });
});

describeDesktop("the bridge's sender check", () => {
  let app: DesktopApp & { home: TemporaryHome };
  beforeAll(async () => {
    app = await launchDesktop();
    await app.page("approvals");
  });
  const callStatus = () =>
    (
      globalThis as unknown as {
        metnos: { call(method: string, params: object): Promise<{ ok: boolean; code?: string }> };
      }
    ).metnos.call("status", {});

  it("answers our own window's page", async () => {
    const page = await app.page("approvals");
    expect(await page.evaluate(callStatus)).toMatchObject({ ok: true });
  });

  it.each(["app://metnos/index.html#/other", "about:blank?other"])(
    "refuses a window of another maker, with our preload: %s",
    async (url) => {
      await app.evaluate(async ({ BrowserWindow }, address) => {
        const [own] = BrowserWindow.getAllWindows();
        const contents = own?.webContents as unknown as { getLastWebPreferences(): { preload: string } };
        const { preload } = contents.getLastWebPreferences();
        const window = new BrowserWindow({
          show: false,
          webPreferences: { preload, sandbox: true, contextIsolation: true },
        });
        await window.loadURL(address);
      }, url);
      const other = () => app.pages().find((page) => page.url().endsWith("other"));
      await expect.poll(other).toBeDefined();
      expect(await other()?.evaluate(callStatus)).toMatchObject({ ok: false, failure: { code: "not_authorised" } });
      await app.evaluate(({ BrowserWindow }) => {
        for (const window of BrowserWindow.getAllWindows()) {
          if (window.webContents.getURL().endsWith("other")) window.close();
        }
      }, undefined);
    },
  );

  it("refuses our own window once another page is in it, and sends it nothing", async () => {
    const page = await app.page("approvals");
    await app.evaluate(async ({ BrowserWindow }) => {
      const window = BrowserWindow.getAllWindows().find(({ webContents }) =>
        webContents.getURL().endsWith("approvals"),
      );
      await window?.loadURL("about:blank#elsewhere");
    }, undefined);
    await page.waitForURL("about:blank#elsewhere");
    expect(await page.evaluate(callStatus)).toMatchObject({ ok: false, failure: { code: "not_authorised" } });
    expect(app.output()).toMatch(/refused operator:call from a page that is not the gate's own/);

    const pages = [page, await app.page("popup")];
    for (const listening of pages) {
      await listening.evaluate(async () => {
        const scope = globalThis as unknown as { received: number; metnos: Bridge };
        scope.received = 0;
        scope.metnos.subscribe(() => scope.received++);
        await scope.metnos.call("status", {});
      });
    }
    const { operator_socket, operatorToken } = app.home.paths;
    const operator = await OperatorClient.connect(operator_socket, operatorToken);
    await operator.call("grants.add", { capability: "fs:read", target: "/srv/a/**" });
    await operator.close();
    const received = (index: number) =>
      pages[index]?.evaluate(() => (globalThis as unknown as { received: number }).received);
    await expect.poll(() => received(1)).toBeGreaterThan(0);
    expect(await received(0)).toBe(0);
  });
});
