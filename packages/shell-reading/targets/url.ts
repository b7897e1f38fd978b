/** `https://`, then a host at once: what browsers mend (`https:/host`, `\\` for `/`, tabs left out), other programs read as another host. */
const PLAIN_URL = /^https?:\/\/[^/?#\\\s]+(?:[/?#]|$)/i;
// biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for these
const LEFT_OUT = /[\0-\x1f]/;

/**
 * The host that a URL would really be fetched from, or null if it isn't an http(s) URL, or one in which every program sees the same
 * host. Numbers and IPv6 in their normal forms.
 */
export function hostOfUrl(url: string): string | null {
  if (!PLAIN_URL.test(url) || LEFT_OUT.test(url)) return null;
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    return null;
  }
  if (parsed.protocol !== "http:" && parsed.protocol !== "https:") return null;
  return trimDot(parsed.hostname) || null;
}

function trimDot(host: string): string {
  return host.endsWith(".") ? host.slice(0, -1) : host;
}
