import { join } from "node:path";
import { CLIENTS, clientsFolder } from "../test/clients/clients.ts";
import { installClient } from "../test/clients/install-client.ts";
import { startAnsweringGate } from "./answering-gate.ts";
import {
  CLIENT_SCENARIOS,
  compareClient,
  compareServers,
  differencesOf,
  type Row,
  type Setting,
  summaryOf,
} from "./compare.ts";
import { REVISIONS } from "./suite.ts";

/** `npm run conformance`: MCP's own scenarios for servers and clients, without the proxy and with it. Ends with 1 where they differ. */

const NAME = "mcp-conformance";
const WIDTHS = [46, 20, 20, 20] as const;

function row(...cells: readonly string[]): void {
  console.log(
    cells
      .map((cell, index) => cell.padEnd(WIDTHS[index] ?? 0))
      .join(" ")
      .trimEnd(),
  );
}

function print({ scenario, without, through }: Row): void {
  row(scenario, summaryOf(without), ...Object.values(through).map(summaryOf));
}

async function rowsOf(setting: Setting): Promise<Row[]> {
  const rows: Row[] = [];
  const add = (added: Row) => {
    rows.push(added);
    print(added);
  };
  for (const revision of REVISIONS) {
    console.log();
    row(`servers, ${revision}`, "without", "in front: program", "in front: address");
    for (const added of await compareServers(setting, revision, [])) add(added);
    console.log();
    row(`clients, ${revision}`, "without", "in front: address");
    for (const scenario of CLIENT_SCENARIOS[revision]) add(await compareClient(setting, revision, scenario));
  }
  return rows;
}

const program = installClient(NAME);
const gate = await startAnsweringGate();
try {
  const packages = join(clientsFolder(), CLIENTS[NAME].folder);
  const rows = await rowsOf({ suite: { program, env: process.env }, packages, gate });
  const differences = rows.flatMap((each) =>
    differencesOf(each).map((what) => `${each.revision}, ${each.side}, ${each.scenario}, ${what}`),
  );
  console.log(
    `\n${rows.length} scenarios, ${gate.answered} calls asked about and allowed, ${differences.length} differences`,
  );
  console.log("Not run: signing in (auth/), which the proxy doesn't do; extensions, which the SDK doesn't have");
  for (const what of differences) console.log(`!! ${what}`);
  process.exitCode = differences.length === 0 ? 0 : 1;
} finally {
  await gate.close();
}
