import { expect, it } from "vitest";
import { DeadlineExtension, HOLD_MS } from "../../../main/calls/approvals/deadline.ts";

const TTL_SECONDS = 600;
const CREATED_MS = Date.parse("2026-05-01T09:00:00Z");

const request = (leftSeconds: number) => ({
  token: "a".repeat(16),
  created_at: "2026-05-01T09:00:00Z",
  expires_at: new Date(CREATED_MS + leftSeconds * 1000).toISOString(),
});

it("the deadline moves by as long as the user was seen, a few seconds at the first time", () => {
  const extension = new DeadlineExtension();
  const seen = (now: number) => extension.extension(request(TTL_SECONDS), now, TTL_SECONDS);
  expect([seen(0), seen(3000), seen(5000)]).toEqual([HOLD_MS / 2000, 3, 2]);
});

it("one sign is worth no more than its bound, however long ago the one before was", () => {
  const extension = new DeadlineExtension();
  const seen = (now: number) => extension.extension(request(TTL_SECONDS), now, TTL_SECONDS);
  seen(0);
  expect([seen(60_000), seen(60_000), seen(59_000)]).toEqual([HOLD_MS / 1000, 0, 0]);
});

it("no request waits longer than four times its first term, however long the user is at it", () => {
  const extension = new DeadlineExtension();
  const left = (seconds: number) => extension.extension(request(seconds), 0, TTL_SECONDS);
  expect(left(4 * TTL_SECONDS - 2)).toBe(2);
  extension.forget("a".repeat(16));
  expect(left(4 * TTL_SECONDS)).toBe(0);
  extension.forget("a".repeat(16));
  expect(left(5 * TTL_SECONDS)).toBe(0);
});
