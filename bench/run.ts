import { acp } from "./acp.ts";
import { activity } from "./activity.ts";
import { ageing } from "./ageing.ts";
import { box } from "./box.ts";
import { callFiles } from "./call-files.ts";
import { clients } from "./clients.ts";
import { codingSession } from "./coding-session.ts";
import { described } from "./describe.ts";
import type { Figure } from "./figure.ts";
import { footprint } from "./footprint.ts";
import { grantsScale } from "./grants-scale.ts";
import { guard } from "./guard.ts";
import { hook } from "./hook.ts";
import { judges } from "./judges.ts";
import { load } from "./load.ts";
import { lookingLines } from "./looking-lines.ts";
import { mcp } from "./mcp.ts";
import { notification } from "./notification.ts";
import { page } from "./page.ts";
import { rate } from "./rate.ts";
import { readingCommands } from "./reading-commands.ts";
import { receipts } from "./receipts.ts";
import { roundTrip } from "./round-trip.ts";
import { safetyChecks } from "./safety.ts";
import { telegram } from "./telegram.ts";
import { trail } from "./trail.ts";
import { undo } from "./undo.ts";

/** `npm run bench [-- NAME] [--json]`: ratios in one run; absolute times are noise. */

const BENCHMARKS: Readonly<Record<string, () => Promise<Figure[]>>> = {
  "round-trip": roundTrip,
  "call-files": callFiles,
  rate,
  "grants-scale": grantsScale,
  hook,
  clients,
  box,
  guard,
  description: described,
  "coding-session": codingSession,
  reading: readingCommands,
  looking: lookingLines,
  footprint,
  safety: safetyChecks,
  notification,
  telegram,
  page,
  load,
  judges,
  trail,
  activity,
  receipts,
  undo,
  ageing,
  mcp,
  acp,
};

const args = process.argv.slice(2);
const isJson = args.includes("--json");
const names = args.filter((arg) => !arg.startsWith("--"));
const unknown = names.filter((name) => !Object.hasOwn(BENCHMARKS, name));
if (unknown.length > 0) {
  console.error(`no benchmark ${unknown.join(", ")}; there are: ${Object.keys(BENCHMARKS).join(", ")}`);
  process.exit(2);
}

let allOk = true;
for (const [name, run] of Object.entries(BENCHMARKS)) {
  if (names.length > 0 && !names.includes(name)) continue;
  if (!isJson) console.log(`\n${name}`);
  for (const { detail, ...figure } of await run()) {
    allOk &&= figure.ok;
    if (isJson) {
      console.log(JSON.stringify(figure));
      continue;
    }
    const limit = figure.limit === null ? "" : `limit ${figure.limit}`;
    console.log(
      `  ${figure.ok ? "  " : "!!"} ${figure.name.padEnd(38)} ${figure.value.toFixed(3).padStart(9)} ${figure.unit.padEnd(7)} ${limit.padEnd(11)} ${detail}`,
    );
  }
}
process.exitCode = allOk ? 0 : 1;
