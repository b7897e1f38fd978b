import { runCampaign } from "./frames/campaign.ts";

/** `npm run fuzz:frames [-- FRAMES [SEED]]`: a million hostile frames against a gate, beside a client that keeps to the protocol. */

const [frames = "1000000", seed = String(Date.now() % 0x7fff_ffff)] = process.argv.slice(2);
console.log(`${frames} frames, seed ${seed}`);
const started = Date.now();
const result = await runCampaign(Number(frames), Number(seed), (done) => console.log(`  ${done}`));
const { residentMib: mib } = result;
console.log(`${result.frames} frames on ${result.connections} connections, ${result.answers} answers read`);
console.log(
  `${Math.round((Date.now() - started) / 1000)} s; ${result.turnedAway} connections without a greeting were closed`,
);
console.log(
  `the good client: ${result.goodCalls} calls, median ${result.medianMs.toFixed(1)} ms, p99 ${result.p99Ms.toFixed(1)} ms, longest ${result.longestMs.toFixed(0)} ms`,
);
console.log(`the gate's memory: ${mib.before} MiB, at most ${mib.highest} MiB, in the end ${mib.after} MiB`);
for (const violation of result.violations) console.log(`  ${violation}`);
console.log(result.violations.length === 0 ? "no rule broken" : `${result.violations.length} rules broken`);
process.exitCode = result.violations.length === 0 ? 0 : 1;
