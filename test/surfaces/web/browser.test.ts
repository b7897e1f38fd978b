import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { BrowserContext, Page } from "playwright-core";
import { describe, expect, it, onTestFinished } from "vitest";
import { redirectPage } from "../../../cli/browser.ts";
import { NO_BROWSER, openContext } from "../../support/browser.ts";
import { ask, linkTo, PageSocket } from "../../support/page-visitor.ts";
import { type GateUnderTest, startGate } from "../../support/running-gate.ts";
import { tempFolder } from "../../support/temp-folder.ts";

/** What the browser complained about, and all that it asked for. */
interface Watched {
  page: Page;
  complaints: string[];
  requests: string[];
}

async function watchedPage(context: BrowserContext): Promise<Watched> {
  const page = await context.newPage();
  const complaints: string[] = [];
  const requests: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("request", (request) => requests.push(request.url()));
  return { page, complaints, requests };
}

/** Another local server's page, which a browser counts as the same site. */
async function otherServer(): Promise<{ address: string; asked: () => number }> {
  let asked = 0;
  const server = createServer((_, response) => {
    asked++;
    response.setHeader("Content-Type", "text/html").end("<p>another server of this machine</p>");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  server.on("upgrade", (_, stream) => {
    asked++;
    stream.destroy();
  });
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, asked: () => asked };
}

/** Runs in the page: opens the WebSocket as the page does, and gives the first answer, or how it ended. */
async function callFrom(page: Page, address: string): Promise<string> {
  return await page.evaluate(
    (url) =>
      new Promise<string>((resolve) => {
        const secret = localStorage.getItem("metnos_page_secret");
        const socket = new WebSocket(url, "metnos");
        socket.onopen = () => socket.send(JSON.stringify({ nonce: "1".repeat(64) }));
        socket.onmessage = ({ data }) => {
          if (!String(data).startsWith('{"proofs"')) return resolve(String(data));
          socket.send(JSON.stringify({ secret: secret ?? "0".repeat(64) }));
          socket.send(JSON.stringify({ id: 1, method: "status", params: {} }));
        };
        socket.onclose = ({ code }) => resolve(`closed ${code}`);
      }),
    address,
  );
}

async function openedPage(gate: GateUnderTest) {
  const context = await openContext();
  const watched = await watchedPage(context);
  const link = await linkTo(gate);
  await watched.page.goto(link.url);
  // The link's answer leads on by itself.
  await watched.page.waitForURL(`http://127.0.0.1:${link.port}/`);
  await watched.page.getByText("Metnos Gate").first().waitFor();
  return { context, link, origin: `http://127.0.0.1:${link.port}`, ...watched };
}

describe.skipIf(NO_BROWSER !== null)("the page in Chromium", () => {
  it("opens by its link without a complaint, asks its own origin only, and keeps the token nowhere", async () => {
    const gate = await startGate({ web: true });
    const { context, page, link, origin, complaints, requests } = await openedPage(gate);
    await page.getByText("Metnos Gate").first().waitFor();
    expect(page.url()).toBe(`${origin}/`);
    const token = new URL(link.url).searchParams.get("token") ?? "none";
    expect(await page.evaluate("document.documentElement.outerHTML + document.referrer")).not.toContain(token);
    expect(await page.evaluate("document.cookie")).toBe("");
    expect(await context.cookies()).toMatchObject([
      { name: `metnos_${link.port}`, domain: "127.0.0.1", path: "/", httpOnly: true, sameSite: "Strict", expires: -1 },
    ]);
    const secret = await page.evaluate<string>("localStorage.getItem('metnos_page_secret')");
    expect(secret).toMatch(/^[0-9a-f]{64}$/);
    expect(requests.join()).not.toContain(secret);
    await page.reload();
    await page.getByText("Metnos Gate").first().waitFor();
    await page.goBack();
    expect(page.url()).toBe("about:blank");
    expect(complaints).toEqual([]);
    expect(requests.filter((url) => url !== "about:blank" && !url.startsWith(`${origin}/`))).toEqual([]);
    expect(requests.length).toBeGreaterThan(2);
  });

  it("has the operator's contract on a WebSocket, which its policy allows", async () => {
    const gate = await startGate({ web: true });
    const { page, origin, complaints } = await openedPage(gate);
    const answer = await callFrom(page, `${origin.replace("http", "ws")}/operator`);
    expect(JSON.parse(answer)).toMatchObject({ id: 1, result: { pid: process.pid } });
    expect(complaints).toEqual([]);
  });

  it("reaches the gate again after a reload, in a second tab, and in both after a new link", async () => {
    const gate = await startGate({ web: true });
    await gate.agent();
    const { context, page, origin, complaints } = await openedPage(gate);
    const address = `${origin.replace("http", "ws")}/operator`;
    const { page: second, complaints: others } = await watchedPage(context);
    const reached = async () => {
      for (const tab of [page, second]) {
        await tab.bringToFront();
        await tab.getByText("Nothing is waiting").first().waitFor();
        expect(await callFrom(tab, address)).toContain('"result"');
      }
    };
    await page.reload();
    await second.goto(`${origin}/`);
    await reached();
    await second.goto((await linkTo(gate)).url);
    await second.waitForURL(`${origin}/`);
    await page.reload();
    await reached();
    expect([...complaints, ...others]).toEqual([]);
  });

  it("another local server that the browser sends the cookie to can't open a session with it, nor read the page's secret", async () => {
    const gate = await startGate({ web: true });
    const { context, page, origin, link } = await openedPage(gate);
    const cookies: string[] = [];
    const server = createServer(({ headers }, response) => {
      cookies.push(headers.cookie ?? "");
      response.setHeader("Content-Type", "text/html").end("<p>another server of this machine</p>");
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const { page: other } = await watchedPage(context);
    await other.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    const [Cookie = ""] = cookies;
    expect(Cookie).toMatch(new RegExp(`^metnos_${link.port}=[0-9a-f]{64}$`));
    expect(await other.evaluate("JSON.stringify(localStorage)")).toBe("{}");
    const stolen = await PageSocket.connect({ port: link.port, cookie: Cookie });
    stolen.send({ nonce: "1".repeat(64) });
    stolen.send({ secret: Cookie.slice(-64) });
    expect((await stolen.closed).code).toBe(4401);
    expect(await callFrom(page, `${origin.replace("http", "ws")}/operator`)).toContain('"result"');
  });

  it("runs no script of another origin or in the text, loads nothing from elsewhere, sends nothing away", async () => {
    const gate = await startGate({ web: true });
    const { address: other, asked } = await otherServer();
    const { page, complaints } = await openedPage(gate);
    const attempts = [
      "add('script').textContent = 'document.title = 1'",
      "add('div').innerHTML = '<img src=x onerror=\"document.title = 2\">'",
      "setTimeout('document.title = 3')",
      `add('script').src = '${other}'`,
      `add('img').src = '${other}'`,
      `add('iframe').src = '${other}'`,
      `add('link', { rel: 'stylesheet' }).href = '${other}'`,
      `fetch('${other}', { mode: 'no-cors' }).catch(() => {})`,
      `new WebSocket('${other.replace("http", "ws")}')`,
      // In its place Chromium shows its own page, without a title.
      `add('form', { method: 'post', action: '${other}' }).submit()`,
    ];
    for (const attempt of attempts) {
      complaints.length = 0;
      await page.evaluate(`{
        const add = (name, given = {}) => document.body.appendChild(Object.assign(document.createElement(name), given));
        ${attempt};
      }`);
      await expect.poll(() => complaints.join(), { message: attempt }).toContain("Content Security Policy");
      expect([attempt, await page.title()]).toEqual([attempt, attempt.includes("form") ? "" : "Metnos Gate"]);
    }
    expect(asked()).toBe(0);
  });

  it("can't be reached from another local server's page in the same browser: no WebSocket, no reading, no frame, no click", async () => {
    const gate = await startGate({ web: true });
    const { context, origin, page } = await openedPage(gate);
    const { page: hostile } = await watchedPage(context);
    await hostile.goto((await otherServer()).address);
    expect(await callFrom(hostile, `${origin.replace("http", "ws")}/operator`)).toBe("closed 1006");
    const read = await hostile.evaluate(async (url) => {
      const outcome = (options: RequestInit) =>
        fetch(url, options).then(
          (response) => `${response.type} ${response.status}`,
          () => "refused",
        );
      return [await outcome({ credentials: "include" }), await outcome({ credentials: "include", mode: "no-cors" })];
    }, `${origin}/`);
    expect(read).toEqual(["refused", "refused"]);
    await hostile.setContent(`<iframe src="${origin}/"></iframe><a href="${origin}/">go</a>`);
    await hostile.getByText("go").click();
    await hostile.waitForURL(`${origin}/`);
    expect(await hostile.content()).toContain("another page asked for this one");
    for (const frame of hostile.frames()) expect(await frame.content()).not.toContain('id="root"');
    expect(await callFrom(page, `${origin.replace("http", "ws")}/operator`)).toContain('"result"');
  });

  it("is entered through the file that the user's browser is opened with, and the way back doesn't lead to its link", async () => {
    const gate = await startGate({ web: true });
    const { url } = await linkTo(gate);
    const file = join(tempFolder(), "open.html");
    writeFileSync(file, redirectPage(url));
    const { page } = await watchedPage(await openContext());
    await page.goto(`file://${file}`);
    await page.getByRole("heading", { name: "Approvals" }).waitFor();
    expect(page.url()).toBe(`${new URL(url).origin}/`);
    expect(await page.evaluate("history.length")).toBe(2); // the browser's empty page, and this one
  });

  it("is refused with a link that was used, in a browser that has no session", async () => {
    const gate = await startGate({ web: true });
    const link = await linkTo(gate);
    await ask(link.port, link.path);
    const context = await openContext();
    const { page } = await watchedPage(context);
    const response = await page.goto(link.url);
    expect(response?.status()).toBe(403);
    expect(await page.content()).toContain("metnos-gate open");
    expect(await context.cookies()).toEqual([]);
  });
});
