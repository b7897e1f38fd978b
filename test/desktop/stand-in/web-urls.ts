/** Chromium knows no `app:`. Its pages come from a host that doesn't exist, and everything else gets the app's own URL. */

const SUFFIX = ".app-scheme.invalid";

export function toWebUrl(url: string): string {
  return url.replace(/^app:\/\/([^/]+)/, `https://$1${SUFFIX}`);
}

export function fromWebUrl(url: string): string {
  const { protocol, host } = new URL(url);
  return protocol === "https:" && host.endsWith(SUFFIX)
    ? url.replace(/^https:\/\/[^/]+/, `app://${host.slice(0, -SUFFIX.length)}`)
    : url;
}
