/** The page's URL, and what it may load. Imports nothing, so that it can be used without Electron. */

export const PAGE_SCHEME = "app";
export const PAGE_HOST = "metnos";
export const PAGE_ORIGIN = `${PAGE_SCHEME}://${PAGE_HOST}`;

/** The page's URL at a route, such as `popup` or `approvals/<token>`. */
export function pageUrl(route: string): string {
  return `${PAGE_ORIGIN}/index.html#/${route}`;
}

/** Whether a URL is our page, at any route. */
export function isPageUrl(url: string): boolean {
  return url.replace(/#.*$/s, "") === `${PAGE_ORIGIN}/index.html`;
}

/** Allows only the page's own files; the page can't be framed and posts no form. */
export const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");
