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
  const echo_path = join(home.home, "echo.sock");
  const echo = await startEcho(echo_path);
  const { is_apart, release } = keepApart([gate.child.pid, echo.pid]);
  try {
    const to_gate = await greeted(home.paths.agent_socket, home.token);
    const to_echo = await LineClient.connect(echo_path);
    const make = (index: number) => callMessage(folders[index % 1000] ?? "", index);
    const nothing = () => undefined;
    await to_gate.roundTrips(WARM_UP, make, mustBeAllowed);
    await to_echo.roundTrips(WARM_UP, make, nothing);
    const gate_times: number[] = [];
    const echo_times: number[] = [];
    const gate_rates: number[] = [];
    const echo_rates: number[] = [];
    await to_gate.pipelined(PIPELINED, WINDOW, make, mustBeAllowed);
    await to_echo.pipelined(PIPELINED, WINDOW, make, nothing);
    for (let round = 0; round < ROUNDS; round++) {
      echo_times.push(...(await to_echo.roundTrips(CALLS_PER_ROUND, make, nothing)));
      gate_times.push(...(await to_gate.roundTrips(CALLS_PER_ROUND, make, mustBeAllowed)));
      if (round % 2 === 1) continue;
      echo_rates.push(await to_echo.pipelined(PIPELINED, WINDOW, make, nothing));
      gate_rates.push(await to_gate.pipelined(PIPELINED, WINDOW, make, mustBeAllowed));
    }
    to_gate.close();
    to_echo.close();
    const us = (value: number) => `${value.toFixed(0)} us`;
    const where = is_apart ? "" : ", wherever the scheduler put them";
    const pair = (q: number): [number, string] => {
      const [ours, bare] = [quantile(gate_times, q), quantile(echo_times, q)];
      return [ours / bare, `${us(ours)} against ${us(bare)}${where}`];
    };
    const [middle, middle_detail] = pair(0.5);
    const [tail, tail_detail] = pair(0.99);
    const [ours, bare] = [median(gate_rates), median(echo_rates)];
    return [
      figure("round trip, median", middle, "x echo", 1.6, middle_detail),
      figure("round trip, p99", tail, "x echo", 2.5, tail_detail),
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
