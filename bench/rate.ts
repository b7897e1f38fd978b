import { writeFileSync } from "node:fs";
import { type Figure, figure, median, quantile } from "./figure.ts";
import { type BenchHome, benchHome, type GateProcess, startGate } from "./gate-process.ts";
import type { LineClient } from "./line-client.ts";
import { keepApart } from "./processors.ts";
import { callMessage, greeted, mustBeAllowed, workFolders } from "./round-trip.ts";

/** What budgets cost an allowed call: two gates answer in turns in the same run, one of which counts nothing. */

const FOLDERS = 1000;
const WARM_UP = 15_000;
const ROUNDS = 40;
const CALLS_PER_ROUND = 500;

interface Side {
  home: BenchHome;
  gate: GateProcess;
  client: LineClient;
  times: number[];
}

async function started(folders: readonly string[], isCounting: boolean): Promise<Side> {
  const home = benchHome(folders);
  if (!isCounting) writeFileSync(home.paths.configFile, "[rate]\nenabled = false\n");
  const gate = await startGate(home);
  return { home, gate, client: await greeted(home.paths.agent_socket, home.token), times: [] };
}

/** The round trips of both, in microseconds. The first of two processes may have the better place: `countingFirst` says which it is. */
async function measured(countingFirst: boolean): Promise<{ counting: number[]; free: number[] }> {
  const { folders, remove } = workFolders(FOLDERS);
  const first = await started(folders, countingFirst);
  const second = await started(folders, !countingFirst);
  const { release } = keepApart([first.gate.child.pid, second.gate.child.pid]);
  const make = (index: number) => callMessage(folders[index % FOLDERS] ?? "", index);
  try {
    for (const { client } of [first, second]) await client.roundTrips(WARM_UP, make, mustBeAllowed);
    for (let round = 0; round < ROUNDS; round++)
      for (const side of round % 2 === 0 ? [first, second] : [second, first])
        side.times.push(...(await side.client.roundTrips(CALLS_PER_ROUND, make, mustBeAllowed)));
    return countingFirst
      ? { counting: first.times, free: second.times }
      : { counting: second.times, free: first.times };
  } finally {
    release();
    for (const { client, gate, home } of [first, second]) {
      client.close();
      await gate.stop();
      home.remove();
    }
    remove();
  }
}

export async function rate(): Promise<Figure[]> {
  const runs = [await measured(true), await measured(false)];
  const ratios = runs.map(({ counting, free }) => median(counting) / median(free));
  const all = (side: "counting" | "free") => runs.flatMap((run) => run[side]);
  const [counting, free] = [all("counting"), all("free")];
  const us = (value: number) => `${value.toFixed(0)} us`;
  const tail = quantile(counting, 0.99) / quantile(free, 0.99);
  return [
    figure(
      "round trip with budgets, median",
      ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length,
      "x off",
      1.03,
      `${us(median(counting))} against ${us(median(free))}; by which gate was first: ${ratios.map((one) => one.toFixed(3)).join(", ")}`,
    ),
    figure(
      "round trip with budgets, p99",
      tail,
      "x off",
      null,
      `${us(quantile(counting, 0.99))} against ${us(quantile(free, 0.99))}`,
    ),
  ];
}
