import type { LookupAddress } from "node:dns";
import { connect, isIPv4, type LookupFunction, type Socket } from "node:net";
import type { Destination, Parsed } from "./destination.ts";
import type { HostAnswer } from "./host-access.ts";
import type { NetworkLimits } from "./limits.ts";
import { type AddressRules, addressesOf } from "./lookup.ts";

/** What each connection of a run needs of its proxy. */
export interface ProxyParts {
  ask(to: Destination, gone: AbortSignal): Promise<HostAnswer>;
  /** Whether what was allowed still is. */
  mayStay(to: Destination): boolean;
  /** Notes an open way to a host, so that it can be closed; returns what forgets it. */
  opened(to: Destination, close: () => void): () => void;
  rules: AddressRules;
  limits: NetworkLimits;
}

/** Why a connection gets no further, as the status of an answer. */
export interface Refusal {
  status: 400 | 403 | 502;
  why: string;
}

/**
 * Asks for a host, looks its name up once it is allowed, and connects to one of the addresses that were checked. A name that isn't
 * allowed is never looked up: the question itself would leave the machine.
 */
export async function reach(
  to: Destination,
  parts: ProxyParts,
  gone: AbortSignal,
): Promise<{ socket: Socket } | { refusal: Refusal }> {
  const answer = await parts.ask(to, gone);
  if (!answer.isAllowed) return { refusal: { status: 403, why: answer.why } };
  const addresses = await addressesOf(to, parts.rules);
  if (!("ok" in addresses)) return { refusal: { status: 403, why: addresses.why } };
  const connected = await connectTo(to, addresses.ok, parts.limits, gone);
  if (!("ok" in connected)) return { refusal: { status: 502, why: connected.why } };
  if (parts.mayStay(to)) return { socket: connected.ok };
  // A pause, or a revoked grant, while it connected.
  connected.ok.destroy();
  return { refusal: { status: 403, why: "it isn't allowed any more" } };
}

function connectTo(
  { host, port }: Destination,
  addresses: readonly string[],
  { connectMs, idleMs, totalMs }: NetworkLimits,
  gone: AbortSignal,
): Promise<Parsed<Socket>> {
  if (gone.aborted) return Promise.resolve({ why: "the connection was closed" });
  return new Promise((resolve) => {
    // The name is only what these addresses are kept under: they are the answer to it.
    const socket = connect({ host: "checked", port, lookup: answering(addresses), autoSelectFamily: true });
    socket.allowHalfOpen = true;
    const abandon = () => socket.destroy();
    const patience = setTimeout(abandon, connectMs);
    const total = setTimeout(abandon, totalMs);
    gone.addEventListener("abort", abandon);
    socket.setTimeout(idleMs, abandon);
    socket.once("connect", () => {
      clearTimeout(patience);
      resolve({ ok: socket });
    });
    // Each failure ends in `close`, which says enough.
    socket.on("error", abandon);
    socket.once("close", () => {
      clearTimeout(patience);
      clearTimeout(total);
      gone.removeEventListener("abort", abandon);
      resolve({ why: `${host} can't be reached` });
    });
  });
}

/** A look-up whose answer is known. */
function answering(addresses: readonly string[]): LookupFunction {
  const all: LookupAddress[] = addresses.map((address) => ({ address, family: isIPv4(address) ? 4 : 6 }));
  const [first] = all;
  return (_name, { all: wantsAll }, done) => {
    if (wantsAll === true || first === undefined) done(null, all);
    else done(null, first.address, first.family);
  };
}

/** One line of printable ASCII, as an answer's first line may have. */
export function reasonPhrase(why: string): string {
  return `Metnos Gate: ${why}`.replace(/[^ -~]/g, "?").slice(0, 300);
}
