import { domainToUnicode } from "node:url";
import { isPopularBeside, KNOWN_DOMAINS, KNOWN_SCOPES, knownPackages } from "@metnos-gate/shell-reading/programs";
import { registrableDomain } from "../../targets/listed-host.ts";

/** Names that are made to be taken for another one. Only warns: a name that resembles none is no better for that. */

/** Letters of other alphabets, and figures, that look like a Latin letter. */
const LIKE: Readonly<Record<string, string>> = {
  ...{
    а: "a",
    ɑ: "a",
    α: "a",
    с: "c",
    ϲ: "c",
    ԁ: "d",
    е: "e",
    ҽ: "e",
    ɡ: "g",
    һ: "h",
    і: "i",
    ι: "i",
    ı: "i",
    ј: "j",
    к: "k",
    κ: "k",
  },
  ...{
    ӏ: "l",
    ⅼ: "l",
    м: "m",
    п: "n",
    ո: "n",
    о: "o",
    ο: "o",
    σ: "o",
    օ: "o",
    р: "p",
    ρ: "p",
    ԛ: "q",
    г: "r",
    ѕ: "s",
    т: "t",
    τ: "t",
  },
  ...{ υ: "u", ս: "u", ν: "v", ѵ: "v", ԝ: "w", ω: "w", х: "x", χ: "x", у: "y", γ: "y", ᴢ: "z" },
};

/** Shorter names, on either side, are near many others. */
const MIN_LENGTH = 5;

/**
 * What a package's name is nearly, and isn't; null where it is known itself, or near none. That the project's own files name it clears it
 * of nothing: an agent may have written them. @param own names in the project's own files
 */
export function packageLike(registry: string, name: string, own: readonly string[]): string | null {
  const known = knownPackages(registry);
  if (known.some((other) => plainName(other) === plainName(name)) || isPopularBeside(registry, plainName(name)))
    return null;
  const [scope, rest] = /^(@[^/]+)\/(.+)$/.exec(name)?.slice(1) ?? [];
  if (scope !== undefined && rest !== undefined) {
    if (KNOWN_SCOPES.includes(scope) || isPopularBeside(registry, scope)) return null;
    const like = KNOWN_SCOPES.find((one) => isNear(scope, one));
    if (like !== undefined) return `${like}/${rest}`;
  }
  const ofProject = () => own.slice(0, MAX_OWN).find((one) => isSameAtAGlance(one, name));
  return known.find((one) => isNear(name, one)) ?? ofProject() ?? null;
}

/** Names in a project's own files that a package is compared with. */
const MAX_OWN = 2000;

const isSameAtAGlance = (own: string, name: string): boolean =>
  plainName(own) !== plainName(name) && atAGlance(own) === atAGlance(name);

/** Registries that take `-`, `_` and `.` for one another. */
const plainName = (name: string): string => name.toLowerCase().replace(/[-_.]+/g, "-");

export interface HostLike {
  /** What it is: its domain, or the host. */
  is: string;
  looksLike: string;
}

/** What a host is made to be taken for; null where it looks like itself. @param host as it is looked up, without a port @param used hosts that the project has used */
export function hostLike(host: string, used: readonly string[]): HostLike | null {
  const domain = registrableDomain(host);
  if (domain === null) return null;
  const mixed = otherAlphabet(domain);
  if (mixed !== null) return { is: domain, looksLike: mixed };
  if (used.includes(host)) return null;
  const below = host.slice(0, -domain.length - 1);
  const knownDomains = [...used.flatMap((one) => registrableDomain(one) ?? []), ...KNOWN_DOMAINS];
  const named = knownDomains.find((one) => `.${below}.`.includes(`.${one}.`)) ?? domainIn(below);
  if (named != null && named !== domain) return { is: domain, looksLike: named };
  if (knownDomains.includes(domain)) return null;
  const near = knownDomains.find((one) => isNear(domain, one));
  return near === undefined ? null : { is: domain, looksLike: near };
}

/** `registry.example.org` in front of somebody else's domain. Of two letters, a country's ending is a part of many hosts' names. */
function domainIn(below: string): string | null {
  if (!/\.(?:com|org|net|io|dev|app|gov|edu|cloud)$/.test(below)) return null;
  return registrableDomain(below) === null ? null : below;
}

/** A name that is spelled with letters of another alphabet and looks like a Latin one; null where it doesn't. */
function otherAlphabet(domain: string): string | null {
  const written = domainToUnicode(domain);
  if (written === "" || /^[\x20-\x7e]*$/.test(written)) return null;
  const latin = [...written.normalize("NFKD").replace(/\p{M}/gu, "")].map((letter) => LIKE[letter] ?? letter).join("");
  return /^[\x20-\x7e]*$/.test(latin) ? latin : null;
}

/** The owner or name in an address that is nearly the one of another remote of the same repository. */
export function addressLike(
  host: string,
  path: string,
  others: readonly { host: string | null; path: string }[],
): string | null {
  const parts = path.split("/");
  for (const other of others) {
    if (other.host !== host || other.path === path) continue;
    const known = other.path.split("/");
    const differing = parts.flatMap((part, at) => (part === known[at] ? [] : [[part, known[at] ?? ""] as const]));
    const [only, ...more] = differing;
    if (parts.length === known.length && only !== undefined && more.length === 0 && isNear(...only, MIN_LENGTH - 1))
      return `${host}${other.path}`;
  }
  return null;
}

/** Spelled otherwise, and the same at a glance: letters that look alike, one letter off, or two that have changed places. */
function isNear(name: string, known: string, minLength = MIN_LENGTH): boolean {
  if (name === known || known.length < minLength || name.length < minLength) return false;
  return atAGlance(name) === atAGlance(known) || isOneOff(name, known);
}

/** Those that many calls are compared with stay known. */
const MAX_GLANCES = 5000;
const MAX_KEPT_NAME = 100;
const glances = new Map<string, string>();

function atAGlance(name: string): string {
  const known = glances.get(name);
  if (known !== undefined) return known;
  const found = readAtAGlance(name);
  if (glances.size >= MAX_GLANCES) glances.clear();
  if (name.length <= MAX_KEPT_NAME) glances.set(name, found);
  return found;
}

function readAtAGlance(name: string): string {
  const plain = [...name.toLowerCase()].map((letter) => LIKE[letter] ?? letter).join("");
  return plain
    .replace(/rn/g, "m")
    .replace(/vv/g, "w")
    .replace(/cl/g, "d")
    .replace(/0/g, "o")
    .replace(/[1i|]/g, "l")
    .replace(/5/g, "s")
    .replace(/[-_]/g, "");
}

function isOneOff(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const [left, right] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  if (left.length <= 1 && right.length <= 1) return true;
  return left.length === 2 && right.length === 2 && left[0] === right[1] && left[1] === right[0];
}
