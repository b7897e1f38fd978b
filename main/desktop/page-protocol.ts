import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { protocol, type Session } from "electron";
import { PAGE_HOST, PAGE_POLICY, PAGE_SCHEME } from "./page.ts";

/** The page's own protocol: `app://metnos/` serves the page's built files, and nothing else. */

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
};

const HEADERS = {
  "content-security-policy": PAGE_POLICY,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
};

/** Must be called before the app is ready. */
export function registerPageScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: PAGE_SCHEME, privileges: { standard: true, secure: true, supportFetchAPI: true } },
  ]);
}

/** Serves the page in this session. Anything but the built files is not found. */
export function servePage(session: Session): void {
  const files = builtFiles(fileURLToPath(new URL("../renderer", import.meta.url)));
  session.protocol.handle(PAGE_SCHEME, (request) => {
    const { host, pathname } = new URL(request.url);
    const file = host === PAGE_HOST && request.method === "GET" ? files.get(pathname) : undefined;
    if (file === undefined) return new Response("not found", { status: 404, headers: HEADERS });
    return new Response(new Uint8Array(readFileSync(file.path)), {
      headers: { ...HEADERS, "content-type": file.type },
    });
  });
}

interface PageFile {
  path: string;
  type: string;
}

/** URL path -> file, for each built file of a known type. */
function builtFiles(folder: string): ReadonlyMap<string, PageFile> {
  const files = new Map<string, PageFile>();
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const type = MEDIA_TYPES[extname(name)];
    if (type !== undefined) files.set(`/${name.replaceAll("\\", "/")}`, { path: join(folder, name), type });
  }
  return files;
}
