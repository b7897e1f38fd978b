import { lookup } from "node:dns/promises";
import { isPublicAddress } from "./addresses.ts";
import type { Destination, Parsed } from "./destination.ts";

/** How names become addresses, and which of these count. Another one only in tests. */
export interface AddressRules {
  /** All addresses of a name. @throws where it has none */
  resolve(name: string): Promise<string[]>;
  /** Whether an address may be connected to. */
  isAllowed(address: string, port: number): boolean;
}

export const PUBLIC_ADDRESSES: AddressRules = {
  resolve: async (name) => (await lookup(name, { all: true, order: "verbatim" })).map(({ address }) => address),
  isAllowed: (address) => isPublicAddress(address),
};

/**
 * The addresses to connect to, each of them checked: the name is looked up here once, and by nobody after it. A name of which one
 * address isn't public is refused as a whole.
 */
export async function addressesOf(
  { host, port, address }: Destination,
  rules: AddressRules,
): Promise<Parsed<string[]>> {
  let found: string[];
  try {
    // With a dot at its end no search domain of the machine is tried.
    found = address === undefined ? await rules.resolve(`${host}.`) : [address];
  } catch {
    return { why: `${host} has no address` }; // the resolver's own words say no more
  }
  if (found.length === 0) return { why: `${host} has no address` };
  if (!found.every((one) => rules.isAllowed(one, port)))
    return { why: `${host} leads to an address that isn't public` };
  return { ok: found };
}
