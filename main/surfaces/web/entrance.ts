import { ownCommand } from "../../../ipc/base/own-command.ts";
import { PAGE_SECRET_KEY } from "../../../ipc/socket/page-secret.ts";
import type { PageFile } from "./page-files.ts";

/** What a link is answered with: a page that keeps its origin's secret, and continues to the real one. */

const SECRET_NAME = "metnos-page-secret";
export const ENTRANCE_SCRIPT_PATH = "/enter.js";

/** In place of the link's address, which so is neither in the address bar nor behind the back button. */
function script(): string {
  const hint = `Metnos Gate: this browser lets the page store nothing. Allow it for this address, then run: ${ownCommand("open")}`;
  return `"use strict";
try {
  localStorage.setItem(${JSON.stringify(PAGE_SECRET_KEY)}, document.querySelector('meta[name="${SECRET_NAME}"]').content);
  location.replace("/");
} catch {
  document.querySelector("p").textContent = ${JSON.stringify(hint)};
}
`;
}

export function entranceScript(): PageFile {
  return { body: Buffer.from(script()), type: "text/javascript; charset=utf-8" };
}

/** `secret`: hex digits. */
export function entrancePage(secret: string): PageFile {
  const html = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Metnos Gate</title><meta name="${SECRET_NAME}" content="${secret}"></head>
<body><p></p><noscript>Metnos Gate: this page needs JavaScript</noscript><script src="${ENTRANCE_SCRIPT_PATH}"></script></body>
</html>
`;
  return { body: Buffer.from(html), type: "text/html; charset=utf-8" };
}
