import { describe, expect, it } from "vitest";
import { type Job, JobTurns } from "../../ipc/socket/line-connection.ts";

/** Works for so many milliseconds in steps of half a millisecond. */
class Busy implements Job {
  readonly share: string;
  left: number;
  doneAt = Number.NaN;
  longest = 0;

  constructor(share: string, milliseconds: number) {
    this.share = share;
    this.left = milliseconds;
  }

  work(endsAt: number): boolean {
    const began = performance.now();
    do {
      const stepEndsAt = performance.now() + 0.5;
      while (performance.now() < stepEndsAt);
      this.left -= 0.5;
    } while (this.left > 0 && performance.now() < endsAt);
    this.longest = Math.max(this.longest, performance.now() - began);
    if (this.left <= 0) this.doneAt = performance.now();
    return this.left > 0;
  }
}

const isDone = ({ left }: Busy) => left <= 0;
const turn = () => new Promise((resolve) => setImmediate(resolve));

async function until(isOver: () => boolean): Promise<void> {
  while (!isOver()) await turn();
}

describe("turns", () => {
  it("a job that arrives while none waits is done at once, and its turn ends with it", () => {
    const ended: number[] = [];
    const turns = new JobTurns(() => ended.push(1));
    const job = new Busy("a", 0.5);
    turns.add(job);
    expect(isDone(job)).toBe(true);
    expect(ended).toHaveLength(1);
  });

  it("many small jobs that come together don't keep the event loop: the later ones wait for a turn of theirs", async () => {
    const turns = new JobTurns(() => undefined);
    const jobs = Array.from({ length: 100 }, () => new Busy("a", 0.5));
    for (const job of jobs) turns.add(job);
    expect(jobs.filter(isDone).length).toBeLessThan(50);
    expect(jobs.filter(isDone).length).toBeGreaterThan(0);
    await until(() => jobs.every(isDone));
  });

  it("a long job yields, and what comes meanwhile from another share is done first", async () => {
    const turns = new JobTurns(() => undefined);
    const long = new Busy("a", 200);
    turns.add(long);
    expect(isDone(long)).toBe(false);
    const short = new Busy("b", 0.5);
    turns.add(short);
    await until(() => isDone(short));
    expect(long.left).toBeGreaterThan(150);
    await until(() => isDone(long));
  });

  it.each(["before", "after"])(
    "a share of fifty jobs gets together what one job of another share gets, that came %s it",
    async (when) => {
      const turns = new JobTurns(() => undefined);
      const crowd = Array.from({ length: 50 }, () => new Busy("crowd", 10));
      const one = new Busy("one", 50);
      for (const job of when === "before" ? [one, ...crowd] : [...crowd, one]) turns.add(job);
      await until(() => isDone(one));
      const crowdGot = crowd.reduce((sum, { left }) => sum + 10 - left, 0);
      expect(crowdGot).toBeLessThan(150);
      for (const job of [...crowd, one]) turns.remove(job);
    },
  );

  it("a share that comes again and again is not always first: what it used counts while others wait", async () => {
    const turns = new JobTurns(() => undefined);
    const patient = new Busy("patient", 40);
    turns.add(new Busy("first", 20));
    turns.add(patient);
    let used = 0;
    const again = () => {
      const job = new Busy("eager", 2);
      turns.add(job);
      void until(() => isDone(job)).then(() => {
        used += 2;
        if (!isDone(patient)) again();
      });
    };
    again();
    await until(() => isDone(patient));
    expect(used).toBeLessThan(120);
  });

  it("of a share whose steps are long, the next is done after what came from another one in the same turn", async () => {
    const turns = new JobTurns(() => undefined);
    const slow = () => {
      const stepEndsAt = performance.now() + 30;
      while (performance.now() < stepEndsAt);
      order.push("slow");
      return false;
    };
    const order: string[] = [];
    const quick = () => {
      order.push("quick");
      return false;
    };
    turns.add({ share: "slow", work: slow });
    for (let times = 0; times < 3; times++) {
      await turn();
      await turn();
      turns.add({ share: "slow", work: slow });
      turns.add({ share: "quick", work: quick });
      await until(() => order.length === 3 + 2 * times);
    }
    expect(order).toEqual(["slow", "quick", "slow", "quick", "slow", "quick", "slow"]);
  });

  it("a job that was removed is not worked on any more", async () => {
    const turns = new JobTurns(() => undefined);
    const job = new Busy("a", 20);
    turns.add(job);
    const { left } = job;
    turns.remove(job);
    await turn();
    await turn();
    expect(job.left).toBe(left);
  });
});
