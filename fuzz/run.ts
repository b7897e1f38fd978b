import { fuzz } from "./shell-reader.ts";

/** `npm run fuzz [-- INPUTS [SEED]]`: a million random command lines for the interpreter of shell. */

const [inputs = "1000000", seed = String(Date.now() % 0xffff_ffff)] = process.argv.slice(2);
console.log(`${inputs} inputs, seed ${seed}`);
const result = fuzz(Number(inputs), Number(seed), (done) => console.log(`  ${done}`));
console.log(
  `no rule broken; ${result.unread} could not be read; the slowest took ${result.slowestMs.toFixed(1)} ms: ${JSON.stringify(result.slowest)}`,
);
