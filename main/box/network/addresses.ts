import { BlockList, isIP, isIPv4 } from "node:net";
import { networkInterfaces } from "node:os";
import { isCloudMetadata } from "../../decide/guard/cloud-metadata.ts";

/** Which names and addresses a confined program may reach: public ones. Whatever is on this machine or its networks is none of them. */

/** IPv4 that isn't public (IANA's special-purpose registry). */
const SPECIAL_4: readonly (readonly [string, number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
];

/** Within 2000::/3, the only part of IPv6 that is given out: protocols' own (Teredo, ORCHID, benchmarks), documentation, 6to4. */
const SPECIAL_6: readonly (readonly [string, number])[] = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
];

const special = new BlockList();
for (const [net, prefix] of SPECIAL_4) special.addSubnet(net, prefix, "ipv4");
for (const [net, prefix] of SPECIAL_6) special.addSubnet(net, prefix, "ipv6");
const givenOut = new BlockList();
givenOut.addSubnet("2000::", 3, "ipv6");
/** IPv4 in the last 32 bits: mapped, and the well-known NAT64. Other carriers of IPv4 aren't public. */
const carriers = new BlockList();
carriers.addSubnet("::ffff:0:0", 96, "ipv6");
carriers.addSubnet("64:ff9b::", 96, "ipv6");

type Interfaces = ReturnType<typeof networkInterfaces>;

/**
 * True if an address is public, and not one of this machine. Of IPv4 in IPv6 the IPv4 address counts.
 * @param interfaces the machine's, as they are now
 */
export function isPublicAddress(address: string, interfaces = networkInterfaces()): boolean {
  const inner = embedded4(address);
  if (inner !== null) return isPublicAddress(inner, interfaces);
  return isGloballyRouted(address) && !isOwn(address, interfaces);
}

function isGloballyRouted(address: string): boolean {
  if (isIPv4(address)) return !special.check(address, "ipv4") && !isCloudMetadata(address);
  // A zone (`fe80::1%eth0`) names an interface of this machine.
  if (isIP(address) !== 6 || address.includes("%")) return false;
  return givenOut.check(address, "ipv6") && !special.check(address, "ipv6");
}

/** The machine's services listen on its public addresses, too. */
function isOwn(address: string, interfaces: Interfaces): boolean {
  const own = new BlockList();
  for (const found of Object.values(interfaces).flatMap((list) => list ?? []))
    own.addAddress(found.address, found.family === "IPv4" ? "ipv4" : "ipv6");
  return own.check(address, isIPv4(address) ? "ipv4" : "ipv6");
}

/** The IPv4 address that an IPv6 address carries; null where it carries none. */
function embedded4(address: string): string | null {
  if (isIP(address) !== 6 || address.includes("%") || !carriers.check(address, "ipv6")) return null;
  // A URL's parser writes the last 32 bits of each in one form: two groups.
  const groups = new URL(`http://[${address}]`).hostname.slice(1, -1).split(":");
  const [high = 0, low = 0] = groups.slice(-2).map((group) => Number.parseInt(group || "0", 16));
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
}

/** Names that a machine or its network gives to its own: never asked about, never looked up. */
const LOCAL_DOMAINS = [
  "localhost",
  "local",
  "internal",
  "home.arpa",
  "lan",
  "intranet",
  "localdomain",
  "invalid",
  "onion",
];

/** True if a host's name, in its normal form, can only be one of this machine's or its network's. */
export function isLocalName(host: string): boolean {
  return !host.includes(".") || LOCAL_DOMAINS.some((domain) => host === domain || host.endsWith(`.${domain}`));
}
