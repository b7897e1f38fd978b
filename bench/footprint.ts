import { type Figure, figure, median } from "./figure.ts";
import { benchHome, startGate } from "./gate-process.ts";
import { callMessage, greeted, mustBeAllowed, workFolders } from "./round-trip.ts";

/** From start to the listening socket, and resident memory after start, at rest, after warming up and after 1,000,000 calls. */

const STARTS = 9;
const MAX_START_MS = 220;
const MAX_RESIDENT_MIB = 85;
/** By then a gate that has nothing to do has given back what its start took. */
const AT_REST_MS = 8000;
const WARM_UP = 50_000;
const CALLS = 1_000_000;

export async function footprint(): Promise<Figure[]> {
  const work = workFolders(10);
  const home = benchHome(work.folders);
  try {
    const starts: number[] = [];
    for (let start = 0; start < STARTS; start++) {
      const gate = await startGate(home);
      starts.push(gate.startMs);
      await gate.stop();
    }
    const gate = await startGate(home);
    const atStart = gate.residentMib();
    await new Promise((resolve) => setTimeout(resolve, AT_REST_MS));
    const atRest = gate.residentMib();
    const client = await greeted(home.paths.agent_socket, home.token);
    const make = (index: number) => callMessage(work.folders[index % work.folders.length] ?? "", index);
    await client.pipelined(WARM_UP, 256, make, mustBeAllowed);
    const warm = gate.residentMib();
    await client.pipelined(CALLS, 256, make, mustBeAllowed);
    const after = gate.residentMib();
    client.close();
    await gate.stop();
    const mib = (value: number) => `${value.toFixed(0)} MiB`;
    return [
      figure("start to listening socket", median(starts), "ms", MAX_START_MS, `median of ${STARTS}`),
      figure("resident after start", atStart, "MiB", null, ""),
      figure("resident at rest", atRest, "MiB", MAX_RESIDENT_MIB, `${AT_REST_MS / 1000} s later`),
      figure("resident after 50,000 calls", warm, "MiB", null, "heap and compiled code at work"),
      figure(
        "growth over 1,000,000 calls",
        after / warm,
        "x",
        1.2,
        `${mib(after)} against ${mib(warm)} after the first 50,000`,
      ),
    ];
  } finally {
    home.remove();
    work.remove();
  }
}
