import { readdirSync, readFileSync } from "node:fs";
import { extname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import { errorCode } from "../../base/errors.ts";

/** The built page, read once: what isn't in here by its exact name can't be asked for, however a path is spelt. */

export interface PageFile {
  body: Buffer;
  type: string;
}

/** By request path, `/` for the page itself. */
export type PageFiles = ReadonlyMap<string, PageFile>;

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".webmanifest": "application/manifest+json",
  ".png": "image/png",
  ".woff2": "font/woff2",
};

/** `dist/renderer`, as seen from here and, once built, from dist/cli/. */
const BUILT_PAGE = import.meta.url.endsWith(".ts") ? "../../../dist/renderer/" : "../../dist/renderer/";

/** @throws GateError `page_not_built` */
export function readPageFiles(folder = fileURLToPath(new URL(BUILT_PAGE, import.meta.url))): PageFiles {
  const files = new Map<string, PageFile>();
  try {
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      const type = TYPES[extname(entry.name)];
      // A link in the folder might lead anywhere: it is no file here.
      if (!entry.isFile() || type === undefined) continue;
      const path = join(entry.parentPath, entry.name);
      files.set(`/${relative(folder, path).split(sep).join("/")}`, { body: readFileSync(path), type });
    }
  } catch (error) {
    throw notBuilt(`the page can't be read (${errorCode(error)})`);
  }
  const page = files.get("/index.html");
  if (page === undefined) throw notBuilt("the page is not built");
  files.delete("/index.html");
  return files.set("/", page);
}

function notBuilt(message: string): GateError {
  return new GateError("page_not_built", message, "in the checkout: npm run build (npm ci does it, too)");
}
