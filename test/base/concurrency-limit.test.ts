import { expect, it } from "vitest";
import { ConcurrencyLimit } from "../../main/base/concurrency-limit.ts";

const never = new AbortController().signal;

it("so many are at it at once, the others wait in their order, and one that is given up leaves the queue", async () => {
  const atOnce = new ConcurrencyLimit(2);
  const order: string[] = [];
  const take = async (name: string, signal = never) => {
    const giveBack = await atOnce.take(signal);
    order.push(name);
    return giveBack;
  };
  const [first, second] = [await take("1"), await take("2")];
  const stop = new AbortController();
  const third = take("3", stop.signal).catch((error: Error) => error);
  const fourth = take("4");
  const fifth = take("5");
  stop.abort(new Error("given up"));
  expect(await third).toMatchObject({ message: "given up" });
  first();
  first();
  await fourth;
  expect(order).toEqual(["1", "2", "4"]);
  second();
  await fifth;
  expect(order).toEqual(["1", "2", "4", "5"]);
});

it("next is whoever has the fewest: one who asks a lot keeps nobody else waiting", async () => {
  const atOnce = new ConcurrencyLimit(2);
  const order: string[] = [];
  const take = async (who: string, name: string) => {
    const giveBack = await atOnce.take(never, who);
    order.push(name);
    return giveBack;
  };
  const [first, second] = [await take("greedy", "g1"), await take("greedy", "g2")];
  const third = take("greedy", "g3");
  const other = take("other", "o1");
  first();
  (await other)();
  (await third)();
  second();
  expect(order).toEqual(["g1", "g2", "o1", "g3"]);
});
