import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { removeFolder } from "../main/base/files/remove-folder.ts";
import { type Figure, figure, median, quantile } from "./figure.ts";
import { benchHome, startGate } from "./gate-process.ts";
import { LineClient, startEcho } from "./line-client.ts";
import { keepApart } from "./processors.ts";

/** An allowed call over the socket (paired agent, 1,000 grants, audit on) against a bare JSON line echo in the same run. */

/** By then the engine has compiled what it will compile: a gate runs all day. */
const WARM_UP = 30_000;
const ROUNDS = 20;
const CALLS_PER_ROUND = 1500;
const PIPELINED = 40_000;
const WINDOW = 512;
const FILES_PER_FOLDER = 7;

/** Folders with a few real files each. */
export function workFolders(count: number): { folders: string[]; remove: () => void } {
  const root = mkdtempSync(join(tmpdir(), "work-"));
  const folders = Array.from({ length: count }, (_, index) => join(root, `project-${index}`));
  for (const folder of folders) {
    mkdirSync(folder);
    for (let file = 0; file < FILES_PER_FOLDER; file++) writeFileSync(join(folder, `notes-${file}.txt`), "notes");
  }
  return { folders, remove: () => removeFolder(root) };
}

export function callMessage(folder: string, index: number): object {
  return {
    type: "tool.call",
    data: {
      id: `c${index}`,
      intent: "read my notes",
      executor: "fs_read",
      args: { path: `${folder}/notes-${index % FILES_PER_FOLDER}.txt` },
      context: { cwd: folder },
    },
  };
}

export function mustBeAllowed(data: Record<string, unknown>): void {
  if (data.outcome !== "allowed") throw new Error(`not allowed: ${JSON.stringify(data)}`);
}

export async function greeted(path: string, token: string): Promise<LineClient> {
  const client = await LineClient.connect(path);
  const { type } = await client.ask({ type: "hello", data: { id: "h", protocol: 1, agent: { name: "bench" }, token } });
  if (type !== "hello.ok") throw new Error(`the gate answered ${type}`);
  return client;
}

export async function roundTrip(): Promise<Figure[]> {
  const work = workFolders(1000);
  const { folders } = work;
  const home = benchHome(folders);
  const gate = await startGate(home);
  const echoPath = join(home.home, "echo.sock");
  const echo = await startEcho(echoPath);
  const { isApart, release } = keepApart([gate.child.pid, echo.pid]);
  try {
    const toGate = await greeted(home.paths.agent_socket, home.token);
    const toEcho = await LineClient.connect(echoPath);
    const make = (index: number) => callMessage(folders[index % 1000] ?? "", index);
    const nothing = () => undefined;
    await toGate.roundTrips(WARM_UP, make, mustBeAllowed);
    await toEcho.roundTrips(WARM_UP, make, nothing);
    const gateTimes: number[] = [];
    const echoTimes: number[] = [];
    const gateRates: number[] = [];
    const echoRates: number[] = [];
    await toGate.pipelined(PIPELINED, WINDOW, make, mustBeAllowed);
    await toEcho.pipelined(PIPELINED, WINDOW, make, nothing);
    for (let round = 0; round < ROUNDS; round++) {
      echoTimes.push(...(await toEcho.roundTrips(CALLS_PER_ROUND, make, nothing)));
      gateTimes.push(...(await toGate.roundTrips(CALLS_PER_ROUND, make, mustBeAllowed)));
      if (round % 2 === 1) continue;
      echoRates.push(await toEcho.pipelined(PIPELINED, WINDOW, make, nothing));
      gateRates.push(await toGate.pipelined(PIPELINED, WINDOW, make, mustBeAllowed));
    }
    toGate.close();
    toEcho.close();
    const us = (value: number) => `${value.toFixed(0)} us`;
    const where = isApart ? "" : ", wherever the scheduler put them";
    const pair = (q: number): [number, string] => {
      const [ours, bare] = [quantile(gateTimes, q), quantile(echoTimes, q)];
      return [ours / bare, `${us(ours)} against ${us(bare)}${where}`];
    };
    const [middle, middleDetail] = pair(0.5);
    const [tail, tailDetail] = pair(0.99);
    const [ours, bare] = [median(gateRates), median(echoRates)];
    return [
      figure("round trip, median", middle, "x echo", 1.6, middleDetail),
      figure("round trip, p99", tail, "x echo", 2.5, tailDetail),
      figure(
        "pipelined throughput",
        ours / bare,
        "x echo",
        0.12,
        `${ours.toFixed(0)}/s against ${bare.toFixed(0)}/s`,
        false,
      ),
    ];
  } finally {
    release();
    echo.kill();
    await gate.stop();
    home.remove();
    work.remove();
  }
}
