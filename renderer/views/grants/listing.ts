import { asGateError, type GateError } from "../../../ipc/contract/gate-error.ts";
import type {
  GrantOrder,
  GrantView,
  OperatorMethod,
  OperatorParams,
  OperatorResult,
} from "../../../ipc/contract/operator-api.ts";
import { type GrantQuery, PAGE_SIZE, type Pages, pagesOf, withPage } from "./pages.ts";

export interface Sorting {
  order: GrantOrder;
  descending: boolean;
}

type Call = <M extends OperatorMethod>(method: M, params: OperatorParams<M>) => Promise<OperatorResult<M>>;

export interface Listed {
  /** Null until the first answer. */
  total: number | null;
  pages: Pages;
  error: GateError | undefined;
}

const REFRESH_MS = 200;

/** Grants by the page: visible rows are fetched, and fetched again when something changed. The old rows stay until the new ones are loaded. */
export class GrantListing {
  readonly #call: Call;
  readonly #listeners = new Set<() => void>();
  /** Page -> the generation that it was fetched or asked in. */
  readonly #fetched = new Map<number, number>();
  #query: GrantQuery = {};
  #generation = 0;
  #inFlight = 0;
  #isNewSearch = false;
  #seen: readonly number[] = [0];
  #listed: Listed = { total: null, pages: new Map(), error: undefined };
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(call: Call) {
    this.#call = call;
  }

  get listed(): Listed {
    return this.#listed;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  search(query: GrantQuery): void {
    this.#query = query;
    this.#isNewSearch = true;
    this.#seen = [0];
    this.#again();
  }

  /** These rows are on the screen now. */
  see(firstIndex: number, lastIndex: number): void {
    this.#seen = pagesOf(firstIndex, lastIndex);
    this.#ask();
  }

  /** Something changed; many changes in a row are one. */
  refreshSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#again();
    }, REFRESH_MS);
  }

  #again(): void {
    this.#generation++;
    this.#ask();
  }

  /** Of a fast scroll only the rows that are visible when the gate has answered are asked for, not all that were scrolled past. */
  #ask(): void {
    if (this.#inFlight > 0) return;
    for (const page of this.#seen) {
      if (this.#fetched.get(page) !== this.#generation) void this.#fetch(page, this.#generation);
    }
  }

  async #fetch(page: number, generation: number): Promise<void> {
    this.#fetched.set(page, generation);
    this.#inFlight++;
    try {
      const answer = await this.#call("grants.search", { ...this.#query, offset: page * PAGE_SIZE, limit: PAGE_SIZE });
      if (generation !== this.#generation) return;
      const before = this.#isNewSearch ? new Map<number, readonly GrantView[]>() : this.#listed.pages;
      this.#isNewSearch = false;
      const pages = withPage(before, page, answer.grants);
      for (const known of [...this.#fetched.keys()])
        if (!pages.has(known) && !this.#seen.includes(known)) this.#fetched.delete(known);
      this.#tell({ total: answer.total, pages, error: undefined });
    } catch (failure) {
      if (generation !== this.#generation) return;
      // Not asked again by itself: with the next search, change or connection.
      const error = asGateError(failure);
      this.#tell({ ...this.#listed, error });
    } finally {
      this.#inFlight--;
      this.#ask();
    }
  }

  #tell(listed: Listed): void {
    this.#listed = listed;
    for (const listener of [...this.#listeners]) listener();
  }
}
