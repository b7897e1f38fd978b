import type { Price } from "../../../ipc/contract/costs.ts";
import type { Level } from "../../../ipc/contract/decision.ts";
import type { ProposedCall } from "../../../ipc/contract/wire.ts";
import type { CostConfig, OwnPrice } from "./config.ts";

/** UTF-8 bytes of a token, rather few: what is estimated is rather too dear than too cheap. */
const TOKEN_BYTES = 3.5;
const MILLION = 1_000_000;

/** What of an executor says what it costs. */
interface Priced {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly price?: OwnPrice | undefined;
}

/** What calls cost, as gate.toml says, or else the manifests of the user's own executors (docs/costs.md). */
export class Prices {
  readonly config: CostConfig["costs"];
  readonly #byName: ReadonlyMap<string, OwnPrice>;

  constructor({ costs, prices }: CostConfig) {
    this.config = costs;
    this.#byName = new Map(prices.map(({ executor, ...price }) => [executor, price]));
  }

  /** The names that gate.toml has a price for. */
  get names(): string[] {
    return [...this.#byName.keys()];
  }

  /** Null where no price is known, or the call is free. */
  priceOf({ executor: called, args }: ProposedCall, { manifest }: { readonly manifest: Priced }): Price | null {
    if (this.#byName.size === 0 && manifest.price === undefined) return null;
    // An executor with several names has one price: the dearest, so that none of its names is a way around another's.
    const configured = [called, manifest.name, ...manifest.aliases].flatMap((name) => this.#byName.get(name) ?? []);
    const known = configured.length > 0 ? configured : manifest.price === undefined ? [] : [manifest.price];
    const prices = known.map((price) => costOf(price, args)).sort((a, b) => b.amount - a.amount);
    const { amount = 0, is_estimated = false } = prices[0] ?? {};
    return amount > 0 ? { amount, currency: this.config.currency, is_estimated } : null;
  }

  /** Whether a call of this price is asked about each time at this level. */
  asksFor({ amount }: Price, level: Level): boolean {
    return amount > this.config.ask_above[level];
  }
}

function costOf(
  { per_call, per_million_tokens = 0, answer_tokens }: OwnPrice,
  args: ProposedCall["args"],
): Pick<Price, "amount" | "is_estimated"> {
  if (per_call !== undefined) return { amount: per_call, is_estimated: false };
  const sent = Math.ceil(Buffer.byteLength(JSON.stringify(args)) / TOKEN_BYTES);
  return { amount: ((sent + answer_tokens) * per_million_tokens) / MILLION, is_estimated: true };
}
