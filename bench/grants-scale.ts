import { type Figure, figure, median } from "./figure.ts";
import { benchHome, startGate } from "./gate-process.ts";
import type { LineClient } from "./line-client.ts";
import { callMessage, greeted, mustBeAllowed, workFolders } from "./round-trip.ts";

/** The same allowed call beside 0, 1,000, 100,000 and 1,000,000 other grants: the last against the first. */

const SIZES = [0, 1000, 100_000, 1_000_000];
const ROUNDS = 12;
const CALLS_PER_ROUND = 1000;

export async function grantsScale(): Promise<Figure[]> {
  const work = workFolders(1);
  const [folder = ""] = work.folders;
  const make = (index: number) => callMessage(folder, index);
  const gates: { size: number; client: LineClient; times: number[]; end: () => Promise<void> }[] = [];
  try {
    for (const size of SIZES) {
      const home = benchHome(withOthers(folder, size));
      const gate = await startGate(home);
      const client = await greeted(home.paths.agent_socket, home.token);
      await client.roundTrips(2000, make, mustBeAllowed);
      const end = async () => {
        client.close();
        await gate.stop();
        home.remove();
      };
      gates.push({ size, client, times: [], end });
    }
    // In turn, so that a slower moment of the machine slows all of them.
    for (let round = 0; round < ROUNDS; round++) {
      for (const gate of gates)
        gate.times.push(...(await gate.client.roundTrips(CALLS_PER_ROUND, make, mustBeAllowed)));
    }
    const first = median(gates[0]?.times ?? []);
    return gates.map(({ size, times }) => {
      const middle = median(times);
      const limit = size === SIZES.at(-1) ? 1.3 : null;
      return figure(
        `round trip beside ${size.toLocaleString("en")} grants`,
        middle / first,
        "x none",
        limit,
        `${middle.toFixed(0)} us`,
      );
    });
  } finally {
    for (const gate of gates) await gate.end();
    work.remove();
  }
}

function* withOthers(folder: string, count: number): Generator<string> {
  yield folder;
  for (let index = 0; index < count; index++) yield `/srv/area-${index % 1000}/project-${index}`;
}
