import { effectsOf, type Reading, type SimpleCommand } from "@metnos-gate/shell-reading";
import { programOf } from "@metnos-gate/shell-reading/programs";

/**
 * The addresses where a cloud's machines are handed their credentials. What they give can't be taken back, and nothing that an agent
 * works on lies there: denied at every level.
 */

const NAMES: ReadonlySet<string> = new Set([
  "metadata.google.internal",
  "metadata.goog",
  "metadata.azure.internal",
  "metadata.internal",
  "metadata.tencentyun.com",
  "metadata.platformequinix.com",
  "metadata.packet.net",
  "instance-data.ec2.internal",
]);
/** Names that are ordinary words elsewhere: they count as the host of a URL, or of a program that is given hosts. */
const BARE_NAMES: ReadonlySet<string> = new Set(["metadata", "instance-data", "rancher-metadata"]);
/** Alibaba's, Oracle's, Azure's. */
const ADDRESSES: ReadonlySet<string> = new Set(["100.100.100.200", "192.0.0.192", "168.63.129.16"]);

/** True if `host`, in a URL's normal form (`hostOfUrl`), is one of them. */
export function isCloudMetadata(host: string): boolean {
  const name = host.endsWith(".") ? host.slice(0, -1) : host;
  if (NAMES.has(name) || BARE_NAMES.has(name) || isAddress(name)) return true;
  // `169.254.169.254.nip.io`: names that resolve to the address in them.
  if (/(?:^|[.-])169[.-]254[.-]\d{1,3}[.-]\d{1,3}(?=[.-])/.test(name)) return true;
  return name.startsWith("[") && isAddress6(name.slice(1, -1));
}

function isAddress(host: string): boolean {
  return ADDRESSES.has(host) || /^169\.254\.\d+\.\d+$/.test(host);
}

function isAddress6(address: string): boolean {
  const groups = groupsOf(address);
  if (groups === null) return false;
  const [first = 0, second = 0, third = 0] = groups;
  // fe80::/10, link-local like 169.254.0.0/16.
  if ((first & 0xffc0) === 0xfe80) return true;
  // Amazon's fd00:ec2::254, Google's fd20:ce::254.
  const isLast = groups.slice(2, 7).every((group) => group === 0) && groups[7] === 0x254;
  if (isLast && ((first === 0xfd00 && second === 0x0ec2) || (first === 0xfd20 && second === 0x00ce))) return true;
  // An IPv4 address in it: mapped, compatible, NAT64; of 6to4 it is in front.
  const [high = 0, low = 0] = groups.slice(6);
  const isCarrier =
    (groups.slice(0, 5).every((group) => group === 0) && (groups[5] === 0 || groups[5] === 0xffff)) ||
    (groups.slice(0, 4).every((group) => group === 0) && groups[4] === 0xffff && groups[5] === 0) ||
    (first === 0x64 && second === 0xff9b);
  if (isCarrier) return isAddress(dotted(high, low));
  return first === 0x2002 && isAddress(dotted(second, third));
}

const dotted = (high: number, low: number): string => `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;

/** The eight groups of an IPv6 address as a URL's parser writes it. */
function groupsOf(address: string): number[] | null {
  const [before = "", after] = address.split("::");
  const parse = (text: string) => (text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16)));
  const [left, right] = [parse(before), parse(after ?? "")];
  const groups =
    after === undefined ? left : [...left, ...Array(Math.max(0, 8 - left.length - right.length)).fill(0), ...right];
  return groups.length === 8 && groups.every((group) => group >= 0 && group <= 0xffff) ? groups : null;
}

/** The host of a URL of any scheme, or a whole word that may be a host; a port and a path may follow. */
const URL_IN_TEXT = /:[\\/]{2,}([^\s'"`<>\\/?#]+)/g;
const ADDRESS_IN_TEXT = /(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.]*\d)|\[[0-9a-f:.]+\]/gi;
const HOST_AT_START = /^(?:[^\s/@]*@)?([^\s/:@[\]]+|\[[^\]\s]+\]|[0-9a-f:]+)(?::\d*)?(?:[/?#]|$)/i;
/** What any of them has in any spelling: most words are past this at once. */
const MAY_BE =
  /:[\\/]{2}|(?:^|[=@:])[\d[]|\d\.\d|\[[0-9a-f]*:|metadata|instance-data|^f[de][0-9a-f]{2}:|\/dev\/(?:tcp|udp)\/|%[0-9a-f]{2}|[^ -~\s]/i;

/** True if a text holds the URL of one, or its address, or is such a host as a whole. */
export function namesCloudMetadata(text: string, isHost = false): boolean {
  if (!MAY_BE.test(text)) return false;
  for (const [, authority = ""] of text.matchAll(URL_IN_TEXT)) if (isMetadataHost(authority)) return true;
  for (const [address] of text.matchAll(ADDRESS_IN_TEXT)) if (isMetadataHost(address)) return true;
  const device = /\/dev\/(?:tcp|udp)\/([^/\s]+)/.exec(text)?.[1];
  if (device !== undefined && isMetadataHost(device)) return true;
  // `http:metadata`, and values behind `=`: `--url=2852039166`.
  for (const part of [text, text.slice(text.indexOf("=") + 1)]) {
    const host = HOST_AT_START.exec(part)?.[1];
    if (host === undefined) continue;
    const isWord = BARE_NAMES.has(host.toLowerCase()) || /^\.?\d*$/.test(host);
    // A word like `metadata`, a number: only where a host is expected.
    if ((isHost || !isWord || host.length > 8) && isMetadataHost(host, isHost)) return true;
  }
  return false;
}

function isMetadataHost(authority: string, mayBeWord = true): boolean {
  const host = authority.slice(authority.lastIndexOf("@") + 1);
  const bare = /^[0-9a-f]*:[0-9a-f:.]+$/i.test(host) && (host.match(/:/g)?.length ?? 0) > 1 ? `[${host}]` : host;
  let normal: string;
  try {
    normal = new URL(`http://${bare.replace(/%25?\w+\]$/, "]")}`).hostname;
  } catch {
    return false; // no host that a program could reach
  }
  return isCloudMetadata(normal) && (mayBeWord || !BARE_NAMES.has(normal));
}

/** True if a word of a command names one. What a program only prints or searches for doesn't count. */
export function reachesCloudMetadata({ commands }: Reading): boolean {
  return commands.some((command) =>
    wordsOf(command).some((text) => namesCloudMetadata(text, programOf(command.name).takesHosts)),
  );
}

function wordsOf(command: SimpleCommand): string[] {
  const texts = [
    ...command.assignments.map(({ value }) => value.text),
    ...command.redirects.map(({ target }) => target.text),
    ...(command.code?.strings ?? []).map(({ text }) => text),
  ];
  const candidates = command.argv.map(({ text }) => text);
  // What is data is looked up only where there is something to find.
  if (!candidates.some((text) => namesCloudMetadata(text, true))) return texts;
  const data = new Set(effectsOf(command).data);
  return [...texts, ...command.argv.filter((word) => !data.has(word)).map(({ text }) => text)];
}
