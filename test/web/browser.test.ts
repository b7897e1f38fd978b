import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { BrowserContext, Page } from "playwright-core";
import { describe, expect, it, onTestFinished } from "vitest";
import { hasChromium, startChromium } from "../support/chromium.ts";
import { ask, linkTo } from "../support/page-visitor.ts";
import { type GateUnderTest, startGate } from "../support/running-gate.ts";

const HAS_CHROMIUM = hasChromium();

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

/** Runs in the page: opens the WebSocket and gives the first answer, or how it ended. */
async function callFrom(page: Page, address: string): Promise<string> {
  return await page.evaluate(
    (url) =>
      new Promise<string>((resolve) => {
        const socket = new WebSocket(url);
        socket.onopen = () => socket.send(JSON.stringify({ id: 1, method: "status", params: {} }));
        socket.onmessage = ({ data }) => resolve(String(data));
        socket.onclose = ({ code }) => resolve(`closed ${code}`);
      }),
    address,
  );
}

async function openedPage(gate: GateUnderTest) {
  const context = await (await startChromium()).newContext();
  const watched = await watchedPage(context);
  const link = await linkTo(gate);
  await watched.page.goto(link.url);
  return { context, link, origin: `http://127.0.0.1:${link.port}`, ...watched };
}

describe.skipIf(!HAS_CHROMIUM)("the page in Chromium", () => {
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
      // In its place Chromium shows a page of its own, without a title.
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

  it("is refused with a link that was used, in a browser that has no session", async () => {
    const gate = await startGate({ web: true });
    const link = await linkTo(gate);
    await ask(link.port, link.path);
    const context = await (await startChromium()).newContext();
    const { page } = await watchedPage(context);
    const response = await page.goto(link.url);
    expect(response?.status()).toBe(403);
    expect(await page.content()).toContain("metnos-gate open");
    expect(await context.cookies()).toEqual([]);
  });
});
