import type { GrantView, OperatorParams } from "../../../ipc/contract/operator-api.ts";

/** A listing of any length, of which only the pages around the visible rows are held. */

export const PAGE_SIZE = 100;
/** As many pages as are kept: some screens around the visible rows. */
const PAGES_KEPT = 30;

export type GrantQuery = Omit<OperatorParams<"grants.search">, "offset" | "limit">;

export function pagesOf(firstIndex: number, lastIndex: number): number[] {
  const first = Math.max(0, Math.floor(firstIndex / PAGE_SIZE));
  const last = Math.max(first, Math.floor(lastIndex / PAGE_SIZE));
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

export type Pages = ReadonlyMap<number, readonly GrantView[]>;

/** With one page more; the ones that were fetched longest ago are dropped. */
export function withPage(pages: Pages, page: number, grants: readonly GrantView[]): Pages {
  const next = new Map(pages);
  next.delete(page);
  next.set(page, grants);
  for (const oldest of next.keys()) {
    if (next.size <= PAGES_KEPT) break;
    next.delete(oldest);
  }
  return next;
}

/** Undefined while its page is on the way. */
export function grantAt(pages: Pages, index: number): GrantView | undefined {
  return pages.get(Math.floor(index / PAGE_SIZE))?.[index % PAGE_SIZE];
}

/** Whether a grant still counts at `now` (milliseconds). */
export function stateOf(grant: GrantView, now: number): "active" | "revoked" | "expired" {
  if (grant.revoked_at !== null) return "revoked";
  return grant.expires_at !== null && Date.parse(grant.expires_at) <= now ? "expired" : "active";
}
